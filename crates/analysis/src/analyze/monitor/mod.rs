//! What `monitor` watches: the offset of each clock from the reference, look by look, and what happens to it. Method:
//! docs/method/monitor.md.
//!
//! * `track` — one clock's offset: bounds, rates, changes, stability
//! * `axis` — when a look was made, whatever the clocks do meanwhile
//! * `causes` — who did it: NTP, a setting of the clock, a sleep, a change of the clocksource
//! * `events` — what happened, the first and the latest
//! * `state` — the rows of a look, and the report

mod axis;
mod causes;
mod events;
mod state;
#[cfg(test)]
mod tests;
mod track;

use std::collections::VecDeque;

use axis::Axis;
use causes::{Below, Evidence, Steering};
use events::Events;
use track::Track;

use super::analysis::Analysis;
use super::keeping::Moment;
use crate::record::{Interval, MonitorEvent, MonitorKind, Ntp};
use crate::trace::{Beside, Description, Polled};

/// Changes of the clocksource and disruptions that are kept, to be told of later events.
const SOURCES: usize = 64;

/// What was watched.
#[derive(Debug, Clone, Default)]
pub(super) struct Monitor {
    axis: Axis,
    every_ns: f64,
    late_ns: f64,
    missed: u64,
    /// By the clock's place.
    tracks: Vec<Option<Track>>,
    steering: Steering,
    events: Events,
    /// The latest changes of the clocksource, and disruptions of the counter.
    below: VecDeque<Below>,
    /// Changes of the kernel's clocks that are events already: steps of the wall clock, sleeps, clocksources.
    told: [usize; 3],
}

impl Analysis {
    /// A look at all clocks begins.
    pub(super) fn polled(&mut self, polled: &Polled) {
        let faults = |clock: usize| self.account(clock).map(|account| track::Counts::of(&account.found()));
        let counts: Vec<_> = (0..self.header.clocks.len()).map(faults).collect();
        let monitor = &mut self.monitor;
        monitor.events.settle();
        for (track, counts) in monitor.tracks.iter_mut().zip(counts) {
            if let (Some(track), Some(counts)) = (track, counts) {
                track.begin(counts);
            }
        }
        let missed = monitor.axis.begin(polled);
        (monitor.every_ns, monitor.late_ns) = (polled.every_ns as f64, polled.late_ns as f64);
        if missed > 0 {
            monitor.missed = monitor.missed.saturating_add(missed);
            let gone = (missed as f64 + 1.0) * monitor.every_ns;
            let (now, evidence) = (monitor.axis.now_ns(), format!("{missed} looks were not made"));
            let mut seen = event(MonitorKind::Missed, now - gone / 2.0, gone / 2.0, evidence);
            seen.size_ns = Some(Interval {
                value: gone + monitor.late_ns,
                low: gone - monitor.every_ns,
                high: gone + monitor.late_ns,
            });
            seen.cause = Some("the reader stood still, or the machine".into());
            monitor.events.push(seen);
        }
        match &polled.ntp {
            Some(Ok(ntp)) => {
                let now = monitor.axis.now_ns();
                if let Some(evidence) = monitor.steering.take(now, ntp) {
                    let seen = event(MonitorKind::Ntp, now, monitor.every_ns, evidence);
                    monitor.events.push(seen);
                }
            }
            Some(Err(why)) => monitor.steering.refused = Some(why.clone()),
            None => {}
        }
    }

    /// The kernel's clocks were looked at: what the looks found since is an event.
    pub(super) fn monitor_looked(&mut self, at: Moment) {
        if self.monitor.axis.begun() {
            self.monitor.axis.looked(at.kernel_ns);
        }
        let (steps, sleeps) = self.discipline.changes();
        for (kind, changes) in [(MonitorKind::ClockSet, steps), (MonitorKind::Suspend, sleeps)] {
            let told = &mut self.monitor.told[usize::from(kind == MonitorKind::Suspend)];
            let new = &changes[changes.len().min(*told)..];
            *told = changes.len();
            for change in new {
                let (from, to) =
                    (self.monitor.axis.of(change.from.kernel_ns), self.monitor.axis.of(change.to.kernel_ns));
                let (cause, evidence) = match kind {
                    MonitorKind::Suspend => (None, "CLOCK_BOOTTIME gained on CLOCK_MONOTONIC".to_owned()),
                    // It was seen just now, and what adjtimex said was asked just before.
                    _ => self.monitor.steering.set_by(change.size, [from, f64::INFINITY]),
                };
                let (at, half) = (f64::midpoint(from, to), (to - from) / 2.0);
                let mut seen = event(kind, at, half, evidence);
                (seen.size_ns, seen.cause) = (Some(change.size), cause);
                self.monitor.events.push(seen);
            }
        }
    }

