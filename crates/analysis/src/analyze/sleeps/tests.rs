//! Made-up sleeps whose slack, tick and cost of waking up are known.

use fastrand::Rng;
use proptest::prelude::*;

use super::*;
use crate::record::TimerPart;
use crate::trace::{Slack, Way};

/// A kernel.
struct Kernel {
    slack: u64,
    tick: u64,
    high_resolution: bool,
    policy: &'static str,
    /// Waking up takes this long, and a little more by chance.
    wake_up: u64,
}

const USUAL: Kernel =
    Kernel { slack: 50_000, tick: 4_000_000, high_resolution: true, policy: "SCHED_OTHER", wake_up: 6000 };
const LENGTHS: [u64; 4] = [1000, 100_000, 1_500_000, 100_000_000];

fn way(id: &str, unit_ns: Option<u64>, slack: Slack) -> Way {
    Way { id: id.into(), api: id.into(), unit_ns, slack, unavailable: None }
}

fn ways() -> Vec<Way> {
    vec![
        way(WITH_SLACK, Some(1), Slack::Thread),
        way(WITHOUT_SLACK, Some(1), Slack::None),
        way(EXACT, Some(1), Slack::None),
        way("poll", Some(1_000_000), Slack::Share),
        way("sched-yield", None, Slack::None),
        Way { unavailable: Some("this kernel has none".into()), ..way("epoll-pwait2", Some(1), Slack::Share) },
    ]
}

impl Kernel {
    fn facts(&self) -> SleepFacts {
        SleepFacts {
            ways: ways(),
            slack_ns: Some(self.slack),
            policy: Some(self.policy.into()),
            nice: Some(0),
            resolution_ns: Some(if self.high_resolution { 1 } else { self.tick }),
            tick_ns: Some(self.tick),
            lengths_ns: LENGTHS.to_vec(),
        }
    }

    fn took(&self, way: &Way, asked: u64, random: &mut Rng) -> u64 {
        let Some(unit) = way.unit_ns else { return 300 + random.u64(0..100) };
        let length = asked.div_ceil(unit) * unit;
        let realtime = self.policy == "SCHED_FIFO";
        let slack = match way.slack {
            Slack::Thread if !realtime => self.slack,
            Slack::Share if !realtime => self.slack.max(length / 1000),
            _ => 0,
        };
        let wake = self.wake_up + random.u64(0..=self.wake_up / 10);
        if self.high_resolution {
            return length + slack + wake;
        }
        let begun = random.u64(0..self.tick);
        (begun + length).div_ceil(self.tick) * self.tick + self.tick - begun + wake
    }

    fn report(&self) -> TimerReport {
        let mut random = Rng::with_seed(1);
        let mut all = Slept::default();
        all.facts(&self.facts());
        for _ in 0..200 {
            for asked_ns in LENGTHS {
                let timed = ways()
                    .into_iter()
                    .enumerate()
                    .filter(|(_, way)| way.unavailable.is_none() && way.unit_ns.is_some());
                let took = timed.map(|(at, way)| (at, self.took(&way, asked_ns, &mut random))).collect();
                all.take(&Sleeps { asked_ns, took, failed: 0 });
            }
            all.take(&Sleeps { asked_ns: 0, took: vec![(4, self.took(&ways()[4], 0, &mut random))], failed: 1 });
        }
        all.state()
    }
}

#[test]
fn few_sleeps_claim_no_percentile_and_what_did_not_sleep_is_named() {
    let mut all = Slept::default();
    all.facts(&USUAL.facts());
    all.take(&Sleeps { asked_ns: 1000, took: vec![(0, 58_000)], failed: 0 });
    (0..120).for_each(|more| all.take(&Sleeps { asked_ns: 1000, took: vec![(1, 7000 + more)], failed: 0 }));
    let report = all.state();
    let one = row(&report, WITH_SLACK, 1e3);
    assert_eq!((one.late_ns, one.late_p99_ns), (Some(Interval::exactly(57e3)), None));
    assert!(one.missing["late_ns"].starts_with("1 sleep, and a 95 % interval of the median takes 6"), "{one:?}");
    assert_eq!(one.missing["late_p99_ns"], "1 sleep, and a 99th percentile takes 100");
    let many = row(&report, WITHOUT_SLACK, 1e3);
    assert!(many.late_p99_ns.is_some() && many.missing.is_empty(), "{many:?}");
    let why = &report.missing["rows"];
    for words in
        ["nothing slept by sched-yield;", "by timerfd and poll for 1 µs", "by any way for 100 µs, 1.5 ms and 100 ms"]
    {
        assert!(why.contains(words), "{words}: {why}");
    }
    assert_eq!(USUAL.report().missing.get("rows"), None);
}

