//! Whether a guest is waited for, started anew or given up.
//!
//! An emulated CPU that runs a hypervisor loses its way now and then: the inner kernel does not boot, or the whole
//! emulator sleeps for ever, its only timer lost. That says nothing of clockscope, and such a guest is started anew.
//! Once process 1 has spoken and while the emulator works there is one attempt only.

use std::fs;
use std::time::{Duration, Instant};

/// A guest that has not spoken after this much of its emulator's CPU time does not boot. A nested one takes 10 s.
const BOOT: Duration = Duration::from_secs(60);
/// An emulator that waits instead of working, or works for others' sake as slowly, is given up after this many times the
/// CPU time allowed.
pub(crate) const PATIENCE: u32 = 5;

/// An emulator that takes no more than [`IDLE_USE`] of CPU time in so long hangs: no scenario sleeps as long. The kernel
/// of a nested guest's outer machine has a timer interrupt 250 times a second, and such an emulator has lost it: whatever
/// the programs in it do, it would have to wake. It is started anew.
const IDLE: Duration = Duration::from_secs(20);
const IDLE_USE: Duration = Duration::from_millis(50);
/// The unit of times in /proc/PID/stat on every Linux.
const TICK_MS: u64 = 10;

/// Starts of a guest that does not boot.
pub(crate) const STARTS: u32 = 3;

/// What is known of a guest.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "four facts, each by itself")]
pub(crate) struct State {
    /// Which start this is, from 1.
    pub(crate) start: u32,
    /// Since then.
    pub(crate) elapsed: Duration,
    /// CPU time that its emulator has taken.
    pub(crate) used: Duration,
    /// Whether its process 1 has said that it has started.
    pub(crate) booted: bool,
    /// Whether the emulator has ended by itself.
    pub(crate) ended: bool,
    /// Whether its emulator takes no CPU time.
    pub(crate) asleep: bool,
    /// Whether it may be started anew then: another guest runs in it.
    pub(crate) nested: bool,
}

/// Watches how much CPU time an emulator takes.
pub(crate) struct Pulse {
    stat: String,
    start: Instant,
    used: Duration,
    /// When it had not used more than a little less than that.
    moved: Duration,
    since: Instant,
}

impl Pulse {
    pub(crate) fn of(process: u32) -> Self {
        let now = Instant::now();
        Self {
            stat: format!("/proc/{process}/stat"),
            start: now,
            used: Duration::ZERO,
            moved: Duration::ZERO,
            since: now,
        }
    }

    /// CPU time until now; where /proc does not tell, the time that has passed.
    pub(crate) fn used(&mut self) -> Duration {
        let used = fs::read_to_string(&self.stat).ok().and_then(|stat| used(&stat));
        self.used = used.unwrap_or(self.start.elapsed());
        if self.used > self.moved + IDLE_USE {
            self.moved = self.used;
            self.since = Instant::now();
        }
        self.used
    }

    /// Whether it has stood still for [`IDLE`].
    pub(crate) fn stands_still(&self) -> bool {
        self.since.elapsed() > IDLE
    }
}

