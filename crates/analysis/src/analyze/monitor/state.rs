//! What the watch comes to: the rows of a look, and the report.

use std::collections::BTreeMap;

use super::causes::ppm;
use super::track::{Counts, Track};
use crate::analyze::Analysis;
use crate::analyze::changes::FEWEST;
use crate::record::{MonitorReport, MonitorRow, Monitored, Rate, StabilityPoint};
use crate::text::signed;
use crate::trace::Observation;

/// Why there is no rate yet.
const ONE_LOOK: &str = "it was looked at once, and a rate takes two looks";

/// Narrowed to what the looks bound for certain, of a clock whose rate did not change and that made no step.
///
/// A step too small to be told, or too early, is in the looks' bounds and not in the rate, which leaves out every step
/// between two readings. Where the clock was at fault, or the two have nothing in common, the bounds say nothing of the rate.
fn within(rate: Rate, track: &Track, is_sound: bool) -> Rate {
    let bound = track.whole().filter(|_| is_sound && track.steps + track.slews == 0);
    let Some(bound) = bound.filter(|bound| bound.low < rate.high_ppm && rate.low_ppm < bound.high) else { return rate };
    let (low_ppm, high_ppm) = (rate.low_ppm.max(bound.low), rate.high_ppm.min(bound.high));
    Rate { ppm: rate.ppm.clamp(low_ppm, high_ppm), low_ppm, high_ppm, ..rate }
}

impl Analysis {
    /// One row a clock of the look under way.
    pub fn monitor_rows(&self) -> Vec<MonitorRow> {
        self.tracks().filter_map(|(clock, track)| self.monitor_row(clock, track)).collect()
    }

    /// How stable a watched clock is so far; nothing of one that is not watched.
    pub fn stability_of(&self, id: &str) -> Vec<StabilityPoint> {
        let mut tracks = self.tracks();
        let found = tracks.find(|(clock, _)| self.header.clocks[*clock].id == id);
        found.map_or_else(Vec::new, |(_, track)| track.stability.table())
    }

    /// Whether the look under way has all its readings: some came, and what comes next, if anything does, is none.
    pub fn is_look_over(&self, next: Option<&Observation>) -> bool {
        let is_reading = matches!(next, Some(Observation::Singles(_) | Observation::Gap(_) | Observation::Beside(_)));
        !is_reading && self.tracks().any(|(_, track)| track.fresh().is_some())
    }

    fn tracks(&self) -> impl Iterator<Item = (usize, &Track)> {
        self.monitor.tracks.iter().enumerate().filter_map(|(clock, track)| Some((clock, track.as_ref()?)))
    }

    fn monitor_row(&self, clock: usize, track: &Track) -> Option<MonitorRow> {
        let (look, gained) = (track.fresh()?, track.gained()?);
        let (rate, whole) = (track.rate(), track.whole());
        let id = &self.header.clocks[clock].id;
        let (faults, interruptions) = track.new_counts(Counts::of(&self.account(clock)?.found()));
        let of_it = |of: &Option<String>| of.as_ref().is_none_or(|of| of == id);
        Some(MonitorRow {
            at_s: look.at_ns / 1e9,
            clock: id.clone(),
            gained_ns: gained.value,
            gained_low_ns: gained.low,
            gained_high_ns: gained.high,
            rate_ppm: rate.map(|rate| rate.value),
            rate_low_ppm: rate.map(|rate| rate.low),
            rate_high_ppm: rate.map(|rate| rate.high),
            whole_ppm: whole.map(|rate| rate.value),
            whole_low_ppm: whole.map(|rate| rate.low),
            whole_high_ppm: whole.map(|rate| rate.high),
            faults,
            interruptions,
            late_ns: self.monitor.late_ns,
            ntp: self.monitor.ntp().map(|ntp| {
                let word = if ntp.synchronised { "synchronised" } else { "unsynchronised" };
                format!("{word}, {} ppm", signed(ppm(ntp)))
            }),
            events: self.monitor.events.fresh().iter().filter(|event| of_it(&event.clock)).cloned().collect(),
        })
    }

    /// What the watch came to.
    pub fn monitor(&self) -> MonitorReport {
        let run = self.run();
        let (events, events_omitted) = self.monitor.events.all();
        let mut missing = BTreeMap::new();
        for (name, why) in
            [("suspended_ns", run.missing.get("suspended_ns")), ("ntp_end", self.monitor.steering.refused.as_ref())]
        {
            why.map(|why| missing.insert(name.into(), why.clone()));
        }
        MonitorReport {
            schema: "clockscope-monitor/1".into(),
            tool: self.header.tool.clone(),
            reference: run.reference,
            started: run.started,
            every_s: self.monitor.every_ns / 1e9,
            watched_s: self.monitor.axis.now_ns() / 1e9,
            looks: self.monitor.axis.looks(),
            missed_looks: self.monitor.missed,
            clocks: self.tracks().filter_map(|(clock, track)| self.monitored(clock, track)).collect(),
            events,
            events_omitted,
            suspended_ns: run.suspended_ns,
            ntp_start: self.monitor.steering.first.clone(),
            ntp_end: self.monitor.ntp().cloned(),
            interrupted: run.interrupted,
            notes: run.notes,
            missing,
        }
    }

    fn monitored(&self, clock: usize, track: &Track) -> Option<Monitored> {
        let account = self.account(clock)?;
        let found = account.found();
        let mut missing = BTreeMap::new();
        let stated = self.nominal(account.description()).ok().map(|(ns, _)| ns);
        // What came before the first look is not of the watch.
        let rate = if track.looks < 2 { Err(ONE_LOOK.into()) } else { self.rate(account, stated) };
        let is_sound = found.regressions.count + found.warps.count == 0;
        let rate = rate.map_err(|why| missing.insert("rate".into(), why)).ok();
        let rate = rate.map(|rate| within(rate, track, is_sound));
        if track.changes.noise_ns().is_none() {
            for name in ["noise_ns", "least_step_ns", "least_slew_ppm"] {
                missing.insert(name.into(), format!("it takes more than {FEWEST} looks"));
            }
        }
        if track.restarted {
            let why = "the series begins after a pause of more than 1000 intervals, or after the reference stood still";
            missing.insert("stability".into(), why.into());
        }
        Some(Monitored {
            clock: account.description().id.clone(),
            count_ns: track.count_ns,
            looks: track.looks,
            gained_ns: track.gained(),
            rate,
            last: self.monitor_row(clock, track),
            noise_ns: track.changes.noise_ns(),
            least_step_ns: track.changes.least_step_ns(),
            least_slew_ppm: track.changes.least_step_ns().map(|ns| ns / (2.5 * self.monitor.every_ns) * 1e6),
            steps: track.steps,
            slews: track.slews,
            reads: found.reads,
            undecided: found.undecided,
            failed_reads: found.failed,
            regressions: found.regressions,
            warps: found.warps,
            interruptions: found.interruptions.count,
            stability: track.stability.table(),
            filled_looks: track.filled,
            missing,
        })
    }
}
