//! The `clock_gettime` clocks, each by three ways: the C library's symbol (what a program gets, interposed
//! libraries included), the vDSO's function directly, and the raw system call.

use libc::{c_int, clockid_t, timespec};

use super::{Clock, Description, ReadError, Register, Unit, path, symbol, vdso};
use clockscope_analysis::record::{Kind, Path, Promises};

/// Reads one clock id by one way.
#[derive(Clone, Copy)]
pub enum Gettime {
    /// `clock_gettime` of the C library, or of whatever interposes it.
    Libc(ByLibc),
    /// The vDSO's function.
    Vdso(ByVdso),
    /// The system call.
    Syscall(BySyscall),
}

/// By the C library's exported symbol.
#[derive(Clone, Copy)]
pub struct ByLibc(pub(super) clockid_t);
/// By the vDSO's function.
#[derive(Clone, Copy)]
pub struct ByVdso(vdso::ClockGettime, clockid_t);
/// By the system call.
#[derive(Clone, Copy)]
pub struct BySyscall(clockid_t);

/// Shared by the three: a `timespec`, counted in ns.
macro_rules! timespec_clock {
    ($name:ty, |$self:ident, $out:ident| $call:expr) => {
        impl Clock for $name {
            type Raw = timespec;
            fn room() -> timespec {
                timespec { tv_sec: 0, tv_nsec: 0 }
            }
            #[inline(always)]
            fn call(&$self, $out: &mut timespec) -> i32 {
                // SAFETY: each of these functions writes one timespec.
                unsafe { $call }
            }
            fn count(raw: &timespec) -> u64 {
                (raw.tv_sec as u64).wrapping_mul(1_000_000_000).wrapping_add(raw.tv_nsec as u64)
            }
        }
    };
}

timespec_clock!(ByLibc, |self, out| libc::clock_gettime(self.0, out));
timespec_clock!(ByVdso, |self, out| (self.0)(self.1, out));
timespec_clock!(BySyscall, |self, out| libc::syscall(libc::SYS_clock_gettime, self.0, out) as c_int);

/// One row of the table below.
struct Row {
    id: &'static str,
    name: &'static str,
    clock: clockid_t,
    kind: Kind,
    /// Whether the vDSO has code for it; else it only passes the call on (lib/vdso/gettimeofday.c).
    in_vdso: bool,
    /// Whether it is there to wake a sleeping machine, not to be read.
    alarm: bool,
    promises: Promises,
}

const fn row(id: &'static str, name: &'static str, clock: clockid_t, kind: Kind, in_vdso: bool) -> Row {
    let promises = Promises {
        may_step: matches!(kind, Kind::Wall) || clock == libc::CLOCK_REALTIME_COARSE,
        slewed: !matches!(kind, Kind::CpuTime) && clock != libc::CLOCK_MONOTONIC_RAW,
        counts_suspend: matches!(kind, Kind::Wall | Kind::Boot) || clock == libc::CLOCK_REALTIME_COARSE,
        per_cpu: false,
    };
    let alarm = clock == libc::CLOCK_REALTIME_ALARM || clock == libc::CLOCK_BOOTTIME_ALARM;
    Row { id, name, clock, kind, in_vdso, alarm, promises }
}

const ROWS: [Row; 11] = [
    row("realtime", "CLOCK_REALTIME", libc::CLOCK_REALTIME, Kind::Wall, true),
    row("realtime-coarse", "CLOCK_REALTIME_COARSE", libc::CLOCK_REALTIME_COARSE, Kind::Coarse, true),
    row("realtime-alarm", "CLOCK_REALTIME_ALARM", libc::CLOCK_REALTIME_ALARM, Kind::Wall, false),
    row("tai", "CLOCK_TAI", libc::CLOCK_TAI, Kind::Wall, true),
    row("monotonic", "CLOCK_MONOTONIC", libc::CLOCK_MONOTONIC, Kind::Monotonic, true),
    row("monotonic-coarse", "CLOCK_MONOTONIC_COARSE", libc::CLOCK_MONOTONIC_COARSE, Kind::Coarse, true),
    row("monotonic-raw", "CLOCK_MONOTONIC_RAW", libc::CLOCK_MONOTONIC_RAW, Kind::Monotonic, true),
    row("boottime", "CLOCK_BOOTTIME", libc::CLOCK_BOOTTIME, Kind::Boot, true),
    row("boottime-alarm", "CLOCK_BOOTTIME_ALARM", libc::CLOCK_BOOTTIME_ALARM, Kind::Boot, false),
    row("process-cputime", "CLOCK_PROCESS_CPUTIME_ID", libc::CLOCK_PROCESS_CPUTIME_ID, Kind::CpuTime, false),
    row("thread-cputime", "CLOCK_THREAD_CPUTIME_ID", libc::CLOCK_THREAD_CPUTIME_ID, Kind::CpuTime, false),
];