/// CPU time in user and kernel mode by /proc/PID/stat (proc(5): fields 14 and 15; the name may hold anything).
fn used(stat: &str) -> Option<Duration> {
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let mut next = || fields.next()?.parse::<u64>().ok();
    Some(Duration::from_millis((next()? + next()?) * TICK_MS))
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

/// Decides, for a scenario with this limit of CPU time.
pub(crate) fn next(state: State, limit: Duration) -> Next {
    let State { start, elapsed, used, booted, ended, asleep, nested } = state;
    let within = |limit: Duration| used <= limit && elapsed <= limit * PATIENCE;
    let why = match (booted, ended) {
        (true, true) => return Next::Done,
        (_, false) if asleep => {
            let why = format!("its emulator stood still for {} s", IDLE.as_secs_f64());
            if booted && !nested {
                return Next::Fail(why);
            }
            why
        }
        (true, false) if within(limit) => return Next::Wait,
        (true, false) => return Next::Fail(format!("it did not end within {} s", limit.as_secs_f64())),
        (false, true) => "it ended before its process 1 had started".into(),
        (false, false) if within(BOOT) => return Next::Wait,
        (false, false) => format!("it did not boot within {} s", BOOT.as_secs_f64()),
    };
    match start {
        STARTS.. => Next::Fail(format!("{why}, and so {STARTS} times")),
        _ => Next::Again,
    }
}

/// What a table says of more starts than one.
pub(crate) fn told(starts: u32) -> Option<String> {
    match starts {
        0 | 1 => None,
        2 => Some("started 2 times: the first did not boot, or its emulator fell asleep".into()),
        _ => Some(format!("started {starts} times: the first {} did not boot, or fell asleep", starts - 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_secs(90);

    fn state(start: u32, seconds: u64, booted: bool, ended: bool) -> State {
        let used = Duration::from_secs(seconds);
        State { start, elapsed: used * 2, used, booted, ended, asleep: false, nested: true }
    }

    fn at(start: u32, seconds: u64, booted: bool, ended: bool) -> Next {
        next(state(start, seconds, booted, ended), LIMIT)
    }

    #[test]
    fn an_emulator_that_fell_asleep_is_started_anew() {
        let at = |start, booted, ended| next(State { asleep: true, ..state(start, 40, booted, ended) }, LIMIT);
        assert_eq!((at(1, true, false), at(2, false, false)), (Next::Again, Next::Again));
        assert_eq!(at(1, true, true), Next::Done);
        assert_eq!(at(3, true, false), Next::Fail("its emulator stood still for 20 s, and so 3 times".into()));
        let alone = State { asleep: true, nested: false, ..state(1, 40, true, false) };
        assert_eq!(next(alone, LIMIT), Next::Fail("its emulator stood still for 20 s".into()));
    }

    #[test]
    fn cpu_time_is_read_behind_the_name() {
        let stat = "7 (a ) b) S 1 7 7 0 -1 4194560 100 0 0 0 123 45 0 0 20 0";
        assert_eq!(used(stat), Some(Duration::from_millis(1680)));
        assert_eq!(used("7 (a) S 1"), None);
        let mut pulse = Pulse::of(u32::MAX);
        assert!(!pulse.stands_still() && pulse.used() <= pulse.start.elapsed());
    }

    #[test]
    fn a_guest_that_does_not_boot_is_started_anew_at_most_twice() {
        assert_eq!(at(1, 59, false, false), Next::Wait);
        assert_eq!(at(1, 61, false, false), Next::Again);
        assert_eq!(at(2, 3, false, true), Next::Again);
        let Next::Fail(why) = at(3, 61, false, false) else { panic!("a fourth start") };
        assert_eq!(why, "it did not boot within 60 s, and so 3 times");
    }

    #[test]
    fn a_guest_that_has_booted_has_one_attempt() {
        for start in 1..=3 {
            assert_eq!(at(start, 89, true, false), Next::Wait);
            assert_eq!(at(start, 91, true, false), Next::Fail("it did not end within 90 s".into()));
            assert_eq!(at(start, 5, true, true), Next::Done);
        }
        // Without its CPU time as well.
        let waits = |seconds| State { elapsed: Duration::from_secs(seconds), ..state(1, 1, true, false) };
        assert_eq!(next(waits(449), LIMIT), Next::Wait);
        assert!(matches!(next(waits(451), LIMIT), Next::Fail(_)));
    }

    #[test]
    fn more_starts_than_one_are_told() {
        assert_eq!(told(1), None);
        assert_eq!(told(2).as_deref(), Some("started 2 times: the first did not boot, or its emulator fell asleep"));
        assert_eq!(told(3).as_deref(), Some("started 3 times: the first 2 did not boot, or fell asleep"));
    }
}
