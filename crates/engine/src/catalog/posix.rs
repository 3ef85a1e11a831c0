//! The `clock_gettime` clocks, each by three ways: the C library's symbol (what a program gets, interposed
//! libraries included), the vDSO's function directly, and the raw system call.

use libc::{c_int, clockid_t, timespec};

use super::clock::clock;
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

const ZERO: timespec = timespec { tv_sec: 0, tv_nsec: 0 };

fn ns(time: &timespec) -> u64 {
    (time.tv_sec as u64).wrapping_mul(1_000_000_000).wrapping_add(time.tv_nsec as u64)
}

/// Shared by the three.
macro_rules! timespec_clock {
    ($name:ty, |$self:ident, $out:ident| $call:expr) => {
        // SAFETY: each of these functions writes one timespec.
        clock!($name, timespec = ZERO, |$self, $out| unsafe { $call }, |time| ns(time));
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
    for row in &ROWS {
        let plain = Description { interposed_by: interposed.clone(), ..describe(row, "", "clock_gettime(") };
        let by_libc = ByLibc(row.clock);
        match forbidden.filter(|_| row.in_vdso) {
            Some(why) => register.unavailable(plain, why.into()),
            None => register.probe(by_seen_path(plain, by_libc, Path::Libc), by_libc),
        }

        let direct = describe(row, "@vdso", "__vdso_clock_gettime(");
        match (vdso, forbidden) {
            (None, _) => register.unavailable(direct, "this process has no vDSO with clock_gettime".into()),
            (Some(_), _) if !row.in_vdso => {
                register.unavailable(direct, "the vDSO passes this clock on to the system call".into());
            }
            (Some(_), Some(why)) => register.unavailable(direct, why.into()),
            (Some(f), None) => {
                let by_vdso = ByVdso(f, row.clock);
                register.probe(by_seen_path(direct, by_vdso, Path::Vdso), by_vdso);
            }
        }

        let forced = describe(row, "@syscall", "syscall(SYS_clock_gettime, ");
        let (path, path_evidence) = (Path::Syscall, "the system call is ours".into());
        register.probe(Description { path, path_evidence, ..forced }, BySyscall(row.clock));
    }
}

/// By the way called `way`, empty for the usual one; `call` is the call up to the clock's name.
fn describe(row: &Row, way: &str, call: &str) -> Description {
    Description {
        base: row.id.into(),
        forced: !way.is_empty(),
        for_timing: !row.alarm,
        promises: row.promises,
        reported_ns: resolution(row.clock),
        ..Description::new(&format!("{}{way}", row.id), &format!("{call}{})", row.name), row.kind, Unit::Ns(1.0))
    }
}

/// With the path of one call, looked at after one that has loaded and linked whatever the first call needs; where it
/// can't be seen it is `unseen`.
pub(super) fn by_seen_path<C: Clock>(plain: Description, clock: C, unseen: Path) -> Description {
    let _ = clock.read();
    let mut raw = C::room();
    let (path, path_evidence) = path::of(Path::Vdso, || {
        clock.call(std::hint::black_box(&mut raw));
    });
    Description { path: if path == Path::Libc { unseen } else { path }, path_evidence, ..plain }
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
    let clock = straightest(libc::CLOCK_MONOTONIC)?;
    let id = match clock {
        Gettime::Vdso(_) => "monotonic@vdso",
        Gettime::Syscall(_) => "monotonic@syscall",
        Gettime::Libc(_) => "monotonic",
    };
    Some((id, clock))
}

/// The kernel's wall clock, by the straightest way as [`kernel_monotonic`].
pub fn kernel_wall() -> Option<Gettime> {
    straightest(libc::CLOCK_REALTIME)
}

/// The kernel's clock that counts the machine's sleep, by the straightest way as [`kernel_monotonic`].
pub fn kernel_boottime() -> Option<Gettime> {
    straightest(libc::CLOCK_BOOTTIME)
}

/// A clock by the vDSO, else by the system call, else by the C library, whichever works first.
pub(super) fn straightest(id: clockid_t) -> Option<Gettime> {
    let allowed = forbidden().is_none();
    let vdso = vdso::clock_gettime().filter(|_| allowed).map(|f| Gettime::Vdso(ByVdso(f, id)));
    let libc = allowed.then_some(Gettime::Libc(ByLibc(id)));
    let ways = [vdso, Some(Gettime::Syscall(BySyscall(id))), libc];
    ways.into_iter().flatten().find(|way| way.read().is_ok())
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
