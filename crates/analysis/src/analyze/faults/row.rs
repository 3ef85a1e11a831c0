//! A row of reads between two stamps, cut where the clock may have left its line: its advances together can't exceed
//! the bracket.

use super::line::{By, Piece, RETURNS_WITHIN, Reading};
use super::terms::{Excess, Terms};

/// A row in pieces.
pub(super) struct Row {
    /// From the first value that is news.
    pub(super) pieces: Vec<Piece>,
    /// Whether a second fault could hide: an interruption stands beside the reads of a row with a fault in it, or makes
    /// the size of one as uncertain as it is long.
    pub(super) hides: bool,
}

/// What is known of a row before its values are looked at.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    /// The witness before the row.
    pub(super) at: u64,
    /// From stamp to stamp, ns.
    pub(super) bracket_ns: f64,
    /// The value before the row.
    pub(super) last: Option<u64>,
    /// Readings within which the clock may return to a line that it left.
    pub(super) open: u64,
}

impl Row {
    /// Cuts a row; one whose values all repeat the last one is empty.
    pub(super) fn new(values: &[u64], frame: Frame, terms: &Terms) -> Self {
        // A clock that stood still when the row began may catch up in it: what it then makes good is older time.
        let news = values.iter().take_while(|value| Some(**value) == frame.last).count();
        let Some(first) = values.get(news) else { return Self { pieces: Vec::new(), hides: false } };
        let (by, open) = match frame.last {
            Some(last) if terms.advance(last, *first) < 0.0 => (By::Back(last), RETURNS_WITHIN),
            _ => (By::Onward, frame.open),
        };
        let slack_ns = if values.len() > 1 { terms.slack_ns } else { 0.0 };
        let values = &values[news..];
        let mut cuts = vec![(0, by)];
        let mut advances = advances(values, open, terms, &mut cuts);
        let leaps = Leaps::of(&mut advances, frame.bracket_ns, terms, &mut cuts);

        // Where the row starts and ends on one line is told by what all sound advances leave of the bracket.
        let total = (advances.iter().sum::<f64>() - leaps.doubt).max(0.0);
        let wide = frame.bracket_ns - total > terms.wide_ns + slack_ns;
        let faulty = cuts.iter().skip(1).any(|(_, by)| !matches!(by, By::Onward));
        let ends = cuts.iter().skip(1).map(|(at, _)| *at).chain([values.len()]);
        let mut passed = 0.0;
        let pieces = cuts.iter().zip(ends).map(|(&(at, by), end)| {
            let reading = |value: usize, passed: f64, doubt: f64| Reading {
                value: values[value],
                at: frame.at,
                early: (passed - doubt).max(0.0) / terms.rate[1],
                late: frame.bracket_ns - (total - passed).max(0.0) / terms.rate[1],
                wide,
            };
            passed += advances[at];
            let start = reading(at, passed, leaps.doubt);
            let within = &advances[at + 1..end];
            passed += within.iter().sum::<f64>();
            let largest = within.iter().copied().fold(leaps.doubt, f64::max);
            Piece { at: news + at, reads: (end - at) as u64, by, start, end: reading(end - 1, passed, largest) }
        });
        Self { pieces: pieces.collect(), hides: leaps.ambiguous || (wide && faulty) }
    }
}

/// What the clock advanced before each read, as far as time must have passed for it, ns; the row is cut at steps back, and
/// where the clock may have come back to a line that it left.
///
/// While it may come back, `open` readings from the row's start and some from each step back, the largest advance counts
/// for nothing: whichever of them was the way back, no more time than the others together has to have passed.
fn advances(values: &[u64], open: u64, terms: &Terms, cuts: &mut Vec<(usize, By)>) -> Vec<f64> {
    let mut advances = vec![0.0; values.len()];
    let (mut from, mut until) = (1, open as usize);
    let mut ends = Vec::new();
    for index in 1..values.len() {
        let advance = terms.advance(values[index - 1], values[index]);
        if advance < 0.0 {
            cuts.push((index, By::Back(values[index - 1])));
            ends.push((from, until.min(index - 1)));
            (from, until) = (index + 1, index + RETURNS_WITHIN as usize);
        } else {
            advances[index] = advance;
        }
    }
    ends.push((from, until.min(values.len() - 1)));
    for (from, until) in ends {
        let largest = (from..=until).max_by(|a, b| advances[*a].total_cmp(&advances[*b]));
        if let Some(largest) = largest.filter(|largest| advances[*largest] > 0.0) {
            advances[largest] = 0.0;
            cuts.push((largest, By::Onward));
        }
    }
    cuts.sort_unstable_by_key(|(at, _)| *at);
    advances
}

/// Advances that time can't account for.
struct Leaps {
    /// By how much the advances that are taken for sound may exceed time, ns: another one may have been the leap.
    doubt: f64,
    /// Whether a size is as uncertain as an interruption is long.
    ambiguous: bool,
}

impl Leaps {
    /// Finds them, cuts the row there, and takes them out of the advances.
    fn of(advances: &mut [f64], bracket_ns: f64, terms: &Terms, cuts: &mut Vec<(usize, By)>) -> Self {
        let mut leaps = Self { doubt: 0.0, ambiguous: false };
        let longest = bracket_ns * terms.rate[1] + terms.slack_ns;
        let mut total: f64 = advances.iter().sum();
        if total <= longest {
            return leaps;
        }
        let sound = |index: &usize| cuts.binary_search_by_key(index, |(at, _)| *at).is_err();
        let mut each: Vec<(f64, usize)> =
            (1..advances.len()).filter(sound).map(|index| (advances[index], index)).collect();
        each.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        // In a short row with a fault the median advance may be the fault.
        let median = each.get(each.len() / 2).map_or(0.0, |(advance, _)| *advance);
        let usual = median.min(bracket_ns / each.len().max(1) as f64);
        let mut found = Vec::new();
        while total > longest {
            // The smallest advance that explains the excess: a longer one may be an interruption, which the
            // bracket has in it as well.
            let excess = total - longest;
            let at = each.partition_point(|(advance, _)| advance - usual < excess).min(each.len().saturating_sub(1));
            let Some((advance, index)) = each.get(at).copied().filter(|(advance, _)| *advance > usual) else {
                break;
            };
            each.remove(at);
            found.push((advance, index));
            total -= advance - usual;
        }
        // What the sound advances have left of the bracket may have passed in any of the others, or beside the reads.
        // Where faults have taken all of it, an ordinary read's time was passed at least.
        let available = (longest - total + found.len() as f64 * usual).max(2.0 * usual);
        let longest_left = each.last().map_or(0.0, |(advance, _)| *advance);
        let shortest_taken = found.iter().map(|(advance, _)| *advance).fold(f64::INFINITY, f64::min);
        leaps.doubt = (longest_left - shortest_taken).max(0.0);
        for (advance, index) in found {
            let size = advance - available / 2.0;
            // A longer advance than this one may be the fault as well.
            let uncertainty = (available / 2.0).max(longest_left - size) + terms.slack_ns;
            leaps.ambiguous |= uncertainty > terms.wide_ns;
            cuts.push((index, By::Leap(Excess { size, uncertainty })));
            advances[index] = 0.0;
        }
        cuts.sort_unstable_by_key(|(at, _)| *at);
        leaps
    }
}
