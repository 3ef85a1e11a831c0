//! The programs: what each reads for what on Linux, by which rule, and where that was read. docs/programs.md tells the same
//! at length.

use crate::record::Program;
use crate::record::Purpose::{self, CoarseStamps, Intervals, WallTime};
use Takes::{Kernel, Library, TimingClockSource};

/// A program.
pub(super) struct Entry {
    /// Its name for people.
    pub(super) title: &'static str,
    /// What it reads; the first is for intervals.
    pub(super) readings: &'static [Reading],
    /// What its users should know on any machine.
    pub(super) notes: &'static [&'static str],
}

/// A call of the program's that tells the time.
pub(super) struct Reading {
    pub(super) api: &'static str,
    /// Versions that read so; empty: all.
    pub(super) versions: &'static str,
    pub(super) purpose: Purpose,
    pub(super) takes: Takes,
    /// Ids of the clocks that it may be, the one preferred first.
    pub(super) ids: &'static [&'static str],
    pub(super) rule: &'static str,
    pub(super) source: &'static str,
    /// What it hands readings out in, ns.
    pub(super) unit_ns: f64,
}

/// How it is decided which clock is read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Takes {
    /// Always the first, by the C library's function.
    Library,
    /// Always the same clock past the C library: by the vDSO's function, by the system call where the vDSO has none. Last
    /// in `ids` stands the ordinary entry, of which both are ways of reading.
    Kernel,
    /// By `timing_clock_source`: the counter by the first's instruction, or else the system's clock.
    TimingClockSource,
}

const fn reading(
    api: &'static str,
    purpose: Purpose,
    (takes, ids): (Takes, &'static [&'static str]),
    unit_ns: f64,
    rule: &'static str,
    source: &'static str,
) -> Reading {
    Reading { api, versions: "", purpose, takes, ids, rule, source, unit_ns }
}

impl Reading {
    const fn of(self, versions: &'static str) -> Self {
        Self { versions, ..self }
    }
}

const MONOTONIC: (Takes, &[&str]) = (Library, &["monotonic"]);
const REALTIME: (Takes, &[&str]) = (Library, &["realtime"]);

const AUTO: &str = "timing_clock_source = auto: the TSC where CPUID has RDTSCP, the invariant TSC and TSC_ADJUST, or the \
                    clocksource is tsc in TSC_ADJUST's place, and its frequency is stated or found within 50 ms; else \
                    CLOCK_MONOTONIC";
const INSTR_TIME: &str = "postgres/postgres, April 2026: src/common/instr_time.c, src/port/pg_cpu_x86.c, \
                          src/include/portability/instr_time.h";

const POSTGRES: Entry = Entry {
    title: "PostgreSQL",
    readings: &[
        reading("EXPLAIN ANALYZE", Intervals, (TimingClockSource, &["tsc", "monotonic"]), 1.0, AUTO, INSTR_TIME)
            .of("19"),
        reading("track_io_timing", Intervals, (TimingClockSource, &["tscp", "monotonic"]), 1.0, AUTO, INSTR_TIME)
            .of("19"),
        reading(
            "pgbench",
            Intervals,
            MONOTONIC,
            1.0,
            "always CLOCK_MONOTONIC: a client program takes the TSC only where it calls pg_set_timing_clock_source",
            INSTR_TIME,
        )
        .of("19"),
        reading(
            "EXPLAIN ANALYZE, track_io_timing",
            Intervals,
            MONOTONIC,
            1.0,
            "always CLOCK_MONOTONIC",
            "postgres/postgres, REL_15 to 18: src/include/portability/instr_time.h",
        )
        .of("up to 18"),
        reading(
            "now(), log lines",
            WallTime,
            (Library, &["gettimeofday"]),
            1000.0,
            "always gettimeofday",
            "postgres/postgres: src/backend/utils/adt/timestamp.c (GetCurrentTimestamp)",
        ),
    ],
    notes: &["Without hands on the server: SHOW timing_clock_source; what each source costs, pg_test_timing tells."],
};

