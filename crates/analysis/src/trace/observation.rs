//! One thing that was seen.

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::machine::Ntp;
use super::{Absences, Bracketed, Empties, Exchange, Pairs, Row, Singles, SleepFacts, Sleeps, Stamp, Timed, Vigil};

/// What was seen, in the order in which it was. A clock is its place in the header.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Observation<'a> {
    /// Reads in a row.
    Row(Cow<'a, Row>),
    /// Single reads.
    Singles(Cow<'a, Singles>),
    /// The reader stood still.
    Gap(Gap),
    /// A clock between two reads of the reference.
    Beside(Beside),
    /// The kernel's clocks beside each other.
    Look(Look),
    /// A look at all clocks begins that are watched.
    Polled(Box<Polled>),
    /// What two CPUs found of each other's readings of a clock.
    Exchange(Played),
    /// The end of a clock's comparison between CPUs.
    Compared(Compared),
    /// Chains of known length, timed by a clock.
    Timed(Cow<'a, Timed>),
    /// Start-stop pairs with nothing in between.
    Empties(Cow<'a, Empties>),
    /// A CPU that is watched was taken away.
    Absences(Cow<'a, Absences>),
    /// The end of a CPU's watch.
    Vigil(Cow<'a, Vigil>),
    /// What is known of sleeping here before anything sleeps.
    SleepFacts(Cow<'a, SleepFacts>),
    /// One turn of all ways to sleep.
    Sleeps(Cow<'a, Sleeps>),
    /// What one of the threads saw that read a clock at once.
    Pairs(Cow<'a, Pairs>),
    /// The kernel was found to use another clocksource.
    Clocksource(ClocksourceChange),
    /// The hypervisor disrupted the counter.
    Disrupted(Disruption),
    /// What a person should know of the run.
    Note(Cow<'a, str>),
    /// All that a clock's quantum rests on has been read.
    Turn(usize),
    /// A phase is over: ticks and rates are reckoned anew from what was seen so far.
    Settle,
    /// The run is over.
    End(Box<End>),
}

/// The reader stood still between two stamps of the clock's witness.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gap {
    /// The clock that was being read.
    pub clock: usize,
    /// The last stamp before.
    pub from: Stamp,
    /// The first stamp after.
    pub to: Stamp,
    /// Why, as far as it could be seen.
    pub cause: String,
    /// Whether it stands between two lots of reads; else it is the one that ended the lot before it.
    pub between_lots: bool,
}

/// A clock between two reads of the reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Beside {
    /// The clock.
    pub clock: usize,
    /// Its reading, bracketed by the reference.
    pub reading: Bracketed,
}

/// The kernel's clocks, each bracketed by another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Look {
    /// The run's witness.
    pub witness: u64,
    /// The kernel's clock.
    pub kernel: Option<u64>,
    /// The kernel's clock, bracketed by the witness, if that is another one.
    #[serde(default)]
    pub beside: Option<Bracketed>,
    /// The wall clock, bracketed by the clock that counts sleep, or where there is none by the monotonic one.
    pub wall: Option<Bracketed>,
    /// The clock that counts sleep, bracketed by the monotonic one.
    pub boottime: Option<Bracketed>,
}

/// A look at all clocks that are watched begins: one each interval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Polled {
    /// Which interval it is, from 0; a number that is left out is a look that was missed.
    pub number: u64,
    /// The interval, ns.
    pub every_ns: u64,
    /// How late it began, ns, by the kernel's clock.
    pub late_ns: u64,
    /// The kernel's clock discipline, or why it can't be told; `None`: as it was, but for its maximum error.
    pub ntp: Option<Result<Ntp, String>>,
}

/// How far apart two CPUs lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Distance {
    /// Two threads of one core.
    SameCore,
    /// Two cores of one package (socket).
    SamePackage,
    /// Two packages.
    OtherPackage,
}

/// What two CPUs did with a clock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Played {
    /// The first CPU.
    pub cpu_a: u32,
    /// The second one.
    pub cpu_b: u32,
    /// How far apart they lie, if that is known.
    pub distance: Option<Distance>,
    /// What they found, or why they found nothing.
    pub found: Result<Exchange, String>,
}

/// One clock's comparison between CPUs, its exchanges standing before it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compared {
    /// The clock.
    pub clock: usize,
    /// The CPUs that took part; the first one is the origin of offsets.
    pub cpus: Vec<u32>,
    /// CPUs that could not, with the reason.
    pub lost: BTreeMap<u32, String>,
}

/// The kernel was found to use another clocksource than before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClocksourceChange {
    /// The one before.
    pub from: String,
    /// The one from now on.
    pub to: String,
    /// The witness when the old one was last seen.
    pub since: u64,
    /// The witness when the new one was first seen.
    pub at: u64,
}

/// The VMClock's disruption marker was found to be another one than before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Disruption {
    /// The marker from now on.
    pub marker: u64,
    /// The witness when the old one was last seen.
    pub since: u64,
    /// The witness when the new one was first seen.
    pub at: u64,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct End {
    /// Time that the run took, ns.
    pub elapsed_ns: f64,
    /// Whether it was stopped before its end.
    pub interrupted: bool,
    /// The kernel's clock discipline, or why it can't be told.
    pub ntp: Result<Ntp, String>,
    /// CPU time that the hypervisor took, as a share of the run's CPU time.
    pub steal_share: Option<f64>,
}
