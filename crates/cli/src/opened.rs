//! Whether there was a standard output when the program began. Rust's runtime opens /dev/null in the place of one that is
//! closed, before `main`: all that is written would be lost without an error.

use std::sync::atomic::{AtomicBool, Ordering};

static CLOSED: AtomicBool = AtomicBool::new(false);

/// Runs before the runtime, as the loader runs it: nothing of the standard library is ready but what needs no runtime.
extern "C" fn look() {
    // SAFETY: F_GETFD reads a flag of the descriptor's number and takes no pointer.
    let flags = unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_GETFD) };
    CLOSED.store(flags == -1, Ordering::Relaxed);
}

// SAFETY: the section holds the addresses of functions that the loader calls before `main`, by both glibc and musl, without
// arguments that this one would need; it neither panics nor allocates.
#[used]
#[unsafe(link_section = ".init_array")]
static LOOK: extern "C" fn() = look;

/// Whether the program was given a standard output.
pub fn stdout_is_open() -> bool {
    !CLOSED.load(Ordering::Relaxed)
}
