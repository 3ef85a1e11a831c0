//! Timers: what makes sleeps late, a table of medians and one of 99 % by way and length; all figures in the other formats.

use std::collections::BTreeSet;
use std::fmt::Write;

use clockscope_analysis::record::{TimerCause, TimerReport, TimerRow};
use clockscope_analysis::text::{count, grouped, time};

use super::findings::traps;
use super::prose::{ending, faint, hanging, heading};
use super::table::{Align, Table, escape};
use super::{View, capital, word, words};

const LEGEND: &str = "Late: the kernel's monotonic clock right after the call, less the same right before, less the length asked for. Of \
                      sched-yield, how long it took. ~ is of fewer than six sleeps.";

/// From so many columns on the lengths find room beside one another; below, each has rows of its own.
const ACROSS: usize = 60;

/// For a terminal; `all`: a row a way and length.
pub fn timers(report: &TimerReport, all: bool, view: View) -> String {
    let mut out = hanging(view, "", 2, &summary(report));
    out.extend(said(report).iter().map(|line| hanging(view, "- ", 2, line)));
    if !report.rows.is_empty() {
        if all || view.width.is_some_and(|width| width < ACROSS) {
            out.push('\n');
            out.push_str(&list(report).shown(view));
        } else {
            out.push_str(&heading(view, "Late by, typically (median)"));
            out.push_str(&matrix(report, typical).shown(view));
            let (title, latest) = latest(report);
            out.push_str(&heading(view, title));
            out.push_str(&matrix(report, latest).shown(view));
        }
        out.push('\n');
        out.push_str(&faint(view, LEGEND));
    }
    out.extend(reasons(report).iter().map(|reason| hanging(view, "", 2, reason)));
    out.push_str(&traps(&report.findings, all, view));
    out + &ending(view, &report.notes, report.interrupted)
}

/// For a page.
pub fn markdown(report: &TimerReport) -> String {
    let mut out = format!("# Sleeps and timers\n\n{}\n\n", escape(&summary(report)));
    for line in said(report) {
        let _ = writeln!(out, "- {}", escape(&line));
    }
    if !report.rows.is_empty() {
        let _ = writeln!(out, "\n{}", list(report).markdown());
    }
    for reason in reasons(report) {
        let _ = writeln!(out, "{}\n", escape(&reason));
    }
    let _ = writeln!(out, "{LEGEND} Nanoseconds by `{}`.", report.clock);
    out + &super::markdown::traps(&report.findings)
}

/// What is to be known first.
fn summary(report: &TimerReport) -> String {
    let sleeps: u64 = report.rows.iter().map(|row| row.count).sum();
    let early = match report.early {
        0 if sleeps == 0 => "nothing slept".into(),
        0 => "none ended early".into(),
        early => format!("{} ended early, which POSIX rules out", grouped(early)),
    };
    let mut facts = vec![count(sleeps, "sleep"), early];
    facts.extend(report.policy.clone());
    facts.extend(report.slack_ns.map(|ns| format!("timer slack {}", time(ns))));
    let fine = |fine| if fine { "high-resolution timers" } else { "no high-resolution timers" };
    facts.extend(report.high_resolution.map(|is| fine(is).to_owned()));
    facts.extend(report.tick_ns.map(|ns| format!("tick {}", time(ns))));
    format!("{}.", facts.join(", "))
}

fn said(report: &TimerReport) -> Vec<String> {
    let line = |cause: &TimerCause| {
        let fix = cause.fix.as_ref().map(|fix| format!(" Fix: {fix}.")).unwrap_or_default();
        format!("{}: {}.{fix}", word(cause.part), cause.what)
    };
    report.causes.iter().map(line).collect()
}

/// The median; marked where there are too few for its interval.
fn typical(row: &TimerRow) -> Option<String> {
    let about = if row.missing.contains_key("late_ns") { "~ " } else { "" };
    row.late_ns.map(|late| format!("{about}{}", time(late.value)))
}

