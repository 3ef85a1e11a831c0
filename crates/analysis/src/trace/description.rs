//! What is known of a clock before it is read.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A clock as the catalog describes it: all that an analysis may want to know of it. Its id is a name and never taken
/// apart.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
pub struct Description {
    /// Stable id.
    pub id: String,
    /// The exact call.
    pub api: String,
    /// Id of the clock that this is a way of reading; its own id for the usual way. All entries of one base have one
    /// value at one moment.
    pub base: String,
    /// Whether the way of reading is forced, past what a program gets by the ordinary call.
    pub forced: bool,
    /// Whether a read stays in order with the instructions around it.
    pub ordered: bool,
    /// Whether it is there for reading time; false of an alarm's clock.
    pub for_timing: bool,
    /// Whether it is surveyed only where it is asked for: a library's clock, not one of the system's.
    #[serde(default)]
    pub only_asked: bool,
    /// What kind of time it tells.
    pub kind: Kind,
    /// The path that a read takes.
    pub path: Path,
    /// How the path is known.
    pub path_evidence: String,
    /// What it promises.
    pub promises: Promises,
    /// What one count is worth.
    pub unit: Unit,
    /// Who states what a count is worth, if a count is the tick of the device itself. `None`: the unit is the API's,
    /// which a clock of another step may be rounded to.
    pub ticks_by: Option<String>,
    /// What the API claims to resolve, ns.
    pub reported_ns: Option<f64>,
    /// The shared object that serves the call, where that is not the C library.
    pub interposed_by: Option<String>,
}

impl Description {
    /// A clock of which no more is known than its name and what it counts: by the usual way of reading, in order with
    /// the instructions around it, along a path that was not looked at, and without any promise.
    pub fn new(id: &str, api: &str, kind: Kind, unit: Unit) -> Self {
        Self {
            id: id.into(),
            api: api.into(),
            base: id.into(),
            forced: false,
            ordered: true,
            for_timing: true,
            only_asked: false,
            kind,
            path: Path::Libc,
            path_evidence: "not looked at".into(),
            promises: Promises::default(),
            unit,
            ticks_by: None,
            reported_ns: None,
            interposed_by: None,
        }
    }

    /// Whether both are ways of reading one clock.
    pub fn is_same_clock(&self, other: &Self) -> bool {
        self.base == other.base
    }

    /// Whether the kernel computes it anew at each read, from its clocksource, in nanoseconds.
    pub fn is_computed(&self) -> bool {
        matches!(self.kind, Kind::Monotonic | Kind::Boot | Kind::Wall) && self.unit == Unit::Ns(1.0)
    }
}

/// What one count of a clock is worth.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// So many nanoseconds, by the API's definition.
    Ns(f64),
    /// A tick whose length has to be measured.
    Ticks,
}

/// What kind of time a clock tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A bare hardware counter.
    Counter,
    /// Civil time; may be set and may step.
    Wall,
    /// Time since some start, never set.
    Monotonic,
    /// As monotonic, and counts suspend.
    Boot,
    /// CPU time consumed by a thread or a process.
    CpuTime,
    /// A cheap clock that advances with the timer tick.
    Coarse,
    /// A clock of a device.
    Device,
}

impl Kind {
    /// Whether the kernel keeps such clocks, so that they are of its clocksource, or of the timer's ticks.
    pub fn is_kernels(self) -> bool {
        matches!(self, Self::Monotonic | Self::Boot | Self::Wall | Self::Coarse)
    }
}

/// The path that a read takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Path {
    /// A CPU instruction in the caller's own code.
    Instruction,
    /// The kernel's code mapped into the process; no mode switch.
    Vdso,
    /// A library function; what it does beyond that is not known.
    Libc,
    /// A library that is part of the program.
    Library,
    /// A system call.
    Syscall,
    /// Memory-mapped device register.
    Mmio,
    /// I/O port.
    Port,
    /// ioctl on a device file.
    Ioctl,
    /// A page shared with the kernel or the hypervisor.
    Page,
}

/// What a clock promises by its definition (POSIX, clock_gettime(2), the architecture's manual).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts, each with its own name in the record")]
pub struct Promises {
    /// It may be set, so that it steps either way.
    pub may_step: bool,
    /// Its rate follows the kernel's discipline (NTP).
    pub slewed: bool,
    /// It goes on counting while the machine sleeps.
    pub counts_suspend: bool,
    /// Its value belongs to one CPU; other CPUs may differ.
    pub per_cpu: bool,
}
