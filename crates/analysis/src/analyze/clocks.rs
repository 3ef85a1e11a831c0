//! What is known of each clock once the others are known too: the record's entry, built in one piece.

use std::collections::BTreeMap;

use super::account::{Account, Nominal, tick};
use super::analysis::Analysis;
use super::keeping::{Kept, explain};
use super::quantum::Quantum;
use super::rate::relative;
use super::skew::{Terms, skew};
use crate::record::{Clock, Cost, Interval, Kind, Monotonic, Path, Rate, Shortest, Skew};
use crate::trace::{Compared, Description, Played, Unit};

/// A forced system call this much dearer than the call in question: that one makes none.
const MAKES_NONE: f64 = 0.5;
/// About as dear: it makes one.
const MAKES_ONE: f64 = 0.8;

impl Analysis {
    /// The record's entries, in the catalog's order.
    pub fn clocks(&self) -> Vec<Clock> {
        (0..self.accounts.len()).filter_map(|clock| self.clock(clock)).collect()
    }

    /// The record's entry of a clock as of now; `None` of one that the run is not about.
    pub fn clock(&self, clock: usize) -> Option<Clock> {
        let account = self.account(clock)?;
        let mut missing = BTreeMap::new();
        let stopped = self.end.as_ref().is_some_and(|end| end.interrupted);
        let unfinished = if stopped { "the run was stopped before this was measured" } else { "not measured" };
        let cost = self.cost(account);
        if cost.is_none() {
            missing.insert("cost_ns".into(), unfinished.into());
        }
        let mut found = account.found();
        let nominal = self.nominal(account.description());
        let stated = nominal.as_ref().ok().map(|(ns, _)| *ns);
        let tick_ns = tick(account, nominal, found.smallest_step, unfinished, &mut missing);
        let (steps, sleeps) = self.discipline.changes();
        let ntp_end = self.end.as_ref().and_then(|end| end.ntp.as_ref().ok());
        let by_kernel = self.header.by_kernel(clock);
        let contradictions = if by_kernel { &[] } else { self.course.contradictions() };
        let switches = if self.is_of_clocksource(clock) { self.course.switches() } else { &[] };
        let unsure = [contradictions, switches].concat();
        let kept = Kept { steps, sleeps, unsure: &unsure, before: self.header.machine.ntp.as_ref(), after: ntp_end };
        explain(&mut found, account.description(), tick_ns.quantum.or(tick_ns.nominal), kept);
        let span_ns = self.shortest(clock, &mut missing);
        let rate = self.rate(account, stated).map_err(|why| missing.insert("rate".into(), why)).ok();
        let (path, path_evidence) = self.path(account, cost.as_ref());
        let went_back = self.compared.iter().any(|(compared, played)| {
            let back = |played: &Played| played.found.as_ref().is_ok_and(|found| found.backward > 0);
            self.header.clocks[compared.clock].is_same_clock(account.description()) && played.iter().any(back)
        });
        let witness = self.header.witness_of(clock);
        let d = account.description().clone();
        Some(Clock {
            id: d.id,
            api: d.api,
            base: d.base,
            forced: d.forced,
            ordered: d.ordered,
            for_timing: d.for_timing,
            kind: d.kind,
            path,
            path_evidence,
            promises: d.promises,
            interposed_by: d.interposed_by,
            cost_ns: cost,
            tick_ns,
            reads: found.reads,
            undecided: found.undecided,
            failed_reads: found.failed,
            monotonic: if went_back { Monotonic::Violated } else { found.monotonic },
            stalls: found.stalls,
            regressions: found.regressions,
            warps: found.warps,
            events: found.events,
            events_omitted: found.events_omitted,
            interruptions: found.interruptions,
            span_ns,
            rate,
            witness: self.header.clocks[witness].id.clone(),
            missing,
        })
    }

    /// How short an interval the clock can time.
    fn shortest(&self, clock: usize, missing: &mut BTreeMap<String, String>) -> Option<Shortest> {
        let found = self.spans_of_clock(clock)?;
        if found.spans.is_empty() {
            let none = "no chains were timed by it";
            let why = found.missing.get("spans").filter(|_| found.lots > 0).map_or(none, String::as_str);
            missing.insert("span_ns".into(), why.into());
            return None;
        }
        let within = |share: f64| {
            found.span(share, 1, true).map(|span| Interval { value: span.ns, low: span.low, high: span.high })
        };
        let [within_10_percent, within_1_percent, within_0_1_percent] = [0.1, 0.01, 0.001].map(within);
        if within_10_percent.or(within_1_percent).or(within_0_1_percent).is_none() {
            missing
                .insert("span_ns".into(), "its error grows with the length, beyond the longest that was timed".into());
            return None;
        }
        Some(Shortest { within_10_percent, within_1_percent, within_0_1_percent })
    }

