//! The `clock_gettime` clocks, each by three ways: the C library's symbol (what a program gets, interposed
//! libraries included), the vDSO's function directly, and the raw system call.

use std::io;

use libc::{c_int, clockid_t, timespec};

use super::clock::clock;
use super::{Clock, Description, Register, Unit, path, symbol, vdso};
use clockscope_analysis::record::{Kind, Path, Promises};

/// By a function of `clock_gettime`'s signature: the vDSO's, or what stands in for it.
#[derive(Clone, Copy)]
pub struct Gettime(vdso::ClockGettime, clockid_t);
#[derive(Clone, Copy)]
pub(super) struct ByLibc(pub(super) clockid_t);
#[derive(Clone, Copy)]
struct BySyscall(clockid_t);

pub(super) const ZERO: timespec = timespec { tv_sec: 0, tv_nsec: 0 };

pub(super) fn ns(time: &timespec) -> u64 {
    (time.tv_sec as u64).wrapping_mul(1_000_000_000).wrapping_add(time.tv_nsec as u64)
}

#[inline(always)]
unsafe extern "C" fn by_syscall(clock: clockid_t, out: *mut timespec) -> c_int {
    // SAFETY: the call writes one timespec, for which the caller gives room.
    unsafe { libc::syscall(libc::SYS_clock_gettime, clock, out) as c_int }
}

/// Shared by the three.
macro_rules! timespec_clock {
    ($name:ty, |$self:ident, $out:ident| $call:expr) => {
        // SAFETY: each of these functions writes one timespec.
        clock!($name, timespec = ZERO, |$self, $out| unsafe { $call }, |time| ns(time));
    };
}

timespec_clock!(Gettime, |self, out| (self.0)(self.1, out));
timespec_clock!(ByLibc, |self, out| libc::clock_gettime(self.0, out));
timespec_clock!(BySyscall, |self, out| by_syscall(self.0, out));

/// Id, name and number of a clock, its kind, and whether the vDSO has code for it; else it only passes the call on
/// (lib/vdso/gettimeofday.c).
type Row = (&'static str, &'static str, clockid_t, Kind, bool);

const ROWS: [Row; 11] = [
    ("realtime", "CLOCK_REALTIME", libc::CLOCK_REALTIME, Kind::Wall, true),
    ("realtime-coarse", "CLOCK_REALTIME_COARSE", libc::CLOCK_REALTIME_COARSE, Kind::Coarse, true),
    ("realtime-alarm", "CLOCK_REALTIME_ALARM", libc::CLOCK_REALTIME_ALARM, Kind::Wall, false),
    ("tai", "CLOCK_TAI", libc::CLOCK_TAI, Kind::Wall, true),
    ("monotonic", "CLOCK_MONOTONIC", libc::CLOCK_MONOTONIC, Kind::Monotonic, true),
    ("monotonic-coarse", "CLOCK_MONOTONIC_COARSE", libc::CLOCK_MONOTONIC_COARSE, Kind::Coarse, true),
    ("monotonic-raw", "CLOCK_MONOTONIC_RAW", libc::CLOCK_MONOTONIC_RAW, Kind::Monotonic, true),
    ("boottime", "CLOCK_BOOTTIME", libc::CLOCK_BOOTTIME, Kind::Boot, true),
    ("boottime-alarm", "CLOCK_BOOTTIME_ALARM", libc::CLOCK_BOOTTIME_ALARM, Kind::Boot, false),
    ("process-cputime", "CLOCK_PROCESS_CPUTIME_ID", libc::CLOCK_PROCESS_CPUTIME_ID, Kind::CpuTime, false),
    ("thread-cputime", "CLOCK_THREAD_CPUTIME_ID", libc::CLOCK_THREAD_CPUTIME_ID, Kind::CpuTime, false),
];

/// The auxiliary clocks of Linux 6.17: further clocks that may be set and steered, each by itself (linux/time.h, CLOCK_AUX).
const AUX: [Row; 8] = [
    ("aux0", "CLOCK_AUX", CLOCK_AUX, Kind::Wall, true),
    ("aux1", "CLOCK_AUX + 1", CLOCK_AUX + 1, Kind::Wall, true),
    ("aux2", "CLOCK_AUX + 2", CLOCK_AUX + 2, Kind::Wall, true),
    ("aux3", "CLOCK_AUX + 3", CLOCK_AUX + 3, Kind::Wall, true),
    ("aux4", "CLOCK_AUX + 4", CLOCK_AUX + 4, Kind::Wall, true),
    ("aux5", "CLOCK_AUX + 5", CLOCK_AUX + 5, Kind::Wall, true),
    ("aux6", "CLOCK_AUX + 6", CLOCK_AUX + 6, Kind::Wall, true),
    ("aux7", "CLOCK_AUX + 7", CLOCK_AUX + 7, Kind::Wall, true),
];

