//! What the messages between CPUs say of their clocks' offsets.
//!
//! A reading of B that was made after a message with a reading of A had come was made later than A's: the offset of B
//! against A can't be more than B's reading less A's. The way back bounds it from below. No assumption is made on how
//! long either way took; delays only make the interval wider.
//!
//! * `pair` is the interval of two CPUs by what passed between them.
//! * `drift` is how fast their offset moves, where they met more than once.
//! * `joint` makes all pairs' intervals agree and finds offsets that fit all of them.

mod drift;
mod joint;
mod pair;
#[cfg(test)]
mod tests;
mod tournament;

use std::collections::BTreeMap;

pub use tournament::rounds;

use crate::record::{Backward, Distance, Drift, Interval, Skew, SkewGroup, SkewPair};
pub use crate::trace::Played;

/// What has to be known of the clock.
#[derive(Debug, Clone, PartialEq)]
pub struct Terms {
    /// Its id.
    pub clock: String,
    /// Nanoseconds a count.
    pub count_ns: Interval,
    /// Its quantum at most, in counts; `None`: not known.
    pub quantum: Option<f64>,
    /// Whether it was set while it was compared: then its own readings are no time to tell a rate by.
    pub set: bool,
}

/// The clock's entry in the record. `cpus` took part, `lost` could not; the first of `cpus` is the origin of the
/// offsets. Time grows with the number of CPUs to the third power: 0.1 s for 512 of them, beyond which offsets are not
/// made to fit one another.
pub fn skew(terms: &Terms, cpus: &[u32], lost: &BTreeMap<u32, String>, played: &[Played]) -> Skew {
    let mut missing: BTreeMap<String, String> =
        lost.iter().map(|(cpu, reason)| (format!("cpu {cpu}"), reason.clone())).collect();
    let mut pairs: Vec<SkewPair> = played.iter().map(|played| pair::pair(terms, played)).collect();
    pairs.sort_by_key(|pair| (pair.cpu_a, pair.cpu_b));
    let offsets = joint::offsets(terms, cpus, &mut pairs).unwrap_or_else(|reason| {
        missing.insert("offsets".into(), reason);
        Vec::new()
    });
    if terms.quantum.is_none() {
        missing.insert("quantum_ns".into(), "the clock's steps were not resolved".into());
    }
    let by_distance = groups(&pairs);
    if by_distance.is_empty() && !pairs.is_empty() {
        let reason = "the system does not tell how its CPUs lie to each other, or no pair has an interval";
        missing.insert("by_distance".into(), reason.into());
    }
    Skew {
        clock: terms.clock.clone(),
        count_ns: terms.count_ns.value,
        quantum_ns: terms.quantum.map(|quantum| quantum * terms.count_ns.value),
        cpus: cpus.to_vec(),
        agree: agree(&pairs),
        backward: sum(pairs.iter().map(|pair| pair.backward)),
        worst: worst(&pairs),
        pairs,
        by_distance,
        offsets,
        missing,
    }
}

/// Whether the pair's interval leaves out 0, or a reading went back.
pub fn is_apart(pair: &SkewPair) -> bool {
    pair.backward.count > 0 || pair.low_ns.is_some_and(|low| low > 0.0) || pair.high_ns.is_some_and(|high| high < 0.0)
}

/// Whether their clocks run at different rates for certain.
pub fn is_drifting(pair: &SkewPair) -> bool {
    pair.drift.as_ref().is_some_and(|drift| drift.low_ppb > 0.0 || drift.high_ppb < 0.0)
}

/// The pair whose clocks surely differ in rate by most, or may, where none surely do.
pub fn fastest(pairs: &[SkewPair]) -> Option<(&SkewPair, &Drift)> {
    let size = |drift: &Drift| {
        let (low, high) = (drift.low_ppb, drift.high_ppb);
        let surely = if low > 0.0 || high < 0.0 { low.abs().min(high.abs()) } else { 0.0 };
        (surely, drift.ppb.map_or(0.0, |ppb| ppb.value.abs()))
    };
    let drifts = pairs.iter().filter_map(|pair| Some((pair, pair.drift.as_ref()?)));
    drifts.max_by(|(_, a), (_, b)| {
        let (a, b) = (size(a), size(b));
        a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1))
    })
}

fn agree(pairs: &[SkewPair]) -> Option<bool> {
    if pairs.iter().any(is_apart) {
        return Some(false);
    }
    pairs.iter().any(|pair| pair.low_ns.is_some()).then_some(true)
}

fn worst(pairs: &[SkewPair]) -> Option<[u32; 2]> {
    let reach = |pair: &SkewPair| {
        let ends = [pair.low_ns, pair.high_ns].into_iter().flatten().map(f64::abs);
        (pair.backward.largest_ns.unwrap_or(0.0), ends.fold(0.0, f64::max))
    };
    pairs
        .iter()
        .filter(|pair| pair.low_ns.is_some() || pair.backward.count > 0)
        .max_by(|a, b| {
            let ((back_a, reach_a), (back_b, reach_b)) = (reach(a), reach(b));
            back_a.total_cmp(&back_b).then(reach_a.total_cmp(&reach_b))
        })
        .map(|pair| [pair.cpu_a, pair.cpu_b])
}

/// All steps back together.
fn sum(each: impl Iterator<Item = Backward>) -> Backward {
    each.fold(Backward::default(), |all, one| Backward {
        count: all.count + one.count,
        of: all.of + one.of,
        largest_ns: match (all.largest_ns, one.largest_ns) {
            (Some(a), Some(b)) => Some(a.max(b)),
            (a, b) => a.or(b),
        },
    })
}

fn groups(pairs: &[SkewPair]) -> Vec<SkewGroup> {
    let mut by_distance: BTreeMap<Distance, Vec<&SkewPair>> = BTreeMap::new();
    for pair in pairs {
        if let Some(distance) = pair.distance {
            by_distance.entry(distance).or_default().push(pair);
        }
    }
    by_distance
        .into_iter()
        .filter_map(|(distance, pairs)| {
            let lowest_ns = pairs.iter().filter_map(|pair| pair.low_ns).reduce(f64::min)?;
            let highest_ns = pairs.iter().filter_map(|pair| pair.high_ns).reduce(f64::max)?;
            let mut trips: Vec<f64> = pairs.iter().filter_map(|pair| pair.round_trip_ns).collect();
            super::stats::sort(&mut trips);
            Some(SkewGroup {
                distance,
                pairs: pairs.iter().filter(|pair| pair.low_ns.is_some()).count() as u64,
                lowest_ns,
                highest_ns,
                round_trip_ns: super::stats::median(&trips),
                backward: sum(pairs.iter().map(|pair| pair.backward)),
            })
        })
        .collect()
}