fn row<'a>(report: &'a TimerReport, way: &str, asked_ns: f64) -> &'a TimerRow {
    report.rows.iter().find(|row| row.way == way && row.asked_ns == Some(asked_ns)).expect("the row is there")
}

fn near(value: f64, truth: f64, share: f64) -> bool {
    (value - truth).abs() <= share * truth
}

#[test]
fn slack_is_named_and_measured() {
    let report = USUAL.report();
    assert_eq!((report.slack_ns, report.high_resolution, report.early, report.failed), (Some(5e4), Some(true), 0, 200));
    let measured = report.slack_measured_ns.unwrap();
    assert!(measured.low <= 5e4 && 5e4 <= measured.high && near(measured.value, 5e4, 0.02), "{measured:?}");
    for asked in LENGTHS {
        let row = row(&report, WITH_SLACK, asked as f64);
        let late = row.late_ns.unwrap();
        assert!(near(late.value, 56_300.0, 0.01) && late.low <= late.value && late.value <= late.high, "{row:?}");
        assert!(near(row.parts_ns[&TimerPart::Slack], 5e4, 0.01), "{row:?}");
        assert!(near(row.parts_ns[&TimerPart::WakeUp], 6300.0, 0.02), "{row:?}");
        assert!(!row.parts_ns.contains_key(&TimerPart::Unit));
    }
    let of_thread = "up to 50 µs of every sleep are this thread's timer slack (sleep-absolute";
    let cause = report.causes.iter().find(|cause| cause.what.starts_with(of_thread)).expect("it is said");
    assert!(cause.fix.as_ref().unwrap().contains("PR_SET_TIMERSLACK"));
}

#[test]
fn what_counts_in_milliseconds_is_told_from_slack() {
    let report = USUAL.report();
    let short = row(&report, "poll", 1000.0);
    assert_eq!((short.passed_ns, short.parts_ns[&TimerPart::Unit]), (Some(1e6), 999_000.0));
    assert!(near(short.parts_ns[&TimerPart::Slack], 5e4, 0.01), "{short:?}");
    // 0.1 % of 100 ms is more than the thread's slack.
    let long = row(&report, "poll", 1e8);
    assert!(near(long.parts_ns[&TimerPart::Slack], 1e5, 0.01), "{long:?}");
    assert_eq!(report.causes[0].part, TimerPart::Unit);
    assert!(report.causes[0].what.starts_with("poll round up to the unit"), "{}", report.causes[0].what);
}

#[test]
fn a_thread_of_a_realtime_policy_has_no_slack() {
    let report = Kernel { policy: "SCHED_FIFO", ..USUAL }.report();
    assert!(report.causes.iter().all(|cause| cause.part != TimerPart::Slack), "{:?}", report.causes);
    assert!(near(row(&report, WITH_SLACK, 1e5).parts_ns[&TimerPart::WakeUp], 6300.0, 0.02));
}

/// Kernels before Linux 6.12 leave a realtime thread its slack, and FUTEX_WAIT takes it; those after it say 0.
#[test]
fn a_realtime_threads_futex_has_the_slack_that_the_kernel_states() {
    let parts = |slack_ns| {
        let mut all = Slept::default();
        let facts = SleepFacts { slack_ns: Some(slack_ns), ..Kernel { policy: "SCHED_FIFO", ..USUAL }.facts() };
        let ways = vec![way(FUTEX, Some(1), Slack::Thread), way(EXACT, Some(1), Slack::None)];
        all.facts(&SleepFacts { ways, ..facts });
        for _ in 0..20 {
            let took = vec![(0, 106_000 + slack_ns), (1, 106_000)];
            all.take(&Sleeps { asked_ns: 100_000, took, failed: 0 });
        }
        let report = all.state();
        (row(&report, FUTEX, 1e5).parts_ns.get(&TimerPart::Slack).copied(), report.causes)
    };
    let (slack, causes) = parts(50_000);
    assert!(slack.is_some_and(|ns| near(ns, 5e4, 0.01)), "{slack:?}");
    let said = causes.iter().find(|cause| cause.part == TimerPart::Slack).expect("it is said");
    assert!(said.what.contains("(futex)"), "{}", said.what);
    assert_eq!(parts(0).0, None);
}

