//! The same survey under each of the kernel's clocksources.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Record, Tool};

/// The sweep's schema and version; a change that breaks a reader raises the number.
pub const SWEEP_SCHEMA: &str = "clockscope-sweep/1";

/// One survey a clocksource.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Sweep {
    /// Always `clockscope-sweep/1`.
    pub schema: String,
    /// The program that wrote this.
    pub tool: Tool,
    /// The clocksource that the kernel used before the sweep.
    pub before: String,
    /// The one that it uses after it; `null` where it can't be read any more.
    pub after: Option<String>,
    /// Whether the sweep was stopped before its end (a signal); what had been measured is here.
    pub interrupted: bool,
    /// What went otherwise than planned: a clocksource refused, left by the kernel, or not restored.
    pub notes: Vec<String>,
    /// One entry a clocksource on offer, in the order of measuring.
    pub sources: Vec<SweepSource>,
}

/// What was found under one clocksource.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SweepSource {
    /// The kernel's name for it.
    pub clocksource: String,
    /// The hardware that counts behind it; `null` where this program does not know the name.
    pub timer: Option<String>,
    /// What one count of the clocksource is worth, ns.
    pub tick_ns: Option<TimerTick>,
    /// The clocksource that the kernel was found to use after the survey, where that is another one: the figures
    /// then are of both.
    pub left_for: Option<String>,
    /// The survey; `null` with a reason in `missing` where there is none.
    pub record: Option<Record>,
    /// What could not be obtained and why; keys are field names: `timer`, `tick_ns`, `record`.
    pub missing: BTreeMap<String, String>,
}

/// What a count of a clocksource is worth.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TimerTick {
    /// Its length, ns.
    pub value: f64,
    /// Lower end of the 95 % interval, ns; the value itself where that is stated or defined.
    pub low: f64,
    /// Upper end of it, ns.
    pub high: f64,
    /// Where the value comes from.
    pub source: String,
}
