//! Surveys of clocks that misbehave in known ways.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use clockscope_analysis::analyze::Analysis;
use clockscope_analysis::record::{Monotonic, Record};
use clockscope_analysis::trace::{Description, Kind, Path, Task, Unit};
use clockscope_analysis::{record as conclude, record::Clock as Entry};

use super::run::{Plan, SURVEY, run, through};
use super::{calibration, choose, quantum, skew};
use crate::catalog::{Clock, clock};
use crate::measure::skew::shifted::Shifted;
use crate::measure::{Meter, Witness, metered};
use crate::session::{Observer, Options, Readable, open};

/// Declares a clock whose read is `$read`: its value, or a failure.
macro_rules! odd {
    ($name:ident, $read:expr) => {
        #[derive(Clone, Copy)]
        struct $name;
        clock!(
            $name,
            u64 = 0,
            |self, out| {
                let read: Option<u64> = $read;
                read.map(|value| *out = value).map_or(-1, |()| 0)
            },
            |raw| *raw
        );
    };
}

static SLOW_READS: AtomicU64 = AtomicU64::new(0);
static READS: AtomicU64 = AtomicU64::new(0);

fn now() -> u64 {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_nanos() as u64
}

// A device behind a slow bus.
odd!(Slow, {
    SLOW_READS.fetch_add(1, Ordering::Relaxed);
    std::thread::sleep(Duration::from_millis(20));
    Some(now())
});
// A register that reads 0.
odd!(Dead, Some(0));
// A page whose sequence never settles, a device that says EAGAIN.
odd!(Failing, None);
// The same now and then.
odd!(Unsteady, READS.fetch_add(1, Ordering::Relaxed).is_multiple_of(3).then(now));
// A port that answers with garbage.
odd!(Garbage, Some(READS.fetch_add(1, Ordering::Relaxed).wrapping_mul(0x9e37_79b9_7f4a_7c15)));

fn odd(ticks_by: Option<&str>) -> Description {
    Description {
        path: Path::Mmio,
        ticks_by: ticks_by.map(str::to_owned),
        ..Description::new("odd", "odd", Kind::Device, Unit::Ns(1.0))
    }
}

/// What a plan comes to for these clocks, `odd` being one more that can be read, or another way of reading one.
fn planned(plan: &Plan, clocks: &[&str], odd: Box<dyn Meter>) -> Option<Analysis> {
    let clocks = clocks.iter().map(|id| (*id).to_owned()).collect();
    let options = Options { clocks, time: Duration::from_millis(300), ..Options::default() };
    let mut readable = Readable::new();
    match readable.find(&odd.description().id).ok() {
        Some(place) => readable.meters[place] = odd,
        None => readable.meters.push(odd),
    }
    let mut nobody = ();
    // Where there is no such clock there is nothing to survey by.
    let session = open(Task::Survey, choose::all, readable, &options, &mut nobody).ok()?;
    through(plan, session).ok()
}

/// The entry of `clock` in a survey beside the kernel's own.
fn surveyed<C: Clock>(clock: C, ticks_by: Option<&str>) -> Option<Entry> {
    let analysis = planned(&SURVEY, &["monotonic@syscall", "odd"], metered(odd(ticks_by), clock))?;
    analysis.clocks().into_iter().find(|clock| clock.id == "odd")
}

/// Stops a survey as soon as it looks for faults.
#[derive(Default)]
struct Stopper(bool);

impl Observer for Stopper {
    fn progress(&mut self, _done: f64, phase: &str) {
        self.0 |= phase == "faults";
    }
    fn stop(&self) -> bool {
        self.0
    }
}

#[test]
fn a_stop_comes_within_a_clocks_own_time() {
    // So many reads would take centuries.
    let options = Options {
        clocks: vec!["monotonic@syscall".into()],
        time: Duration::from_millis(50),
        reads: Some(u64::MAX),
        ..Options::default()
    };
    let Ok(analysis) = run(&SURVEY, &options, &mut Stopper::default()) else { return };
    assert!(analysis.run().interrupted);
}

