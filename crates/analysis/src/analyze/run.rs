//! What a run itself comes to: how it went, and the differences that it counted.

use std::collections::BTreeMap;

use super::account::{Account, tick as tick_of};
use super::analysis::Analysis;
use super::span::Spans;
use crate::record::{ClockSpans, ClocksourceChange, CpuInterruptions, Deltas, Disruption, Interval, Run, TimerReport};
use crate::trace;

impl Analysis {
    /// What sleeps and timers delivered; of the run itself nothing is said.
    pub fn sleeps(&self) -> TimerReport {
        self.slept.state()
    }

    /// How often the CPUs that were watched were taken away.
    pub fn interruptions(&self) -> Vec<CpuInterruptions> {
        self.interruptions.state(self.header.start, self.tick())
    }

    /// How the run went.
    pub fn run(&self) -> Run {
        let header = &self.header;
        let of = |clock: usize| (header.clocks[clock].id.clone(), header.clocks[clock].base.clone());
        let ((reference, reference_base), (witness, witness_base)) = (of(header.reference), of(header.witness));
        let change = |change: &trace::ClocksourceChange| ClocksourceChange {
            since_ns: self.witnessed_ns(change.since),
            at_ns: self.witnessed_ns(change.at),
            from: change.from.clone(),
            to: change.to.clone(),
        };
        let disruption = |disruption: &trace::Disruption| Disruption {
            since_ns: self.witnessed_ns(disruption.since),
            at_ns: self.witnessed_ns(disruption.at),
        };
        let (observed_ns, still_ns) = self
            .accounts
            .iter()
            .flatten()
            .map(Account::watched_ns)
            .fold((0.0, 0.0), |(observed, still), (o, s)| (observed + o, still + s));
        let mut run = Run {
            wall_s: self.end.as_ref().map_or(0.0, |end| end.elapsed_ns / 1e9),
            started: header.started.clone(),
            started_at: header.started_at.clone(),
            id: header.id.clone(),
            cpu: header.cpu,
            notes: self.notes.clone(),
            seed: header.seed,
            reference,
            reference_base,
            witness,
            witness_base,
            disruptions: self.disruptions.iter().map(disruption).collect(),
            clocksource_changes: self.clocksources.iter().map(change).collect(),
            witness_tick_ns: Some(self.tick()),
            interrupted: self.end.as_ref().is_none_or(|end| end.interrupted),
            standstill_share: (observed_ns > 0.0).then(|| (still_ns / observed_ns).min(1.0)),
            steal_share: self.end.as_ref().and_then(|end| end.steal_share),
            load: header.machine.load.map(|load| load[0]),
            ..Run::default()
        };
        self.discipline.state(&mut run);
        match self.end.as_ref().map(|end| &end.ntp) {
            Some(Ok(ntp)) => run.ntp_end = Some(ntp.clone()),
            Some(Err(why)) => drop(run.missing.insert("ntp_end".into(), why.clone())),
            None => drop(run.missing.insert("ntp_end".into(), "the trace ends before the run does".into())),
        }
        run
    }

    /// How short an interval each clock can time.
    pub fn spans(&self) -> Vec<ClockSpans> {
        self.header.surveyed.iter().filter_map(|clock| self.spans_of_clock(*clock)).collect()
    }

    /// The same of one clock.
    pub(super) fn spans_of_clock(&self, clock: usize) -> Option<ClockSpans> {
        let account = self.account(clock)?;
        let tick = self.tick().value;
        let witness_quantum = self.timers.quantum(self.header.witness) * tick;
        let nominal = self.nominal(account.description());
        let smallest = account.found().smallest_step;
        let ticks = tick_of(account, nominal, smallest, "not measured", &mut BTreeMap::new());
        let quantum = ticks.quantum.map(|value| Interval {
            value,
            low: ticks.quantum_low.unwrap_or(value),
            high: ticks.quantum_high.unwrap_or(value),
        });
        let none = Spans::default();
        let spans = self.spans.get(&clock).unwrap_or(&none);
        let id = &account.description().id;
        Some(spans.state(id, [account.count_ns(), tick], quantum, Some(witness_quantum)))
    }

    /// The differences of the first surveyed clock's adjacent reads.
    pub fn deltas(&self) -> Option<Deltas> {
        let account = self.account(*self.header.surveyed.first()?)?;
        let count_ns = account.count_ns();
        let counted = self.differences.counted(count_ns);
        let mut missing = BTreeMap::new();
        let smallest = account.found().smallest_step;
        let nominal = self.nominal(account.description());
        let tick_ns = tick_of(account, nominal, smallest, "not measured", &mut missing);
        let [min_ns, mean_ns, median_ns, longest_ns] = counted.ahead;
        Some(Deltas {
            schema: "clockscope-deltas/1".into(),
            clock: account.description().id.clone(),
            count_ns,
            differences: counted.differences,
            others: counted.others,
            failed_reads: counted.failed,
            min_ns,
            mean_ns,
            median_ns,
            longest_ns,
            tick_ns: Some(tick_ns),
            missing,
            rows: counted.rows,
        })
    }
}
