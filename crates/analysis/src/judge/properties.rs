//! Whatever a record holds, judging it ends well.

use proptest::prelude::*;

use super::facts::was_only_set;
use super::judge;
use super::made_up::{clock, run, skew};
use crate::record::{
    Backward, Clock, Clocksource, Cost, Event, EventKind, Faults, Frequency, Interval, Kind, Machine,
    Monotonic, Ntp, Path, Rate, Run, Skew, Stalls, Tsc, TscGeneration, Virtualization, WallStep,
};

// Strategies are boxed: unboxed, the tree of a whole record overflows a test thread's stack.

/// Any f64, the nasty ones more often than chance would have them.
fn number() -> BoxedStrategy<f64> {
    prop_oneof![
        Just(f64::NAN),
        Just(f64::INFINITY),
        Just(f64::NEG_INFINITY),
        Just(0.0),
        Just(f64::MAX),
        Just(f64::MIN_POSITIVE),
        any::<f64>(),
        0.1..1e6f64,
    ]
    .boxed()
}

fn maybe() -> BoxedStrategy<Option<f64>> {
    proptest::option::of(number()).boxed()
}

fn count() -> BoxedStrategy<u64> {
    prop_oneof![Just(0), Just(1), Just(u64::MAX), any::<u64>(), 0..1000u64].boxed()
}

fn id() -> BoxedStrategy<String> {
    prop_oneof![
        prop::sample::select(vec![
            "tsc",
            "tsc-fenced",
            "tscp",
            "cntvct",
            "monotonic",
            "monotonic@vdso",
            "monotonic@syscall",
            "monotonic-raw",
            "monotonic-coarse",
            "realtime",
            "realtime-coarse",
            "tai",
            "time",
            "thread-cputime",
            "boottime",
            "@",
            "",
        ])
        .prop_map(str::to_owned),
        any::<String>(),
    ]
    .boxed()
}

fn kind() -> BoxedStrategy<Kind> {
    prop::sample::select(vec![
        Kind::Counter,
        Kind::Wall,
        Kind::Monotonic,
        Kind::Boot,
        Kind::CpuTime,
        Kind::Coarse,
        Kind::Device,
    ])
    .boxed()
}

fn path() -> BoxedStrategy<Path> {
    prop::sample::select(vec![
        Path::Instruction,
        Path::Vdso,
        Path::Libc,
        Path::Syscall,
        Path::Mmio,
        Path::Port,
        Path::Ioctl,
        Path::Page,
    ])
    .boxed()
}

prop_compose! {
    fn faults()(count in count(), largest_ns in number()) -> Faults {
        Faults { count, largest_ns, over_1ms: 0 }
    }
}

prop_compose! {
    fn event()(
        kind in prop::sample::select(vec![EventKind::Regression, EventKind::Warp, EventKind::Stall]),
        size_ns in number(),
        at_ns in number(),
        cpu in any::<Option<u32>>(),
        cause in prop_oneof![any::<String>(), Just("clock set".to_owned()), Just("leap second".to_owned())],
    ) -> Event {
        Event { kind, size_ns, size_uncertainty_ns: None, at_ns, cpu, cause }
    }
}

prop_compose! {
    fn any_clock()(
        id in id(), kind in kind(), path in path(),
        cost in maybe(), ticks in [maybe(), maybe(), maybe(), maybe(), maybe(), maybe()],
        counts in [count(), count(), count(), count()],
        regressions in faults(), warps in faults(), longest_ns in number(),
        interposed_by in proptest::option::of("lib[a-z]{1,4}.so"), may_step in any::<bool>(),
        events in prop::collection::vec(event(), 0..3), violated in any::<bool>(),
        rate in proptest::option::of([number(), number(), number()]),
    ) -> Clock {
        let mut c = clock(&id).kind(kind).path(path).build();
        c.cost_ns = cost.map(|v| Cost {
            median: v, low: v, high: v, min: v, p99: Some(v), p999: None, max: None, batches: counts[0],
        });
        let tick = &mut c.tick_ns;
        [tick.nominal, tick.reported, tick.smallest_step, tick.quantum, tick.quantum_low, tick.quantum_high] = ticks;
        [c.reads, c.undecided, c.failed_reads, _] = counts;
        c.stalls = Stalls { count: 0, unexplained: counts[3], longest_reads: 0, longest_ns, of_200_reads: 0 };
        (c.regressions, c.warps, c.events, c.interposed_by) = (regressions, warps, events, interposed_by);
        c.interruptions.count = counts[1];
        c.interruptions.longest_ns = longest_ns;
        c.promises.may_step = may_step;
        c.rate = rate.map(|[ppm, low, high]| Rate { ppm, low_ppm: low, high_ppm: high, against: "monotonic@vdso".into() });
        c.monotonic = if violated { Monotonic::Violated } else { Monotonic::Strict };
        c
    }
}

fn source() -> BoxedStrategy<String> {
    prop::sample::select(vec![
        "tsc",
        "kvm-clock",
        "hpet",
        "acpi_pm",
        "xen",
        "jiffies",
        "hyperv_clocksource_tsc_page",
        "",
    ])
    .prop_map(str::to_owned)
    .boxed()
}

