//! Made-up watches: what happened is known, and who did it.

use std::borrow::Cow;

use crate::analyze::Analysis;
use crate::record::{MonitorKind, MonitorReport, Ntp};
use crate::trace::{
    Beside, Bracketed, ClocksourceChange, Description, Header, Kind, Look, Observation, Polled, Promises, Role, Row,
    Stamp, TRACE_SCHEMA, Task, Tool, Unit,
};

const S: u64 = 1_000_000_000;

/// What happens at second 60.
#[derive(Clone, Copy, Default)]
struct Story {
    /// The wall clock is set by so much, ns.
    set_ns: i64,
    /// The machine sleeps, ns.
    sleep_ns: u64,
    /// The kernel's clocks run faster from then on, ppm, and by which adjtimex tells it, ppm.
    slew_ppm: (f64, f64),
    synchronised: bool,
    /// The wall clock is the reference.
    by_wall: bool,
    /// Looks that are not made.
    missed: u64,
    /// The look at which the kernel takes another clocksource.
    clocksource: Option<u64>,
    /// The look at which the VMClock has another marker.
    disrupted: Option<u64>,
    /// What adjtimex tells from then on of an offset that is being slewed away, ns.
    offset_ns: f64,
    /// What adjtimex tells of a leap second.
    state: &'static str,
    /// By how much the raw clock steps at second 20, too early to be told, ns.
    early_ns: u64,
    /// How long before its readings the first look at the kernel's clocks is made, ns.
    first_look_ns: u64,
}

fn header(by_wall: bool) -> Header {
    let clock = |id: &str, kind, promises| Description { promises, ..Description::new(id, id, kind, Unit::Ns(1.0)) };
    let slewed = Promises { slewed: true, ..Promises::default() };
    let clocks = vec![
        clock("monotonic", Kind::Monotonic, slewed),
        clock("realtime", Kind::Wall, Promises { may_step: true, counts_suspend: true, ..slewed }),
        clock("boottime", Kind::Boot, Promises { counts_suspend: true, ..slewed }),
        clock("monotonic-raw", Kind::Monotonic, Promises::default()),
    ];
    Header {
        schema: TRACE_SCHEMA.into(),
        tool: Tool::default(),
        task: Task::Monitor,
        machine: crate::record::Machine::default(),
        clocks,
        surveyed: if by_wall { vec![3] } else { vec![1, 2, 3] },
        unavailable: Vec::new(),
        witness: 0,
        kernel: Some(0),
        reference: usize::from(by_wall),
        cpu: None,
        started: None,
        started_at: None,
        id: None,
        seed: 1,
        start: S / 2,
        kernel_start: Some(S / 2),
    }
}

