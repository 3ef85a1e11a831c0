//! Random mixtures of faults and interruptions whose counts are known.

use super::*;
use crate::record::EventKind;

/// What a clock is made to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    /// Behind for up to so many readings, then right again.
    Behind(u32),
    /// Ahead for one reading, then right again.
    Beyond,
    /// Back for good.
    Back,
    /// Ahead for good.
    Ahead,
    /// Time lost while nobody looks.
    Lost,
    /// The same value some times, then right again.
    Stall,
}

use Fault::{Ahead, Back, Behind, Beyond, Lost, Stall};

/// Traces of each kind, and of each length of row.
const SEEDS: u64 = 30;
/// Reads of a trace.
const READS: usize = 20_000;

#[derive(Debug, Clone, Copy)]
struct Mixture {
    faults: &'static [Fault],
    /// Share of rows with an interruption of 5 µs to 10 ms, in or beside them.
    interrupted: f64,
    count_ns: f64,
    /// Smallest fault, ns; the largest is 5 ms.
    least: f64,
}

/// A clock and its reader.
struct Play {
    mixture: Mixture,
    rng: fastrand::Rng,
    now: f64,
    offset: f64,
    last: u64,
    /// Readings for which the clock is still off, and by how much.
    off: (u32, f64),
    stands: u32,
    loses: f64,
    /// Pieces of work until the next interruption.
    gap: Option<usize>,
    /// Regressions, warps, stalls.
    injected: [u64; 3],
    /// Sizes of the warps, ns.
    warps: Vec<f64>,
}

impl Play {
    /// Uniform in the logarithm.
    fn size(&mut self, low: f64, high: f64) -> f64 {
        (low * libm::pow(high / low, self.rng.f64())).floor()
    }

    /// So many ns and half as many again, or an interruption more.
    fn works(&mut self, ns: f64) {
        self.now += ns * (1.0 + self.rng.f64() / 2.0);
        if self.gap == Some(0) {
            self.now += self.size(5e3, 1e7);
        }
        self.gap = self.gap.and_then(|gap| gap.checked_sub(1));
    }

    /// What the clock would show if nothing were wrong, ns: 1.5 ppm faster than the witness.
    fn truth(&self) -> f64 {
        self.now * (1.0 + 1.5e-6) + self.offset
    }

    /// Whether no fault is under way.
    fn is_right(&self) -> bool {
        self.off.0 == 0 && self.stands == 0 && self.loses == 0.0
    }

    fn inject(&mut self) {
        let size = self.size(self.mixture.least, 5e6);
        let back = self.truth() - self.last as f64 * self.mixture.count_ns + size;
        // A smaller warp than this is within the bounds of a row.
        let warp = size.max(2e3);
        let fault = self.mixture.faults[self.rng.usize(..self.mixture.faults.len())];
        match fault {
            Behind(reads) => self.off = (self.rng.u32(1..=reads), -back),
            Beyond => self.off = (1, warp),
            Back => self.offset -= back,
            Ahead => self.offset += warp,
            Lost => self.loses = warp,
            Stall => self.stands = self.rng.u32(1..9),
        }
        if matches!(fault, Ahead | Lost | Beyond) {
            self.warps.push(warp);
        }
        self.injected[0] += u64::from(matches!(fault, Behind(_) | Back | Beyond));
        self.injected[1] = self.warps.len() as u64;
        self.injected[2] += u64::from(fault == Stall);
    }

    fn read(&mut self) -> u64 {
        if self.stands > 0 {
            self.stands -= 1;
        } else {
            let by = if self.off.0 > 0 { self.off.1 } else { 0.0 };
            self.off.0 = self.off.0.saturating_sub(1);
            self.last = ((self.truth() + by) / self.mixture.count_ns).floor() as u64;
        }
        self.last
    }
}

impl Mixture {
    /// A trace in rows of so many reads, up to so many if negative; what was injected, and what was found.
    fn play(self, row: i32, seed: u64) -> (Play, Found) {
        let (now, offset, rng) = (1e6, 5e12, fastrand::Rng::with_seed(seed));
        let (off, warps, gap) = ((0, 0.0), Vec::new(), None);
        let (last, stands, loses, injected) = (0, 0, 0.0, [0; 3]);
        let mut p = Play { mixture: self, rng, now, offset, last, off, stands, loses, gap, injected, warps };
        let Self { count_ns, .. } = self;
        let (rate, slack_ns) = ([1.0 - 3e-6, 1.0 + 3e-6], 2.0 * count_ns + 10.0);
        let mut watch = watch(Terms { count_ns, rate, slack_ns, read_ns: 14.0, wide_ns: 1000.0, ..TERMS }, 0);
        // A clock of 1 µs shows a new value at every twentieth read or so.
        let spacing = if count_ns > 1.0 { 750 } else { 250 };
        let (mut made, mut next) = (0, spacing);
        // What begins near the end could not show.
        while made < READS + 1000 {
            let most = row.unsigned_abs() as usize;
            let many = if row < 0 { p.rng.usize(1..=most) } else { most };
            p.gap = (p.rng.f64() < self.interrupted).then(|| p.rng.usize(..2 * many + 3));
            if p.loses > 0.0 {
                next = next.max(made + spacing);
            }
            p.now += 3.0 * p.loses;
            p.offset -= std::mem::take(&mut p.loses);
            p.works(10.0);
            let before = p.now as u64;
            p.works(5.0);
            let mut values = Vec::with_capacity(many);
            for _ in 0..many {
                p.works(8.0);
                if made >= next && made < READS && p.is_right() {
                    next = made + spacing + p.rng.usize(..2 * spacing);
                    p.inject();
                }
                values.push(p.read());
                made += 1;
                p.works(10.0);
            }
            watch.row(&reads(before, &values, p.now as u64, true));
        }
        (p, watch.finish())
    }
}

/// Every fault of every trace is counted, as what it is and with its size, whatever interruption stands beside it.
#[test]
fn mixtures_are_counted_exactly() {
    let behind = &[Behind(1), Behind(10)][..];
    let all = &[Behind(1), Behind(10), Back, Ahead, Lost, Stall][..];
    let mixtures = [
        (behind, 0.01, 1.0, 50.0),
        (behind, 0.2, 1.0, 50.0),
        (all, 0.02, 1.0, 50.0),
        // It stalls by nature.
        (&all[..5], 0.01, 1000.0, 8e3),
        // An interruption would hide that it was ahead.
        (&[Beyond, Behind(1)], 0.0, 1.0, 50.0),
    ]
    .map(|(faults, interrupted, count_ns, least)| Mixture { faults, interrupted, count_ns, least });
    for (row, mixture) in [1, 8, 64, -40, -300].into_iter().flat_map(|row| mixtures.map(|of| (row, of))) {
        for seed in 0..SEEDS {
            let (play, found) = mixture.play(row, seed);
            let kinds = if mixture.count_ns > 1.0 { 2 } else { 3 };
            assert_eq!(counts(&found)[..kinds], play.injected[..kinds], "{row} {seed} {mixture:?}");
            let events = found.events.iter().filter(|event| event.kind == EventKind::Warp);
            for (event, size) in events.zip(play.warps) {
                let off = (event.size_ns - size).abs();
                assert!(off <= event.size_uncertainty_ns.unwrap_or(0.0), "{row} {seed} {mixture:?}: {size} {event:?}");
            }
        }
    }
}
