//! The histogram of a clock's adjacent differences: cut to what the eye can take in by folding rare ones into ranges.

use std::fmt::Write;

use clockscope_analysis::Resolution;
use clockscope_analysis::record::{DeltaRow, Deltas};
use clockscope_analysis::text::{fine_time, grouped, resolution, time};

use super::View;
use super::prose::{faint, hanging};
use super::table::{Align, Table, hidden_text};

/// Width of the longest bar.
const BAR: f64 = 24.0;

/// Differences rarer than this share have no row of their own.
const RARE: f64 = 1e-4;

/// At most so many differences have a row of their own: the most frequent ones.
const MOST: usize = 40;

/// For a terminal; `all` shows every row.
pub fn deltas(deltas: &Deltas, all: bool, view: View) -> String {
    let bins = folded(&deltas.rows, deltas.differences, all);
    let mut out = hanging(view, "", 2, &summary(deltas));
    if bins.is_empty() {
        return out;
    }
    out.push('\n');
    let (table, hidden) = table(deltas, &bins).render(view);
    out.push_str(&table);
    let folded = bins.iter().any(Bin::is_range);
    let folded = if folded { "Rare differences are folded into ranges; --all-rows shows each." } else { "" };
    let hidden: Vec<String> = hidden.into_iter().filter(|title| !title.is_empty()).collect();
    let below = format!("{folded}{}", hidden_text(&hidden));
    if !below.is_empty() {
        out.push_str(&faint(view, below.trim_start()));
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
    let mut text = format!("{}: {} adjacent differences", deltas.clock, grouped(deltas.differences));
    let figures = [
        ("min", deltas.min_ns),
        ("mean", deltas.mean_ns),
        ("median", deltas.median_ns),
        ("longest gap", deltas.longest_ns),
    ];
    let figures: Vec<String> =
        figures.into_iter().filter_map(|(name, ns)| Some(format!("{name} {}", time(ns?)))).collect();
    if figures.is_empty() {
        text.push_str(". The clock never advanced.");
    } else {
        let _ = write!(text, ". Of the positive ones: {}.", figures.join(", "));
    }
    let _ = write!(text, " A tick is {}.", time(deltas.count_ns));
    if let Some(found) = deltas.tick_ns.as_ref().and_then(Resolution::of) {
        let _ = write!(text, " Resolution: {}.", resolution(found));
    }
    let others = "further differences found no row of their own and count in the summary only";
    for (count, what) in [(deltas.failed_reads, "reads failed"), (deltas.others, others)] {
        if count > 0 {
            let _ = write!(text, " {} {what}.", grouped(count));
        }
    }
    text
}

fn table(deltas: &Deltas, bins: &[Bin]) -> Table<Bin> {
    let largest = bins.iter().map(|bin| bin.count).max().unwrap_or(1).max(1);
    let bar = |bin: Bin| "█".repeat((bin.count as f64 / largest as f64 * BAR).round() as usize);
    let length = |row: DeltaRow| fine_time(row.time_ns);
    let total = deltas.differences.max(1) as f64;
    let mut seen = 0;
    let cumulative = |bin: Bin| {
        seen += bin.count;
        share(seen as f64 / total)
    };
    Table::of(bins.iter().copied())
        .column("Ticks", "", Align::Right, 0, |bin| range(&bin.first.counts.to_string(), &bin.last.counts.to_string()))
        .column("Time", "", Align::Right, 1, |bin| range(&length(bin.first), &length(bin.last)))
        .column("Count", "", Align::Right, 2, |bin| bin.count.to_string())
        .column("Share", "%", Align::Right, 3, |bin| share(bin.count as f64 / total))
        .column("Cumulative", "%", Align::Right, 4, cumulative)
        .column("", "", Align::Left, 5, bar)
}

/// Both ends, a unit that they share once.
fn range(first: &str, last: &str) -> String {
    let unit = |text: &str| text.split_once(' ').map(|(_, unit)| unit.to_owned());
    match first.split_once(' ').filter(|_| unit(first) == unit(last)) {
        _ if first == last => first.to_owned(),
        Some((number, _)) => format!("{number}…{last}"),
        None => format!("{first}…{last}"),
    }
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

/// One row as it is shown: a single difference, or a range of rare ones.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Bin {
    /// The smallest difference in it.
    first: DeltaRow,
    /// The largest difference in it.
    last: DeltaRow,
    /// How many differences it has in all.
    count: u64,
}

impl Bin {
    /// Whether it stands for more than one distinct difference.
    fn is_range(&self) -> bool {
        self.first.counts != self.last.counts
    }
}

/// Rows of at least 0.01 % of `total`, at most 40, by themselves; between them the rare ones as ranges that end at
/// powers of two. `rows` come smallest difference first and so does the result. `all`: every row by itself.
fn folded(rows: &[DeltaRow], total: u64, all: bool) -> Vec<Bin> {
    let mut frequent: Vec<u64> = rows.iter().map(|row| row.count).collect();
    frequent.sort_unstable_by(|a, b| b.cmp(a));
    let by_rank = frequent.get(MOST).map_or(0, |count| count + 1);
    let by_share = (total as f64 * RARE).ceil() as u64;
    let least = if all { 0 } else { by_rank.max(by_share) };

    let mut bins: Vec<Bin> = Vec::new();
    let mut open = false;
    for &row in rows {
        let rare = row.count < least;
        match bins.last_mut() {
            Some(bin) if open && rare && octave(bin.first.counts) == octave(row.counts) => {
                bin.last = row;
                bin.count += row.count;
            }
            _ => bins.push(Bin { first: row, last: row, count: row.count }),
        }
        open = rare;
    }
    bins
}

/// The power of two below a difference, negative for one that went back.
fn octave(counts: i64) -> i64 {
    counts.signum() * i64::from(counts.unsigned_abs().checked_ilog2().map_or(0, |log| log + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(counts: i64, count: u64) -> DeltaRow {
        DeltaRow { counts, time_ns: counts as f64, count }
    }

    #[test]
    fn rare_rows_are_folded_up_to_powers_of_two() {
        let rows = [row(-3, 1), row(20, 900_000), row(21, 1), row(30, 100_000), row(513, 1), row(900, 2), row(1024, 1)];
        let bins = folded(&rows, 1_000_006, false);
        let seen: Vec<_> = bins.iter().map(|bin| (bin.first.counts, bin.last.counts, bin.count)).collect();
        assert_eq!(
            seen,
            [(-3, -3, 1), (20, 20, 900_000), (21, 21, 1), (30, 30, 100_000), (513, 900, 3), (1024, 1024, 1)]
        );
    }

    #[test]
    fn nothing_is_lost_and_little_is_shown() {
        let rows: Vec<_> = (1..5000).map(|i| row(i, 1000)).collect();
        let total = rows.iter().map(|row| row.count).sum();
        let bins = folded(&rows, total, false);
        assert_eq!(bins.iter().map(|bin| bin.count).sum::<u64>(), total);
        assert!(bins.len() <= MOST + 64, "{}", bins.len());
    }
}
