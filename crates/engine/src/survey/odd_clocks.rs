//! A survey of devices that misbehave.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::Options;
use super::phases::Survey;
use super::subject::Subject;
use crate::catalog::{Clock, Description, Unit};
use crate::measure::metered;
use crate::record::{self, Kind, Path, Promises};

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

/// One entry of a survey of `clock` beside the kernel's own.
fn surveyed<C: Clock>(clock: C, ticks_by: Option<&'static str>) -> Option<record::Clock> {
    let time = Duration::from_millis(300);
    let options = Options { clocks: vec!["monotonic@syscall".into()], time, ..Options::default() };
    // Where there is no such clock there is nothing to survey by.
    let mut survey = Survey::new(&options).ok()?;
    let description = Description {
        id: "odd".into(),
        api: "odd".into(),
        kind: Kind::Device,
        path: Path::Mmio,
        path_evidence: String::new(),
        promises: Promises { may_step: false, slewed: false, counts_suspend: false, per_cpu: false },
        unit: Unit::Ns(1.0),
        ticks_by,
        reported_ns: None,
        interposed_by: None,
    };
    let origin = survey.reader.witness.stamp().count;
    survey.subjects.push(Subject::new(metered(description, clock), survey.reader.witness, origin));
    survey.measure(&options, &mut ()).ok()?;
    let (clocks, _) = survey.finish(&record::Machine::default());
    clocks.into_iter().find(|clock| clock.id == "odd")
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
