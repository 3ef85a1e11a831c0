//! A survey of devices that misbehave.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::phases::Survey;
use super::subject::Subject;
use super::{Observer, Options};
use crate::catalog::{Clock, Description, Unit};
use crate::measure::{Witness, metered};
use clockscope_analysis::record::{self, Interval, Kind, Path};

/// Declares a clock whose read is `$read`: its value, or a failure.
macro_rules! odd {
    ($name:ident, $read:expr) => {
        #[derive(Clone, Copy)]
        struct $name;
        impl Clock for $name {
            type Raw = u64;
            fn room() -> u64 {
                0
            }
            fn call(&self, out: &mut u64) -> i32 {
                let read: Option<u64> = $read;
                read.map_or(-1, |value| {
                    *out = value;
                    0
                })
            }
            fn count(raw: &u64) -> u64 {
                *raw
            }
        }
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

/// A device of nanoseconds.
fn odd(ticks_by: Option<&'static str>) -> Description {
    Description {
        path: Path::Mmio,
        ticks_by: ticks_by.map(str::to_owned),
        ..Description::new("odd", "odd", Kind::Device, Unit::Ns(1.0))
    }
}

/// One entry of a survey of `clock` beside the kernel's own.
fn surveyed<C: Clock>(clock: C, ticks_by: Option<&'static str>) -> Option<record::Clock> {
    let time = Duration::from_millis(300);
    let options = Options { clocks: vec!["monotonic@syscall".into()], time, ..Options::default() };
    // Where there is no such clock there is nothing to survey by.
    let mut survey = Survey::new(&options).ok()?;
    let origin = survey.reader.witness.stamp().count;
    survey.subjects.push(Subject::new(metered(odd(ticks_by), clock), survey.reader.witness, origin));
    survey.measure(&options, &mut ()).ok()?;
    let tick = survey.timebase.tick();
    survey.subjects.last_mut().map(|subject| subject.finish(tick).clone())
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
fn a_stop_is_heeded_within_a_clocks_own_time() {
    // So many reads would take centuries.
    let options = Options {
        clocks: vec!["monotonic@syscall".into()],
        time: Duration::from_millis(50),
        reads: Some(u64::MAX),
        ..Options::default()
    };
    let Ok(mut survey) = Survey::new(&options) else { return };
    survey.measure(&options, &mut Stopper::default()).unwrap();
    assert!(survey.stopped());
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
    assert!(
        clock.tick_ns.nominal_source.unwrap() == "nobody" && clock.missing.contains_key("tick_ns.quantum")
    );
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

/// A counter is judged by the kernel's clock, which may move in steps of a slow device's.
#[test]
fn the_quantum_of_the_own_witness_counts() {
    let Some(kernel) = Witness::kernel() else { return };
    let mut subject = Subject::new(metered(odd(None), Dead), kernel, 0);
    assert!(subject.by_the_kernel());
    let slack_ns = |subject: &mut Subject| {
        subject.settle_terms(Interval { value: 1.0, low: 1.0, high: 1.0 }, 1000.0);
        subject.watch.terms().map(|terms| terms.slack_ns)
    };
    let before = slack_ns(&mut subject);
    subject.witness_quantum_ns = 279.365;
    assert_eq!(slack_ns(&mut subject), before.map(|before| before + 279.365));
}