const GO: Entry = Entry {
    title: "Go",
    readings: &[
        reading(
            "time.Since",
            Intervals,
            (Kernel, &["monotonic@vdso", "monotonic@syscall", "monotonic"]),
            1.0,
            "always CLOCK_MONOTONIC, past the C library: the vDSO's clock_gettime, the system call where the vDSO has none",
            "golang/go, 1.17 to 1.26: src/runtime/sys_linux_amd64.s (nanotime1), vdso_linux.go",
        ),
        reading(
            "time.Now",
            WallTime,
            (Kernel, &["realtime@vdso", "realtime@syscall", "realtime"]),
            1.0,
            "CLOCK_REALTIME, and CLOCK_MONOTONIC after it, in the same way",
            "golang/go, 1.17 to 1.26: src/runtime/time_linux_amd64.s",
        ),
    ],
    notes: &["time.Now reads two clocks, so that it costs both; time.Since reads one."],
};

const OS_POSIX: &str = "openjdk/jdk, 17 and later: src/hotspot/os/posix/os_posix.cpp";

const JAVA: Entry = Entry {
    title: "Java",
    readings: &[
        reading("System.nanoTime", Intervals, MONOTONIC, 1.0, "always CLOCK_MONOTONIC", OS_POSIX),
        reading("Instant.now", WallTime, REALTIME, 1.0, "always CLOCK_REALTIME", OS_POSIX),
        reading("System.currentTimeMillis", WallTime, REALTIME, 1e6, "CLOCK_REALTIME, cut to milliseconds", OS_POSIX),
    ],
    notes: &[],
};

const PYTIME: &str = "python/cpython, 3.3 and later: Python/pytime.c";

const PYTHON: Entry = Entry {
    title: "Python",
    readings: &[
        reading("time.perf_counter", Intervals, MONOTONIC, 1.0, "always CLOCK_MONOTONIC", PYTIME),
        reading("time.monotonic", Intervals, MONOTONIC, 1.0, "always CLOCK_MONOTONIC", PYTIME),
        reading("time.time", WallTime, REALTIME, 238.4, "CLOCK_REALTIME, as a float of seconds", PYTIME),
    ],
    notes: &["A float of seconds since 1970 has steps of 238.4 ns; time.time_ns has none of its own."],
};

const DOTNET: Entry = Entry {
    title: ".NET",
    readings: &[
        reading(
            "Stopwatch",
            Intervals,
            MONOTONIC,
            1.0,
            "always CLOCK_MONOTONIC",
            "dotnet/runtime, Core 3.1 and later: src/native/libs/System.Native/pal_time.c, src/native/minipal/time.c",
        ),
        reading(
            "DateTime.UtcNow",
            WallTime,
            REALTIME,
            100.0,
            "CLOCK_REALTIME, cut to 100 ns",
            "dotnet/runtime, 5 and later: src/native/libs/System.Native/pal_datetime.c",
        ),
        reading(
            "Environment.TickCount64",
            CoarseStamps,
            (Library, &["monotonic-coarse"]),
            1e6,
            "CLOCK_MONOTONIC_COARSE, cut to milliseconds",
            "dotnet/runtime: src/native/minipal/time.c",
        ),
    ],
    notes: &[],
};

const UNIX: &str = "rust-lang/rust: library/std/src/sys/time/unix.rs (before: sys/pal/unix/time.rs)";

const RUST_STD: Entry = Entry {
    title: "Rust's std",
    readings: &[
        reading("Instant::now", Intervals, MONOTONIC, 1.0, "always CLOCK_MONOTONIC", UNIX),
        reading("SystemTime::now", WallTime, REALTIME, 1.0, "always CLOCK_REALTIME", UNIX),
    ],
    notes: &[],
};

const TIME_NOW: &str = "chromium/chromium: base/time/time_now_posix.cc";

const CHROMIUM: Entry = Entry {
    title: "Chromium",
    readings: &[
        reading("base::TimeTicks::Now", Intervals, MONOTONIC, 1000.0, "CLOCK_MONOTONIC, cut to microseconds", TIME_NOW),
        reading("base::Time::Now", WallTime, (Library, &["gettimeofday"]), 1000.0, "always gettimeofday", TIME_NOW),
    ],
    notes: &[
        "A page's performance.now is TimeTicks in steps of 100 µs, of 5 µs where the page is cross-origin isolated \
              (headers Cross-Origin-Opener-Policy and Cross-Origin-Embedder-Policy): time_clamper.h in third_party/blink.",
    ],
};

pub(super) const fn of(program: Program) -> &'static Entry {
    match program {
        Program::Postgres => &POSTGRES,
        Program::Go => &GO,
        Program::Java => &JAVA,
        Program::Python => &PYTHON,
        Program::Dotnet => &DOTNET,
        Program::RustStd => &RUST_STD,
        Program::Chromium => &CHROMIUM,
    }
}
