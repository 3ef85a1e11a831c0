//! What sleeping and timers deliver, and what makes them late. Method: docs/method/timers.md.

mod causes;
mod row;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use row::Row;

use crate::record::{Interval, TimerReport, TimerRow, Unavailable};
use crate::text::{gather, list, shortened, time};
use crate::trace::{SleepFacts, Sleeps, Way};

/// The same as `sleep-absolute` with the timer slack taken away: what the slack does is measured, not taken from what the
/// kernel says.
pub const WITHOUT_SLACK: &str = "sleep-absolute-no-slack";
/// With the thread's own slack.
pub const WITH_SLACK: &str = "sleep-absolute";
/// A timer that is never put off: what remains of its lateness is waking up.
pub const EXACT: &str = "timerfd";
/// The one way whose slack kernels before Linux 6.12 do not take from realtime threads.
pub const FUTEX: &str = "futex";

/// Most rows.
const MOST: usize = 4096;

/// All that slept.
#[derive(Debug, Clone, Default)]
pub struct Slept {
    facts: Option<SleepFacts>,
    rows: BTreeMap<(usize, u64), Row>,
    failed: u64,
}

impl Slept {
    /// What is known beforehand.
    pub fn facts(&mut self, facts: &SleepFacts) {
        self.facts = Some(facts.clone());
    }

    /// One more turn.
    pub fn take(&mut self, turn: &Sleeps) {
        self.failed = self.failed.saturating_add(turn.failed);
        for &(way, took_ns) in &turn.took {
            let place = (way, turn.asked_ns);
            if self.rows.len() < MOST || self.rows.contains_key(&place) {
                self.rows.entry(place).or_default().take(turn.asked_ns, took_ns);
            }
        }
    }

    /// What it comes to; of the run itself nothing is said.
    pub fn state(&self) -> TimerReport {
        let unknown = SleepFacts::default();
        let facts = self.facts.as_ref().unwrap_or(&unknown);
        let mut missing = BTreeMap::new();
        if facts.slack_ns.is_none() {
            missing.insert("slack_ns".to_owned(), "prctl(PR_GET_TIMERSLACK) does not say".to_owned());
        }
        let wake_up = |asked_ns: u64| {
            let exact = facts.ways.iter().position(|way| way.id == EXACT)?;
            Some(self.rows.get(&(exact, asked_ns))?.late()?.value)
        };
        let rows: Vec<TimerRow> = self
            .rows
            .iter()
            .filter_map(|((way, asked_ns), row)| {
                Some(row.state(facts.ways.get(*way)?, *asked_ns, facts, wake_up(*asked_ns)))
            })
            .collect();
        let slack_measured_ns = self.slack_measured(facts);
        if slack_measured_ns.is_none() {
            let why = "it takes sleeps with and without slack at one length, of 5 each at least";
            missing.insert("slack_measured_ns".to_owned(), why.to_owned());
        }
        if let Some(why) = self.not_slept(facts) {
            missing.insert("rows".to_owned(), why);
        }
        let unavailable = facts
            .ways
            .iter()
            .filter_map(|way| Some(Unavailable { id: way.id.clone(), reason: way.unavailable.clone()? }));
        let mut report = TimerReport {
            schema: "clockscope-timers/1".into(),
            clock: String::new(),
            cpu: None,
            slack_ns: facts.slack_ns.map(|ns| ns as f64),
            slack_measured_ns,
            policy: facts.policy.clone(),
            high_resolution: row::high_resolution(facts),
            tick_ns: facts.tick_ns.map(|ns| ns as f64),
            early: rows.iter().map(|row| row.early).sum(),
            rows,
            failed: self.failed,
            causes: Vec::new(),
            unavailable: unavailable.collect(),
            findings: Vec::new(),
            interrupted: false,
            notes: Vec::new(),
            missing,
        };
        report.causes = causes::causes(&report);
        report
    }

    /// Ways and lengths without a sleep, with the reason.
    fn not_slept(&self, facts: &SleepFacts) -> Option<String> {
        let mut said: Vec<((String, bool), Vec<String>)> = Vec::new();
        for asked_ns in std::iter::once(0).chain(facts.lengths_ns.iter().copied()) {
            let takes = |way: &Way| way.unavailable.is_none() && way.unit_ns.is_some() == (asked_ns > 0);
            let ways = facts.ways.iter().enumerate().filter(|(_, way)| takes(way));
            let (slept, not): (Vec<_>, Vec<_>) = ways.partition(|(at, _)| self.rows.contains_key(&(*at, asked_ns)));
            let names: Vec<&str> = not.iter().map(|(_, way)| way.id.as_str()).collect();
            let who = if slept.is_empty() && asked_ns > 0 { "any way".to_owned() } else { shortened(&names, 4) };
            if !not.is_empty() {
                gather(&mut said, (who, asked_ns > 0), time(asked_ns as f64));
            }
        }
        let one = |((who, has_length), lengths): &((String, bool), Vec<String>)| {
            if *has_length { format!("{who} for {}", list(lengths)) } else { who.clone() }
        };
        let said: Vec<String> = said.iter().map(one).collect();
        (!said.is_empty() && !facts.lengths_ns.is_empty()).then(|| {
            format!(
                "nothing slept by {}: the run was over before their turn; a longer --time reaches them",
                said.join("; by ")
            )
        })
    }

    /// What the slack adds, at the length that tells it best.
    fn slack_measured(&self, facts: &SleepFacts) -> Option<Interval> {
        let place = |id: &str| facts.ways.iter().position(|way| way.id == id);
        let (with, without) = (place(WITH_SLACK)?, place(WITHOUT_SLACK)?);
        let difference = |asked_ns: u64| {
            let late = |way| self.rows.get(&(way, asked_ns)).filter(|row: &&Row| row.count() >= 5)?.late();
            let (with, without) = (late(with)?, late(without)?);
            let value = with.value - without.value;
            // Independent of each other: their half widths add as squares do.
            let low = value - libm::hypot(with.value - with.low, without.high - without.value);
            let high = value + libm::hypot(with.high - with.value, without.value - without.low);
            Some(Interval { value, low, high })
        };
        let lengths =
            self.rows.keys().filter(|(way, _)| *way == with).filter_map(|(_, asked_ns)| difference(*asked_ns));
        lengths.min_by(|a, b| (a.high - a.low).total_cmp(&(b.high - b.low)))
    }
}