fn watched(story: Story) -> MonitorReport {
    let mut random = fastrand::Rng::with_seed(1);
    let mut analysis = Analysis::new(header(story.by_wall)).unwrap();
    for clock in 0..4 {
        // What its quantum is known by: reads in a row, half a second before.
        let offset = if clock == 1 { 1000 * S } else { 0 };
        let mut now = S / 2;
        let mut values = |_| {
            now += 20 + random.u64(..50);
            now + offset
        };
        let values: Vec<u64> = (0..4096).map(&mut values).collect();
        let [before, after] = [S / 2, now + 20].map(|count| Stamp { count, cpu: None });
        for role in [Role::Timer, Role::Dithered] {
            let row = Row { clock, role, before, after, values: values.clone(), ..Row::default() };
            analysis.take(&Observation::Row(Cow::Owned(row)));
        }
        analysis.take(&Observation::Turn(clock));
    }
    analysis.take(&Observation::Settle);
    for number in (0..120).filter(|number| !(80..80 + story.missed).contains(number)) {
        let raw = S + number * S + random.u64(..100_000);
        let late = raw.saturating_sub(S + 60 * S + S / 2);
        let happened = late > 0;
        let (ppm, told) = if happened { story.slew_ppm } else { (0.0, 0.0) };
        // What each clock shows when the raw one shows `raw`.
        let shows = |clock: usize, raw: u64| {
            let mono = raw + (late as f64 * ppm * 1e-6) as u64;
            let slept = if happened { story.sleep_ns } else { 0 };
            match clock {
                0 => mono,
                1 => (mono + slept).wrapping_add_signed(if happened { story.set_ns } else { 0 }) + 1000 * S,
                2 => mono + slept,
                _ => raw + if raw > 21 * S + S / 2 { story.early_ns } else { 0 },
            }
        };
        let mut between = |clock: usize, by: usize| {
            let width = 100 + random.u64(..30);
            let at = raw + random.u64(40..60);
            Bracketed { before: shows(by, raw), value: shows(clock, at), after: shows(by, raw + width) }
        };
        let ntp = Ntp {
            synchronised: story.synchronised,
            frequency_ppm: told,
            tick_us: Some(10_000),
            offset_ns: if happened { story.offset_ns } else { 0.0 },
            state: story.state.into(),
            ..Ntp::default()
        };
        let polled = Polled { number, every_ns: S, late_ns: 0, ntp: Some(Ok(ntp)) };
        analysis.take(&Observation::Polled(Box::new(polled)));
        if story.clocksource == Some(number) {
            let (from, to) = ("tsc".into(), "hpet".into());
            let change = ClocksourceChange { from, to, since: shows(0, raw - S), at: shows(0, raw) };
            analysis.take(&Observation::Clocksource(change));
        }
        if story.disrupted == Some(number) {
            let disruption = crate::trace::Disruption { marker: 2, since: shows(0, raw - S), at: shows(0, raw) };
            analysis.take(&Observation::Disrupted(disruption));
        }
        let looked = shows(0, raw - if number == 0 { story.first_look_ns } else { 0 });
        let look = Look {
            witness: looked,
            kernel: Some(looked),
            beside: None,
            wall: Some(between(1, 2)),
            boottime: Some(between(2, 0)),
        };
        analysis.take(&Observation::Look(look));
        for clock in analysis.header().surveyed.clone() {
            let reading = between(clock, analysis.header().reference);
            analysis.take(&Observation::Beside(Beside { clock, reading }));
        }
        assert_eq!(analysis.monitor_rows().len(), analysis.header().surveyed.len());
    }
    analysis.monitor()
}

/// An event's kind, clock and cause.
type Told<'a> = (MonitorKind, &'a str, &'a str);

fn told(report: &MonitorReport) -> Vec<Told<'_>> {
    let all = report.events.iter();
    let near = |at_s: f64| (at_s - 60.5).abs() <= 1.0;
    assert!(all.clone().all(|event| near(event.at_s) || event.kind == MonitorKind::Missed), "{:?}", report.events);
    all.map(|event| (event.kind, event.clock.as_deref().unwrap_or(""), event.cause.as_deref().unwrap_or(""))).collect()
}

#[test]
fn each_has_the_cause_that_the_kernel_tells() {
    use MonitorKind::{ClockSet, Clocksource, Disruption, Missed, Ntp, Slew, Step, Suspend};
    let base = Story { synchronised: true, ..Story::default() };
    let cases: [(Story, Vec<Told>); 14] = [
        (base, vec![]),
        (Story { set_ns: -10_000_000, ..base }, vec![(ClockSet, "", "NTP"), (Step, "realtime", "NTP")]),
        (
            Story { set_ns: 3_000_000_000, synchronised: false, ..base },
            vec![(ClockSet, "", "clock set"), (Step, "realtime", "clock set")],
        ),
        (
            Story { set_ns: -5_000_000, by_wall: true, ..base },
            vec![(ClockSet, "", "NTP"), (Step, "monotonic-raw", "NTP (the reference)")],
        ),
        (
            Story { sleep_ns: 5 * S, ..base },
            vec![(Suspend, "", ""), (Step, "realtime", "suspend"), (Step, "boottime", "suspend")],
        ),
        (Story { slew_ppm: (12.5, 12.5), ..base }, vec![(Slew, "monotonic-raw", "NTP (the reference)"), (Ntp, "", "")]),
        (Story { slew_ppm: (500.0, 0.0), ..base }, vec![(Slew, "monotonic-raw", "adjtime")]),
        (Story { slew_ppm: (3.0, 0.0), ..base }, vec![(Slew, "monotonic-raw", "")]),
        (
            Story { set_ns: -1_000_000_000, state: "TIME_INS", ..base },
            vec![(ClockSet, "", "leap second"), (Step, "realtime", "leap second")],
        ),
        (
            Story { set_ns: -10_000_000, clocksource: Some(61), ..base },
            vec![(ClockSet, "", "NTP"), (Step, "realtime", "NTP"), (Clocksource, "", "")],
        ),
        // timesyncd at its shortest poll slews 0.2 s by 5 %; 200 ns explain nothing of the kind.
        (
            Story { slew_ppm: (45_000.0, 0.0), offset_ns: 180e6, ..base },
            vec![(Slew, "monotonic-raw", "NTP (the reference)")],
        ),
        (Story { slew_ppm: (900.0, 0.0), offset_ns: 200.0, ..base }, vec![(Slew, "monotonic-raw", "")]),
        (
            Story { slew_ppm: (900.0, 0.0), disrupted: Some(61), ..base },
            vec![(Disruption, "", "live migration, or a snapshot restored"), (Slew, "monotonic-raw", "disruption")],
        ),
        (
            Story { missed: 5, clocksource: Some(61), ..base },
            vec![(Clocksource, "", ""), (Missed, "", "the reader stood still, or the machine")],
        ),
    ];
    for (at, (story, wanted)) in cases.into_iter().enumerate() {
        let report = watched(story);
        let mut found = told(&report);
        for one in wanted {
            let place = found.iter().position(|found| *found == one);
            found.remove(place.unwrap_or_else(|| panic!("{at}: no {one:?} in {:#?}", report.events)));
        }
        assert!(found.is_empty(), "{at}: {found:?} {:#?}", report.events);
        assert_eq!(report.missed_looks, story.missed, "{at}");
    }
}

