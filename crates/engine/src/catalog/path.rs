//! Finds out whether a call ends in a system call, without timing anything.
//!
//! Linux can hand a thread's system calls back to user space (syscall user dispatch, Linux 5.11,
//! Documentation/admin-guide/syscall-user-dispatch.rst): with it switched on, one call of the clock either
//! raises SIGSYS or does not.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Mutex, PoisonError};

use clockscope_analysis::record::Path;

const PR_SET_SYSCALL_USER_DISPATCH: libc::c_int = 59;
const PR_SYS_DISPATCH_OFF: libc::c_ulong = 0;
const PR_SYS_DISPATCH_ON: libc::c_ulong = 1;
const ALLOW: u8 = 0;
const BLOCK: u8 = 1;

static SELECTOR: AtomicU8 = AtomicU8::new(ALLOW);
static SEEN: AtomicBool = AtomicBool::new(false);
/// Selector, result and the signal's action belong to the process: one look at a time.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

extern "C" fn on_sigsys(_: libc::c_int) {
    // The handler's own return is a system call: let it pass.
    SELECTOR.store(ALLOW, Ordering::Relaxed);
    SEEN.store(true, Ordering::Relaxed);
}

/// The path that `call` takes, `direct` being what it is if no system call is seen, with the evidence.
/// `call` must make at most one system call and survive that it fails.
pub(super) fn of(direct: Path, call: impl FnOnce()) -> (Path, String) {
    match makes_system_call(call) {
        Ok(true) => (Path::Syscall, "a system call was seen (syscall user dispatch)".into()),
        Ok(false) => (direct, "no system call was seen (syscall user dispatch)".into()),
        Err(why) => (Path::Libc, format!("can't be seen: {why}")),
    }
}

fn makes_system_call(call: impl FnOnce()) -> Result<bool, String> {
    let _one = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    // The old action is put back below, and the lock keeps others of this process from doing the same meanwhile.
    // SAFETY: a zeroed sigaction is a valid one; the handler touches two atomics only; the kernel may read the selector, a
    // static, for as long as the dispatch is on; and nothing between BLOCK and ALLOW but `call` makes system calls.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        let mut old: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = on_sigsys as *const () as usize;
        if libc::sigaction(libc::SIGSYS, &raw const action, &raw mut old) != 0 {
            return Err(format!("sigaction: {}", std::io::Error::last_os_error()));
        }
        let on = libc::prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, 0, 0, SELECTOR.as_ptr());
        let result = if on == 0 {
            SEEN.store(false, Ordering::Relaxed);
            SELECTOR.store(BLOCK, Ordering::SeqCst);
            call();
            SELECTOR.store(ALLOW, Ordering::SeqCst);
            libc::prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_OFF, 0, 0, 0);
            Ok(SEEN.load(Ordering::Relaxed))
        } else {
            Err(format!("syscall user dispatch: {}", std::io::Error::last_os_error()))
        };
        libc::sigaction(libc::SIGSYS, &raw const old, std::ptr::null_mut());
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_system_call_is_seen_and_plain_code_is_not() {
        // SAFETY: getppid takes no arguments and can't fail; cut off, it returns nonsense that nobody uses.
        let Ok(seen) = makes_system_call(|| unsafe {
            std::hint::black_box(libc::syscall(libc::SYS_getppid));
        }) else {
            return; // A kernel without the feature.
        };
        assert!(seen);
        assert_eq!(
            makes_system_call(|| {
                std::hint::black_box(1 + 1);
            }),
            Ok(false)
        );
    }
}
