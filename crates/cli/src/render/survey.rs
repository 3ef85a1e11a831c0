//! The survey on a terminal: the answer first, then the table, what it rests on, and the findings.

use std::fmt::Write;

use clockscope_analysis::judge::is_faultless;
use clockscope_analysis::record::{Clock, Kind, Path, ProgramAdvice, Record, Run, Unavailable};
use clockscope_analysis::text::{self, gather};

use super::clock_table::{absences, are_of_several_runs, clock_table, rates, ways};
use super::findings::findings;
use super::headline::headline;
use super::programs::programs;
use super::prose::{hanging, heading, labelled, notes, styled};
use super::verdict::{answer, verdict, worst};
use super::{Style, View, number};

/// The whole survey. `all` shows the forced ways of reading, what can't be read and every finding in full.
pub fn survey(record: &Record, style: Style) -> String {
    let Style { all, view, .. } = style;
    let cycles = cycle_ns(record).filter(|_| style.cycles);
    let mut out = headline(&record.machine, Some(&record.run), &record.findings, view);
    let worst = worst(record, view);
    let _ = write!(out, "{worst}\n{}\n", verdict(record, cycles, view));
    out.push_str(&clocks(record, style));
    out.push_str(&findings(&record.findings, all, all, view));
    if view.lines.is_some_and(|lines| out.lines().count() >= lines) {
        let _ = write!(out, "\n{worst}\n{}", answer(record, cycles, view));
    }
    out
}

/// The answer of a run that goes on: what the whole survey begins with. `cycles` as in [`Style`].
pub fn so_far(record: &Record, cycles: bool, view: View) -> String {
    let cycles = cycle_ns(record).filter(|_| cycles);
    let found = text::count(record.findings.len() as u64, "finding");
    format!("{}So far, {found}:\n\n{}", headline(&record.machine, None, &[], view), answer(record, cycles, view))
}

/// The doctor's page: the machine, which clocks the programs take that were asked for, and the findings, with why each
/// matters.
pub fn doctor(record: &Record, asked: &[ProgramAdvice], Style { all, view, .. }: Style) -> String {
    let mut out = headline(&record.machine, Some(&record.run), &record.findings, view);
    out.push_str(&worst(record, view));
    out.push_str(&programs(asked, all, view));
    out.push_str(&findings(&record.findings, true, all, view));
    out.push('\n');
    if let Some(started) = &record.run.started {
        out.push_str(&labelled(view, "Started", started));
    }
    out.push_str(&circumstances(record, view));
    out
}

/// The table, what its words mean, and what it rests on.
fn clocks(record: &Record, Style { all, cycles, view, .. }: Style) -> String {
    // A forced way that failed must be seen, and where nothing but forced ways was asked for there is
    // nothing to hide them behind.
    let only_forced = record.clocks.iter().all(|clock| clock.forced);
    let shown = |clock: &Clock| all || only_forced || !clock.forced || !is_faultless(clock);
    let clocks: Vec<&Clock> = record.clocks.iter().filter(|clock| shown(clock)).collect();
    let mut out = String::new();
    let cycle_ns = cycle_ns(record).filter(|_| cycles);
    let counter = cycle_ns.map(|_| record.run.witness_base.as_str());
    if clocks.is_empty() {
        out.push_str("No clock was measured.\n");
    } else {
        let (table, hidden) = clock_table(&clocks, &record.verdict, cycle_ns, view).render(view);
        out.push_str(&table);
        let has_more = clocks.len() < record.clocks.len();
        out.push_str(&legend(&hidden, has_more, are_of_several_runs(&clocks), counter, view));
    }
    let mut say = |label: &str, text: &str| out.push_str(&labelled(view, label, text));
    if cycles && cycle_ns.is_none() {
        say("No cycles", "the witness of this run is no counter; costs are in ns");
    }
    for ((what, why), ids) in absences(&clocks) {
        say(&format!("No {what}"), &format!("{}: {why}", ids.join(", ")));
    }
    for (id, by) in clocks.iter().filter_map(|clock| Some((&clock.id, clock.interposed_by.as_ref()?))) {
        say("Interposed", &format!("{id} is answered by {by}"));
    }
    if let Some(text) = ways(&record.clocks) {
        say("Path", &text);
    }
    if let Some(text) = exit(record) {
        say("VM exit", &text);
    }
    if let Some(text) = rates(&clocks) {
        say("Rate", &text);
    }
    if let Some(text) = super::skew::line(&record.skew) {
        say("CPU offset", &text);
    }
    if !all && !record.unavailable.is_empty() {
        let count = text::count(record.unavailable.len() as u64, "clock");
        say("Not read", &format!("{count} and forced ways not offered here: clockscope list --all"));
    }
    out.push_str(&circumstances(record, view));
    if all {
        out.push_str(&unavailable(&record.unavailable, view));
    }
    out
}

/// What a cycle of the counter takes, ns, where the witness is one.
fn cycle_ns(record: &Record) -> Option<f64> {
    let is_counter = |clock: &&Clock| clock.kind == Kind::Counter && clock.base_id() == record.run.witness_base;
    record.clocks.iter().find(is_counter)?;
    Some(record.run.witness_tick_ns?.value).filter(|ns| *ns > 0.0)
}

