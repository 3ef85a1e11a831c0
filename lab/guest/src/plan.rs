//! What a guest is to do: the part of a scenario that goes into the guest, as `/plan.json`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Where the plan lies in the guest's file system.
pub const PLAN: &str = "/plan.json";
/// The disk that frames go to.
pub const DISK: &str = "/dev/vda";
/// Where the program lies.
pub const PROGRAM: &str = "/clockscope";
/// Where Debian's chronyd lies, if it is there.
pub const CHRONYD: &str = "/chronyd/chronyd";
/// The loader that starts it.
pub const CHRONYD_LOADER: &str = "/chronyd/loader";
/// The libraries that it needs.
pub const CHRONYD_LIBRARIES: &str = "/chronyd/lib";

/// What a guest says on its console as its program starts.
pub const STARTS: &str = "lab: the program starts";

/// All that a guest does, in the order of the fields.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Kernel modules to load, by their paths in the guest, in this order.
    pub modules: Vec<String>,
    /// Another guest inside this one: then nothing below is done, and what it wrote is passed on.
    pub inner: Option<Inner>,
    /// Whether a person sits at the console: then there is a prompt instead of the program.
    pub interactive: bool,
    /// The program's environment, beside what the kernel gives process 1.
    pub environment: BTreeMap<String, String>,
    /// The scenario's part.
    pub guest: Guest,
}

/// A guest inside the guest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Inner {
    /// The emulator and its arguments; its console and its frames go to the two files.
    pub command: Vec<String>,
    /// Where its console goes.
    pub console: String,
    /// The file behind the disk that its frames go to.
    pub disk: String,
    /// It is ended after this long, s.
    pub limit_s: f64,
}

/// What happens inside, as a scenario's `[guest]` says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Guest {
    /// Wait until the kernel uses this clocksource before anything else happens, 30 s at most.
    pub await_clocksource: Option<String>,
    /// Wait as well until the kernel offers this one, whether it uses it or not.
    pub await_offer: Option<String>,
    /// What the program finds mounted.
    pub mounts: Vec<Mount>,
    /// System calls of one kind that fail for the program.
    pub deny: Option<Deny>,
    /// The program's arguments; `None`: only the faults happen.
    pub program: Option<Vec<String>>,
    /// The arguments of a second run of the program, after the first; `then` in the paths of expectations is what it writes.
    pub then: Option<Vec<String>>,
    /// Language runtimes that are there with their probes, built on the host. Their names are the last arguments of the first run.
    pub runtimes: Vec<String>,
    /// The program writes its trace too, and the host makes the record anew from it: clocks, findings and verdict must
    /// be equal, byte for byte.
    pub replay: bool,
    /// By how much UTC is ahead of CLOCK_REALTIME as the program starts, ns. From then on it goes as CLOCK_MONOTONIC_RAW,
    /// which nobody slews.
    pub utc_ahead_ns: Option<i64>,
    /// Debian's chronyd keeps the clock by that UTC.
    pub chronyd: Option<Chronyd>,
    /// Compare truetick with the kernel's clock while everything else happens; and its wall clock with UTC, where that is
    /// said.
    pub truetick: Option<Watch>,
    /// What is done to the machine.
    pub faults: Vec<Fault>,
}

impl Default for Guest {
    fn default() -> Self {
        let mounts = vec![Mount::Proc, Mount::Sys, Mount::Dev];
        let program = Some(Vec::new());
        Self {
            await_clocksource: None,
            await_offer: None,
            mounts,
            deny: None,
            program,
            then: None,
            runtimes: Vec::new(),
            replay: false,
            utc_ahead_ns: None,
            chronyd: None,
            truetick: None,
            faults: Vec::new(),
        }
    }
}

/// File systems of the kernel's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mount {
    /// /proc
    Proc,
    /// /sys
    Sys,
    /// /dev
    Dev,
}

impl Mount {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Proc, Self::Sys, Self::Dev];

    /// The file system's type and where it goes.
    pub fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Proc => ("proc", "/proc"),
            Self::Sys => ("sysfs", "/sys"),
            Self::Dev => ("devtmpfs", "/dev"),
        }
    }
}