pub(super) fn register<R: Register>(register: &mut R) {
    let vdso = vdso::clock_gettime();
    // Where RDTSC would kill us, so would the vDSO and the C library that calls it.
    let forbidden = cfg!(target_arch = "x86_64") && !crate::machine::counter_readable();
    let interposed = symbol::interposer(c"clock_gettime");
    for row in &ROWS {
        let plain = Description { interposed_by: interposed.clone(), ..describe(row, "", "clock_gettime") };
        let by_libc = ByLibc(row.clock);
        if forbidden && row.in_vdso {
            register.unavailable(plain, FORBIDDEN.into());
        } else {
            let (path, path_evidence) = seen_path(by_libc);
            register.probe(Description { path, path_evidence, ..plain }, by_libc);
        }

        let direct = describe(row, "@vdso", "__vdso_clock_gettime");
        match vdso {
            None => register.unavailable(direct, "this process has no vDSO with clock_gettime".into()),
            Some(_) if !row.in_vdso => {
                register.unavailable(direct, "the vDSO passes this clock on to the system call".into());
            }
            Some(_) if forbidden => register.unavailable(direct, FORBIDDEN.into()),
            Some(f) => {
                let by_vdso = ByVdso(f, row.clock);
                let (path, path_evidence) = seen_path(by_vdso);
                let path = if path == Path::Libc { Path::Vdso } else { path };
                register.probe(Description { path, path_evidence, ..direct }, by_vdso);
            }
        }

        let forced = describe(row, "@syscall", "syscall(SYS_clock_gettime)");
        let (path, path_evidence) = (Path::Syscall, "the system call is ours".into());
        register.probe(Description { path, path_evidence, ..forced }, BySyscall(row.clock));
    }
}

const FORBIDDEN: &str = "prctl(PR_SET_TSC) forbids this process to execute RDTSC, which this call may do; it would be killed by SIGSEGV";

fn describe(row: &Row, suffix: &str, call: &str) -> Description {
    let api = match suffix {
        "@syscall" => format!("syscall(SYS_clock_gettime, {})", row.name),
        _ => format!("{call}({})", row.name),
    };
    Description {
        base: row.id.into(),
        forced: !suffix.is_empty(),
        for_timing: !row.alarm,
        promises: row.promises,
        reported_ns: resolution(row.clock),
        ..Description::new(&format!("{}{suffix}", row.id), &api, row.kind, Unit::Ns(1.0))
    }
}

/// Looks at one call, after one that has loaded and linked whatever the first call needs.
pub(super) fn seen_path<C: Clock>(clock: C) -> (Path, String) {
    let _ = clock.read();
    let mut raw = C::room();
    path::of(Path::Vdso, || {
        clock.call(std::hint::black_box(&mut raw));
    })
}

/// What `clock_getres` claims, ns.
pub(super) fn resolution(clock: clockid_t) -> Option<f64> {
    let mut claim = timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: clock_getres writes one timespec.
    let ok = unsafe { libc::clock_getres(clock, &raw mut claim) } == 0;
    ok.then_some(claim.tv_sec as f64 * 1e9 + claim.tv_nsec as f64)
}

/// See [`super::kernel_monotonic`].
pub(super) fn straightest_monotonic() -> Option<(&'static str, Gettime)> {
    let clock = straightest(libc::CLOCK_MONOTONIC)?;
    let id = match clock {
        Gettime::Vdso(_) => "monotonic@vdso",
        Gettime::Syscall(_) => "monotonic@syscall",
        Gettime::Libc(_) => "monotonic",
    };
    Some((id, clock))
}

/// See [`super::kernel_wall`].
pub(super) fn straightest_wall() -> Option<Gettime> {
    straightest(libc::CLOCK_REALTIME)
}

/// See [`super::kernel_boottime`].
pub(super) fn straightest_boottime() -> Option<Gettime> {
    straightest(libc::CLOCK_BOOTTIME)
}

/// A clock by the vDSO, else by the system call, else by the C library, whichever works first.
pub(super) fn straightest(id: clockid_t) -> Option<Gettime> {
    let forbidden = cfg!(target_arch = "x86_64") && !crate::machine::counter_readable();
    let vdso =
        vdso::clock_gettime().filter(|_| !forbidden).map(|f| ByVdso(f, id)).filter(|c| c.read().is_ok());
    if let Some(clock) = vdso {
        return Some(Gettime::Vdso(clock));
    }
    if BySyscall(id).read().is_ok() {
        return Some(Gettime::Syscall(BySyscall(id)));
    }
    (!forbidden && ByLibc(id).read().is_ok()).then_some(Gettime::Libc(ByLibc(id)))
}

impl Gettime {
    /// One read, ns.
    pub fn read(&self) -> Result<u64, ReadError> {
        match self {
            Self::Libc(c) => c.read(),
            Self::Vdso(c) => c.read(),
            Self::Syscall(c) => c.read(),
        }
    }
}
