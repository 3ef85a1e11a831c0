//! The older calls: gettimeofday, time, clock, getrusage, times, ftime.

use std::ffi::CStr;

use libc::{c_int, c_void, timeval};

use super::clock::clock;
use super::posix::{by_seen_path, forbidden};
use super::{Clock, Description, Register, Unit, symbol, vdso};
use clockscope_analysis::record::{Kind, Path, Promises};

const US: Unit = Unit::Ns(1e3);
const MS: Unit = Unit::Ns(1e6);
const S: Unit = Unit::Ns(1e9);

pub(super) const WALL: Promises = Promises { may_step: true, slewed: true, counts_suspend: true, per_cpu: false };

/// Declares a clock type by its fields, its call's result and how that is counted.
macro_rules! call {
    ($name:ident $(($($field:ty),*))?, $raw:ty, |$self:ident, $out:ident| $call:expr, |$r:ident| $count:expr) => {
        #[derive(Clone, Copy)]
        struct $name $(($($field),*))?;
        // SAFETY: plain C data, for which all zeros is a value; each of these C functions writes at most one value of the
        // type that it is given.
        clock!($name, $raw = unsafe { std::mem::zeroed() }, |$self, $out| unsafe { $call }, |$r| $count);
    };
}

fn micros(tv: &timeval) -> u64 {
    (tv.tv_sec as u64).wrapping_mul(1_000_000).wrapping_add(tv.tv_usec as u64)
}

/// `struct timeb` of `<sys/timeb.h>`, which the libc crate no longer has for Linux.
#[repr(C)]
#[derive(Clone, Copy)]
struct Timeb {
    time: libc::time_t,
    millitm: u16,
    timezone: i16,
    dstflag: i16,
}
type FtimeFn = unsafe extern "C" fn(*mut Timeb) -> c_int;

unsafe extern "C" {
    /// `clock(3)`; the libc crate lacks it for Linux. POSIX (XSI) fixes CLOCKS_PER_SEC at a million.
    fn clock() -> libc::c_long;
}

/// A call that returns its value, or −1.
#[inline(always)]
fn returned(out: &mut i64, value: i64) -> i32 {
    *out = value;
    -i32::from(value == -1)
}

call!(TimeOfDay, timeval, |self, out| libc::gettimeofday(out, std::ptr::null_mut()), |r| micros(r));
call!(TimeOfDayVdso(vdso::GetTimeOfDay), timeval, |self, out| (self.0)(out, std::ptr::null_mut()), |r| micros(r));
call!(TimeOfDaySyscall, timeval, |self, out| libc::syscall(libc::SYS_gettimeofday, out, 0) as c_int, |r| micros(r));
call!(Time, i64, |self, out| returned(out, libc::time(std::ptr::null_mut())), |r| *r as u64);
call!(TimeVdso(vdso::Time), i64, |self, out| returned(out, (self.0)(std::ptr::null_mut())), |r| *r as u64);
#[cfg(target_arch = "x86_64")]
call!(TimeSyscall, i64, |self, out| returned(out, libc::syscall(libc::SYS_time, 0)), |r| *r as u64);
call!(ClockCall, i64, |self, out| returned(out, clock()), |r| *r as u64);
call!(Rusage, libc::rusage, |self, out| libc::getrusage(libc::RUSAGE_SELF, out), |r| micros(&r.ru_utime)
    .wrapping_add(micros(&r.ru_stime)));
// Linux's `times` fails on a null pointer in some C libraries: each read has room for what nobody looks at.
call!(Times, (libc::tms, i64), |self, out| returned(&mut out.1, libc::times(&raw mut out.0)), |r| r.1 as u64);
call!(Ftime(FtimeFn), Timeb, |self, out| (self.0)(out), |r| (r.time as u64)
    .wrapping_mul(1000)
    .wrapping_add(u64::from(r.millitm)));

