//! The program against clocks that lie in ways known exactly: `lab/interpose` in front of the C library's clocks, and
//! a seccomp filter that makes them fail.

mod continuous;
mod faults;
mod hard_places;

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The clockscope binary under test.
const CLOCKSCOPE: &str = env!("CARGO_BIN_EXE_clockscope");

fn clockscope() -> &'static Path {
    Path::new(CLOCKSCOPE)
}

/// One survey at a time: two at once would interrupt each other, and what an interruption hides can't be counted.
fn alone() -> MutexGuard<'static, ()> {
    static SURVEY: Mutex<()> = Mutex::new(());
    SURVEY.lock().unwrap_or_else(PoisonError::into_inner)
}
