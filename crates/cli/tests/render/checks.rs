//! What a policy came to.

use std::path::Path;

use clockscope_analysis::judge::policy::{Date, check, report};
use clockscope_analysis::record::CheckReport;
use clockscope_cli::policy_file;

use super::*;

/// The fixture by a ready-made policy, as one record or beside a worse one.
fn checked(several: bool) -> CheckReport {
    let policy = policy_file::read(Path::new("low-latency")).expect("it is one");
    let day = Date::of("2026-06-15").expect("a day");
    let mut worse = record();
    worse.machine.clocksource.current = Some("hpet".into());
    worse.clocks.retain(|clock| clock.id != "realtime");
    let mut records = vec![check(&policy, "a.json", &record(), day)];
    if several {
        records.push(check(&policy, "b.json", &worse, day));
        records[1].hostname = Some("host \u{1b}[31m".into());
    }
    report(&policy, "low-latency", record().tool, records, day)
}

fn said(format: Format, several: bool, width: usize) -> String {
    format.text(&checked(several), Style { view: at(width), ..Style::default() })
}

#[test]
fn a_check() {
    insta::assert_snapshot!("check_100", said(Format::Table, false, 100));
    insta::assert_snapshot!("check_40", said(Format::Table, false, 40));
    insta::assert_snapshot!("check_several_100", said(Format::Table, true, 100));
    insta::assert_snapshot!("check_markdown", said(Format::Markdown, true, 100));
    insta::assert_snapshot!("check_csv", said(Format::Csv, true, 100));
    insta::assert_snapshot!("check_junit", said(Format::Junit, true, 100));
    insta::assert_snapshot!("check_github", said(Format::Github, true, 100));
}
