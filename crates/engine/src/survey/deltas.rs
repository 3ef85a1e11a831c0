//! The histogram of one clock's adjacent differences.

use std::collections::BTreeMap;

use super::list::Readable;
use super::reader::Reader;
use super::timebase::Timebase;
use super::{Error, Observer, Options};
use crate::catalog::Unit;
use crate::measure::{MOST_READS, Run, Singles};
use crate::record::{DeltaRow, Deltas};

/// Distinct differences that get a row of their own.
const MOST_ROWS: usize = 65_536;

/// Reads one clock over and over (`options.reads` times, or for `options.time`) and counts its adjacent
/// differences. Each chunk of consecutive readings, in the clock's own counts, is handed to `raw` outside the
/// timed loop; differences are taken within a chunk and from one chunk to the next.
pub fn deltas(
    id: &str,
    options: &Options,
    observer: &mut dyn Observer,
    raw: &mut dyn FnMut(&[u64]),
) -> Result<Deltas, Error> {
    let mut readable = Readable::new();
    let place = readable.find(id)?;
    let reader = Reader::new(options)?;
    let (mut timebase, reference) =
        Timebase::new(options.reference.as_deref(), &readable, reader.witness, reader.kernel)?;
    let mut reference = reference.map(|place| Readable::new().meters.swap_remove(place));
    let meter = &mut readable.meters[place];
    let time = options.time.as_nanos() as f64;
    let (mut run, mut singles) = (Run::default(), Singles::default());
    let mut seen = Seen::default();
    let start = reader.witness.stamp();
    let mut done: u64 = 0;
    loop {
        if let Some(reference) = &mut reference {
            timebase.anchor(&mut **reference, &reader.witness, &mut singles);
        }
        if done.is_multiple_of(64 * MOST_READS as u64) {
            timebase.settle();
        }
        let spent = reader.witness.stamp().since(start) as f64 * timebase.tick().value;
        let left = options.reads.map_or(MOST_READS as u64, |wanted| wanted.saturating_sub(done));
        let share = options.reads.map_or(spent / time, |wanted| done as f64 / wanted.max(1) as f64);
        if left == 0 || observer.stop() || (options.reads.is_none() && done > 0 && spent >= time) {
            break;
        }
        observer.progress(share.min(1.0), "reading");
        let reads = left.min(MOST_READS as u64);
        meter.row(&reader.witness, &reader.witness, reads as usize, &mut run);
        done += reads;
        seen.chunk(&run.values);
        raw(&run.values);
    }
    timebase.settle();
    let count_ns = match meter.description().unit {
        Unit::Ns(ns) => ns,
        Unit::Ticks => timebase.tick().value,
    };
    Ok(seen.histogram(id, count_ns))
}

/// Differences as they are counted.
#[derive(Default)]
struct Seen {
    rows: BTreeMap<i64, u64>,
    others: u64,
    longest_other: i64,
    others_sum: f64,
    last: Option<u64>,
}

impl Seen {
    fn chunk(&mut self, values: &[u64]) {
        for value in values {
            if let Some(last) = self.last.replace(*value) {
                self.add(value.wrapping_sub(last) as i64);
            }
        }
    }

    fn add(&mut self, step: i64) {
        if let Some(count) = self.rows.get_mut(&step) {
            *count += 1;
        } else if self.rows.len() < MOST_ROWS || step <= 0 {
            // Every step back is kept apart; there can't be many in a clock worth a histogram.
            self.rows.insert(step, 1);
        } else {
            self.others += 1;
            self.others_sum += step as f64;
            self.longest_other = self.longest_other.max(step);
        }
    }

    fn histogram(self, id: &str, count_ns: f64) -> Deltas {
        let ahead = || self.rows.range(1..);
        let positive: u64 = ahead().map(|(_, count)| count).sum::<u64>() + self.others;
        let sum: f64 =
            ahead().map(|(step, count)| *step as f64 * *count as f64).sum::<f64>() + self.others_sum;
        let mut below = 0;
        // Rows beyond the limit are long ones as a rule; the median lies in the rows.
        let median = ahead().find(|(_, count)| {
            below += **count;
            below * 2 >= positive
        });
        let longest = ahead().next_back().map_or(0, |(step, _)| *step).max(self.longest_other);
        let ns = |step: i64| step as f64 * count_ns;
        Deltas {
            schema: "clockscope-deltas/1".into(),
            clock: id.into(),
            count_ns,
            differences: self.rows.values().sum::<u64>() + self.others,
            min_ns: ahead().next().map(|(step, _)| ns(*step)),
            mean_ns: (positive > 0).then(|| sum / positive as f64 * count_ns),
            median_ns: median.map(|(step, _)| ns(*step)),
            longest_ns: (longest > 0).then(|| ns(longest)),
            rows: self
                .rows
                .iter()
                .map(|(step, count)| DeltaRow { counts: *step, time_ns: ns(*step), count: *count })
                .collect(),
            others: self.others,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_counted_across_chunks() {
        let mut seen = Seen::default();
        seen.chunk(&[10, 10, 30]);
        seen.chunk(&[50, 45, 1045]);
        let d = seen.histogram("x", 2.0);
        let rows: Vec<(i64, u64)> = d.rows.iter().map(|r| (r.counts, r.count)).collect();
        assert_eq!(rows, [(-5, 1), (0, 1), (20, 2), (1000, 1)]);
        assert_eq!(
            (d.differences, d.min_ns, d.median_ns, d.longest_ns),
            (5, Some(40.0), Some(40.0), Some(2000.0))
        );
        assert_eq!(d.mean_ns, Some(2.0 * 1040.0 / 3.0));
    }

    #[test]
    fn nothing_read_is_nothing_claimed() {
        let d = Seen::default().histogram("x", 1.0);
        assert_eq!(
            (d.differences, d.min_ns, d.mean_ns, d.median_ns, d.longest_ns),
            (0, None, None, None, None)
        );
    }

    #[test]
    fn a_clock_of_garbage_stays_within_bounds() {
        let mut seen = Seen::default();
        for i in 0..200_000_i64 {
            seen.add(i * 7 + 1);
        }
        let d = seen.histogram("x", 1.0);
        assert_eq!((d.rows.len(), d.differences, d.longest_ns), (MOST_ROWS, 200_000, Some(1_399_994.0)));
    }
}
