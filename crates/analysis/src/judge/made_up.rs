//! Machines, runs and clocks that never were, for the rules' tests.

use std::collections::BTreeMap;

use super::{facts::Facts, judge};
use crate::analyze::skew::is_apart;
use crate::record::{
    Backward, Clock, Cost, Event, EventKind, Faults, Finding, Interruptions, Kind, Machine, Monotonic, Ntp, Path,
    Promises, Run, Severity, Skew, SkewPair, Stalls, Tick, Tsc, TscGeneration, Verdict, Virtualization,
};

/// What is judged.
#[derive(Clone)]
pub(crate) struct Case {
    pub(crate) machine: Machine,
    pub(crate) run: Run,
    pub(crate) clocks: Vec<Clock>,
    pub(crate) skew: Vec<Skew>,
}

impl Case {
    /// A quiet KVM guest with an NTP client on an invariant TSC, whose steps of 10 ns show through all clocks.
    pub(crate) fn healthy() -> Self {
        let virtualization =
            Virtualization { guest: Some(true), hypervisor: Some("kvm".into()), offers: vec!["kvm-clock".into()] };
        let (generation, watchdog, readable) = (TscGeneration::Invariant, Some(false), true);
        let machine = Machine {
            virtualization,
            tsc: Some(Tsc { generation, watchdog, readable, ..Tsc::default() }),
            ntp: Some(Ntp { synchronised: true, max_error_ns: 2.1e6, tai_offset_s: 37, ..Ntp::default() }),
            ..Machine::default()
        };
        let run = Run {
            reference: "monotonic@vdso".into(),
            reference_base: "monotonic".into(),
            witness: "tscp".into(),
            witness_base: "tsc".into(),
            standstill_share: Some(0.0005),
            steal_share: Some(0.0),
            ..Run::default()
        };
        let q = 10.015;
        let counter = |id| {
            let counter = clock(id).kind(Kind::Counter).path(Path::Instruction).quantum(q);
            counter.with(|c| (c.base, c.tick_ns.nominal) = ("tsc".into(), Some(0.385)))
        };
        let kernels = |id: &str| clock(id).quantum(q).reported(1.0);
        let coarse = clock("monotonic-coarse").kind(Kind::Coarse).quantum(4e6).reported(4e6);
        let clocks = vec![
            counter("tsc").with(|c| c.ordered = false).cost(9.5),
            counter("tsc-fenced").cost(18.5),
            kernels("monotonic").cost(23.3),
            kernels("monotonic@vdso").forced("monotonic").cost(23.0),
            kernels("monotonic@syscall").forced("monotonic").path(Path::Syscall).cost(244.0),
            kernels("realtime").kind(Kind::Wall).cost(23.4),
            kernels("monotonic-raw").cost(22.5),
            coarse.cost(4.4),
        ];
        Self { machine, run, clocks, skew: Vec::new() }.on("tsc").offering(&["tsc", "kvm-clock"])
    }

    /// The same machine on HPET although the TSC is there: system calls, steps of 70 ns.
    pub(crate) fn hpet() -> Self {
        let mut case = Self::healthy().on("hpet").offering(&["tsc", "hpet", "acpi_pm"]);
        case.clocks.retain(|c| !c.forced);
        for c in case.clocks.iter_mut().filter(|c| c.path == Path::Vdso && c.kind != Kind::Coarse) {
            *c = c.clone().path(Path::Syscall).cost(1250.0).quantum(69.841_279);
        }
        case
    }

    /// The same machine after the kernel has thrown the TSC out.
    pub(crate) fn rejected() -> Self {
        Self::hpet().offering(&["hpet", "acpi_pm"])
    }

    /// The same on another clocksource.
    pub(crate) fn on(mut self, source: &str) -> Self {
        self.machine.clocksource.current = Some(source.into());
        self
    }

    /// The same with these clocksources on offer.
    fn offering(mut self, sources: &[&str]) -> Self {
        self.machine.clocksource.available = sources.iter().map(|source| (*source).to_owned()).collect();
        self
    }

    /// The same with only these clocks.
    pub(crate) fn of(self, clocks: impl IntoIterator<Item = Clock>) -> Self {
        Self { clocks: clocks.into_iter().collect(), ..self }
    }

    /// The same but for what `change` does.
    pub(crate) fn but(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }

    pub(crate) fn clock(&mut self, id: &str) -> &mut Clock {
        self.clocks.iter_mut().find(|c| c.id == id).expect("there is such a clock")
    }

    pub(crate) fn tsc(&mut self) -> &mut Tsc {
        self.machine.tsc.as_mut().expect("there is a TSC")
    }

    /// The discipline at the start.
    pub(crate) fn ntp(&mut self) -> &mut Ntp {
        self.machine.ntp.as_mut().expect("there is a discipline")
    }

