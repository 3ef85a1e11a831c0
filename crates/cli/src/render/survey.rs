//! The survey on a terminal: the machine, the verdict, the table, the findings.

use std::fmt::Write;

use clockscope_analysis::judge::is_faultless;
use clockscope_analysis::record::{Clock, Monotonic, Record, Run, Unavailable};
use clockscope_analysis::text::gather;

use super::clock_table::{absences, clock_table, forced_table, rates};
use super::findings::{findings, tally, verdict};
use super::headline::headline;
use super::prose::{faint, hanging, heading, notes};
use super::table::left_out_text;
use super::{View, number};

/// The whole survey. `all` puts the forced ways of reading into the first table instead of one of their own.
pub fn survey(record: &Record, all: bool, view: View) -> String {
    let mut out = headline(&record.machine, view);
    out.push('\n');
    out.push_str(&verdict(&record.verdict, view));
    out.push('\n');

    // A forced way that failed must be seen, and where nothing but forced ways was asked for there is
    // nothing to hide them behind.
    let only_forced = record.clocks.iter().all(|clock| clock.forced);
    let shown = |clock: &Clock| all || only_forced || !clock.forced || !is_faultless(clock);
    let clocks: Vec<&Clock> = record.clocks.iter().filter(|clock| shown(clock)).collect();
    if clocks.is_empty() {
        out.push_str("No clock was measured.\n");
    } else {
        let (table, left_out) = clock_table(&clocks, &record.verdict, view).render(view);
        out.push_str(&table);
        out.push_str(&legend(&clocks, &left_out, view));
        if let Some(rates) = rates(&clocks) {
            out.push_str(&faint(view, &rates));
        }
        for (reason, ids) in absences(&clocks) {
            out.push_str(&faint(view, &format!("No {reason} ({}).", ids.join(", "))));
        }
        let interposed = clocks.iter().filter_map(|clock| Some((&clock.id, clock.interposed_by.as_ref()?)));
        out.extend(interposed.map(|(id, by)| hanging(view, "", 2, &format!("{id} is interposed by {by}."))));
    }
    if !all
        && !only_forced
        && let Some(table) = forced_table(&record.clocks)
    {
        out.push_str(&heading(view, "The same clocks by a forced path: cost of a read"));
        out.push_str(&table.render(view).0);
    }
    out.push_str(&unavailable(&record.unavailable, view));
    out.push_str(&findings(&record.findings, false, view));
    out.push('\n');
    if let Some(line) = super::skew::line(&record.skew) {
        out.push_str(&faint(view, &line));
    }
    out.push_str(&circumstances(&record.run, view));
    out
}

/// The doctor's page: the machine and the findings in full.
pub fn doctor(record: &Record, view: View) -> String {
    let mut out = headline(&record.machine, view);
    out.push_str(&findings(&record.findings, true, view));
    let tally = tally(&record.findings);
    let text = format!("{tally} on {} clocks; `clockscope explain CODE` tells more.", record.clocks.len());
    out.push('\n');
    out.push_str(&hanging(view, "", 0, &text));
    out.push_str(&circumstances(&record.run, view));
    out
}

/// What the words in the head mean, as far as they are not plain.
fn legend(clocks: &[&Clock], left_out: &[String], view: View) -> String {
    let mut parts = vec!["Quantum: what the clock truly resolves".to_owned()];
    let shown = |title: &str| !left_out.iter().any(|left| left == title);
    if shown("Mono") && clocks.iter().any(|clock| clock.monotonic == Monotonic::Weak) {
        parts.push("Mono weak: some reads were equal, none less".to_owned());
    }
    if shown("Stalls") {
        parts.push("Stalls: stood still longer than that explains".to_owned());
    }
    let slow =
        |clock: &&&Clock| [clock.tick_ns.quantum, clock.tick_ns.reported].into_iter().flatten().any(|ns| ns >= 1e6);
    if ["Quantum", "Step", "Claimed"].into_iter().any(shown) && clocks.iter().any(|clock| slow(&clock)) {
        parts.push("e6 ns = ms, e9 ns = s".to_owned());
    }
    faint(view, &format!("{}.{}", parts.join("; "), left_out_text(left_out)))
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
fn circumstances(run: &Run, view: View) -> String {
    let mut text = match run.cpu {
        Some(cpu) => format!("Measured on CPU {cpu} in {:.1} s", run.wall_s),
        None => format!("Measured in {:.1} s, not pinned to a CPU", run.wall_s),
    };
    text.push_str(&basis(run, ""));
    if let Some(share) = run.steal_share.filter(|share| *share > 0.0) {
        let _ = write!(text, "; {} of the CPU time was stolen", number::percent(share));
    }
    if let Some(load) = run.load {
        let _ = write!(text, "; load {load:.2}");
    }
    text.push('.');
    let mut out = faint(view, &text) + &notes(view, &run.notes);
    if run.interrupted {
        let style = view.bad();
        let _ = writeln!(out, "{style}Interrupted:{style:#} these are the figures up to then.");
    }
    out
}

/// What the figures of a run rest on, to follow what it is; `quote` stands around the clocks' ids.
pub(super) fn basis(run: &Run, quote: &str) -> String {
    let Run { reference, witness, .. } = run;
    let still =
        run.standstill_share.map(|share| format!("; the reader stood still {} of the time", number::percent(share)));
    let still = still.unwrap_or_default();
    format!("; nanoseconds by {quote}{reference}{quote}, reads bracketed by {quote}{witness}{quote}{still}")
}