    /// What the comparisons between CPUs come to.
    pub fn skews(&self) -> Vec<Skew> {
        let one = |(compared, played): &(Compared, Vec<Played>)| {
            let terms = self.skew_terms(compared.clock)?;
            Some(skew(&terms, &compared.cpus, &compared.lost, played))
        };
        self.compared.iter().filter_map(one).collect()
    }

    /// The clocks that were compared between CPUs.
    pub fn compared(&self) -> impl Iterator<Item = usize> {
        self.compared.iter().map(|(compared, _)| compared.clock)
    }

    fn skew_terms(&self, clock: usize) -> Option<Terms> {
        let account = self.account(clock)?;
        let description = account.description();
        let count_ns = account.count();
        let claimed = description.reported_ns.filter(|_| description.kind == Kind::Coarse);
        let quantum = match account.quantum() {
            Some(Quantum::Found { value, half_width, .. }) => Some(value + half_width),
            Some(Quantum::NotCoarserThan(limit)) => Some(limit),
            // It did not move while it was looked at: at least it is known to be that coarse where it says so.
            _ => claimed.map(|ns| ns / count_ns.value).or((count_ns.value > COARSE_NS).then_some(1.0)),
        };
        let quantum = quantum.map(|quantum| quantum.max(1.0));
        let set = description.promises.may_step && !self.discipline.changes().0.is_empty();
        Some(Terms { clock: description.id.clone(), count_ns, quantum, set })
    }

    fn cost(&self, account: &Account) -> Option<Cost> {
        account.cost(self.timers.quantum(self.header.witness) * self.tick().value)
    }

    /// What a count is worth by its own statement.
    pub(super) fn nominal(&self, description: &Description) -> Nominal {
        match description.unit {
            Unit::Ns(ns) => {
                let source = description.ticks_by.clone();
                Ok((ns, source.unwrap_or_else(|| "the unit of the call's result".into())))
            }
            Unit::Ticks => {
                let stated = self.header.stated().map(|frequency| (1e9 / frequency.hz, frequency.source.clone()));
                stated.ok_or_else(|| "neither CPUID nor the hypervisor states the counter's frequency".into())
            }
        }
    }

    /// The rate by the reference, or the reason why there is none.
    pub(super) fn rate(&self, account: &Account, stated: Option<f64>) -> Result<Rate, String> {
        let reference = self.header.reference;
        let against = &self.header.clocks[reference].id;
        let description = account.description();
        if description.id == *against {
            return Err("it is the reference that the others are measured against".into());
        }
        if description.kind == Kind::CpuTime {
            return Err("it counts CPU time, which runs only while the thread does".into());
        }
        // Where a frequency is stated, it is what the counter is held to.
        let count_ns = stated.ok_or("its tick is measured by the reference, and nobody states its frequency")?;
        relative(account.track(), self.scale_by_reference(account, count_ns), against)
    }

    /// The path that a read takes. Where a call could not be watched for system calls, its cost beside that of the
    /// forced system call tells whether it made one.
    fn path(&self, account: &Account, cost: Option<&Cost>) -> (Path, String) {
        let description = account.description();
        let seen = (description.path, description.path_evidence.clone());
        let Some(cost) = cost.filter(|_| description.path == Path::Libc) else { return seen };
        let forced = self.accounts.iter().flatten().find(|other| {
            let other = other.description();
            other.is_same_clock(description) && other.forced && other.path == Path::Syscall
        });
        let Some(syscall) = forced.and_then(|forced| self.cost(forced)) else { return seen };
        let (path, how) = match cost.median / syscall.median {
            ..MAKES_NONE => (Path::Vdso, "far less than"),
            MAKES_ONE.. => (Path::Syscall, "as much as"),
            _ => return seen,
        };
        let (own, syscall) = (cost.median, syscall.median);
        (path, format!("costs {how} its forced system call ({own:.0} against {syscall:.0} ns)"))
    }
}

/// A clock whose unit is longer than this, ns, is taken to move by its unit where its steps were not resolved.
const COARSE_NS: f64 = 100.0;
