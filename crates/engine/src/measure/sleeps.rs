//! The ways to sleep, each as programs call it. A call that a signal or an error ended is an error.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::ptr::null_mut;
use std::time::Duration;

use clockscope_analysis::analyze::sleeps::{EXACT, FUTEX, WITH_SLACK, WITHOUT_SLACK};
use clockscope_analysis::trace::{Slack, Way};
use libc::{CLOCK_MONOTONIC, c_int, timespec};

use super::policy::policy;

/// Sleeps for so many ns; the second is the kernel's clock right before.
type Sleep = Box<dyn FnMut(u64, u64) -> io::Result<()>>;

/// A way to sleep, ready to be used.
pub struct Sleeper {
    /// What it is.
    pub way: Way,
    /// How; `None` where this system does not have it.
    sleep: Option<Sleep>,
    /// The thread's own slack, where this way sleeps without it.
    own_slack: Option<u64>,
}

impl Sleeper {
    /// Sleeps for so long: how long it took by `now`, the kernel's clock. What is done before and after lies outside of that.
    /// `None` where this system does not have it.
    pub fn timed(&mut self, asked_ns: u64, now: impl Fn() -> u64) -> Option<io::Result<u64>> {
        let sleep = self.sleep.as_mut()?;
        if self.own_slack.is_some()
            && let Err(error) = set_slack(1)
        {
            return Some(Err(error));
        }
        let before = now();
        let slept = sleep(asked_ns, before);
        let took_ns = now().saturating_sub(before);
        // 0 would set the default instead of a realtime thread's none.
        let back = self.own_slack.filter(|own| *own > 0).map_or(Ok(()), set_slack);
        Some(slept.and(back).map(|()| took_ns))
    }
}

const S: u64 = 1_000_000_000;
const MS: u64 = 1_000_000;

fn spec(ns: u64) -> timespec {
    timespec { tv_sec: (ns / S) as libc::time_t, tv_nsec: (ns % S) as libc::c_long }
}