/// An instruction that takes microseconds in a guest leaves it.
fn exit(record: &Record) -> Option<String> {
    const LEAVES_NS: f64 = 500.0;
    record.machine.virtualization.guest.filter(|guest| *guest)?;
    let instructions = record.clocks.iter().filter(|clock| clock.path == Path::Instruction);
    let mut costs = instructions.filter_map(|clock| Some((clock, clock.certain_cost()?)));
    let (clock, cost) = costs.find(|(_, cost)| cost.low > LEAVES_NS)?;
    let cost = text::cost(&cost)?;
    Some(format!("{} {cost}: the hypervisor answers for the CPU", clock.id))
}

/// What the words in the head mean, and what is not shown: columns, and rows of forced ways of reading.
/// `counter`: whose cycles costs are in, where they are.
fn legend(hidden: &[String], forced: bool, several: bool, counter: Option<&str>, view: View) -> String {
    let cycles = counter.map_or_else(String::new, |id| format!(" Cycles: ticks of {id}, not of the CPU's core."));
    let cost = format!("median, back-to-back reads; ±: 95 % interval, this run only.{cycles}");
    let runs = if several { "lowest and highest median of all runs." } else { "" };
    // A line each; in a line the words that go together.
    let words: [&[(&str, &str)]; 7] = [
        &[("Cost", &cost)],
        &[("Runs", runs)],
        &[("p99", "of single reads, with whatever held them up."), ("Max", "the longest of them.")],
        &[("Resol", "measured, not clock_getres; ≤: upper bound.")],
        &[("Step", "smallest difference between two reads."), ("Claimed", "by clock_getres.")],
        &[("Mono", "strict: every read greater; weak: some equal, none less.")],
        &[
            ("Stall", "unchanged longer than Resol explains."),
            ("Back", "less than the read before."),
            ("Jump", "moved more or less than time allows."),
            ("Undecided", "impossible to judge, for an interruption."),
        ],
    ];
    let mut out = String::new();
    for line in words {
        let is_shown = |title: &str| !hidden.iter().any(|left| left == title);
        let mut shown = line.iter().filter(|(title, text)| is_shown(title) && !text.is_empty());
        let Some((first, text)) = shown.next() else { continue };
        let text = shown.fold((*text).to_owned(), |text, (title, more)| format!("{text} {title}: {more}"));
        out.push_str(&styled(view.faint(), &hanging(view, &format!("{first:<6} "), 7, &text)));
    }
    let columns = (!hidden.is_empty()).then(|| format!("{}: --format csv", hidden.join(" ")));
    let ways = forced.then(|| "forced ways: --all".to_owned());
    let all: Vec<String> = [columns, ways].into_iter().flatten().collect();
    if !all.is_empty() {
        out.push_str(&styled(view.faint(), &hanging(view, "Hidden ", 7, &all.join("; "))));
    }
    out.push('\n');
    out
}

/// Clocks that were not read, those with the same reason together.
fn unavailable(clocks: &[Unavailable], view: View) -> String {
    let mut by_reason: Vec<(&str, Vec<&str>)> = Vec::new();
    for clock in clocks {
        gather(&mut by_reason, clock.reason.as_str(), clock.id.as_str());
    }
    let mut out = if clocks.is_empty() { String::new() } else { heading(view, "Not readable here") };
    for (reason, ids) in by_reason {
        out.push_str(&hanging(view, "  ", 6, &format!("{}: {reason}", ids.join(", "))));
    }
    out
}

/// How the run went: what is needed to weigh the figures.
fn circumstances(Record { run, machine, .. }: &Record, view: View) -> String {
    let mut text = match run.cpu {
        Some(cpu) => {
            let isolated = if machine.cpus.isolated.contains(&cpu) { " (isolated)" } else { "" };
            format!("CPU {cpu}{isolated}, {:.1} s", run.wall_s)
        }
        None => format!("not pinned to a CPU, {:.1} s", run.wall_s),
    };
    if let Some(load) = run.load {
        let _ = write!(text, ", load {load:.2}");
    }
    if let Some(share) = run.standstill_share {
        let _ = write!(text, ", interrupted {}", number::percent(share));
    }
    if let Some(share) = run.steal_share.filter(|share| *share > 0.0) {
        let _ = write!(text, ", steal {}", number::percent(share));
    }
    let mut out = labelled(view, "Run", &text);
    out.push_str(&labelled(view, "Reference", &basis(run, "")));
    out.push_str(&notes(view, &run.notes));
    out
}

/// That a run was cut short.
pub(super) fn interrupted(view: View) -> String {
    let style = view.bad();
    // Coloured afterwards, so that the escapes do not count as width.
    let text = hanging(view, "", 2, "Cut short: these are the figures up to then.");
    text.replacen("Cut short:", &format!("{style}Cut short:{style:#}"), 1)
}

/// What the figures of a run rest on; `quote` stands around the clocks' ids.
pub(super) fn basis(run: &Run, quote: &str) -> String {
    let Run { reference, witness, .. } = run;
    format!("ns from {quote}{reference}{quote}; reads bracketed by {quote}{witness}{quote}")
}
