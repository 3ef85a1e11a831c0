//! The system calls that tell the time: their numbers, and what they tell.

use std::io;

use super::ptrace::Info;
use crate::catalog::of_number;

/// A system call that tells the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Call {
    Gettime,
    /// A 32-bit program's `clock_gettime` with 64 bits of seconds.
    Gettime64,
    Gettimeofday,
    Time,
    Getrusage,
    Times,
}

const CALLS: [Call; 6] = [Call::Gettime, Call::Gettime64, Call::Gettimeofday, Call::Time, Call::Getrusage, Call::Times];
const NONE: u64 = u64::MAX;

/// Their numbers by what audit(7) calls the CPU (linux/audit.h, asm/unistd.h).
const NUMBERS: [(u32, [u64; 6]); 8] = [
    // x86-64, i386
    (0xc000_003e, [228, NONE, 96, 201, 98, 100]),
    (0x4000_0003, [265, 403, 78, 13, 77, 43]),
    // AArch64, ARM
    (0xc000_00b7, [113, NONE, 169, NONE, 165, 153]),
    (0x4000_0028, [263, 403, 78, NONE, 77, 43]),
    // RISC-V, LoongArch
    (0xc000_00f3, [113, NONE, 169, NONE, 165, 153]),
    (0xc000_0102, [113, NONE, 169, NONE, 165, 153]),
    // PowerPC, S/390
    (0xc000_0015, [246, NONE, 78, 13, 77, 43]),
    (0x8000_0016, [260, NONE, 78, NONE, 77, 43]),
];

/// Whether the numbers of that CPU's system calls are known.
pub(super) fn is_known(arch: u32) -> bool {
    NUMBERS.iter().any(|row| row.0 == arch)
}

/// A call that tells the time, as a thread entered it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entered {
    call: Call,
    /// Which clock, or whose time.
    which: i32,
    /// Where it writes.
    to: u64,
    /// Bytes of a field of what it writes.
    field: usize,
}

/// What a value is of: the call, the clock that it was asked for, and the field of what it wrote.
pub(super) type Source = (Call, i32, &'static str);

impl Entered {
    pub(super) fn new(info: &Info, number: u64, [first, second]: [u64; 2]) -> Option<Self> {
        let (_, numbers) = NUMBERS.iter().find(|row| row.0 == info.arch)?;
        let call = *CALLS.iter().zip(numbers).find(|(_, known)| **known == number)?.0;
        let (which, to) = match call {
            Call::Gettime | Call::Gettime64 | Call::Getrusage => (first as i32, second),
            Call::Gettimeofday | Call::Times => (0, first),
            Call::Time => (0, 0),
        };
        let field = if call == Call::Gettime64 { 8 } else { info.word() };
        Some(Self { call, which, to, field })
    }

    /// Hands what the call told to `tell`, ns, by what it returned and what it wrote; `peek` reads that.
    pub(super) fn told(
        &self,
        returned: i64,
        peek: impl FnOnce(u64, &mut [u8]) -> io::Result<()>,
        mut tell: impl FnMut(Source, i64),
    ) {
        const S: i64 = 1_000_000_000;
        const US: i64 = 1000;
        let mut bytes = [0; 32];
        let count = match self.call {
            Call::Gettime | Call::Gettime64 | Call::Gettimeofday => 2,
            Call::Time => 0,
            Call::Getrusage | Call::Times => 4,
        };
        let wrote = count > 0 && self.to != 0 && peek(self.to, &mut bytes[..count * self.field]).is_ok();
        let field = |at: usize| match self.field {
            4 => i64::from(i32::from_ne_bytes(word(&bytes, at))),
            _ => i64::from_ne_bytes(word(&bytes, at)),
        };
        let mut tell = |part, ns| tell((self.call, self.which, part), ns);
        let sum = |s: i64, rest: i64, unit: i64| s.wrapping_mul(S).wrapping_add(rest.wrapping_mul(unit));
        match self.call {
            Call::Gettime | Call::Gettime64 if wrote => tell("", sum(field(0), field(1), 1)),
            Call::Gettimeofday if wrote => tell("", sum(field(0), field(1), US)),
            Call::Time => tell("", returned.wrapping_mul(S)),
            Call::Getrusage if wrote => {
                let (user, system) = (sum(field(0), field(1), US), sum(field(2), field(3), US));
                tell(": ru_utime + ru_stime", user.wrapping_add(system));
                tell(": ru_utime", user);
                tell(": ru_stime", system);
            }
            Call::Times => {
                let tick = tick_ns();
                tell("", returned.wrapping_mul(tick));
                if wrote {
                    let (user, system) = (field(0).wrapping_mul(tick), field(1).wrapping_mul(tick));
                    tell(": tms_utime + tms_stime", user.wrapping_add(system));
                    tell(": tms_utime", user);
                    tell(": tms_stime", system);
                }
            }
            _ => {}
        }
    }
}

/// The bytes of a field.
fn word<const N: usize>(bytes: &[u8; 32], at: usize) -> [u8; N] {
    bytes.as_chunks().0.get(at).copied().unwrap_or([0; N])
}

/// What `times` counts in, ns.
fn tick_ns() -> i64 {
    // SAFETY: sysconf only returns a number.
    let hz = unsafe { libc::sysconf(libc::_SC_CLK_TCK) };
    (1e9 / hz.max(1) as f64) as i64
}

/// The clock's id and the call, for people.
pub(super) fn name((call, which, part): Source) -> (String, String) {
    let (clock, call) = match call {
        Call::Gettime | Call::Gettime64 => {
            let (clock, name) = clock(which);
            (clock, format!("clock_gettime({name})"))
        }
        Call::Gettimeofday => ("gettimeofday".into(), "gettimeofday()".into()),
        Call::Time => ("time".into(), "time()".into()),
        Call::Getrusage => {
            let whose = match which {
                libc::RUSAGE_SELF => "RUSAGE_SELF",
                libc::RUSAGE_THREAD => "RUSAGE_THREAD",
                _ => "RUSAGE_CHILDREN",
            };
            ("getrusage".into(), format!("getrusage({whose})"))
        }
        Call::Times => ("times".into(), "times()".into()),
    };
    (clock, call + part)
}

/// Id and name of a clock of `clock_gettime`.
fn clock(which: i32) -> (String, String) {
    // A negative one is made of a process, a thread or a file (linux/posix-timers_types.h).
    const THREAD: i32 = 4;
    const KIND: i32 = 3;
    const CPU_TIME: i32 = 2;
    const FILE: i32 = 3;
    match (of_number(which), which & KIND) {
        (Some((id, name)), _) => (id.into(), name.into()),
        (None, CPU_TIME) if which < 0 && which & THREAD != 0 => {
            ("thread-cputime".into(), "a thread's CPU clock".into())
        }
        (None, CPU_TIME) if which < 0 => ("process-cputime".into(), "a process's CPU clock".into()),
        (None, FILE) if which < 0 => ("ptp".into(), "a device's clock".into()),
        (None, _) => (format!("clock-{which}"), which.to_string()),
    }
}
