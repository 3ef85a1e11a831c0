//! Whether a guest is waited for, started anew or given up.
//!
//! An emulated CPU that runs a hypervisor loses its way now and then while the inner kernel boots. That says nothing of
//! clockscope, and such a guest is started anew. Once process 1 has spoken there is one attempt only.

use std::time::Duration;

/// A guest that has not spoken after this long does not boot. A nested one takes 10 s, and half a minute where other work
/// shares the CPUs.
const BOOT: Duration = Duration::from_secs(60);

/// Starts of a guest that does not boot.
pub(crate) const STARTS: u32 = 3;

/// What is known of a guest.
#[derive(Debug, Clone, Copy)]
pub(crate) struct State {
    /// Which start this is, from 1.
    pub(crate) start: u32,
    /// Since then.
    pub(crate) elapsed: Duration,
    /// Whether its process 1 has said that it has started.
    pub(crate) booted: bool,
    /// Whether the emulator has ended by itself.
    pub(crate) ended: bool,
}

/// What follows from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Next {
    /// It goes on.
    Wait,
    /// It did what it had to.
    Done,
    /// It did not boot: once more.
    Again,
    /// It failed, for this reason.
    Fail(String),
}

/// Decides, for a scenario with this limit.
pub(crate) fn next(state: State, limit: Duration) -> Next {
    let State { start, elapsed, booted, ended } = state;
    let why = match (booted, ended) {
        (true, true) => return Next::Done,
        (true, false) if elapsed <= limit => return Next::Wait,
        (true, false) => return Next::Fail(format!("it did not end within {} s", limit.as_secs_f64())),
        (false, true) => "it ended before its process 1 had started".into(),
        (false, false) if elapsed <= BOOT => return Next::Wait,
        (false, false) => format!("it did not boot within {} s", BOOT.as_secs_f64()),
    };
    match start {
        STARTS.. => Next::Fail(format!("{why}, in none of {STARTS} starts")),
        _ => Next::Again,
    }
}

/// What a table says of more starts than one.
pub(crate) fn told(starts: u32) -> Option<String> {
    match starts {
        0 | 1 => None,
        2 => Some("started 2 times: the first did not boot".into()),
        _ => Some(format!("started {starts} times: the first {} did not boot", starts - 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_secs(90);

    fn at(start: u32, seconds: u64, booted: bool, ended: bool) -> Next {
        next(State { start, elapsed: Duration::from_secs(seconds), booted, ended }, LIMIT)
    }

    #[test]
    fn a_guest_that_does_not_boot_is_started_anew_at_most_twice() {
        assert_eq!(at(1, 59, false, false), Next::Wait);
        assert_eq!(at(1, 61, false, false), Next::Again);
        assert_eq!(at(2, 3, false, true), Next::Again);
        let Next::Fail(why) = at(3, 61, false, false) else { panic!("a fourth start") };
        assert_eq!(why, "it did not boot within 60 s, in none of 3 starts");
    }

    #[test]
    fn a_guest_that_has_booted_has_one_attempt() {
        for start in 1..=3 {
            assert_eq!(at(start, 89, true, false), Next::Wait);
            assert_eq!(at(start, 91, true, false), Next::Fail("it did not end within 90 s".into()));
            assert_eq!(at(start, 5, true, true), Next::Done);
        }
    }

    #[test]
    fn more_starts_than_one_are_told() {
        assert_eq!(told(1), None);
        assert_eq!(told(2).as_deref(), Some("started 2 times: the first did not boot"));
        assert_eq!(told(3).as_deref(), Some("started 3 times: the first 2 did not boot"));
    }
}
