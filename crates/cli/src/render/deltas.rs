//! The histogram of a clock's adjacent differences.

use std::fmt::Write;

use clockscope_analysis::record::{DeltaRow, Deltas};

use super::clock_table::quantum_text;
use super::fold::{Bin, folded};
use super::prose::{faint, hanging};
use super::table::{Align, Table};
use super::{View, number};

/// Width of the longest bar.
const BAR: f64 = 24.0;

/// For a terminal; `all` shows every row.
pub fn deltas(deltas: &Deltas, all: bool, view: View) -> String {
    let bins = folded(&deltas.rows, deltas.differences, all);
    let mut out = hanging(view, "", 2, &summary(deltas));
    if bins.is_empty() {
        return out;
    }
    out.push('\n');
    out.push_str(&table(deltas, &bins).render(view).0);
    if bins.iter().any(Bin::is_range) {
        out.push_str(&faint(view, "Rare differences are folded into ranges; --all-rows shows each."));
    }
    out
}

/// For a page.
pub fn markdown(deltas: &Deltas, all: bool) -> String {
    let bins = folded(&deltas.rows, deltas.differences, all);
    format!("{}\n\n{}", summary(deltas), table(deltas, &bins).markdown())
}

/// The figures above the table.
fn summary(deltas: &Deltas) -> String {
    let mut text = format!("{}: {} adjacent differences", deltas.clock, number::grouped(deltas.differences));
    let figures = [
        ("min", deltas.min_ns),
        ("mean", deltas.mean_ns),
        ("median", deltas.median_ns),
        ("longest gap", deltas.longest_ns),
    ];
    let figures: Vec<String> =
        figures.into_iter().filter_map(|(name, ns)| Some(format!("{name} {}", number::duration(ns?)))).collect();
    if figures.is_empty() {
        text.push_str(". The clock never advanced.");
    } else {
        let _ = write!(text, ". Of the positive ones: {}.", figures.join(", "));
    }
    let _ = write!(text, " A tick is {}.", number::duration(deltas.count_ns));
    if let Some(quantum) = deltas.tick_ns.as_ref().and_then(quantum_text) {
        let _ = write!(text, " Quantum: {quantum} ns.");
    }
    if deltas.failed_reads > 0 {
        let _ = write!(text, " {} reads failed.", number::grouped(deltas.failed_reads));
    }
    if deltas.others > 0 {
        let _ = write!(
            text,
            " {} further differences found no row of their own and count in the summary only.",
            number::grouped(deltas.others)
        );
    }
    text
}

fn table(deltas: &Deltas, bins: &[Bin]) -> Table<Bin> {
    let largest = bins.iter().map(|bin| bin.count).max().unwrap_or(1).max(1);
    let bar = |bin: Bin| "█".repeat((bin.count as f64 / largest as f64 * BAR).round() as usize);
    let ns = |row: DeltaRow| number::exact(row.time_ns, 3);
    let total = deltas.differences.max(1) as f64;
    let mut seen = 0;
    let cumulative = |bin: Bin| {
        seen += bin.count;
        share(seen as f64 / total)
    };
    Table::of(bins.iter().copied())
        .column("Ticks", "", Align::Right, 0, |bin| range(&bin.first.counts.to_string(), &bin.last.counts.to_string()))
        .column("Time", "ns", Align::Right, 1, |bin| range(&ns(bin.first), &ns(bin.last)))
        .column("Count", "", Align::Right, 2, |bin| bin.count.to_string())
        .column("Share", "%", Align::Right, 3, |bin| share(bin.count as f64 / total))
        .column("Cumulative", "%", Align::Right, 4, cumulative)
        .column("", "", Align::Left, 5, bar)
}

fn range(first: &str, last: &str) -> String {
    if first == last { first.to_owned() } else { format!("{first}…{last}") }
}

/// Percent with two decimals; what is neither none nor all is not rounded to either.
fn share(share: f64) -> String {
    let percent = share * 100.0;
    if percent > 0.0 && percent < 0.005 {
        "< 0.01".to_owned()
    } else if (99.995..100.0).contains(&percent) {
        "> 99.99".to_owned()
    } else {
        format!("{percent:.2}")
    }
}
