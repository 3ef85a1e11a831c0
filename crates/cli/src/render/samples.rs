//! Samples of other programs: a row a label, and what pandas would describe.

use std::fmt::Write;

use clockscope_analysis::record::{Described, Ends, Interval, SampledClock, Samples, Unavailable};
use clockscope_analysis::text::{count, fine_time, gather, grouped, list, resolution, rough_time, time, trimmed};

use super::findings::traps;
use super::prose::{faint, hanging, heading, notes};
use super::table::{Align, Table, escape};
use super::{UNCERTAIN, View, capital, certain_cost, number, word, words};

const LEGEND: &str = "Unit: what 1 in the file is. Quantum: in what steps the clock moves, by its readings; ≤: at most. Stalls: runs of equal \
                      readings. Back: readings less than the one before. Gap: the longest advance between two readings, whether the clock \
                      jumped or its reader stood still. In the lower tables ~ is a quartile known within bounds, which JSON has; all \
                      else is exact to the digits shown, 16 at most, the least and greatest value to the last.";

/// For a terminal.
pub fn samples(samples: &Samples, view: View) -> String {
    let mut out = hanging(view, "", 2, &summary(samples));
    if !samples.clocks.is_empty() {
        out.push('\n');
        out.push_str(&clocks(samples).shown(view));
        for (title, of) in TABLES {
            if samples.clocks.iter().any(|clock| of(clock).is_some()) {
                out.push_str(&heading(view, title));
                out.push_str(&described(samples, of).shown(view));
            }
        }
        out.push('\n');
        out.push_str(&faint(view, LEGEND));
    }
    out.push_str(&traps(&samples.findings, false, view));
    out.extend(reasons(samples).iter().map(|reason| hanging(view, "", 2, reason)));
    out + &notes(view, &samples.notes)
}

/// For a page.
pub fn markdown(samples: &Samples) -> String {
    let mut out = format!("# Samples\n\n{}\n\n{}", escape(&summary(samples)), clocks(samples).markdown());
    for (title, of) in TABLES {
        let _ = write!(out, "\n## {title}\n\n{}", described(samples, of).markdown());
    }
    let _ = writeln!(out, "\n{LEGEND}\n");
    for line in reasons(samples).iter().chain(&samples.notes) {
        let _ = writeln!(out, "- {}", escape(line));
    }
    out + &super::markdown::traps(&samples.findings)
}

type Of = fn(&SampledClock) -> Option<(Described, bool)>;

/// What is described, and whether it is time.
const TABLES: [(&str, Of); 2] = [
    ("Differences of adjacent readings", |clock| Some((clock.differences_ns?, true))),
    ("Values as they stand in the file", |clock| Some((clock.values?, false))),
];

fn summary(samples: &Samples) -> String {
    let all: u64 = samples.clocks.iter().map(|clock| clock.samples).sum();
    let of = samples.runtime.as_ref().map(|of| format!("{} {}: ", of.name, of.version)).unwrap_or_default();
    format!("{of}{} of {}.", count(all, "sample"), count(samples.clocks.len() as u64, "label"))
}

fn clocks(samples: &Samples) -> Table<&SampledClock> {
    let right = Align::Right;
    let ends = |clock: &SampledClock| {
        let Interval { value, low, high } = Interval {
            value: clock.tick_ns.quantum?,
            low: clock.tick_ns.quantum_low?,
            high: clock.tick_ns.quantum_high?,
        };
        let half = f64::max(high - value, value - low);
        Some([low, high].map(|end| number::measured(end, half, 6)).join("…"))
    };
    Table::of(&samples.clocks)
        .column("Label", "", Align::Left, 0, |clock| clock.label.clone())
        .column("Unit", "", right, 3, |clock| time(clock.unit_ns))
        .column("Samples", "", right, 2, |clock| grouped(clock.samples))
        .column("Quantum", "", right, 1, |clock| clock.resolution().map(resolution))
        .column("95 %", "ns", right, 8, ends)
        .column("Step", "", right, 6, |clock| clock.tick_ns.smallest_step.map(fine_time))
        .column("Order", "", Align::Left, 7, |clock| clock.monotonic.map(word))
        .column("Stalls", "", right, 5, |clock| clock.stalls.map(|stalls| grouped(stalls.count)))
        .column("Longest", "reads", right, 10, |clock| clock.stalls.map(|stalls| grouped(stalls.longest_reads)))
        .column("Back", "", right, 1, |clock| clock.backward.map(|back| grouped(back.count)))
        .column("By", "", right, 9, |clock| {
            clock.backward.filter(|back| back.count > 0).map(|back| time(back.largest_ns))
        })
        .column("Gap", "", right, 4, |clock| clock.longest_gap_ns.map(time))
        .column("Cost", "", right, 2, |clock| certain_cost(clock).map(|cost| fine_time(cost.median)))
        .column("±", "", right, 2, |clock| certain_cost(clock).map(|cost| rough_time(cost.half_width())))
}

