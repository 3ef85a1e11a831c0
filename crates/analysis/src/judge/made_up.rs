//! Machines, runs and clocks that never were, for the rules' tests.

use std::collections::BTreeMap;

use super::judge;
use crate::analyze::skew::is_apart;
use crate::record::{
    Backward, Clock, Clocksource, Cost, Faults, Finding, Interruptions, Kind, Machine, Monotonic, Ntp, Path,
    Promises, QuantumMethod, Run, Skew, SkewPair, Stalls, Tick, Tsc, TscGeneration, Virtualization,
};

/// A clock in the making.
pub(crate) struct Builder(Clock);

/// A faultless monotonic clock of a million reads through the vDSO, of unknown cost and quantum.
pub(crate) fn clock(id: &str) -> Builder {
    let none = Faults { count: 0, largest_ns: 0.0, over_1ms: 0 };
    let base = match id.split('@').next() {
        Some(base) if base.starts_with("tsc") => "tsc",
        base => base.unwrap_or_default(),
    };
    Builder(Clock {
        id: id.into(),
        api: String::new(),
        base: base.into(),
        forced: id.contains('@'),
        ordered: id != "tsc" && id != "cntvct",
        for_timing: !id.contains("alarm"),
        kind: Kind::Monotonic,
        path: Path::Vdso,
        path_evidence: String::new(),
        promises: Promises { may_step: false, slewed: true, counts_suspend: false, per_cpu: false },
        interposed_by: None,
        cost_ns: None,
        tick_ns: Tick {
            nominal: None,
            nominal_source: None,
            reported: None,
            smallest_step: None,
            smallest_step_counts: None,
            quantum: None,
            quantum_low: None,
            quantum_high: None,
            method: QuantumMethod::None,
            readings: 0,
        },
        reads: 1_000_000,
        undecided: 0,
        failed_reads: 0,
        monotonic: Monotonic::Weak,
        stalls: Stalls { count: 0, unexplained: 0, longest_reads: 0, longest_ns: 0.0, of_200_reads: 0 },
        regressions: none,
        warps: none,
        events: Vec::new(),
        events_omitted: 0,
        interruptions: Interruptions { count: 0, longest_ns: 0.0, by_cause: BTreeMap::new() },
        span_ns: None,
        rate: None,
        witness: "tscp".into(),
        missing: BTreeMap::new(),
    })
}

impl Builder {
    pub(crate) fn kind(mut self, kind: Kind) -> Self {
        self.0.promises.may_step = kind == Kind::Wall;
        self.0.kind = kind;
        self
    }

    pub(super) fn path(mut self, path: Path) -> Self {
        self.0.path = path;
        self
    }

    pub(super) fn cost(mut self, ns: f64) -> Self {
        self.0.cost_ns = Some(Cost {
            median: ns,
            low: ns * 0.999,
            high: ns * 1.001,
            min: ns * 0.99,
            p99: Some(ns * 2.0),
            p999: None,
            max: None,
            batches: 500,
        });
        self
    }

    pub(super) fn quantum(mut self, ns: f64) -> Self {
        let tick = &mut self.0.tick_ns;
        (tick.quantum, tick.quantum_low, tick.quantum_high) =
            (Some(ns), Some(ns * 0.9999), Some(ns * 1.0001));
        tick.method = QuantumMethod::Lattice;
        self
    }

    pub(super) fn reported(mut self, ns: f64) -> Self {
        self.0.tick_ns.reported = Some(ns);
        self
    }

    pub(super) fn nominal(mut self, ns: f64) -> Self {
        self.0.tick_ns.nominal = Some(ns);
        self
    }

    pub(crate) fn build(self) -> Clock {
        self.0
    }
}

/// The clock with so many faults, the largest of 1 µs.
pub(crate) fn with_faults(mut clock: Clock, regressions: u64, warps: u64, stalls: u64) -> Clock {
    let faults = |count| Faults { count, largest_ns: if count > 0 { 1000.0 } else { 0.0 }, over_1ms: 0 };
    (clock.regressions, clock.warps) = (faults(regressions), faults(warps));
    clock.stalls.unexplained = stalls;
    clock.stalls.longest_ns = if stalls > 0 { 1000.0 } else { 0.0 };
    if regressions > 0 {
        clock.monotonic = Monotonic::Violated;
    }
    clock
}

/// A KVM guest with an invariant TSC and an NTP client, on that clocksource; no clocks yet.
pub(super) fn survey(current: &str, available: &[&str]) -> (Machine, Vec<Clock>) {
    let machine = Machine {
        os: "linux".into(),
        arch: "x86_64".into(),
        clocksource: Clocksource {
            current: Some(current.into()),
            available: available.iter().map(|s| (*s).to_owned()).collect(),
        },
        virtualization: Virtualization {
            guest: Some(true),
            hypervisor: Some("kvm".into()),
            offers: vec!["kvm-clock".into()],
        },
        tsc: Some(Tsc {
            generation: TscGeneration::Invariant,
            flags: vec!["constant_tsc".into(), "nonstop_tsc".into()],
            watchdog: Some(false),
            readable: true,
            ..Tsc::default()
        }),
        ntp: Some(Ntp {
            synchronised: true,
            status: vec!["STA_PLL".into()],
            state: "TIME_OK".into(),
            frequency_ppm: -3.2,
            max_error_ns: 2.1e6,
            tai_offset_s: 37,
            ..Ntp::default()
        }),
        ..Machine::default()
    };
    (machine, Vec::new())
}