/// The first one's number.
const CLOCK_AUX: clockid_t = 16;

/// Why an auxiliary clock can't be read, by what the system call gave.
fn aux_missing(error: &io::Error, number: clockid_t) -> String {
    match error.raw_os_error() {
        Some(libc::ENODEV) => {
            let number = number - CLOCK_AUX;
            format!(
                "it is switched off; `echo 1 | sudo tee /sys/kernel/time/aux_clocks/{number}/aux_clock_enable` switches \
                 it on"
            )
        }
        Some(libc::EINVAL) => "this kernel has no auxiliary clocks (Linux 6.17 and CONFIG_POSIX_AUX_CLOCKS)".into(),
        _ => format!("clock_gettime: {error}"),
    }
}

/// Where RDTSC would kill this process, so would the vDSO and the C library that calls it.
pub(super) fn forbidden() -> Option<&'static str> {
    const WHY: &str = "prctl(PR_SET_TSC) forbids this process to execute RDTSC, which this call may do; it would be killed by \
                       SIGSEGV";
    (cfg!(target_arch = "x86_64") && !super::counter_readable()).then_some(WHY)
}

pub(super) fn register<R: Register>(register: &mut R) {
    let vdso = vdso::clock_gettime();
    let forbidden = forbidden();
    let interposed = symbol::interposer(c"clock_gettime");
    // One entry for all of them where the kernel has none.
    let read = |clock| BySyscall(clock).read().map_err(|_| io::Error::last_os_error());
    let (mut rows, mut aux) = (ROWS.to_vec(), &AUX[..]);
    if read(CLOCK_AUX).is_err_and(|error| error.raw_os_error() == Some(libc::EINVAL)) {
        aux = &AUX[..1];
    }
    for row in aux {
        match read(row.2) {
            Ok(_) => rows.push(*row),
            Err(error) => register.unavailable(describe(row, "", "clock_gettime("), aux_missing(&error, row.2)),
        }
    }
    for row in &rows {
        let (_, _, clock, _, in_vdso) = *row;
        let plain = Description { interposed_by: interposed.clone(), ..describe(row, "", "clock_gettime(") };
        let by_libc = forbidden.filter(|_| in_vdso).map_or(Ok(ByLibc(clock)), Err);
        by_seen_path(register, plain, by_libc, Path::Libc);

        let by_vdso = match (vdso, forbidden) {
            (None, _) => Err("this process has no vDSO with clock_gettime"),
            _ if !in_vdso => Err("the vDSO passes this clock on to the system call"),
            (_, Some(why)) => Err(why),
            (Some(f), None) => Ok(Gettime(f, clock)),
        };
        by_seen_path(register, describe(row, "@vdso", "__vdso_clock_gettime("), by_vdso, Path::Vdso);

        let forced = describe(row, "@syscall", "syscall(SYS_clock_gettime, ");
        let (path, path_evidence) = (Path::Syscall, "the system call is ours".into());
        register.probe(Description { path, path_evidence, ..forced }, BySyscall(clock));
    }
}

/// By the way called `way`, empty for the usual one; `call` is the call up to the clock's name.
fn describe((id, name, clock, kind, _): &Row, way: &str, call: &str) -> Description {
    let is_wall = matches!(kind, Kind::Wall) || *clock == libc::CLOCK_REALTIME_COARSE;
    Description {
        base: (*id).into(),
        forced: !way.is_empty(),
        // An alarm's clock is there to wake a sleeping machine, not to be read.
        // An auxiliary clock is whatever somebody steers it to be.
        for_timing: !matches!(*clock, libc::CLOCK_REALTIME_ALARM | libc::CLOCK_BOOTTIME_ALARM) && *clock < CLOCK_AUX,
        promises: Promises {
            may_step: is_wall,
            slewed: !matches!(kind, Kind::CpuTime) && *clock != libc::CLOCK_MONOTONIC_RAW,
            counts_suspend: (is_wall && *clock < CLOCK_AUX) || matches!(kind, Kind::Boot),
            per_cpu: false,
        },
        reported_ns: resolution(*clock),
        ..Description::new(&format!("{id}{way}"), &format!("{call}{name})"), *kind, Unit::Ns(1.0))
    }
}