#[test]
fn a_slow_device_gets_few_reads() {
    let Some(clock) = surveyed(Slow, None) else { return };
    assert!(clock.cost_ns.unwrap().median > 19e6);
    // 17 at most where each read is judged by its own slowness; some 30 where it is not.
    let reads = SLOW_READS.load(Ordering::Relaxed);
    assert!(reads < 20, "{reads} reads of 20 ms each");
}

#[test]
fn a_dead_register_has_no_quantum_and_no_advance() {
    let Some(clock) = surveyed(Dead, Some("nobody")) else { return };
    assert_eq!((clock.tick_ns.quantum, clock.tick_ns.smallest_step), (None, None));
    assert!(clock.tick_ns.nominal_source.unwrap() == "nobody" && clock.missing.contains_key("tick_ns.quantum"));
    assert!(clock.stalls.unexplained > 0 && clock.stalls.longest_ns > 1e6, "{:?}", clock.stalls);
    assert_eq!((clock.regressions.count, clock.failed_reads), (0, 0));
}

#[test]
fn reads_that_fail_are_counted_and_nothing_is_made_of_them() {
    let Some(clock) = surveyed(Failing, None) else { return };
    assert!(clock.failed_reads > 0 && clock.reads == 0 && clock.cost_ns.is_none());
    assert!(clock.missing.contains_key("cost_ns") && clock.missing.contains_key("tick_ns.quantum"));
    let Some(clock) = surveyed(Unsteady, None) else { return };
    assert!(clock.failed_reads > 0 && clock.reads > 0, "{} of {}", clock.failed_reads, clock.reads);
    assert_eq!(clock.regressions.count, 0);
}

#[test]
fn garbage_is_called_so() {
    let Some(clock) = surveyed(Garbage, Some("nobody")) else { return };
    assert!(clock.regressions.count > 0, "{:?} {:?}", clock.regressions, clock.warps);
}

/// The kernel's clock, made 24.8 ms late on one CPU, beside another one that is as it is.
#[test]
fn a_clock_that_is_off_on_one_cpu_is_found_and_not_recommended() {
    const BRIEF: Plan =
        Plan { task: Task::Survey, choice: choose::all, phases: &[calibration::PHASE, quantum::BRIEF, skew::PHASE] };
    let (Some(witness), Ok(cpus)) = (Witness::kernel(), crate::measure::allowed_cpus()) else { return };
    let [.., last] = cpus[..] else { return };
    let readable = Readable::new();
    let (Ok(place), 2..) = (readable.find("monotonic@syscall"), cpus.len()) else { return };
    let description = readable.meters[place].description().clone();
    let record: Option<Record> = (0..20).find_map(|_| {
        let late = Shifted { witness, on: last, by: (-24_800_000_i64) as u64 };
        let odd = metered(description.clone(), late);
        let record = conclude(&planned(&BRIEF, &["monotonic@syscall", "boottime@syscall"], odd)?);
        // Others may keep the CPUs busy for a while.
        let bounded = record.skew.first()?.pairs.iter().any(|pair| pair.low_ns.is_some());
        bounded.then_some(record)
    });
    let Some(record) = record else { return };
    let found = &record.skew[0];
    assert_eq!((found.clock.as_str(), found.agree), ("monotonic@syscall", Some(false)));
    assert!(found.pairs.iter().any(|pair| {
        let bounds = pair.low_ns.zip(pair.high_ns);
        pair.cpu_b == last && bounds.is_some_and(|(low, high)| (low..=high).contains(&-24.8e6))
    }));
    assert_eq!(record.skew.len(), 2, "then the others are compared as well");
    assert_ne!(record.skew[1].agree, Some(false), "and that one is sound");
    let by_id = |id: &str| record.clocks.iter().find(|clock| clock.id == id).unwrap().monotonic;
    assert_eq!(by_id("monotonic@syscall"), Monotonic::Violated);
    assert_ne!(by_id("boottime@syscall"), Monotonic::Violated);
    let finding = record.findings.iter().find(|finding| finding.code == "CS016").expect("a finding");
    assert_eq!(finding.clocks, ["monotonic@syscall"]);
    assert!(finding.evidence.contains("went back from one CPU to the other"), "{}", finding.evidence);
}
