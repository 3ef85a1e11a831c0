//! What a clock's figures were made of, as far as it is kept.

use super::account::Account;
use super::analysis::Analysis;
use super::rate::{Quanta, Scale, relative};
use crate::record::{ClockSeries, OffsetCourse, RateCourse};
use crate::trace::Bracketed;

/// Parts of the run whose rates are told, at most.
const PARTS: usize = 16;
/// Readings of a part, at least.
const FEWEST: usize = 16;
/// Offsets that are told, at most.
const MOST_OFFSETS: usize = 1024;

impl Analysis {
    /// What the clocks' figures were made of, in the catalog's order.
    pub fn series(&self) -> Vec<ClockSeries> {
        (0..self.accounts.len()).filter_map(|clock| self.series_of(clock)).collect()
    }

    fn series_of(&self, clock: usize) -> Option<ClockSeries> {
        let account = self.account(clock)?;
        let description = account.description();
        let stated = self.nominal(description).ok().map(|(ns, _)| ns);
        let mut series = ClockSeries {
            clock: description.id.clone(),
            cost: account.cost_buckets(self.timers.quantum(self.header.witness) * self.tick().value),
            differences: account.differences(),
            span: self.spans_of_clock(clock).map(|found| found.curve).unwrap_or_default(),
            ..ClockSeries::default()
        };
        if series.cost.reads.is_empty() {
            let why = "no single reads were made between stamps, or no batches for the median that they lie around";
            series.missing.insert("cost".into(), why.into());
        }
        if series.differences.counts.is_empty() {
            series.missing.insert("differences".into(), "no reads in a row were made for the cost".into());
        }
        if series.span.is_empty() {
            series.missing.insert("span".into(), "no chains were timed by it".into());
        }
        // What forbids one rate of the whole run forbids those of its parts.
        if let Err(why) = self.rate(account, stated) {
            series.missing.insert("rate".into(), why);
        }
        if description.id == self.header.clocks[self.header.reference].id {
            series.missing.insert("offset".into(), "it is the reference that the others are measured against".into());
        } else if account.track().len() < 2 {
            series.missing.insert("offset".into(), "it was not read between reads of the reference".into());
        } else {
            let scale = self.scale_by_reference(account, stated.unwrap_or_else(|| account.count_ns()));
            if scale.quanta.clock.is_finite() && scale.quanta.by.is_finite() {
                series.offset = offsets(account.track(), scale);
            } else {
                series
                    .missing
                    .insert("offset".into(), "nothing bounds the quantum of the clock, or of the reference".into());
            }
            if !series.missing.contains_key("rate") {
                series.rate = rates(account.track(), scale);
            }
        }
        if series.rate.at_ns.is_empty() && !series.missing.contains_key("rate") {
            series.missing.insert("rate".into(), "too few readings beside the reference for the rates of parts".into());
        }
        Some(series)
    }

    /// What the readings of a clock beside the reference are worth.
    pub(super) fn scale_by_reference(&self, account: &Account, count_ns: f64) -> Scale {
        let by = self.timers.quantum(self.header.reference);
        let quanta = Quanta { clock: account.quantum_ns() / count_ns, by };
        Scale { count_ns, reference_ns: self.timebase.count_ns(), quanta }
    }
}

/// To a thousandth of a nanosecond, which is finer than anything here is known: 17 digits would only take room.
fn short(ns: f64) -> f64 {
    (ns * 1e3).round() / 1e3
}

fn since(count: u64, origin: u64) -> f64 {
    count.wrapping_sub(origin) as i64 as f64
}

/// The offset of each reading from the middle of the first one's bounds.
fn offsets(track: &[Bracketed], scale: Scale) -> OffsetCourse {
    let mut found = OffsetCourse::default();
    let Some(first) = track.first() else { return found };
    let bounds = |read: &Bracketed| {
        let own = since(read.value, first.value) * scale.count_ns;
        // Either clock shows a time up to a quantum past.
        let (before, after) = (since(read.before, first.before), since(read.after, first.before) + scale.quanta.by);
        let quantum = scale.quanta.clock * scale.count_ns;
        [own - after * scale.reference_ns, own + quantum - before * scale.reference_ns]
    };
    let middle = |[low, high]: [f64; 2]| f64::midpoint(low, high);
    let origin = middle(bounds(first));
    let every = track.len().div_ceil(MOST_OFFSETS).max(1);
    for read in track.iter().step_by(every) {
        let [low, high] = bounds(read);
        let at = f64::midpoint(since(read.before, first.before), since(read.after, first.before));
        found.at_ns.push(short(at * scale.reference_ns));
        found.low_ns.push(short(low - origin));
        found.high_ns.push(short(high - origin));
    }
    found
}