/// The id of the auxiliary clock that has that name in C, folded as ids are.
pub(super) fn aux(name: &str) -> Option<&'static str> {
    let plain = |name: &str| name.replace(' ', "").replace('_', "-").to_lowercase();
    AUX.iter().find(|row| plain(row.1) == plain(name)).map(|row| row.0)
}

/// The call that reads the clock of that id.
pub(super) fn call(id: &str) -> Option<String> {
    ROWS.iter().chain(&AUX).find(|row| row.0 == id).map(|(_, name, ..)| format!("clock_gettime({name})"))
}

/// Id and name of the clock that has that number.
pub(crate) fn of_number(number: clockid_t) -> Option<(&'static str, &'static str)> {
    ROWS.iter().chain(&AUX).find(|row| row.2 == number).map(|row| (row.0, row.1))
}

/// Registers a clock with the path of one call, looked at after one that has loaded and linked whatever the first call
/// needs; where it can't be seen it is `unseen`. `Err`: why it can't be called.
pub(super) fn by_seen_path<R: Register, C: Clock, E: ToString>(
    register: &mut R,
    plain: Description,
    clock: Result<C, E>,
    unseen: Path,
) {
    let clock = match clock {
        Ok(clock) => clock,
        Err(why) => return register.unavailable(plain, why.to_string()),
    };
    let _ = clock.read();
    let mut raw = C::room();
    let (path, path_evidence) = path::of(Path::Vdso, || {
        clock.call(std::hint::black_box(&mut raw));
    });
    let path = if path == Path::Libc { unseen } else { path };
    register.probe(Description { path, path_evidence, ..plain }, clock);
}

/// What `clock_getres` claims, ns.
pub(super) fn resolution(clock: clockid_t) -> Option<f64> {
    let mut claim = ZERO;
    // SAFETY: clock_getres writes one timespec.
    let ok = unsafe { libc::clock_getres(clock, &raw mut claim) } == 0;
    ok.then_some(claim.tv_sec as f64 * 1e9 + claim.tv_nsec as f64)
}

/// The kernel's monotonic clock by the straightest way that works here (vDSO, system call, C library), with
/// the id of its entry: for use as reference or witness, past any library that interposes the C library's.
pub fn kernel_monotonic() -> Option<(&'static str, Gettime)> {
    let (way, clock) = straightest(libc::CLOCK_MONOTONIC)?;
    Some((["monotonic@vdso", "monotonic@syscall", "monotonic"][way], clock))
}

/// The kernel's clock of that number, by the straightest way as [`kernel_monotonic`].
pub fn kernel_clock(id: clockid_t) -> Option<Gettime> {
    straightest(id).map(|(_, clock)| clock)
}

/// A clock by the vDSO (0), else by the system call (1), else by the C library (2), whichever works first.
fn straightest(id: clockid_t) -> Option<(usize, Gettime)> {
    let allowed = forbidden().is_none();
    let libc = allowed.then_some(libc::clock_gettime as vdso::ClockGettime);
    let ways = [vdso::clock_gettime().filter(|_| allowed), Some(by_syscall), libc];
    let ways = ways.map(|way| way.map(|function| Gettime(function, id)));
    ways.into_iter().enumerate().find_map(|(at, way)| way.filter(|way| way.read().is_ok()).map(|way| (at, way)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_auxiliary_clock_that_is_not_there_says_why_and_what_to_do() {
        let missing = |error, number| aux_missing(&io::Error::from_raw_os_error(error), number);
        let off = missing(libc::ENODEV, CLOCK_AUX + 3);
        assert!(off.contains("/sys/kernel/time/aux_clocks/3/aux_clock_enable"), "{off}");
        assert!(missing(libc::EINVAL, CLOCK_AUX).contains("6.17"));
        assert!(missing(libc::EPERM, CLOCK_AUX).contains("not permitted"));
        assert_eq!(call("aux2").as_deref(), Some("clock_gettime(CLOCK_AUX + 2)"));
        let described = describe(&AUX[0], "", "clock_gettime(");
        assert!(!described.for_timing && described.promises.may_step);
    }
}