    pub(super) fn facts(&self) -> Facts<'_> {
        Facts { machine: &self.machine, run: &self.run, clocks: &self.clocks, skew: &self.skew }
    }

    pub(crate) fn verdict(&self) -> Verdict {
        judge(&self.machine, &self.run, &self.clocks, &self.skew).1
    }

    pub(crate) fn findings(&self, code: &str) -> Vec<Finding> {
        let all = judge(&self.machine, &self.run, &self.clocks, &self.skew).0;
        all.into_iter().filter(|f| f.code == code).collect()
    }

    /// Checks that the rule has one finding, that its texts and `[its, clocks]` hold each of `parts`, and none of those
    /// that begin with `!`.
    #[track_caller]
    pub(crate) fn finds(self, code: &str, severity: Severity, parts: &[&str]) -> Self {
        let found = self.findings(code);
        let [Finding { severity: seen, title, evidence, why, fix, clocks, .. }] = found.as_slice() else {
            panic!("not one finding: {found:#?}")
        };
        assert_eq!(*seen, severity, "{title}");
        says(&format!("{title}\n{evidence}\n{why}\n{fix}\n[{}]", clocks.join(", ")), parts);
        self
    }

    /// Checks that the rule finds nothing.
    #[track_caller]
    pub(crate) fn silent(self, code: &str) -> Self {
        assert_eq!(self.findings(code), []);
        self
    }
}

/// Checks that `text` holds each of `parts`, and none of those that begin with `!`.
#[track_caller]
pub(crate) fn says(text: &str, parts: &[&str]) {
    for part in parts {
        match part.strip_prefix('!') {
            Some(part) => assert!(!text.contains(part), "'{part}' is in: {text}"),
            None => assert!(text.contains(part), "'{part}' is not in: {text}"),
        }
    }
}

/// A faultless monotonic clock of a million reads through the vDSO, of unknown cost and quantum.
pub(crate) fn clock(id: &str) -> Clock {
    Clock {
        id: id.into(),
        api: String::new(),
        base: id.into(),
        forced: false,
        ordered: true,
        for_timing: true,
        kind: Kind::Monotonic,
        path: Path::Vdso,
        path_evidence: String::new(),
        promises: Promises { slewed: true, ..Promises::default() },
        interposed_by: None,
        cost_ns: None,
        tick_ns: Tick::default(),
        reads: 1_000_000,
        undecided: 0,
        failed_reads: 0,
        monotonic: Monotonic::Weak,
        stalls: Stalls::default(),
        regressions: Faults::default(),
        warps: Faults::default(),
        events: Vec::new(),
        events_omitted: 0,
        interruptions: Interruptions::default(),
        span_ns: None,
        rate: None,
        witness: "tscp".into(),
        missing: BTreeMap::new(),
    }
}

impl Clock {
    /// The same but for what `change` does.
    pub(crate) fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }

    pub(crate) fn kind(self, kind: Kind) -> Self {
        self.with(|c| (c.kind, c.promises.may_step) = (kind, kind == Kind::Wall))
    }

    pub(crate) fn path(self, path: Path) -> Self {
        self.with(|c| c.path = path)
    }

    pub(crate) fn forced(self, base: &str) -> Self {
        self.with(|c| (c.base, c.forced) = (base.into(), true))
    }

    pub(crate) fn cost(self, ns: f64) -> Self {
        let (low, high, min, p99) = (ns * 0.999, ns * 1.001, ns * 0.99, Some(ns * 2.0));
        let cost = Cost { median: ns, low, high, min, p99, batches: 500, ..Cost::default() };
        self.with(|c| c.cost_ns = Some(cost))
    }

    pub(crate) fn quantum(self, ns: f64) -> Self {
        let (quantum_low, quantum_high) = (Some(ns * 0.9999), Some(ns * 1.0001));
        self.with(|c| {
            c.tick_ns = Tick { quantum: Some(ns), quantum_low, quantum_high, ..std::mem::take(&mut c.tick_ns) }
        })
    }

    pub(crate) fn reported(self, ns: f64) -> Self {
        self.with(|c| c.tick_ns.reported = Some(ns))
    }

    /// With so many faults, the largest of 1 µs.
    pub(crate) fn faults(self, regressions: u64, warps: u64, stalls: u64) -> Self {
        let faults = |count| Faults { count, largest_ns: if count > 0 { 1000.0 } else { 0.0 }, over_1ms: 0 };
        self.with(|c| {
            (c.regressions, c.warps) = (faults(regressions), faults(warps));
            (c.stalls.unexplained, c.stalls.longest_ns) = (stalls, faults(stalls).largest_ns);
            if regressions > 0 {
                c.monotonic = Monotonic::Violated;
            }
        })
    }

    pub(crate) fn event(self, kind: EventKind, size_ns: f64, at_ns: f64, cause: &str) -> Self {
        self.with(|c| c.events = vec![event(kind, size_ns, at_ns, cause)])
    }
}

pub(crate) fn event(kind: EventKind, size_ns: f64, at_ns: f64, cause: &str) -> Event {
    Event { kind, size_ns, size_uncertainty_ns: None, at_ns, cpu: None, cause: cause.into() }
}

/// A clock on CPUs 0 and 1, the offset's interval in ns, with so many steps back among 400 readings.
pub(crate) fn skew(id: &str, low_ns: f64, high_ns: f64, backward: u64) -> Skew {
    let largest_ns = (backward > 0).then(|| low_ns.abs().max(high_ns.abs()));
    let backward = Backward { count: backward, of: 400, largest_ns };
    let pair = SkewPair {
        cpu_a: 0,
        cpu_b: 1,
        low_ns: Some(low_ns),
        high_ns: Some(high_ns),
        constant: Some(true),
        round_trip_ns: Some(140.0),
        messages: 200,
        backward,
        ..SkewPair::default()
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
        ..Skew::default()
    }
}
