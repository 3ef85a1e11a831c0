//! How late sleeps end, and what the timer slack adds, of a made-up kernel: it puts a sleep off by the slack, waking up takes a
//! least time and an exponential rest.

use clockscope_analysis::analyze::sleeps::{EXACT, Slept, WITH_SLACK, WITHOUT_SLACK};
use clockscope_analysis::record::{Interval, TimerReport, TimerRow};
use clockscope_analysis::trace::{Slack, SleepFacts, Sleeps, Way};

use super::case::{Answer, Case};
use super::noise::Random;

/// Lengths asked for, ns.
const LENGTHS: [u64; 3] = [1000, 100_000, 10_000_000];
/// Waking up takes no less, and on average this much more, ns.
const WAKE_UP: f64 = 6000.0;
const REST: f64 = 2000.0;

/// `with`: sleeps of a way and length, slack in ns, the quantile.
pub(super) fn cases() -> Vec<Case> {
    let late = |q: f64, slack: f64| slack + WAKE_UP - REST * (1.0 - q).ln();
    let slack = 50_000.0;
    let case = |injected: &str, run, truth, sleeps, q| Case {
        estimator: "timers",
        injected: injected.into(),
        run,
        truth,
        with: [sleeps, slack, q, 0.0],
        wider: Some("an interval is as wide as the bins that lengths are counted in, at least: a thousandth"),
    };
    vec![
        case("median lateness of 50 sleeps", lateness, late(0.5, slack), 50.0, 0.5),
        case("median lateness of 2000 sleeps", lateness, late(0.5, slack), 2000.0, 0.5),
        case("99th percentile of 2000 sleeps", lateness, late(0.99, slack), 2000.0, 0.99),
        case("slack of 50 µs by 50 sleeps with and without", slack_measured, slack, 50.0, 0.5),
    ]
}

fn report(case: &Case, seed: u64) -> TimerReport {
    let [sleeps, slack, ..] = case.with;
    let mut random = Random::new(seed);
    let way = |id: &str, slack| Way { id: id.into(), api: id.into(), unit_ns: Some(1), slack, unavailable: None };
    let mut all = Slept::default();
    all.facts(&SleepFacts {
        ways: vec![way(WITH_SLACK, Slack::Thread), way(WITHOUT_SLACK, Slack::None), way(EXACT, Slack::None)],
        slack_ns: Some(slack as u64),
        policy: Some("SCHED_OTHER".into()),
        nice: Some(0),
        resolution_ns: Some(1),
        tick_ns: Some(4_000_000),
        lengths_ns: LENGTHS.to_vec(),
    });
    for _ in 0..sleeps as usize {
        for asked_ns in LENGTHS {
            let mut late = |slack: f64| (slack + WAKE_UP + random.exponential(REST)).round() as u64;
            let took = [slack, 0.0, 0.0].map(|slack| asked_ns + late(slack));
            all.take(&Sleeps { asked_ns, took: took.into_iter().enumerate().collect(), failed: 0 });
        }
    }
    all.state()
}

fn answer(truth: f64, of: Option<Interval>) -> Option<Answer> {
    of.map(|Interval { value, low, high }| Answer { truth, value, low, high })
}

fn lateness(case: &Case, seed: u64) -> Vec<Answer> {
    let of = |row: &TimerRow| if case.with[2] > 0.9 { row.late_p99_ns } else { row.late_ns };
    let report = report(case, seed);
    let with_slack = report.rows.iter().filter(|row| row.way == WITH_SLACK);
    with_slack.filter_map(|row| answer(case.truth, of(row))).collect()
}

fn slack_measured(case: &Case, seed: u64) -> Vec<Answer> {
    answer(case.truth, report(case, seed).slack_measured_ns).into_iter().collect()
}