prop_compose! {
    fn any_ntp()(synchronised in any::<bool>(), figures in [number(), number(), number()], tai in any::<i32>()) -> Ntp {
        let [frequency_ppm, offset_ns, max_error_ns] = figures;
        Ntp { synchronised, frequency_ppm, offset_ns, max_error_ns, tai_offset_s: tai, ..Ntp::default() }
    }
}

prop_compose! {
    fn any_machine()(
        current in proptest::option::of(source()), available in prop::collection::vec(source(), 0..4),
        generation in prop::sample::select(vec![
            TscGeneration::Variant, TscGeneration::Constant, TscGeneration::Invariant, TscGeneration::Unknown,
        ]),
        readable in any::<bool>(), watchdog in any::<Option<bool>>(), has_tsc in any::<bool>(),
        guest in any::<Option<bool>>(), hypervisor in proptest::option::of("[a-z-]{0,6}"),
        ntp in proptest::option::of(any_ntp()), page_hz in maybe(),
        kernel_options in prop::collection::vec("(tsc=reliable|tsc=unstable|notsc|clocksource=hpet|vdso=0|x)", 0..3),
    ) -> Machine {
        Machine {
            clocksource: Clocksource { current, available },
            tsc: has_tsc.then(|| Tsc {
                generation,
                watchdog,
                readable,
                frequencies_hz: page_hz.map(|hz| Frequency { source: "pvclock-page".into(), hz }).into_iter().collect(),
                ..Tsc::default()
            }),
            virtualization: Virtualization { guest, hypervisor, offers: Vec::new() },
            ntp,
            kernel_options,
            ..Machine::default()
        }
    }
}

prop_compose! {
    fn interval()(ends in [number(), number(), number()]) -> Interval {
        let [value, low, high] = ends;
        Interval { value, low, high }
    }
}

prop_compose! {
    fn wall_step()(size_ns in interval(), at_ns in number(), at_uncertainty_ns in number()) -> WallStep {
        WallStep { size_ns, at_ns, at_uncertainty_ns }
    }
}

prop_compose! {
    fn any_run()(
        standstill_share in maybe(), steal_share in maybe(), load in maybe(),
        suspended_ns in proptest::option::of(interval()), witness_tick_ns in proptest::option::of(interval()),
        wall_steps_ns in prop::collection::vec(wall_step(), 0..7), wall_steps_omitted in count(),
        ntp_end in proptest::option::of(any_ntp()),
    ) -> Run {
        Run {
witness_tick_ns, standstill_share, steal_share, load, suspended_ns, wall_steps_ns, wall_steps_omitted,
            ntp_end, ..run()
        }
    }
}

prop_compose! {
    fn any_skew()(
        id in id(), ends in [maybe(), maybe()], largest_ns in maybe(), counts in [count(), count()],
        agree in any::<Option<bool>>(), constant in any::<Option<bool>>(), worst in any::<bool>(),
    ) -> Skew {
        let mut skew = skew(&id, 0.0, 0.0, 0);
        skew.agree = agree;
        skew.worst = skew.worst.filter(|_| worst);
        skew.backward = Backward { count: counts[0], of: counts[1], largest_ns };
        let pair = &mut skew.pairs[0];
        [pair.low_ns, pair.high_ns] = ends;
        pair.constant = constant;
        skew
    }
}

proptest! {
    #[test]
    fn judging_never_panics_and_what_comes_out_is_whole(
        machine in any_machine().boxed(), run in any_run(), clocks in prop::collection::vec(any_clock().boxed(), 0..8),
        skew in prop::collection::vec(any_skew().boxed(), 0..3),
    ) {
        let (findings, verdict) = judge(&machine, &run, &clocks, &skew);
        prop_assert!(findings.windows(2).all(|pair| pair[0].severity <= pair[1].severity), "worst first");
        for f in &findings {
            prop_assert!(super::explain(&f.code).is_some());
            for text in [&f.title, &f.evidence, &f.why, &f.fix] {
                prop_assert!(!text.is_empty() && !text.contains("NaN") && !text.contains("inf "), "{}: {text}", f.code);
            }
            prop_assert!(f.clocks.iter().all(|id| clocks.iter().any(|c| c.id == *id)), "{:?}", f.clocks);
        }
        for id in [&verdict.intervals, &verdict.wall, &verdict.cheap].into_iter().flatten() {
            let chosen: Vec<&Clock> = clocks.iter().filter(|c| c.id == *id).collect();
            prop_assert!(!id.contains('@'));
            let sound = |c: &&Clock| c.regressions.count == 0 && c.warps.count == 0 || was_only_set(c);
            prop_assert!(chosen.iter().any(|c| sound(c) && c.failed_reads == 0));
        }
        for text in [&verdict.because.intervals, &verdict.because.wall, &verdict.because.cheap] {
            prop_assert!(text.ends_with('.'), "{text}");
        }
    }
}
