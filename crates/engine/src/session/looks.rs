//! Looks now and then, all through a run, at how the clocks are kept: the wall clock and the sleeping machine's clock
//! beside the monotonic one, every surveyed clock beside the reference, and the clocksource in use.

use clockscope_analysis::trace::{Beside, Bracketed, ClocksourceChange, Kind, Look, Observation, Purpose};

use super::reads::{SLOW_NS, Session};
use crate::catalog::{Clock, Gettime, kernel_clock};
use crate::machine;
use crate::measure::Witness;

/// Looks a run, where its time allows.
const LOOKS: f64 = 256.0;
/// Least and most time between two looks, ns. The longer the gaps, the less is known of when a clock was set.
const APART_NS: (f64, f64) = (1e6, 20e6);
/// The looks may take one part in so many of the time.
const SHARE: f64 = 50.0;
/// Tries for a tight bracket.
const TRIES: usize = 3;

/// When to look, and at what of the kernel's.
pub(super) struct Looks {
    monotonic: Option<Gettime>,
    wall: Option<Gettime>,
    boottime: Option<Gettime>,
    clocksource: Option<String>,
    /// The witness when the clocksource was looked at last.
    clocksource_at: u64,
    /// When to look again, ns since the start.
    next_ns: f64,
    apart_ns: f64,
    /// How long the shortest look took, ns: what an interruption, or a slow device, adds to another one must not keep the
    /// next away for long.
    shortest_ns: f64,
}

impl Looks {
    /// For a run of `time` ns that begins under that clocksource.
    pub(super) fn new(time: f64, kernel: Option<Witness>, clocksource: Option<&str>, start: u64) -> Self {
        let monotonic = kernel.and_then(|kernel| match kernel {
            Witness::Kernel(_, clock) => Some(clock),
            Witness::Counter => None,
        });
        Self {
            monotonic,
            wall: kernel_clock(libc::CLOCK_REALTIME),
            boottime: kernel_clock(libc::CLOCK_BOOTTIME),
            clocksource: clocksource.map(str::to_owned),
            clocksource_at: start,
            next_ns: 0.0,
            apart_ns: (time / LOOKS).clamp(APART_NS.0, APART_NS.1),
            shortest_ns: f64::MAX,
        }
    }

    /// The kernel's own clocks: some ten reads and a small file.
    fn kernel(&mut self, witness: Witness, kernel: Option<Witness>) -> Vec<Observation<'static>> {
        let now = witness.stamp().count;
        let mut seen = Vec::new();
        if let Some(current) = machine::current_clocksource() {
            let before = self.clocksource.replace(current.clone());
            if let Some(from) = before.filter(|before| *before != current) {
                let since = self.clocksource_at;
                seen.push(Observation::Clocksource(ClocksourceChange { from, to: current, since, at: now }));
            }
        }
        self.clocksource_at = now;
        if let Some(monotonic) = self.monotonic {
            let read = |clock: Gettime| move || clock.read().ok();
            let beside = |clock: Option<Gettime>, by| clock.and_then(|clock| bracketed(read(by), read(clock)));
            let stamp = |of: Witness| move || Some(of.stamp().count);
            let counter = matches!(witness, Witness::Counter);
            seen.push(Observation::Look(Look {
                witness: now,
                kernel: kernel.map(|kernel| kernel.stamp().count),
                beside: kernel.filter(|_| counter).and_then(|kernel| bracketed(stamp(witness), stamp(kernel))),
                wall: beside(self.wall, self.boottime.unwrap_or(monotonic)),
                boottime: beside(self.boottime, monotonic),
            }));
        }
        seen
    }
}

/// A reading of `clock` between two of `by`, the tightest of some; `None` where a read fails or none is in order.
fn bracketed(by: impl Fn() -> Option<u64>, clock: impl Fn() -> Option<u64>) -> Option<Bracketed> {
    let once = || Some(Bracketed { before: by()?, value: clock()?, after: by()? });
    (0..TRIES).filter_map(|_| once()).filter(|reading| reading.width() >= 0).min_by_key(Bracketed::width)
}

impl Session<'_> {
    /// Looks at all clocks if it is time to. Called between measured windows.
    pub(crate) fn look(&mut self) {
        if self.elapsed_ns() >= self.looks.next_ns {
            self.look_now(false);
        }
    }

    /// Looks at all clocks; `slow`: also at those that take long.
    pub(crate) fn look_now(&mut self, slow: bool) {
        // By the witness: the kernel's clock may stand still for longer than a look takes.
        let begun = self.reader.witness.stamp();
        let seen = self.looks.kernel(self.reader.witness, self.reader.kernel);
        for observation in seen {
            self.source_changed |= matches!(observation, Observation::Clocksource(_));
            self.note(&observation);
        }
        for clock in self.surveyed() {
            if slow || self.read_ns(clock) < SLOW_NS {
                self.look_at(clock);
            }
        }
        let took_ns = self.reader.witness.stamp().since(begun) as f64 * self.analysis.tick().value;
        if took_ns > 0.0 {
            self.looks.shortest_ns = self.looks.shortest_ns.min(took_ns);
        }
        self.looks.next_ns = self.elapsed_ns() + self.looks.apart_ns.max(SHARE * self.looks.shortest_ns);
    }

    /// One read of a clock between two of the reference; it is watched as any other read.
    fn look_at(&mut self, clock: usize) {
        let reference = self.analysis.header().reference;
        if clock == reference || self.description(clock).kind == Kind::CpuTime {
            return;
        }
        let witness = self.witness(clock);
        (self.lot.clock, self.lot.purpose, self.lot.third) = (clock, Purpose::Rate, None);
        let before = self.read_alone(reference);
        self.meters[clock].singles(&witness, 1, i64::MAX, &mut self.lot);
        let after = self.read_alone(reference);
        self.note_lot();
        let value = self.lot.reads.first().map(|read| read.value);
        if let (Some(before), Some(value), Some(after)) = (before, value, after) {
            let reading = Bracketed { before, value, after };
            self.note(&Observation::Beside(Beside { clock, reading }));
        }
    }

    /// A clock's value, without stamps around it where it is a witness.
    fn read_alone(&mut self, clock: usize) -> Option<u64> {
        let header = self.analysis.header();
        if clock == header.witness {
            return Some(self.reader.witness.stamp().count);
        }
        if let Some(kernel) = self.reader.kernel.filter(|_| header.kernel == Some(clock)) {
            return Some(kernel.stamp().count);
        }
        self.meters[clock].singles(&self.reader.witness, 1, i64::MAX, &mut self.alone);
        self.alone.reads.first().map(|read| read.value)
    }
}
