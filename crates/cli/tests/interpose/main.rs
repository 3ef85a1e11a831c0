//! The program against clocks that lie in ways known exactly: `lab/interpose` in front of the C library's clocks, and
//! a seccomp filter that makes them fail.

mod continuous;
mod faults;
mod hard_places;

use std::env;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use clockscope_analysis::record::Clock;
use clockscope_interpose::{Injection, survey};

/// The program under test: the one that cargo built for these tests, or the one that `CLOCKSCOPE` names, as the wheel's, which
/// another linker made.
fn clockscope() -> String {
    env::var("CLOCKSCOPE").unwrap_or_else(|_| env!("CARGO_BIN_EXE_clockscope").into())
}

/// One survey at a time: two at once would interrupt each other, and what an interruption hides can't be counted.
fn alone() -> MutexGuard<'static, ()> {
    static SURVEY: Mutex<()> = Mutex::new(());
    SURVEY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a survey of `monotonic` comes to, for so long or of so many reads.
fn monotonic(arguments: &str, injection: Option<&Injection>) -> Clock {
    let arguments: Vec<&str> = "--clock monotonic".split(' ').chain(arguments.split(' ')).collect();
    let record = survey(Path::new(&clockscope()), &arguments, injection).unwrap();
    record.clocks.into_iter().find(|clock| clock.id == "monotonic").expect("the clock that was asked for")
}

fn no_fault(clock: &Clock, what: &str) {
    let found = (clock.regressions.count, clock.warps.count, clock.stalls.unexplained, clock.failed_reads);
    assert_eq!(found, (0, 0, 0, 0), "{what}: regressions, warps, stalls, failures: {:#?}", clock.events);
}