    /// The kernel took another clocksource.
    pub(super) fn monitor_clocksource(&mut self) {
        let Some(change) = self.clocksources.get(self.monitor.told[2]) else { return };
        let evidence = format!("from {} to {}", change.from, change.to);
        self.monitor.told[2] = self.clocksources.len();
        let what = format!("the kernel changed its clocksource {evidence}");
        let seen = self.monitor.below(MonitorKind::Clocksource, "clocksource", what, evidence);
        self.monitor.events.push(seen);
    }

    /// The hypervisor says that the counter was disrupted.
    pub(super) fn monitor_disrupted(&mut self) {
        let evidence = "the VMClock has another disruption marker".to_owned();
        let mut seen = self.monitor.below(MonitorKind::Disruption, "disruption", evidence.clone(), evidence);
        seen.cause = Some("live migration, or a snapshot restored".into());
        self.monitor.events.push(seen);
    }

    /// A clock between two reads of the reference, the tightest of a look.
    pub(super) fn monitor_beside(&mut self, beside: &Beside) {
        let (clock, reading) = (beside.clock, beside.reading);
        if !self.monitor.axis.begun() || reading.width() < 0 {
            return;
        }
        let reference = self.header.reference;
        let reference_ns = self.timebase.count_ns();
        let kernel = self.header.kernel.map(|kernel| &self.header.clocks[kernel]);
        let is_kernels = kernel.is_some_and(|kernel| kernel.is_same_clock(&self.header.clocks[reference]));
        let start = self.header.kernel_start.filter(|_| is_kernels);
        let kernel_ns = start.map(|start| reading.before.wrapping_sub(start) as i64 as f64);
        self.monitor.axis.reference(reading, reference_ns, kernel_ns);
        if self.monitor.tracks.is_empty() {
            self.monitor.tracks = vec![None; self.header.clocks.len()];
        }
        if self.monitor.tracks.get(clock).is_some_and(Option::is_none) {
            let Some(account) = self.account(clock) else { return };
            let stated = self.nominal(account.description()).ok().map(|(ns, _)| ns);
            let quantum_ns = account.quantum_ns() + self.timers.quantum(reference) * reference_ns;
            let count_ns = stated.unwrap_or(account.count_ns());
            let track = Track::new(count_ns, reference_ns, quantum_ns, self.monitor.every_ns, reading);
            self.monitor.tracks[clock] = Some(track);
        }
        let at_ns = self.monitor.axis.at_ns(reading, reference_ns);
        let Some(change) = self.monitor.tracks[clock].as_mut().and_then(|track| track.push(reading, at_ns)) else {
            return;
        };
        let clocks = [clock, reference].map(|clock| self.header.clocks[clock].clone());
        self.changed(change, &clocks);
    }

    /// A clock's offset stepped, or its rate changed.
    fn changed(&mut self, change: super::changes::Change, [clock, reference]: &[Description; 2]) {
        let (steps, sleeps) = self.discipline.changes();
        let evidence = Evidence {
            steps,
            steps_omitted: self.discipline.steps_omitted(),
            sleeps,
            below: &self.monitor.below,
            axis: &self.monitor.axis,
            steering: &self.monitor.steering,
            slack_ns: self.monitor.every_ns,
        };
        let mut found = Vec::new();
        for kind in [MonitorKind::Step, MonitorKind::Slew] {
            let told = match kind {
                MonitorKind::Step => change.step_ns.map(|step| evidence.of_step(step, &change, clock, reference)),
                _ => change.slew_ppm.map(|slew| evidence.of_slew(slew, &change, clock, reference)),
            };
            let Some((cause, evidence)) = told else { continue };
            let mut seen = event(kind, change.at_ns, change.at_uncertainty_ns, evidence);
            seen.clock = Some(clock.id.clone());
            seen.cause = cause;
            match kind {
                MonitorKind::Step => seen.size_ns = change.step_ns,
                _ => seen.change_ppm = change.slew_ppm,
            }
            found.push(seen);
        }
        for event in found {
            self.monitor.events.push(event);
        }
    }
}

impl Monitor {
    /// The event of something beneath the clocks since the last look; remembered, to be told of the moves that it makes.
    fn below(&mut self, kind: MonitorKind, cause: &'static str, what: String, evidence: String) -> MonitorEvent {
        let (now, every) = (self.axis.now_ns(), self.every_ns);
        if self.below.len() == SOURCES {
            self.below.pop_front();
        }
        self.below.push_back(Below { from_ns: now - every, to_ns: now + every, cause, what });
        event(kind, now, every, evidence)
    }

    fn ntp(&self) -> Option<&Ntp> {
        self.steering.latest()
    }
}

fn event(kind: MonitorKind, at_ns: f64, half_ns: f64, evidence: String) -> MonitorEvent {
    let (at_s, at_uncertainty_s) = (at_ns / 1e9, half_ns.abs() / 1e9);
    MonitorEvent { kind, clock: None, at_s, at_uncertainty_s, size_ns: None, change_ppm: None, cause: None, evidence }
}