#[test]
fn one_length_is_said_once() {
    let mut all = Slept::default();
    all.facts(&USUAL.facts());
    for _ in 0..9 {
        all.take(&Sleeps { asked_ns: 100_000, took: vec![(2, 129_300)], failed: 0 });
    }
    let causes = all.state().causes;
    let said = causes.iter().find(|cause| cause.part == TimerPart::WakeUp).expect("it is said");
    assert!(said.what.starts_with("waking up takes 29.3 µs after 100 µs asleep: "), "{}", said.what);
}

#[test]
fn without_high_resolution_timers_it_is_the_tick() {
    let report = Kernel { high_resolution: false, ..USUAL }.report();
    assert_eq!((report.high_resolution, report.causes[0].part), (Some(false), TimerPart::Tick));
    assert!(report.causes[0].what.contains("each 4 ms"), "{}", report.causes[0].what);
    let tick = row(&report, EXACT, 1e5).parts_ns[&TimerPart::Tick];
    assert!((4e6..=8e6).contains(&tick), "{tick}");
}

#[test]
fn waking_up_is_what_an_exact_timer_is_late() {
    let report = Kernel { wake_up: 80_000, slack: 1, ..USUAL }.report();
    let cause = report.causes.iter().find(|cause| cause.part == TimerPart::WakeUp).unwrap();
    assert!(near(cause.ns, 84_000.0, 0.02) && cause.fix.is_none(), "{cause:?}");
    let slack: Vec<_> = report.causes.iter().filter(|cause| cause.part == TimerPart::Slack).collect();
    assert!(slack.len() == 1 && slack[0].what.starts_with("poll may be put off by 0.1 %"), "{slack:?}");
}

#[test]
fn early_wake_ups_are_counted_and_a_yield_has_no_length() {
    let mut all = Slept::default();
    all.facts(&USUAL.facts());
    let took = [1100, 900, 950, 1000, 1200].map(|ns| (0, ns)).to_vec();
    all.take(&Sleeps { asked_ns: 1000, took, failed: 0 });
    all.take(&Sleeps { asked_ns: 0, took: vec![(4, 321), (99, 1)], failed: 0 });
    let report = all.state();
    let row = &report.rows[0];
    assert_eq!(
        (report.early, row.early, row.earliest_ns, row.late_min_ns, row.late_max_ns),
        (2, 2, Some(100.0), Some(-100.0), Some(200.0))
    );
    let of_yield = &report.rows[1];
    assert_eq!((of_yield.asked_ns, of_yield.passed_ns, of_yield.late_min_ns), (None, None, Some(321.0)));
    assert!(of_yield.parts_ns.is_empty() && report.rows.len() == 2);
    assert_eq!(report.unavailable[0].id, "epoll-pwait2");
    assert!(report.missing.contains_key("slack_measured_ns"));
    let nothing = Slept::default().state();
    assert!(nothing.rows.is_empty() && nothing.missing.contains_key("slack_ns") && nothing.high_resolution.is_none());
}

proptest! {
    #[test]
    fn garbage_does_no_harm(
        turns in prop::collection::vec((any::<u64>(), prop::collection::vec((0..9_usize, any::<u64>()), 0..9)), 0..20),
        numbers in any::<[Option<u64>; 3]>(),
        nice: Option<i32>,
        units in any::<[u64; 3]>(),
    ) {
        let [slack_ns, resolution_ns, tick_ns] = numbers;
        let mut facts = USUAL.facts();
        facts.ways.iter_mut().zip(units).for_each(|(way, unit)| way.unit_ns = Some(unit));
        let mut all = Slept::default();
        all.facts(&SleepFacts { slack_ns, nice, resolution_ns, tick_ns, ..facts });
        for (asked_ns, took) in turns {
            all.take(&Sleeps { asked_ns, took, failed: u64::MAX });
        }
        let _ = all.state();
    }
}