/// The rate of each part.
fn rates(track: &[Bracketed], scale: Scale) -> RateCourse {
    let mut found = RateCourse::default();
    let (Some(first), length) = (track.first(), track.len().div_ceil(PARTS).max(FEWEST)) else { return found };
    for part in track.chunks(length).filter(|part| part.len() >= FEWEST) {
        let [.., last] = part else { continue };
        let Ok(rate) = relative(part, scale, "") else { continue };
        let middle = f64::midpoint(since(part[0].before, first.before), since(last.after, first.before));
        found.at_ns.push(short(middle * scale.reference_ns));
        found.ppm.push(short(rate.ppm));
        found.low_ppm.push(short(rate.low_ppm));
        found.high_ppm.push(short(rate.high_ppm));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const NS: Scale = Scale { count_ns: 1.0, reference_ns: 1.0, quanta: Quanta { clock: 1.0, by: 1.0 } };

    /// A clock of counts of 2 ns that runs 20 ppm fast in the first half of a second and 30 ppm slow in the second, read every
    /// millisecond by a reference of counts of 0.5 ns, each read within 40 ns.
    fn track() -> (Vec<Bracketed>, impl Fn(f64) -> f64) {
        let offset = |t: f64| if t < 5e8 { t * 20e-6 } else { 1e4 - (t - 5e8) * 30e-6 };
        let mut random = fastrand::Rng::with_seed(1);
        let reads = (0..1000_u32).map(|i| {
            let (t, within) = (f64::from(i) * 1e6, 40.0 * random.f64());
            let value = (5e9 + t + within + offset(t + within)) / 2.0;
            Bracketed { before: (7e9 + t * 2.0) as u64, value: value as u64, after: (7e9 + (t + 40.0) * 2.0) as u64 }
        });
        (reads.collect(), offset)
    }

    const HALVES: Scale = Scale { count_ns: 2.0, reference_ns: 0.5, quanta: Quanta { clock: 1.0, by: 1.0 } };

    #[test]
    fn the_offset_is_within_its_bounds_at_every_reading() {
        let (track, truth) = track();
        let found = offsets(&track, HALVES);
        assert_eq!([found.at_ns.len(), found.low_ns.len(), found.high_ns.len()], [1000; 3]);
        for (at, (low, high)) in found.at_ns.iter().zip(found.low_ns.iter().zip(&found.high_ns)) {
            // The first one's own bounds are of the same width.
            let truth = truth(at - 20.0);
            assert!(low - 22.0 <= truth && truth <= high + 22.0, "{at}: {low} {truth} {high}");
            assert!((40.0..50.0).contains(&(high - low)), "{low} {high}");
        }
    }

    #[test]
    fn each_part_has_its_rate() {
        let (track, _) = track();
        let found = rates(&track, HALVES);
        assert_eq!(found.ppm.len(), 16);
        for (at, (low, high)) in found.at_ns.iter().zip(found.low_ppm.iter().zip(&found.high_ppm)) {
            // The rate changes within one of the parts.
            if (at - 5e8).abs() < 1e9 / 32.0 {
                continue;
            }
            let truth = if *at < 5e8 { 20.0 } else { -30.0 };
            assert!(low - 0.01 <= truth && truth <= high + 0.01 && high - low < 4.0, "{at}: {low} {high}");
        }
    }

    #[test]
    fn of_many_readings_not_all_are_told_and_of_none_nothing() {
        let track: Vec<Bracketed> =
            (0..4096_u64).map(|i| Bracketed { before: i * 1000, value: i * 1000 + 5, after: i * 1000 + 10 }).collect();
        assert_eq!(offsets(&track, NS).at_ns.len(), 1024);
        assert_eq!((offsets(&[], NS), rates(&[], NS)), Default::default());
        assert_eq!(rates(&track[..15], NS), RateCourse::default());
    }
}
