//! The answer: which clock to use for what, what that costs, and what to mind.

use std::fmt::Write;

use clockscope_analysis::judge::faults;
use clockscope_analysis::record::{Clock, Record, Severity};
use clockscope_analysis::text::{self, gather, grouped};

use super::findings::tally;
use super::prose::{facts, hanging};
use super::survey::interrupted;
use super::table::{Align, Cell, Table, escape};
use super::{View, number, path};

/// Room that what is to be minded needs beside the clock's id.
const ROOM: usize = 36;

/// What a clock is wanted for, its id if one will do, and what to mind.
struct Use<'a> {
    purpose: &'static str,
    id: Option<&'a str>,
    clock: Option<&'a Clock>,
    because: &'a str,
}

fn uses(record: &Record) -> [Use<'_>; 3] {
    let (verdict, because) = (&record.verdict, &record.verdict.because);
    [
        ("intervals", &verdict.intervals, &because.intervals),
        ("wall time", &verdict.wall, &because.wall),
        ("timestamps", &verdict.cheap, &because.cheap),
    ]
    .map(|(purpose, id, because)| {
        let clock = record.clocks.iter().find(|clock| Some(&clock.id) == id.as_ref());
        Use { purpose, id: id.as_deref(), clock, because }
    })
}

/// How many findings there are, and the worst of them.
pub fn worst(record: &Record, view: View) -> String {
    let cut = if record.run.interrupted { interrupted(view) } else { String::new() };
    cut + &tallied(record, view)
}

fn tallied(record: &Record, view: View) -> String {
    let mut said = vec![tally(&record.findings)];
    let severe = record.findings.iter().filter(|finding| finding.severity != Severity::Note);
    said.extend(severe.take(1).map(|finding| format!("{}: {}", finding.code, finding.title)));
    let text = facts(view, &said);
    let Some(first) = record.findings.first().filter(|finding| finding.severity != Severity::Note) else { return text };
    let (style, tally) = (view.severity(first.severity), &said[0]);
    text.replacen(tally.as_str(), &format!("{style}{tally}{style:#}"), 1)
}

/// The clocks to use, a line a purpose. `cycles`: what a cycle of the counter takes, ns, where costs are wanted in those.
pub fn answer(record: &Record, cycles: Option<f64>, view: View) -> String {
    table(record, cycles, view).shown(view)
}

/// The clocks to use, and below what to mind of each.
pub fn verdict(record: &Record, cycles: Option<f64>, view: View) -> String {
    let mut said: Vec<(&str, Vec<&str>)> = Vec::new();
    for each in uses(record) {
        if !each.because.trim().is_empty() {
            gather(&mut said, each.id.unwrap_or(each.purpose), each.because.trim());
        }
    }
    let widest = said.iter().map(|(id, _)| id.chars().count()).max().unwrap_or(0);
    let mut out = answer(record, cycles, view);
    if !said.is_empty() {
        out.push('\n');
    }
    for (id, mut texts) in said {
        texts.dedup();
        let beside = view.prose() > widest + ROOM;
        let (column, hang) = if beside { (widest, widest + 2) } else { (id.chars().count(), 2) };
        // Of the first line's indent, what already stands there is taken away.
        let text = hanging(view, &" ".repeat(column + 2), hang, &texts.join(" "));
        let (style, pad) = (view.strong(), " ".repeat(column - id.chars().count()));
        let _ = write!(out, "{style}{id}{style:#}{pad}{}", &text[column..]);
    }
    out
}

/// For a page.
pub fn markdown(record: &Record) -> String {
    let mut out = table(record, None, View::default()).markdown() + "\n";
    for each in uses(record).iter().filter(|each| !each.because.trim().is_empty()) {
        let what = each.id.map_or_else(|| each.purpose.to_owned(), |id| format!("`{id}`"));
        let _ = writeln!(out, "- {what}: {}", escape(each.because));
    }
    out
}

/// What a read costs, or that the run was too noisy to tell; nothing where nobody tried.
fn cost(clock: &Clock, cycles: Option<f64>) -> Option<String> {
    let cost = clock.cost_ns?;
    let told = match (cycles, cost.certain()) {
        (Some(cycle_ns), Some(half_ns)) => {
            Some(format!("{} cycles", number::with_uncertainty(cost.median / cycle_ns, half_ns / cycle_ns, 1)))
        }
        _ => text::cost(&cost),
    };
    Some(told.unwrap_or_else(|| "too noisy".into()))
}

fn table(record: &Record, cycles: Option<f64>, view: View) -> Table<usize> {
    let uses = uses(record);
    let of = |at: usize| uses[at].clock;
    let id = |at: usize| match uses[at].id {
        Some(id) => Cell { text: id.to_owned(), style: view.strong() },
        None => Cell { text: "none".to_owned(), style: view.bad() },
    };
    let seen = |clock: &Clock| {
        let faults = faults(clock);
        let text = format!("{} / {}", grouped(faults), grouped(clock.reads));
        (clock.reads > clock.undecided || faults > 0)
            .then(|| Cell { text, style: if faults > 0 { view.bad() } else { anstyle::Style::new() } })
    };
    let (left, right) = (Align::Left, Align::Right);
    Table::of(0..uses.len())
        .column("For", "", left, 1, |at| uses[at].purpose)
        .column("Use", "", left, 0, id)
        .column("Cost", "", right, 2, |at| of(at).and_then(|clock| cost(clock, cycles)))
        .column("Resol", "", right, 3, |at| of(at).and_then(|clock| Some(text::resolution(clock.resolution()?))))
        .column("Faults / reads", "", right, 4, |at| of(at).and_then(seen))
        .column("Path", "", left, 5, |at| of(at).map(|clock| path(clock.path)))
}
