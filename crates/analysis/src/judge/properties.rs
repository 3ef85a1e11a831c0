//! Whatever a record holds, judging it ends well.

use fastrand::Rng;

use super::faults::was_only_set;
use super::made_up::{Case, clock, event, skew};
use crate::record::{
    Clock, ClocksourceChange, EventKind, Faults, Frequency, Interval, Kind, Monotonic, Ntp, Path, Program, Rate,
    Record, Skew, TscGeneration, WallStep,
};

/// Makes anything, the nasty more often than chance would have it.
struct Any(Rng);

impl Any {
    fn of<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.0.usize(..values.len())]
    }

    fn maybe<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.0.bool().then(|| make(self))
    }

    fn some<T>(&mut self, most: usize, mut make: impl FnMut(&mut Self) -> T) -> Vec<T> {
        (0..self.0.usize(..=most)).map(|_| make(self)).collect()
    }

    fn number(&mut self) -> f64 {
        let (bits, usual) = (f64::from_bits(self.0.u64(..)), self.0.f64() * 1e6);
        self.of(&[f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, f64::MAX, f64::MIN_POSITIVE, bits, usual, usual])
    }

    fn number_or_none(&mut self) -> Option<f64> {
        self.maybe(Self::number)
    }

    fn count(&mut self) -> u64 {
        let (any, few) = (self.0.u64(..), self.0.u64(..1000));
        self.of(&[0, 0, 1, u64::MAX, any, few])
    }

    fn interval(&mut self) -> Interval {
        Interval { value: self.number(), low: self.number(), high: self.number() }
    }

    fn word(&mut self, words: &str) -> String {
        self.of(&words.split(' ').collect::<Vec<_>>()).into()
    }

    fn id(&mut self) -> String {
        self.word(
            "tsc tscp cntvct monotonic monotonic@vdso monotonic-raw monotonic-coarse realtime realtime-coarse tai time \
             boottime @ ",
        )
    }

    fn source(&mut self) -> String {
        self.word("tsc tsc-early kvm-clock hpet acpi_pm xen jiffies arch_sys_counter ")
    }

    fn clock(&mut self) -> Clock {
        use Kind::{Boot, Coarse, Counter, CpuTime, Device, Wall};
        let kind = self.of(&[Counter, Wall, Kind::Monotonic, Boot, CpuTime, Coarse, Device]);
        let mut c = clock(&self.id()).kind(kind).cost(self.number());
        c.path = self.of(&[Path::Instruction, Path::Vdso, Path::Libc, Path::Syscall, Path::Ioctl, Path::Page]);
        (c.base, c.forced, c.ordered, c.for_timing) = (self.id(), self.0.bool(), self.0.bool(), self.0.u8(..) > 50);
        c.cost_ns = c.cost_ns.filter(|_| self.0.bool());
        let tick = &mut c.tick_ns;
        [tick.nominal, tick.reported, tick.smallest_step] = [(); 3].map(|()| self.number_or_none());
        [tick.quantum, tick.quantum_low, tick.quantum_high] = [(); 3].map(|()| self.number_or_none());
        [c.reads, c.undecided, c.failed_reads, c.stalls.unexplained] = [0; 4].map(|_| self.count());
        (c.stalls.longest_ns, c.interruptions.longest_ns) = (self.number(), self.number());
        c.interruptions.count = self.count();
        let mut faults = || Faults { count: self.count(), largest_ns: self.number(), over_1ms: 0 };
        (c.regressions, c.warps) = (faults(), faults());
        c.events = self.some(3, |any| {
            let kind = any.of(&[EventKind::Regression, EventKind::Warp, EventKind::Stall]);
            event(kind, any.number(), any.number(), any.of(&["clock set", "leap second", "unknown", ""]))
        });
        c.interposed_by = self.maybe(|_| "libfaulty.so".into());
        c.promises.may_step = self.0.bool();
        c.rate = self.maybe(|any| {
            let Interval { value: ppm, low: low_ppm, high: high_ppm } = any.interval();
            Rate { ppm, low_ppm, high_ppm, against: "monotonic@vdso".into() }
        });
        c.monotonic = self.of(&[Monotonic::Strict, Monotonic::Violated]);
        c
    }

    fn ntp(&mut self) -> Ntp {
        let Interval { value: frequency_ppm, low: offset_ns, high: max_error_ns } = self.interval();
        let (synchronised, tai_offset_s) = (self.0.bool(), self.of(&[0, 37, i32::MIN]));
        Ntp { synchronised, frequency_ppm, offset_ns, max_error_ns, tai_offset_s, ..Ntp::default() }
    }

    fn skew(&mut self) -> Skew {
        let mut skew = skew(&self.id(), 0.0, 0.0, 0);
        skew.agree = self.maybe(|any| any.0.bool());
        skew.worst = skew.worst.filter(|_| self.0.bool());
        (skew.backward.count, skew.backward.of) = (self.count(), self.count());
        skew.backward.largest_ns = self.number_or_none();
        let pair = &mut skew.pairs[0];
        (pair.low_ns, pair.high_ns) = (self.number_or_none(), self.number_or_none());
        pair.constant = self.maybe(|any| any.0.bool());
        skew
    }

    fn case(&mut self) -> Case {
        use TscGeneration::{Constant, Invariant, Unknown, Variant};
        let mut case = Case::healthy();
        let machine = &mut case.machine;
        machine.clocksource.current = self.maybe(Self::source);
        machine.clocksource.available = self.some(3, Self::source);
        if let Some(tsc) = &mut machine.tsc {
            tsc.generation = self.of(&[Variant, Constant, Invariant, Unknown]);
            (tsc.readable, tsc.watchdog) = (self.0.bool(), self.maybe(|any| any.0.bool()));
            tsc.frequencies_hz = self.some(1, |any| Frequency {
                source: "pvclock-page".into(),
                hz: any.number(),
                ..Frequency::default()
            });
        }
        machine.tsc = machine.tsc.take().filter(|_| self.0.u8(..) > 50);
        machine.virtualization.guest = self.maybe(|any| any.0.bool());
        machine.virtualization.hypervisor = self.maybe(|any| any.of(&["kvm", "hyper-v", ""]).into());
        machine.ntp = self.maybe(Self::ntp);
        let options = "tsc=reliable tsc=unstable notsc clocksource=hpet vdso=0 x";
        machine.kernel_options = self.some(2, |any| any.word(options));
        let run = &mut case.run;
        (run.standstill_share, run.steal_share) = (self.number_or_none(), self.number_or_none());
        (run.load, run.ntp_end) = (self.number_or_none(), self.maybe(Self::ntp));
        (run.suspended_ns, run.witness_tick_ns) = (self.maybe(Self::interval), self.maybe(Self::interval));
        run.wall_steps_ns = self.some(6, |any| WallStep {
            size_ns: any.interval(),
            at_ns: any.number(),
            at_uncertainty_ns: any.number(),
        });
        run.wall_steps_omitted = self.count();
        run.clocksource_changes = self.some(2, |any| ClocksourceChange {
            since_ns: any.number(),
            at_ns: any.number(),
            from: any.source(),
            to: any.source(),
        });
        (case.clocks, case.skew) = (self.some(7, Self::clock), self.some(2, Self::skew));
        case
    }
}