/// What a call returned that has 0 for success or a count, and −1 for errors.
fn done(returned: libc::c_long) -> io::Result<()> {
    if returned < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// What a call returned that gives the error itself.
fn done_or_error(error: c_int) -> io::Result<()> {
    if error == 0 { Ok(()) } else { Err(io::Error::from_raw_os_error(error)) }
}

/// A descriptor, or why there is none.
fn descriptor(returned: c_int) -> io::Result<OwnedFd> {
    done(returned.into())?;
    // SAFETY: the call has just returned it as a new descriptor, which nobody else knows.
    Ok(unsafe { OwnedFd::from_raw_fd(returned) })
}

/// All ways, in the order in which they take turns.
pub fn all() -> Vec<Sleeper> {
    vec![
        of(WITH_SLACK, "clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME)", 1, Slack::Thread, Ok(Box::new(absolute))),
        without_slack(),
        of("sleep-relative", "clock_nanosleep(CLOCK_MONOTONIC, 0)", 1, Slack::Thread, Ok(Box::new(relative))),
        of(
            "thread-sleep",
            "std::thread::sleep",
            1,
            Slack::Thread,
            Ok(Box::new(|ns, _| {
                std::thread::sleep(Duration::from_nanos(ns));
                Ok(())
            })),
        ),
        of(EXACT, "timerfd_settime, then read", 1, Slack::None, timerfd()),
        of(FUTEX, "futex(FUTEX_WAIT) with a timeout", 1, Slack::Thread, Ok(Box::new(futex))),
        of("ppoll", "ppoll", 1, Slack::Share, Ok(Box::new(ppoll))),
        of("select", "select", 1000, Slack::Share, Ok(Box::new(select))),
        of("poll", "poll", MS, Slack::Share, Ok(Box::new(poll))),
        of("epoll-wait", "epoll_wait", MS, Slack::Share, epoll_wait()),
        of("epoll-pwait2", "epoll_pwait2", 1, Slack::Share, epoll_pwait2()),
        Sleeper {
            way: Way { id: "sched-yield".into(), api: "sched_yield".into(), ..Way::default() },
            // SAFETY: gives up the CPU, touches no memory.
            sleep: Some(Box::new(|_, _| done(unsafe { libc::sched_yield() }.into()))),
            own_slack: None,
        },
    ]
}

fn of(id: &str, api: &str, unit_ns: u64, slack: Slack, sleep: io::Result<Sleep>) -> Sleeper {
    // Some calls are known by trying alone.
    let sleep = sleep.and_then(|mut sleep| sleep(1, 0).map(|()| sleep));
    let unavailable = sleep.as_ref().err().map(ToString::to_string);
    let way = Way { id: id.into(), api: api.into(), unit_ns: Some(unit_ns), slack, unavailable };
    Sleeper { way, sleep: sleep.ok(), own_slack: None }
}

fn absolute(ns: u64, now: u64) -> io::Result<()> {
    let until = spec(now.saturating_add(ns));
    // SAFETY: reads one timespec.
    done_or_error(unsafe { libc::clock_nanosleep(CLOCK_MONOTONIC, libc::TIMER_ABSTIME, &raw const until, null_mut()) })
}

fn relative(ns: u64, _: u64) -> io::Result<()> {
    let length = spec(ns);
    // SAFETY: reads one timespec; what is left may go nowhere.
    done_or_error(unsafe { libc::clock_nanosleep(CLOCK_MONOTONIC, 0, &raw const length, null_mut()) })
}

/// The calling thread's timer slack, ns.
pub fn slack() -> io::Result<u64> {
    // SAFETY: asks, touches no memory. The system call gives the number itself, which the C library's `int` may be too
    // small for.
    let ns = unsafe { libc::syscall(libc::SYS_prctl, libc::PR_GET_TIMERSLACK, 0, 0, 0, 0) };
    done(ns).map(|()| ns as u64)
}

fn set_slack(ns: u64) -> io::Result<()> {
    // SAFETY: sets a number of the calling thread, touches no memory.
    done(unsafe { libc::syscall(libc::SYS_prctl, libc::PR_SET_TIMERSLACK, ns, 0, 0, 0) })
}

/// Its slack is taken away for each sleep, and given back after it.
fn without_slack() -> Sleeper {
    let own = slack();
    let own_slack = own.as_ref().ok().copied();
    let sleep = own.map(|_| Box::new(absolute) as Sleep);
    let api = "prctl(PR_SET_TIMERSLACK, 1), then the same";
    Sleeper { own_slack, ..of(WITHOUT_SLACK, api, 1, Slack::None, sleep) }
}

fn timerfd() -> io::Result<Sleep> {
    // SAFETY: makes a descriptor, touches no memory.
    let timer = descriptor(unsafe { libc::timerfd_create(CLOCK_MONOTONIC, libc::TFD_CLOEXEC) })?;
    Ok(Box::new(move |ns, _| {
        let setting = libc::itimerspec { it_interval: spec(0), it_value: spec(ns) };
        let mut times = 0_u64;
        // SAFETY: the descriptor is open; the first call reads the setting, the second writes eight bytes.
        unsafe {
            done(libc::timerfd_settime(timer.as_raw_fd(), 0, &raw const setting, null_mut()).into())?;
            done(libc::read(timer.as_raw_fd(), (&raw mut times).cast(), size_of::<u64>()) as libc::c_long)
        }
    }))
}

fn futex(ns: u64, _: u64) -> io::Result<()> {
    let (word, length) = (0_u32, spec(ns));
    // SAFETY: reads the word, which holds what is waited on, and the timespec; nobody wakes it.
    let returned = unsafe {
        let operation = libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG;
        libc::syscall(libc::SYS_futex, &raw const word, operation, word, &raw const length, 0, 0)
    };
    match done(returned) {
        Err(error) if error.raw_os_error() == Some(libc::ETIMEDOUT) => Ok(()),
        Err(error) => Err(error),
        Ok(()) => Err(io::Error::other("woken by nobody")),
    }
}

fn ppoll(ns: u64, _: u64) -> io::Result<()> {
    let length = spec(ns);
    // SAFETY: no descriptors; reads one timespec.
    done(unsafe { libc::ppoll(null_mut(), 0, &raw const length, std::ptr::null()) }.into())
}

fn select(ns: u64, _: u64) -> io::Result<()> {
    let us = ns.div_ceil(1000);
    let mut length =
        libc::timeval { tv_sec: (us / 1_000_000) as libc::time_t, tv_usec: (us % 1_000_000) as libc::suseconds_t };
    // SAFETY: no descriptors; reads and writes one timeval.
    done(unsafe { libc::select(0, null_mut(), null_mut(), null_mut(), &raw mut length) }.into())
}

fn ms(ns: u64) -> c_int {
    c_int::try_from(ns.div_ceil(MS)).unwrap_or(c_int::MAX)
}

fn poll(ns: u64, _: u64) -> io::Result<()> {
    // SAFETY: no descriptors.
    done(unsafe { libc::poll(null_mut(), 0, ms(ns)) }.into())
}

fn epoll() -> io::Result<OwnedFd> {
    // SAFETY: makes a descriptor, touches no memory.
    descriptor(unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) })
}

