//! The clocks of language runtimes: a row a clock, and the runtimes that have none here.

use std::fmt::Write;

use clockscope_analysis::record::{RuntimeClock, RuntimeFound, RuntimesReport};
use clockscope_analysis::text::{self, gather, grouped, resolution, time};

use super::findings::traps;
use super::headline::headline;
use super::prose::{ending, faint, hanging, heading};
use super::table::{Align, Table, escape};
use super::{UNCERTAIN, View, certain_cost, number};

const LEGEND: &str = "OS clock: what the system was asked for each reading. Tick: the unit of the API's numbers, which is not what \
                      it resolves. Cost: of one read in a run of reads, its turn of the loop included. Quantum: what the readings are multiples of; \
                      ≤ where no more is known. Step: the smallest difference that is not 0. Same: runs of equal readings. Longest \
                      gap: between two readings, whoever stood still.";

/// A clock and whose it is.
type Row<'a> = (&'a RuntimeFound, &'a RuntimeClock);

/// For a terminal.
pub fn runtimes(report: &RuntimesReport, view: View) -> String {
    let mut out = headline(&report.machine, None, &[], view);
    out.push('\n');
    let rows = rows(report);
    if rows.is_empty() {
        out.push_str("No runtime was found whose clocks could be read.\n");
    } else {
        out.push_str(&table(&rows).shown(view));
        out.push('\n');
        out.push_str(&faint(view, LEGEND));
    }
    out.push_str(&traps(&report.findings, false, view));
    for (title, said) in [("Without a figure", absences(report)), ("Not run, or not to the end", failures(report))] {
        if !said.is_empty() {
            out.push_str(&heading(view, title));
            out.extend(said.iter().map(|line| hanging(view, "", 2, line)));
        }
    }
    out + &ending(view, &report.notes, report.interrupted)
}

/// For a page.
pub fn markdown(report: &RuntimesReport) -> String {
    let mut out = format!("# Clocks of language runtimes\n\n{}\n{LEGEND}\n", table(&rows(report)).markdown());
    out.push_str(&super::markdown::traps(&report.findings));
    for (title, said) in [("Without a figure", absences(report)), ("Not run, or not to the end", failures(report))] {
        if !said.is_empty() {
            let _ = write!(out, "\n## {title}\n\n");
            for line in said {
                let _ = writeln!(out, "- {}", escape(&line));
            }
        }
    }
    out
}

fn rows(report: &RuntimesReport) -> Vec<Row<'_>> {
    report.runtimes.iter().flat_map(|found| found.clocks.iter().map(move |clock| (found, clock))).collect()
}

fn table<'a>(rows: &[Row<'a>]) -> Table<Row<'a>> {
    let (left, right) = (Align::Left, Align::Right);
    let steps = |clock: &RuntimeClock| clock.sampled.stalls.map(|same| grouped(same.count));
    // Once for all its clocks.
    let is_first =
        |found: &RuntimeFound, clock: &RuntimeClock| found.clocks.first().is_some_and(|it| std::ptr::eq(it, clock));
    let once = move |text: String, (found, clock): Row<'_>| if is_first(found, clock) { text } else { String::new() };
    Table::of(rows.iter().copied())
        .column("Runtime", "", left, 0, move |row| once(row.0.title.clone(), row))
        .column("Version", "", left, 8, move |row| once(version(row.0), row))
        .column("API", "", left, 0, |(_, clock)| clock.sampled.label.clone())
        .column("OS clock", "", left, 2, |(_, clock)| clock.beneath.as_ref()?.clock.clone())
        .column("Tick", "", right, 4, |(_, clock)| time(clock.sampled.unit_ns))
        .column("Cost", "ns", Align::Decimal, 1, |(_, clock)| {
            let cost = certain_cost(&clock.sampled)?;
            Some(number::with_uncertainty(cost.median, cost.half_width(), 2))
        })
        .column("Quantum", "", right, 1, |(_, clock)| clock.sampled.resolution().map(resolution))
        .column("Step", "", right, 5, |(_, clock)| clock.sampled.tick_ns.smallest_step.map(time))
        .column("Same", "", right, 6, |(_, clock)| steps(clock))
        .column("Back", "", right, 3, |(_, clock)| clock.sampled.backward.map(|back| grouped(back.count)))
        .column("Longest gap", "", right, 7, |(_, clock)| clock.sampled.longest_gap_ns.map(time))
}

/// By its own words where its probe spoke.
fn version(found: &RuntimeFound) -> String {
    let own = found.runtime.as_ref().map(|runtime| runtime.version.as_str()).filter(|version| !version.is_empty());
    let text = own.or(found.version.as_deref()).unwrap_or_default();
    let text = text.strip_prefix(&found.title).unwrap_or(text).trim_start();
    if text.chars().count() > 32 { text.chars().take(31).chain(['…']).collect() } else { text.to_owned() }
}

/// What the table leaves blank, and why.
fn absences(report: &RuntimesReport) -> Vec<String> {
    let mut said: Vec<((&str, &str), Vec<&str>)> = Vec::new();
    for (_, clock) in rows(report) {
        if clock.sampled.cost_ns.is_some() && certain_cost(&clock.sampled).is_none() {
            gather(&mut said, ("cost_ns", UNCERTAIN), clock.sampled.label.as_str());
        }
        for (field, why) in &clock.sampled.missing {
            let shown = ["cost_ns", "tick_ns.quantum", "beneath"];
            if let Some(field) = shown.into_iter().find(|shown| shown == field) {
                gather(&mut said, (field, why.as_str()), clock.sampled.label.as_str());
            }
        }
    }
    let mut lines: Vec<String> = said
        .into_iter()
        .map(|((field, why), labels)| {
            let what = match field {
                "cost_ns" => "cost",
                "beneath" => "OS clock",
                _ => "quantum",
            };
            format!("{what} of {}: {why}", text::shortened(&labels, 4))
        })
        .collect();
    for found in &report.runtimes {
        lines.extend(found.absent.iter().map(|absent| format!("{} {}: {}", found.title, absent.id, absent.reason)));
    }
    lines
}

fn failures(report: &RuntimesReport) -> Vec<String> {
    let mut said: Vec<(&str, Vec<&str>)> = Vec::new();
    for found in &report.runtimes {
        if let Some(why) = &found.missing {
            gather(&mut said, why.as_str(), found.title.as_str());
        }
    }
    said.into_iter().map(|(why, who)| format!("{}: {why}", who.join(", "))).collect()
}