/// A filter (seccomp) that the program runs under.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Deny {
    /// `clock_gettime` fails with EPERM, whatever the clock.
    ClockGettime,
}

/// chronyd at work.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Chronyd {
    /// When it starts, s after the program's start.
    pub at_s: f64,
}

/// How truetick is watched.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Watch {
    /// Pause between two comparisons, ms.
    pub every_ms: f64,
    /// For how long, s, at least; it goes on until the program has ended.
    pub for_s: f64,
}

/// Something that is done to the machine. `at_s`: seconds after the program's start; absent: before it starts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Fault {
    /// CLOCK_REALTIME is set to what it is plus this.
    SetClock {
        /// When.
        at_s: Option<f64>,
        /// By how much, ns.
        by_ns: i64,
    },
    /// The kernel's clock is made to run at another rate (`adjtimex`, ADJ_FREQUENCY: 500 ppm at most).
    SetRate {
        /// When.
        at_s: Option<f64>,
        /// Faster by this, ppm.
        ppm: f64,
    },
    /// The kernel's clock is made to run at another rate by the length of its tick (`adjtimex`, ADJ_TICK: 10 % at most), as
    /// chrony does it.
    SetTick {
        /// When.
        at_s: Option<f64>,
        /// Faster by this, ppm; a multiple of 100.
        ppm: i64,
    },
    /// The kernel is told that its clock is off, for it to remove that bit by bit (`adjtimex`, ADJ_OFFSET: 0.5 s at most),
    /// as systemd-timesyncd does it.
    AdjustOffset {
        /// When.
        at_s: Option<f64>,
        /// Behind by this, ns.
        by_ns: i64,
        /// ADJ_TIMECONST: a second removes one part in 2^(2 + constant).
        constant: i64,
    },
    /// A leap second is inserted: the clock is set to shortly before the end of a UTC day, with STA_INS.
    LeapSecond {
        /// When the clock is set; the second is inserted `after_s` later.
        at_s: Option<f64>,
        /// How long before the end of the day the clock is set, s.
        after_s: f64,
    },
    /// The machine sleeps (ACPI S3) and is woken by its real-time clock.
    Suspend {
        /// When.
        at_s: Option<f64>,
        /// For about this long, s: the alarm has whole seconds.
        for_s: u32,
    },
    /// One CPU's time-stamp counter is set (MSR 10H) to what it is plus this.
    WriteTsc {
        /// When.
        at_s: Option<f64>,
        /// Whose.
        cpu: u32,
        /// By how much, ticks.
        by_ticks: i64,
    },
    /// One CPU's time-stamp counter is made to run at another rate, by adding to its TSC_ADJUST (MSR 3BH) again and again.
    DriftTsc {
        /// When.
        at_s: Option<f64>,
        /// Whose.
        cpu: u32,
        /// Faster by this, ppb.
        ppb: f64,
        /// Pause between two additions, ms.
        every_ms: f64,
        /// For how long, s.
        for_s: f64,
    },
    /// The kernel is told to use another clocksource.
    UseClocksource {
        /// When.
        at_s: Option<f64>,
        /// Which.
        name: String,
    },
    /// A CPU is taken off line.
    CpuOffline {
        /// When.
        at_s: Option<f64>,
        /// Which.
        cpu: u32,
    },
}

impl Fault {
    /// When it happens, s after the program's start; `None`: before.
    pub fn at_s(&self) -> Option<f64> {
        match self {
            Self::SetClock { at_s, .. }
            | Self::SetRate { at_s, .. }
            | Self::SetTick { at_s, .. }
            | Self::AdjustOffset { at_s, .. }
            | Self::LeapSecond { at_s, .. }
            | Self::Suspend { at_s, .. }
            | Self::WriteTsc { at_s, .. }
            | Self::DriftTsc { at_s, .. }
            | Self::UseClocksource { at_s, .. }
            | Self::CpuOffline { at_s, .. } => *at_s,
        }
    }
}
