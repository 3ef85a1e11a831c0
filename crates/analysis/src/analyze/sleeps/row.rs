//! One way to sleep at one length.

use std::collections::BTreeMap;

use super::FUTEX;
use crate::analyze::lengths::Lengths;
use crate::analyze::stats::FEWEST_FOR_MEDIAN;
use crate::record::{Interval, TimerPart, TimerRow};
use crate::text::count;
use crate::trace::{Slack, SleepFacts, Way};

/// The kernel puts off by a share of the length at most so much, ns (fs/select.c, MAX_SLACK).
const MOST_SLACK_NS: f64 = 1e8;
/// Timers that are no coarser than this, ns, are not those of the tick.
const FINE_NS: u64 = 1000;

/// What was seen of it.
#[derive(Debug, Clone, Default)]
pub(super) struct Row {
    late: Lengths,
    least_ns: Option<f64>,
    most_ns: Option<f64>,
    early: u64,
    earliest_ns: Option<f64>,
}

/// Whether timers are finer than the tick.
pub(super) fn high_resolution(facts: &SleepFacts) -> Option<bool> {
    facts.resolution_ns.map(|ns| ns <= FINE_NS)
}

impl Row {
    pub(super) fn take(&mut self, asked_ns: u64, took_ns: u64) {
        let late_ns = took_ns as f64 - asked_ns as f64;
        self.late.take(late_ns);
        self.least_ns = Some(self.least_ns.map_or(late_ns, |least| least.min(late_ns)));
        self.most_ns = Some(self.most_ns.map_or(late_ns, |most| most.max(late_ns)));
        if late_ns < 0.0 {
            self.early += 1;
            self.earliest_ns = Some(self.earliest_ns.map_or(-late_ns, |earliest| earliest.max(-late_ns)));
        }
    }

    pub(super) fn count(&self) -> u64 {
        self.late.len()
    }

    /// The median lateness, within what was seen.
    pub(super) fn late(&self) -> Option<Interval> {
        let median = self.within(self.late.quantile(0.5)?)?;
        let (least, most) = (self.least_ns?.max(0.0), self.most_ns?.max(0.0));
        Some(if self.count() < FEWEST_FOR_MEDIAN { Interval { low: least, high: most, ..median } } else { median })
    }

    fn within(&self, quantile: Interval) -> Option<Interval> {
        let (least, most) = (self.least_ns?.max(0.0), self.most_ns?.max(0.0));
        let bound = |ns: f64| ns.clamp(least, most);
        Some(Interval { value: bound(quantile.value), low: bound(quantile.low), high: bound(quantile.high) })
    }

    pub(super) fn state(&self, way: &Way, asked_ns: u64, facts: &SleepFacts, wake_up_ns: Option<f64>) -> TimerRow {
        let passed_ns = way.unit_ns.map(|unit| passed(asked_ns, unit));
        let late = self.late();
        let parts = late.zip(passed_ns).map(|(late, passed_ns)| {
            let rounded_up = passed_ns as f64 - asked_ns as f64;
            parts(late.value, rounded_up, slack_ns(way, passed_ns, facts), wake_up_ns, facts)
        });
        let p99 = self.late.quantile(0.99).and_then(|p99| self.within(p99));
        let mut missing = BTreeMap::new();
        let sleeps = count(self.count(), "sleep");
        if self.count() < FEWEST_FOR_MEDIAN {
            missing.insert(
                "late_ns".to_owned(),
                format!("{sleeps}, and a 95 % interval of the median takes {FEWEST_FOR_MEDIAN}: its ends are the least and the greatest"),
            );
        }
        if p99.is_none() {
            missing.insert("late_p99_ns".to_owned(), format!("{sleeps}, and a 99th percentile takes 100"));
        }
        TimerRow {
            way: way.id.clone(),
            api: way.api.clone(),
            asked_ns: way.unit_ns.map(|_| asked_ns as f64),
            passed_ns: passed_ns.map(|ns| ns as f64),
            count: self.count(),
            early: self.early,
            earliest_ns: self.earliest_ns,
            late_ns: late,
            late_min_ns: self.least_ns,
            late_p99_ns: p99,
            late_max_ns: self.most_ns,
            parts_ns: parts.unwrap_or_default(),
            missing,
        }
    }
}

/// What a call is told that counts in such units.
fn passed(asked_ns: u64, unit_ns: u64) -> u64 {
    let unit_ns = unit_ns.max(1);
    asked_ns.div_ceil(unit_ns).saturating_mul(unit_ns)
}

/// By how much the kernel may put off a timer of that length, ns. Sources: kernel/time/hrtimer.c and fs/select.c
/// (`select_estimate_accuracy`). A thread with a realtime policy has none: since Linux 6.12 its slack is 0, before that each
/// call left it out, but for FUTEX_WAIT (kernel/futex, `futex_setup_timer`).
fn slack_ns(way: &Way, length_ns: u64, facts: &SleepFacts) -> f64 {
    let has_none = way.id != FUTEX
        && facts.policy.as_deref().is_some_and(|policy| ["SCHED_FIFO", "SCHED_RR", "SCHED_DEADLINE"].contains(&policy));
    let of_thread = facts.slack_ns.map_or(0.0, |ns| ns as f64);
    match way.slack {
        Slack::Thread if !has_none => of_thread,
        Slack::Share if !has_none => {
            let parts = if facts.nice.is_some_and(|nice| nice > 0) { 200.0 } else { 1000.0 };
            (length_ns as f64 / parts).min(MOST_SLACK_NS).max(of_thread)
        }
        _ => 0.0,
    }
}

/// Of what a lateness is made: what is known by itself is taken first, and no part is more than what is left.
fn parts(
    late_ns: f64,
    unit_ns: f64,
    slack_ns: f64,
    wake_up_ns: Option<f64>,
    facts: &SleepFacts,
) -> BTreeMap<TimerPart, f64> {
    let in_turn = if high_resolution(facts) == Some(false) {
        // The tick after next at the latest, and nothing is put off beyond it.
        let most = facts.tick_ns.map_or(0.0, |tick| 2.0 * tick as f64);
        [(TimerPart::Unit, unit_ns), (TimerPart::Tick, most), (TimerPart::WakeUp, f64::MAX)].to_vec()
    } else {
        // Where another interrupt came first, the timer was not put off for as long as it may be. What is left in the end is
        // waking up as well.
        let wake_up = (TimerPart::WakeUp, wake_up_ns.unwrap_or(0.0));
        [(TimerPart::Unit, unit_ns), wake_up, (TimerPart::Slack, slack_ns), (TimerPart::WakeUp, f64::MAX)].to_vec()
    };
    let mut left = late_ns.max(0.0);
    let mut parts = BTreeMap::new();
    for (part, ns) in in_turn {
        let ns = ns.min(left).max(0.0);
        left -= ns;
        if ns > 0.0 {
            *parts.entry(part).or_default() += ns;
        }
    }
    parts
}
