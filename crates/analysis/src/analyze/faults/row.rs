//! A row of many reads between two stamps: its advances together can't exceed the bracket.

use super::{RETURNS_WITHIN, Terms};

/// What a row says beyond the order of its values.
pub(super) struct Row {
    /// Advances that time can't account for.
    pub(super) warps: Vec<Warp>,
    /// Whether the reader stood still before the first or after the last read, for as long as makes an
    /// interruption.
    pub(super) interrupted: bool,
    /// Whether a fault's size is as uncertain as an interruption is long: a second fault could hide there.
    pub(super) ambiguous: bool,
    /// Time that passed between the first and the last read at least, ns.
    pub(super) elapsed_at_least: f64,
    /// Typical time between two reads, ns.
    pub(super) step_ns: f64,
}

/// An advance that time can't account for.
pub(super) struct Warp {
    /// It lies between the reads `pair` and `pair + 1`.
    pub(super) pair: usize,
    pub(super) size: f64,
    pub(super) uncertainty: f64,
}

impl Row {
    /// `bracket_ns`: the time between the stamps; `standing_ns`: how long before it the clock has had the row's
    /// first value already.
    pub(super) fn new(values: &[u64], bracket_ns: f64, standing_ns: f64, terms: &Terms) -> Self {
        let reads = values.len();
        let step_ns = bracket_ns / reads as f64;
        let mut row =
            Self { warps: Vec::new(), interrupted: false, ambiguous: false, elapsed_at_least: 0.0, step_ns };
        if reads < 2 {
            return row;
        }
        let longest = (bracket_ns + standing_ns) * terms.rate[1] + terms.slack_ns;
        let Advances { mut total, mut each, median } = Advances::of(values, terms.count_ns);
        // In a short row with a fault the median advance may be the fault.
        let usual = median.min(bracket_ns / (reads - 1) as f64);
        if total > longest {
            each.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        } else if longest - total > terms.wide_ns + standing_ns * terms.rate[1] + 2.0 * terms.slack_ns {
            // The clock did not see all of the time that passed: the reader stood still before the first or after
            // the last read, and a fault there could hide behind it.
            row.interrupted = true;
        }
        let mut found = Vec::new();
        while total > longest {
            // The smallest advance that explains the excess: a longer one may be an interruption, which the
            // bracket has in it as well.
            let excess = total - longest;
            let at = each
                .partition_point(|(advance, _)| advance - usual < excess)
                .min(each.len().saturating_sub(1));
            let Some((advance, pair)) = each.get(at).copied().filter(|(advance, _)| *advance > usual) else {
                break;
            };
            each.remove(at);
            found.push((advance, pair));
            total -= advance - usual;
        }
        // What the sound advances have left of the bracket may have passed in any of the others, or beside the reads.
        // Where faults have taken all of it, an ordinary read's time was passed at least.
        let available = (longest - total + found.len() as f64 * usual).max(2.0 * usual);
        // A longer advance than the one that was taken may be the fault as well, and the time that it is then longer
        // by have passed beside the reads.
        let longest_left = each.last().map_or(0.0, |(advance, _)| *advance);
        let shortest_taken = found.iter().map(|(advance, _)| *advance).fold(f64::INFINITY, f64::min);
        total -= (longest_left - shortest_taken).max(0.0);
        row.warps.extend(found.into_iter().map(|(advance, pair)| {
            let size = advance - available / 2.0;
            let uncertainty = (available / 2.0).max(longest_left - size) + terms.slack_ns;
            Warp { pair, size, uncertainty }
        }));
        row.ambiguous = row.warps.iter().any(|warp| warp.uncertainty > terms.wide_ns);
        // What it caught up with is time from before the row.
        row.elapsed_at_least =
            ((total - terms.slack_ns) / terms.rate[1] - standing_ns).clamp(0.0, bracket_ns);
        row
    }
}

/// The advances of a row, ns; a return to a line that was left backwards counts from that line.
struct Advances {
    total: f64,
    /// Each with the pair of reads that it lies between.
    each: Vec<(f64, usize)>,
    median: f64,
}

impl Advances {
    fn of(values: &[u64], count_ns: f64) -> Self {
        let steps = || values.windows(2).map(|pair| pair[1].wrapping_sub(pair[0]) as i64);
        let mut ahead: Vec<i64> = steps().filter(|step| *step >= 0).collect();
        if ahead.is_empty() {
            return Self { total: 0.0, each: Vec::new(), median: 0.0 };
        }
        let middle = ahead.len() / 2;
        let median = *ahead.select_nth_unstable(middle).1;

        let mut each = Vec::with_capacity(values.len());
        let mut line: Option<(u64, u32)> = None;
        for (index, pair) in values.windows(2).enumerate() {
            let step = pair[1].wrapping_sub(pair[0]) as i64;
            if step < 0 {
                line = Some((pair[0], RETURNS_WITHIN));
                continue;
            }
            let from_line =
                line.map(|(left, _)| pair[1].wrapping_sub(left) as i64).filter(|ahead| *ahead >= 0);
            match from_line {
                Some(ahead) if step > median.saturating_mul(4) => {
                    each.push((ahead as f64 * count_ns, index));
                    line = None;
                }
                _ => each.push((step as f64 * count_ns, index)),
            }
            line = line.and_then(|(left, reads)| Some((left, reads.checked_sub(1)?)));
        }
        Self { total: each.iter().map(|(advance, _)| advance).sum(), each, median: median as f64 * count_ns }
    }
}