/// A healthy guest on the TSC, whose steps of 10 ns show through all clocks.
pub(super) fn healthy() -> (Machine, Vec<Clock>) {
    let (machine, _) = survey("tsc", &["tsc", "kvm-clock"]);
    let q = 10.015;
    let clocks = vec![
        clock("tsc").kind(Kind::Counter).path(Path::Instruction).cost(9.5).quantum(q).nominal(0.385).build(),
        clock("tsc-fenced")
            .kind(Kind::Counter)
            .path(Path::Instruction)
            .cost(18.5)
            .quantum(q)
            .nominal(0.385)
            .build(),
        clock("monotonic").cost(23.3).quantum(q).reported(1.0).build(),
        clock("monotonic@vdso").cost(23.0).quantum(q).reported(1.0).build(),
        clock("monotonic@syscall").path(Path::Syscall).cost(244.0).quantum(q).reported(1.0).build(),
        clock("realtime").kind(Kind::Wall).cost(23.4).quantum(q).reported(1.0).build(),
        clock("monotonic-raw").cost(22.5).quantum(q).reported(1.0).build(),
        clock("monotonic-coarse").kind(Kind::Coarse).cost(4.4).quantum(4e6).reported(4e6).build(),
    ];
    (machine, clocks)
}

/// The same machine on HPET although the TSC is there: system calls, steps of 70 ns.
pub(super) fn hpet_machine() -> (Machine, Vec<Clock>) {
    let (mut machine, mut clocks) = healthy();
    machine.clocksource.current = Some("hpet".into());
    machine.clocksource.available = ["tsc", "hpet", "acpi_pm"].map(str::to_owned).into();
    clocks.retain(|c| !c.id.contains('@'));
    for c in &mut clocks {
        if c.path == Path::Vdso && c.kind != Kind::Coarse {
            let ordinary = clock(&c.id).kind(c.kind).path(Path::Syscall);
            *c = ordinary.cost(1250.0).quantum(69.841_279).reported(1.0).build();
        }
    }
    (machine, clocks)
}

/// The same machine after the kernel has thrown the TSC out.
pub(super) fn rejected() -> (Machine, Vec<Clock>) {
    let (mut machine, clocks) = hpet_machine();
    machine.clocksource.available = ["hpet", "acpi_pm"].map(str::to_owned).into();
    (machine, clocks)
}

/// A clock on CPUs 0 and 1, the offset's interval in ns, with so many steps back among 400 readings.
pub(super) fn skew(id: &str, low_ns: f64, high_ns: f64, backward: u64) -> Skew {
    let largest_ns = (backward > 0).then(|| low_ns.abs().max(high_ns.abs()));
    let backward = Backward { count: backward, of: 400, largest_ns };
    let pair = SkewPair {
        cpu_a: 0,
        cpu_b: 1,
        distance: None,
        low_ns: Some(low_ns),
        high_ns: Some(high_ns),
        low_counts: None,
        high_counts: None,
        joint_low_ns: None,
        joint_high_ns: None,
        constant: Some(true),
        round_trip_ns: Some(140.0),
        messages: 200,
        backward,
        missing: None,
    };
    Skew {
        clock: id.into(),
        count_ns: 1.0,
        quantum_ns: Some(10.0),
        cpus: vec![0, 1],
        agree: Some(!is_apart(&pair)),
        backward,
        worst: Some([0, 1]),
        pairs: vec![pair],
        by_distance: Vec::new(),
        offsets: Vec::new(),
        missing: BTreeMap::new(),
    }
}

/// A quiet run.
pub(crate) fn run() -> Run {
    Run {
        wall_s: 2.8,
        cpu: Some(1),
        notes: Vec::new(),
        seed: 1,
        reference: "monotonic@vdso".into(),
        witness: "tscp".into(),
        witness_tick_ns: None,
        interrupted: false,
        standstill_share: Some(0.0005),
        steal_share: Some(0.0),
        load: Some(0.2),
        suspended_ns: None,
        wall_steps_ns: Vec::new(),
        wall_steps_omitted: 0,
        ntp_end: None,
        missing: BTreeMap::new(),
    }
}

/// The findings of one code in a quiet run.
pub(super) fn findings(machine: &Machine, clocks: &[Clock], code: &str) -> Vec<Finding> {
    findings_of(machine, &run(), clocks, code)
}

/// The findings of one code.
pub(super) fn findings_of(machine: &Machine, run: &Run, clocks: &[Clock], code: &str) -> Vec<Finding> {
    judge(machine, run, clocks, &[]).0.into_iter().filter(|f| f.code == code).collect()
}
