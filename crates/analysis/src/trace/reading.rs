//! One reading with the witness around it, and the shapes that readings come in: rows and lots of single reads.

use serde::{Deserialize, Serialize};

use super::steps;

/// One bracketed reading: another clock before, the clock, the other clock after, each in its own counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bracketed {
    /// The other clock before.
    pub before: u64,
    /// The clock.
    pub value: u64,
    /// The other clock after.
    pub after: u64,
}

impl Bracketed {
    /// Width of the bracket, in counts of the other clock; negative if that one went back.
    pub fn width(&self) -> i64 {
        self.after.wrapping_sub(self.before) as i64
    }
}

/// One stamp of the witness.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Stamp {
    /// The witness's value, in its own counts.
    pub count: u64,
    /// The CPU that the stamp was taken on, where the witness tells it along with its value.
    pub cpu: Option<u32>,
}

impl Stamp {
    /// Counts passed since `earlier`; negative if the witness went back.
    pub fn since(self, earlier: Stamp) -> i64 {
        self.count.wrapping_sub(earlier.count) as i64
    }
}

/// What a row of reads was made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// To see about how long a read takes.
    Probe,
    /// With random pauses, for the quantum.
    Dithered,
    /// With random pauses, for the quantum of a clock that others are measured by.
    Timer,
    /// To warm up, or for its own sake.
    #[default]
    Plain,
    /// By another program, with varied pauses: nothing is known of when the reads were made.
    Foreign,
    /// The shorter one of a pair of batches: n reads.
    Once,
    /// The longer one: 2n reads.
    Twice,
}

/// Reads in a row between two stamps of the clock's witness.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// The clock's place in the header.
    pub clock: usize,
    /// What it was made for.
    pub role: Role,
    /// The clock's witness before the first read.
    pub before: Stamp,
    /// The same after the last one.
    pub after: Stamp,
    /// Time that the reads took, in counts of the run's witness.
    pub timed: i64,
    /// What was read, in the clock's counts; empty where a read failed, for which ones is not known.
    #[serde(with = "steps")]
    pub values: Vec<u64>,
    /// Reads that returned an error.
    pub failed: u64,
}

/// What single reads were made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Purpose {
    /// To know the clock's rate by its witness.
    #[default]
    Rate,
    /// To know what a count of the run's witness is worth: reads of the reference between stamps of that witness.
    Timebase,
    /// To watch for faults.
    Faults,
}

/// Single reads in a row, each between two stamps of its own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Singles {
    /// The clock's place in the header.
    pub clock: usize,
    /// What they were made for.
    pub purpose: Purpose,
    /// The witness before all of them.
    pub start: Stamp,
    /// The reads that returned a value, oldest first.
    pub reads: Vec<Bracketed>,
    /// Where the CPU changed: the number of reads before, and the CPU from there on.
    pub cpus: Vec<(usize, Option<u32>)>,
    /// Reads that returned an error.
    pub failed: u64,
    /// The gap between two stamps that ended the lot early.
    pub gap: Option<(Stamp, Stamp)>,
    /// The kernel's clock between two stamps of the witness, before the lot and after it.
    pub third: Option<[Bracketed; 2]>,
}

impl Singles {
    /// The reads, each with the CPU that it was made on.
    pub fn with_cpus(&self) -> impl Iterator<Item = (Bracketed, Option<u32>)> {
        let mut changes = self.cpus.iter().peekable();
        let mut cpu = self.start.cpu;
        self.reads.iter().enumerate().map(move |(at, read)| {
            while let Some((_, next)) = changes.next_if(|(from, _)| *from <= at) {
                cpu = *next;
            }
            (*read, cpu)
        })
    }
}