fn described(samples: &Samples, of: Of) -> Table<(&SampledClock, Described, bool)> {
    let rows = samples.clocks.iter().filter_map(|clock| of(clock).map(|(it, is_time)| (clock, it, is_time)));
    let number = |value: f64, is_time: bool| if is_time { fine_time(value) } else { plain(value) };
    let quartile = move |at: Interval, is_time| {
        let known = if at.low == at.high { "" } else { "~ " };
        format!("{known}{}", number(at.value, is_time))
    };
    // The digits of the file, where they are its values.
    let end = move |clock: &SampledClock, value: f64, is_time: bool, of: fn(&Ends) -> &String| {
        let exact = clock.values_exact.as_ref().filter(|_| !is_time);
        exact.map_or_else(|| number(value, is_time), |ends| of(ends).clone())
    };
    let right = Align::Right;
    Table::of(rows)
        .column("Label", "", Align::Left, 0, |(clock, ..)| clock.label.clone())
        .column("Count", "", right, 8, |(_, it, _)| grouped(it.count))
        .column("Mean", "", right, 2, move |(_, it, is_time)| number(it.mean, is_time))
        .column("Std", "", right, 5, move |(_, it, is_time)| it.std.map(|std| number(std, is_time)))
        .column("Min", "", right, 3, move |(clock, it, is_time)| end(clock, it.min, is_time, |ends| &ends.min))
        .column("25 %", "", right, 6, move |(_, it, is_time)| quartile(it.q25, is_time))
        .column("50 %", "", right, 1, move |(_, it, is_time)| quartile(it.q50, is_time))
        .column("75 %", "", right, 7, move |(_, it, is_time)| quartile(it.q75, is_time))
        .column("Max", "", right, 4, move |(clock, it, is_time)| end(clock, it.max, is_time, |ends| &ends.max))
}

/// A number in the file's unit, to six decimals as pandas shows it, and no more digits than it has.
fn plain(value: f64) -> String {
    match value.abs() {
        size if size != 0.0 && !(1e-3..1e21).contains(&size) => format!("{value:.6e}"),
        1e16.. => format!("{value:.15e}"),
        _ => trimmed(&format!("{value:.6}")).to_owned(),
    }
}

/// What is not known, and why.
fn reasons(samples: &Samples) -> Vec<String> {
    let absent = samples.absent.iter().map(|Unavailable { id, reason }| format!("{id}: not there ({reason})."));
    let mut said: Vec<((String, &str), Vec<&str>)> = Vec::new();
    for clock in &samples.clocks {
        // No samples tell what a call claims, and what was rounded stands in the notes.
        let told = clock
            .missing
            .iter()
            .filter(|(field, _)| !["tick_ns.reported", "values.decimals"].contains(&field.as_str()));
        for (field, why) in told {
            let field = words(field.trim_start_matches("tick_ns."));
            gather(&mut said, (field, why.as_str()), clock.label.as_str());
        }
        if clock.cost_ns.is_some() && certain_cost(clock).is_none() {
            gather(&mut said, ("cost".into(), UNCERTAIN), clock.label.as_str());
        }
    }
    let reason = |((field, why), labels): &((String, &str), Vec<&str>)| {
        let of = if labels.len() == samples.clocks.len() { String::new() } else { format!(" of {}", list(labels)) };
        format!("{}{of}: {why}.", capital(field))
    };
    absent.chain(said.iter().map(reason)).collect()
}
