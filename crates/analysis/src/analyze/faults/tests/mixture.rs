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

struct Mixture {
    faults: &'static [Fault],
    /// Reads from one fault to the next, about.
    spacing: f64,
    /// Reads a row, at most if negative.
    row: i32,
    /// Share of rows with an interruption of 5 µs to 10 ms, in or beside them.
    interrupted: f64,
    count_ns: f64,
    /// Smallest and largest fault, ns.
    sizes: [f64; 2],
}

/// Traces of each kind, and of each length of row.
const SEEDS: u64 = 30;
/// Reads of a trace.
const READS: f64 = 20_000.0;

/// A clock and its reader.
struct Play {
    rng: fastrand::Rng,
    now: f64,
    offset: f64,
    last: u64,
    /// Readings for which the clock is still off, and by how much.
    off: (u32, f64),
    stands: u32,
    loses: f64,
    injected: [u64; 3],
    /// Sizes of the warps, ns.
    warps: Vec<f64>,
}

impl Play {
    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.rng.f64()
    }

    /// Uniform in the logarithm to base 2, as near as powers of two and a line between them come.
    fn size(&mut self, [low, high]: [f64; 2]) -> f64 {
        let mut top = high;
        while top > 2.0 * low && self.rng.u8(..8) > 0 {
            top /= 2.0;
        }
        self.between(low, top).floor()
    }

    /// What it would show if nothing were wrong, ns: 1.5 ppm faster than the witness.
    fn truth(&self) -> f64 {
        self.now * (1.0 + 1.5e-6) + self.offset
    }

    /// Whether no fault is under way.
    fn is_right(&self) -> bool {
        self.off.0 == 0 && self.stands == 0 && self.loses == 0.0
    }

    fn inject(&mut self, mixture: &Mixture) {
        let size = self.size(mixture.sizes);
        let back = self.truth() - self.last as f64 * mixture.count_ns + size;
        let fault = mixture.faults[self.rng.usize(..mixture.faults.len())];
        // One below the bounds of a row can't be seen.
        let most = size.max(2e3);
        if matches!(fault, Ahead | Lost | Beyond) {
            self.warps.push(most);
        }
        match fault {
            Behind(reads) => self.off = (self.rng.u32(1..=reads), -back),
            Beyond => self.off = (1, most),
            Back => self.offset -= back,
            Ahead => self.offset += most,
            Lost => self.loses = most,
            Stall => self.stands = self.rng.u32(1..9),
        }
        self.injected[0] += u64::from(matches!(fault, Behind(_) | Back | Beyond));
        self.injected[1] += u64::from(matches!(fault, Ahead | Lost | Beyond));
        self.injected[2] += u64::from(fault == Stall);
    }

    fn read(&mut self, count_ns: f64) -> u64 {
        if self.stands > 0 {
            self.stands -= 1;
        } else {
            let (left, by) = self.off;
            self.off.0 = left.saturating_sub(1);
            self.last = ((self.truth() + if left > 0 { by } else { 0.0 }) / count_ns).floor() as u64;
        }
        self.last
    }
}

impl Mixture {
    /// How many regressions, warps and stalls were injected, and what was found, in its reads.
    fn play(&self, seed: u64) -> ([u64; 3], Vec<f64>, Found) {
        let mut p = Play {
            rng: fastrand::Rng::with_seed(seed),
            now: 1e6,
            offset: 5e12,
            last: 0,
            off: (0, 0.0),
            stands: 0,
            loses: 0.0,
            injected: [0; 3],
            warps: Vec::new(),
        };
        let rate = [1.0 - 3e-6, 1.0 + 3e-6];
        let slack_ns = 2.0 * self.count_ns + 10.0;
        let mut watch = watch(
            Terms { count_ns: self.count_ns, rate, slack_ns, read_ns: 14.0, wide_ns: 1000.0, ..TERMS },
            0,
        );
        let (mut made, mut next) = (0.0, self.spacing);
        // What begins near the end could not show.
        while made < READS + 1000.0 {
            let most = self.row.unsigned_abs() as usize;
            let many = if self.row < 0 { p.rng.usize(1..=most) } else { most };
            let gap = (p.rng.f64() < self.interrupted).then(|| (p.rng.usize(..many + 2), p.rng.bool()));
            let pause = |place, early, p: &mut Play| {
                if gap == Some((place, early)) {
                    p.now += p.size([5e3, 1e7]);
                }
            };
            if p.loses > 0.0 {
                p.now += 3.0 * p.loses;
                p.offset -= std::mem::take(&mut p.loses);
            }
            p.now += p.between(5.0, 25.0);
            let before = p.now as u64;
            p.now += p.between(4.0, 10.0);
            let mut values = Vec::with_capacity(many);
            for i in 0..many {
                pause(i, true, &mut p);
                p.now += p.between(8.0, 14.0);
                if made >= next && made < READS && p.is_right() {
                    next = made + self.spacing * p.between(0.5, 1.5);
                    p.inject(self);
                }
                values.push(p.read(self.count_ns));
                made += 1.0;
                p.now += p.between(8.0, 14.0);
                pause(i, false, &mut p);
            }
            p.now += p.between(4.0, 10.0);
            pause(many, true, &mut p);
            watch.row(&reads(before, &values, p.now as u64, true));
            pause(many + 1, true, &mut p);
        }
        (p.injected, p.warps, watch.finish())
    }
}

/// Every fault of every trace is counted, as what it is and with its size, whatever interruption stands beside it.
#[test]
fn mixtures_are_counted_exactly() {
    let behind = &[Behind(1), Behind(10)][..];
    let all = &[Behind(1), Behind(10), Back, Ahead, Lost, Stall][..];
    let mixtures = [
        (behind, 0.01, 1.0, [50.0, 5e6]),
        (behind, 0.2, 1.0, [50.0, 5e6]),
        (all, 0.02, 1.0, [50.0, 5e6]),
        (&all[..5], 0.01, 1000.0, [8e3, 5e6]),
        // An interruption would hide that it was ahead.
        (&[Beyond, Behind(1)], 0.0, 1.0, [50.0, 5e6]),
    ];
    for (row, (faults, interrupted, count_ns, sizes)) in
        [1, 8, 64, -40, -300].into_iter().flat_map(|row| mixtures.map(|mixture| (row, mixture)))
    {
        // A clock of 1 µs shows a new value at every twentieth read or so, and stalls by nature.
        let (spacing, kinds) = if count_ns > 1.0 { (1500.0, 2) } else { (500.0, 3) };
        let mixture = Mixture { faults, spacing, row, interrupted, count_ns, sizes };
        for seed in 0..SEEDS {
            let (injected, warps, found) = mixture.play(seed);
            let case = format!("rows {row}, interrupted {interrupted}, count {count_ns} ns, seed {seed}");
            assert_eq!(counts(&found)[..kinds], injected[..kinds], "{case}");
            let events = found.events.iter().filter(|event| event.kind == EventKind::Warp);
            for (event, size) in events.zip(warps) {
                let off = (event.size_ns - size).abs();
                assert!(off <= event.size_uncertainty_ns.unwrap_or(0.0), "{case}: {size} {event:?}");
            }
        }
    }
}