fn epoll_wait() -> io::Result<Sleep> {
    let epoll = epoll()?;
    Ok(Box::new(move |ns, _| {
        let mut event = libc::epoll_event { events: 0, u64: 0 };
        // SAFETY: the descriptor is open; there is room for one event, and none comes.
        done(unsafe { libc::epoll_wait(epoll.as_raw_fd(), &raw mut event, 1, ms(ns)) }.into())
    }))
}

/// By its number: C libraries have it late or never.
fn epoll_pwait2() -> io::Result<Sleep> {
    let epoll = epoll()?;
    Ok(Box::new(move |ns, _| {
        let mut event = libc::epoll_event { events: 0, u64: 0 };
        let length = spec(ns);
        // SAFETY: the descriptor is open; there is room for one event, and none comes; reads one timespec.
        done(unsafe {
            libc::syscall(libc::SYS_epoll_pwait2, epoll.as_raw_fd(), &raw mut event, 1, &raw const length, 0, 0)
        })
    }))
}

/// The calling thread's scheduling policy and nice value, as far as they are known.
pub fn scheduling() -> (Option<String>, Option<i32>) {
    let names = [
        (libc::SCHED_OTHER, "SCHED_OTHER"),
        (libc::SCHED_FIFO, "SCHED_FIFO"),
        (libc::SCHED_RR, "SCHED_RR"),
        (libc::SCHED_BATCH, "SCHED_BATCH"),
        (libc::SCHED_IDLE, "SCHED_IDLE"),
        (libc::SCHED_DEADLINE, "SCHED_DEADLINE"),
    ];
    let policy = names.iter().find(|(number, _)| Some(*number) == policy()).map(|(_, name)| (*name).to_owned());
    // SAFETY: asks, touches no memory. The system call gives 20 less the nice value, so that −1 is an error alone.
    let nice = unsafe { libc::syscall(libc::SYS_getpriority, libc::PRIO_PROCESS, 0) };
    (policy, (nice > 0).then(|| 20 - nice as i32))
}

/// What `clock_getres` says of a clock, ns.
pub fn resolution(clock: libc::clockid_t) -> Option<u64> {
    let mut length = spec(0);
    // SAFETY: writes one timespec.
    let failed = unsafe { libc::clock_getres(clock, &raw mut length) };
    (failed == 0).then_some(length.tv_sec as u64 * S + length.tv_nsec as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::{Clock, kernel_clock};

    #[test]
    fn no_way_wakes_early_and_the_slack_comes_back() {
        let clock = kernel_clock(CLOCK_MONOTONIC).unwrap();
        let own = slack().unwrap();
        for mut sleeper in all() {
            for ns in [1, 1000, 1_234_567] {
                let Some(took) = sleeper.timed(ns, || clock.read().unwrap()) else { continue };
                let took = took.unwrap();
                assert!(sleeper.way.unit_ns.is_none() || took >= ns, "{}: {took} of {ns}", sleeper.way.id);
            }
        }
        assert_eq!(slack().unwrap(), own);
    }

    #[test]
    fn the_slack_is_taken_and_given_back_outside_of_what_is_timed() {
        let clock = kernel_clock(CLOCK_MONOTONIC).unwrap();
        let own = slack().unwrap();
        for mut sleeper in all() {
            let within = std::cell::RefCell::new(Vec::new());
            let now = || {
                within.borrow_mut().push(slack().unwrap());
                clock.read().unwrap()
            };
            sleeper.timed(1000, now).map_or(Ok(0), |took| took).unwrap();
            let wanted = if sleeper.way.id == WITHOUT_SLACK && own > 0 { 1 } else { own };
            assert!(within.borrow().iter().all(|slack| *slack == wanted), "{}: {within:?}", sleeper.way.id);
        }
        assert_eq!(slack().unwrap(), own);
    }
}