#[test]
fn what_was_gained_is_within_its_bounds_and_the_rate_in_its_interval() {
    let report = watched(Story { set_ns: 7_000_000, ..Story::default() });
    for (clock, gained) in [("realtime", 7e6), ("boottime", 0.0), ("monotonic-raw", 0.0)] {
        let found = report.clocks.iter().find(|found| found.clock == clock).unwrap();
        let bounds = found.gained_ns.unwrap();
        assert!(bounds.low <= gained && gained <= bounds.high && bounds.high - bounds.low < 300.0, "{found:?}");
        let rate = found.rate.as_ref().unwrap();
        assert!(rate.low_ppm <= 0.0 && 0.0 <= rate.high_ppm, "{clock}: {rate:?}");
        assert_eq!((found.looks, found.filled_looks), (120, 0));
        assert!(found.stability.len() >= 5);
    }
}

#[test]
fn a_step_that_was_not_told_moves_no_rate_out_of_its_interval() {
    for early_ns in [500, 2_000, 5_000_000] {
        let report = watched(Story { early_ns, ..Story::default() });
        let raw = report.clocks.iter().find(|found| found.clock == "monotonic-raw").unwrap();
        assert_eq!(raw.steps, 0, "{early_ns}: {:?}", report.events);
        let rate = raw.rate.as_ref().unwrap();
        assert!(rate.low_ppm <= 0.0 && 0.0 <= rate.high_ppm && rate.low_ppm < rate.high_ppm, "{early_ns}: {rate:?}");
    }
}

/// The offset's step and the kernel's own, seen in one look, are one although the first look took long.
#[test]
fn a_slow_first_look_parts_no_step_from_its_cause() {
    for first_look_ns in [0, 9 * S / 10] {
        let report = watched(Story { set_ns: 10_000_000, first_look_ns, ..Story::default() });
        let event = |kind| report.events.iter().find(|event| event.kind == kind).expect("it is told");
        let (step, set) = (event(MonitorKind::Step), event(MonitorKind::ClockSet));
        assert_eq!(step.cause.as_deref(), Some("clock set"), "{step:?}");
        assert!((set.at_s - step.at_s).abs() <= 0.2, "{set:?} {step:?}");
    }
}

#[test]
fn a_change_of_the_clocksource_explains_nothing_that_comes_later() {
    let story = Story { synchronised: true, clocksource: Some(20), ..Story::default() };
    for (story, kind) in [
        (Story { slew_ppm: (3.0, 0.0), ..story }, MonitorKind::Slew),
        (Story { set_ns: 1_000_000, by_wall: true, ..story }, MonitorKind::Step),
    ] {
        let report = watched(story);
        let seen = report.events.iter().find(|event| event.kind == kind).expect("it is told");
        assert!(seen.cause.as_deref() != Some("clocksource") && seen.at_s > 50.0, "{:?}", report.events);
    }
}