fn describe(id: &str, api: &str, kind: Kind, unit: Unit, promises: Promises) -> Description {
    Description { promises, ..Description::new(id, api, kind, unit) }
}

fn by_libc<R: Register, C: Clock>(register: &mut R, name: &CStr, plain: Description, clock: Result<C, &str>) {
    let plain = Description { interposed_by: symbol::interposer(name), ..plain };
    by_seen_path(register, plain, clock, Path::Libc);
}

/// A forced way of reading the clock `base`.
fn forced(base: &str, plain: Description) -> Description {
    let path_evidence = "the system call is ours".into();
    Description { base: base.into(), forced: true, path: Path::Syscall, path_evidence, ..plain }
}

/// A function of the vDSO, called directly.
fn direct<R: Register, C: Clock>(register: &mut R, entry: Description, clock: Option<C>) {
    let clock = clock.ok_or_else(|| format!("this process has no vDSO with {}", entry.base));
    by_seen_path(register, entry, clock, Path::Vdso);
}

pub(super) fn register<R: Register>(register: &mut R) {
    let of_day = |id: &str, api: &str| describe(id, api, Kind::Wall, US, WALL);
    let time = |id: &str, api: &str| describe(id, api, Kind::Wall, S, WALL);
    let forbidden = forbidden();
    let plain = of_day("gettimeofday", "gettimeofday()");
    by_libc(register, c"gettimeofday", plain, forbidden.map_or(Ok(TimeOfDay), Err));
    if forbidden.is_none() {
        let entry = forced("gettimeofday", of_day("gettimeofday@vdso", "__vdso_gettimeofday()"));
        direct(register, entry, vdso::gettimeofday().map(TimeOfDayVdso));
    }
    let entry = forced("gettimeofday", of_day("gettimeofday@syscall", "syscall(SYS_gettimeofday)"));
    register.probe(entry, TimeOfDaySyscall);

    by_libc(register, c"time", time("time", "time()"), Ok(Time));
    direct(register, forced("time", time("time@vdso", "__vdso_time()")), vdso::time().map(TimeVdso));
    #[cfg(target_arch = "x86_64")]
    register.probe(forced("time", time("time@syscall", "syscall(SYS_time)")), TimeSyscall);

    let clock = describe("clock", "clock()", Kind::CpuTime, US, Promises::default());
    by_libc(register, c"clock", clock, Ok(ClockCall));
    let api = "getrusage(RUSAGE_SELF): ru_utime + ru_stime";
    let usage = describe("getrusage", api, Kind::CpuTime, US, Promises::default());
    by_libc(register, c"getrusage", usage, Ok(Rusage));

    // SAFETY: sysconf only returns a number.
    let hz = unsafe { libc::sysconf(libc::_SC_CLK_TCK) };
    let (unit, clock) = if hz > 0 {
        (Unit::Ns(1e9 / hz as f64), Ok(Times))
    } else {
        (Unit::Ticks, Err("sysconf(_SC_CLK_TCK) does not say what a tick is"))
    };
    by_libc(register, c"times", describe("times", "times()", Kind::Coarse, unit, Promises::default()), clock);

    // SAFETY: POSIX.1-2001 gives this name this signature.
    let ftime = symbol::address(c"ftime").map(|p| Ftime(unsafe { std::mem::transmute::<*const c_void, FtimeFn>(p) }));
    let entry = describe("ftime", "ftime()", Kind::Wall, MS, WALL);
    by_libc(register, c"ftime", entry, ftime.ok_or("this C library has no ftime"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_threads_read_times_at_once_each_in_order() {
        let row = || (0..2000).map(|_| Times.read()).collect::<Result<Vec<u64>, _>>();
        std::thread::scope(|scope| {
            for thread in [0; 2].map(|_| scope.spawn(row)) {
                // A filter may forbid the call, but not to one thread alone.
                let Ok(row) = thread.join().unwrap() else { return };
                assert!(row.is_sorted(), "{row:?}");
            }
        });
    }
}
