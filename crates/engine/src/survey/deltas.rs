//! The histogram of one clock's adjacent differences.

use std::collections::BTreeMap;

use super::list::Readable;
use super::reader::Reader;
use super::timebase::Timebase;
use super::{Error, Observer, Options};
use crate::catalog::Unit;
use crate::measure::{MOST_READS, Run, Singles};
use clockscope_analysis::record::{DeltaRow, Deltas};

/// Distinct differences that get a row of their own.
const MOST_ROWS: usize = 65_536;

/// Reads one clock over and over (`options.reads` times, or for `options.time`) and counts its adjacent
/// differences. Each chunk of consecutive readings, in the clock's own counts, is handed to `raw` outside the
/// timed loop; differences are taken within a chunk, for between two of them the reader does other things.
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
    let mut reference = reference.map(|place| readable.meters[place].twin());
    let meter = &mut readable.meters[place];
    let time = options.time.as_nanos() as f64;
    let (mut run, mut singles) = (Run::default(), Singles::default());
    let mut seen = Seen::default();
    let mut next_settling = 0;
    // Looked at between rows: a row takes some 50 ms at most, however slow the clock.
    let look = reader.witness.stamp();
    meter.row(&reader.witness, &reader.witness, 1, &mut run);
    let once = reader.witness.stamp().since(look).max(1) as f64 * 0.3;
    let row = ((50e6 / once) as u64).clamp(2, MOST_READS as u64);
    let start = reader.witness.stamp();
    let mut done: u64 = 0;
    loop {
        if let Some(reference) = &mut reference {
            timebase.anchor(&mut **reference, &reader.witness, &mut singles);
        }
        // At the start, and then at longer and longer intervals: all anchors are looked at each time.
        if done >= next_settling {
            timebase.settle();
            next_settling = 2 * done.max(MOST_READS as u64);
        }
        let spent = reader.witness.stamp().since(start) as f64 * timebase.tick().value;
        let left = options.reads.map_or(MOST_READS as u64, |wanted| wanted.saturating_sub(done));
        let share = options.reads.map_or(spent / time, |wanted| done as f64 / wanted.max(1) as f64);
        if left == 0 || observer.stop() || (options.reads.is_none() && done > 0 && spent >= time) {
            break;
        }
        observer.progress(share.min(1.0), "reading");
        let reads = left.min(row);
        meter.row(&reader.witness, &reader.witness, reads as usize, &mut run);
        done += reads;
        seen.failed += run.failed;
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
    others_ahead: u64,
    longest_other: i64,
    others_sum: f64,
    failed: u64,
}

impl Seen {
    fn chunk(&mut self, values: &[u64]) {
        for pair in values.windows(2) {
            self.add(pair[1].wrapping_sub(pair[0]) as i64);
        }
    }

    fn add(&mut self, step: i64) {
        if let Some(count) = self.rows.get_mut(&step) {
            *count += 1;
        } else if self.rows.len() < MOST_ROWS {
            self.rows.insert(step, 1);
        } else {
            self.others += 1;
            if step > 0 {
                self.others_ahead += 1;
                self.others_sum += step as f64;
                self.longest_other = self.longest_other.max(step);
            }
        }
    }

    fn histogram(self, id: &str, count_ns: f64) -> Deltas {
        let ahead = || self.rows.range(1..);
        let positive: u64 = ahead().map(|(_, count)| count).sum::<u64>() + self.others_ahead;
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
            failed_reads: self.failed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_counted_within_chunks() {
        let mut seen = Seen::default();
        seen.chunk(&[10, 10, 30]);
        seen.chunk(&[30, 50, 45, 1045]);
        seen.chunk(&[999_999]);
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
            seen.add(if i % 3 == 0 { -i * 7 } else { i * 7 + 1 });
        }
        let d = seen.histogram("x", 1.0);
        assert_eq!((d.rows.len(), d.differences, d.longest_ns), (MOST_ROWS, 200_000, Some(1_399_994.0)));
    }
}