#[test]
fn judging_never_panics_and_what_comes_out_is_whole() {
    for seed in 0..2000 {
        let case = Any(Rng::with_seed(seed)).case();
        let clocks = &case.clocks;
        let (findings, verdict) = super::judge(&case.machine, &case.run, clocks, &case.skew);
        assert!(findings.windows(2).all(|pair| pair[0].severity <= pair[1].severity), "{seed}: worst first");
        for f in &findings {
            assert!(super::explain(&f.code).is_some());
            for text in [&f.title, &f.evidence, &f.why, &f.fix] {
                let whole = !text.is_empty() && !text.contains("NaN") && !text.contains("inf ");
                assert!(whole, "{seed}: {}: {text}", f.code);
            }
            assert!(f.clocks.iter().all(|id| clocks.iter().any(|c| c.id == *id)), "{seed}: {:?}", f.clocks);
        }
        let record = Record {
            machine: case.machine.clone(),
            run: case.run.clone(),
            clocks: clocks.clone(),
            skew: case.skew.clone(),
            findings,
            ..Record::default()
        };
        for advice in super::advise(&record, &Program::ALL) {
            let whole = |text: &str| !text.is_empty() && !text.contains("NaN") && !text.contains("inf ");
            assert!(whole(&advice.answer) && advice.answer.ends_with('.'), "{seed}: {}", advice.answer);
            for clock in &advice.clocks {
                assert!(clock.evidence.iter().all(|text| whole(text)), "{seed}: {:?}", clock.evidence);
                assert_eq!(clock.agrees.is_none(), clock.missing.contains_key("agrees"), "{seed}: {clock:#?}");
            }
        }
        for id in [&verdict.intervals, &verdict.wall, &verdict.cheap].into_iter().flatten() {
            // A fault that came with a change of the clocksource is not the clock's.
            let changed = !case.run.clocksource_changes.is_empty();
            let sound = |c: &Clock| changed || c.regressions.count == 0 && c.warps.count == 0 || was_only_set(c);
            let fit = |c: &Clock| c.id == *id && !c.forced && c.for_timing && sound(c) && c.failed_reads == 0;
            assert!(clocks.iter().any(fit), "{seed}: {id}");
        }
        let because = &verdict.because;
        for (id, text) in
            [(&verdict.intervals, &because.intervals), (&verdict.wall, &because.wall), (&verdict.cheap, &because.cheap)]
        {
            assert!(text.ends_with('.') || (text.is_empty() && id.is_some()), "{seed}: {because:#?}");
        }
    }
}
