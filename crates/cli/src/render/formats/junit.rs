//! JUnit XML of a check, for CI: a suite a record, a case a requirement.

use std::io;

use clockscope_analysis::record::{CheckReport, CheckedRecord, Decision, Requirement};
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, Event};

use crate::render::check::{plain, reason};
use crate::render::{Report, Style};

/// Nothing of what is no check: no other command takes the format.
pub(super) fn text(shown: &dyn Report, _: Style) -> String {
    let mut out = Writer::new_with_indent(Vec::new(), b' ', 2);
    // Writing to memory can't fail.
    let written = shown.check().map_or(Ok(()), |report| suites(&mut out, report));
    debug_assert!(written.is_ok());
    let bytes = out.into_inner();
    if bytes.is_empty() { String::new() } else { String::from_utf8_lossy(&bytes).into_owned() + "\n" }
}

type Xml = Writer<Vec<u8>>;

fn suites(xml: &mut Xml, report: &CheckReport) -> io::Result<()> {
    xml.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let all = report.records.iter().flat_map(|record| &record.requirements);
    let counts = counts(all);
    let suites = xml.create_element("testsuites").with_attribute(("name", plain(&report.policy).as_str()));
    let suites = counts.iter().fold(suites, |suites, (name, count)| suites.with_attribute((*name, count.as_str())));
    suites.write_inner_content(|xml| report.records.iter().try_for_each(|record| suite(xml, report, record)))?;
    Ok(())
}

fn suite(xml: &mut Xml, report: &CheckReport, record: &CheckedRecord) -> io::Result<()> {
    let counts = counts(&record.requirements);
    let mut suite = xml.create_element("testsuite").with_attribute(("name", plain(&record.record).as_str()));
    suite = counts.iter().fold(suite, |suite, (name, count)| suite.with_attribute((*name, count.as_str())));
    if let Some(hostname) = &record.hostname {
        suite = suite.with_attribute(("hostname", plain(hostname).as_str()));
    }
    if let Some(started) = &record.started {
        suite = suite.with_attribute(("timestamp", plain(started).as_str()));
    }
    suite.write_inner_content(|xml| record.requirements.iter().try_for_each(|row| case(xml, &report.policy, row)))?;
    Ok(())
}

fn case(xml: &mut Xml, policy: &str, row: &Requirement) -> io::Result<()> {
    let (policy, name, why) = (plain(policy), plain(&row.requirement), reason(row));
    let case =
        xml.create_element("testcase").with_attributes([("classname", policy.as_str()), ("name", name.as_str())]);
    let (element, kind) = match (row.outcome, row.fails) {
        (Decision::Met, _) => return case.write_empty().map(drop),
        (Decision::Violated, _) => ("failure", Some("violated")),
        (Decision::Undecided, true) => ("failure", Some("undecided")),
        (Decision::Undecided, false) => ("skipped", None),
    };
    case.write_inner_content(|xml| {
        let inner = xml.create_element(element).with_attribute(("message", why.as_str()));
        let inner = kind.into_iter().fold(inner, |inner, kind| inner.with_attribute(("type", kind)));
        inner.write_empty().map(drop)
    })?;
    Ok(())
}

/// How many cases there are, fail and are passed over.
fn counts<'a>(rows: impl IntoIterator<Item = &'a Requirement>) -> [(&'static str, String); 4] {
    let (mut tests, mut failures, mut skipped) = (0_u64, 0_u64, 0_u64);
    for row in rows {
        tests += 1;
        failures += u64::from(row.fails);
        skipped += u64::from(row.outcome == Decision::Undecided && !row.fails);
    }
    [("tests", tests), ("failures", failures), ("errors", 0), ("skipped", skipped)]
        .map(|(name, n)| (name, n.to_string()))
}