/// What tells the late ones: the 99th percentile where most have one, else the latest.
fn latest(report: &TimerReport) -> (&'static str, fn(&TimerRow) -> Option<String>) {
    let told = report.rows.iter().filter(|row| row.late_p99_ns.is_some()).count();
    if 2 * told >= report.rows.len() {
        ("Late by, 99 % of them at most", |row| row.late_p99_ns.map(|late| time(late.value)))
    } else {
        ("Late by, the latest of all", |row| row.late_max_ns.map(time))
    }
}

/// Ways down, lengths across.
fn matrix(report: &TimerReport, cell: impl Fn(&TimerRow) -> Option<String>) -> Table<&str> {
    let mut ways: Vec<&str> = Vec::new();
    let mut lengths = BTreeSet::new();
    for row in &report.rows {
        if !ways.contains(&row.way.as_str()) {
            ways.push(&row.way);
        }
        lengths.extend(row.asked_ns.map(|ns| ns as u64));
    }
    let table = Table::of(ways.iter().copied()).column("Way", "", Align::Left, 0, str::to_owned);
    lengths.iter().enumerate().fold(table, |table, (at, &ns)| {
        let of = |way: &str| {
            let row =
                report.rows.iter().find(|row| row.way == way && row.asked_ns.is_none_or(|asked| asked as u64 == ns))?;
            // A call that takes no length stands in the first column.
            if row.asked_ns.is_some() || at == 0 { cell(row) } else { None }
        };
        table.column(time(ns as f64), "", Align::Right, 1 + at as u8, of)
    })
}

fn list(report: &TimerReport) -> Table<&TimerRow> {
    let right = Align::Right;
    let parts = |row: &TimerRow| {
        let parts: Vec<String> =
            row.parts_ns.iter().map(|(part, ns)| format!("{} {}", word(part), time(*ns))).collect();
        parts.join(", ")
    };
    Table::of(&report.rows)
        .column("Way", "", Align::Left, 0, |row| row.way.clone())
        .column("Asked", "", right, 2, |row| row.asked_ns.map(time))
        .column("Median", "", right, 1, typical)
        .column("±", "", right, 5, |row| {
            let is_told = !row.missing.contains_key("late_ns");
            row.late_ns.filter(|_| is_told).map(|late| time(f64::max(late.high - late.value, late.value - late.low)))
        })
        .column("Min", "", right, 4, |row| row.late_min_ns.map(time))
        .column("p99", "", right, 3, |row| row.late_p99_ns.map(|late| time(late.value)))
        .column("Max", "", right, 4, |row| row.late_max_ns.map(time))
        .column("Sleeps", "", right, 6, |row| grouped(row.count))
        .column("Early", "", right, 6, |row| grouped(row.early))
        .column("Late by", "", Align::Left, 7, parts)
        .giving_way_to(2)
}

fn reasons(report: &TimerReport) -> Vec<String> {
    let ways = report.unavailable.iter().map(|way| format!("{}: not here ({}).", way.id, way.reason));
    let missing = report.missing.iter().map(|(field, why)| match field.as_str() {
        "rows" => capital(why) + ".",
        _ => capital(&format!("{}: {why}.", words(field))),
    });
    ways.chain(missing).chain(few(report)).collect()
}

/// Which figures some rows have too few sleeps for.
fn few(report: &TimerReport) -> Option<String> {
    let lacks = |field: &str| report.rows.iter().filter(|row| row.missing.contains_key(field)).count() as u64;
    let (medians, percentiles, rows) = (lacks("late_ns"), lacks("late_p99_ns"), report.rows.len() as u64);
    let of = |some: u64| if some == rows { "all rows".to_owned() } else { format!("{some} of {}", count(rows, "row")) };
    (percentiles > 0).then(|| {
        let interval = if medians > 0 {
            format!("; {} have fewer than 6, and no ± of the median", of(medians))
        } else {
            String::new()
        };
        format!(
            "A 99th percentile takes 100 sleeps: {} have fewer{interval}. A longer --time has more.",
            of(percentiles)
        )
    })
}
