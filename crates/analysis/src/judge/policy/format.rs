//! The policy as it is written. docs/check.md tells all of it.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::asked::{Any, Few, Flag, Kernel, Least, Limit, OneOf, Undecided, Vocabulary};
use super::date::Date;
use super::denied::{Code, Denied};
use crate::text::nearest;

/// The policy's schema and version; a change that would read an old policy otherwise raises the number.
pub const POLICY_SCHEMA: &str = "clockscope-policy/1";

/// What a record is to meet.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    /// Which version of the format it is of.
    #[serde(rename = "schema")]
    _schema: Schema,
    /// What it calls itself.
    pub(super) title: Option<String>,
    /// What undecided comes to where a requirement says nothing else.
    #[serde(default)]
    pub(super) undecided: Undecided,
    /// Findings that are not to be there.
    #[serde(default)]
    pub(super) deny: Vec<Denied>,
    /// Findings that may be there for a while all the same.
    #[serde(default)]
    pub(super) waive: Vec<Waiver>,
    /// What the machine is to be.
    #[serde(default)]
    pub(super) machine: MachineAsked,
    /// How the run is to have gone.
    #[serde(default)]
    pub(super) run: RunAsked,
    /// What the clocks are to be, by their ids.
    #[serde(default)]
    pub(super) clocks: BTreeMap<String, ClockAsked>,
    /// How clocks are to agree from CPU to CPU, by their ids.
    #[serde(default)]
    pub(super) skew: BTreeMap<String, SkewAsked>,
}

/// A finding that is let pass up to a day.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Waiver {
    pub(super) finding: Code,
    pub(super) reason: Reason,
    /// The last day on which it holds.
    pub(super) until: Date,
}

/// Why something is let pass.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct Reason(pub(super) String);

impl TryFrom<String> for Reason {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let text = text.trim();
        if text.is_empty() { Err("a waiver needs a reason".into()) } else { Ok(Self(text.into())) }
    }
}

/// The version, which can only be the one that is known here.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(try_from = "String")]
struct Schema;

impl TryFrom<String> for Schema {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        match text.strip_prefix("clockscope-policy/") {
            Some("1") => Ok(Self),
            Some(_) => Err(format!("'{text}' is of another version; this program knows {POLICY_SCHEMA}")),
            None => Err(format!("'{text}' is no policy's schema; it is {POLICY_SCHEMA}")),
        }
    }
}

/// Makes a vocabulary.
macro_rules! words {
    ($($(#[$doc:meta])* $name:ident: $($word:literal)*;)*) => {
        $($(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq)]
        pub(super) struct $name;

        impl Vocabulary for $name {
            const WORDS: &'static [&'static str] = &[$($word),*];
        })*
    };
}

words! {
    /// Ways that a read takes, as the record names them.
    Paths: "instruction" "vdso" "libc" "library" "syscall" "mmio" "port" "ioctl" "page";
    /// Generations of the TSC, as the record names them.
    Generations: "variant" "constant" "invariant" "unknown";
}

#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MachineAsked {
    pub(super) os: Option<OneOf<Any>>,
    pub(super) arch: Option<OneOf<Any>>,
    pub(super) kernel: Option<Kernel>,
    pub(super) cpu_vendor: Option<OneOf<Any>>,
    pub(super) cpus: Option<Least>,
    pub(super) guest: Option<Flag>,
    pub(super) hypervisor: Option<OneOf<Any>>,
    pub(super) container: Option<OneOf<Any>>,
    pub(super) clocksource: Option<OneOf<Any>>,
    pub(super) clocksource_available: Option<OneOf<Any>>,
    pub(super) runs_on_tsc: Option<Flag>,
    pub(super) tsc: Option<OneOf<Generations>>,
    pub(super) tsc_watchdog: Option<Flag>,
    pub(super) governor: Option<OneOf<Any>>,
    pub(super) synchronised: Option<Flag>,
    pub(super) max_error_ns: Option<Limit>,
}

#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RunAsked {
    pub(super) standstill_share: Option<Limit>,
    pub(super) steal_share: Option<Limit>,
}

#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ClockAsked {
    pub(super) readable: Option<Flag>,
    pub(super) path: Option<OneOf<Paths>>,
    pub(super) cost_ns: Option<Limit>,
    pub(super) p99_ns: Option<Limit>,
    #[serde(alias = "quantum_ns")]
    pub(super) resolution_ns: Option<Limit>,
    pub(super) faults: Option<Few>,
    pub(super) rate_ppm: Option<Limit>,
    #[serde(default)]
    pub(super) span_ns: SpanAsked,
}

#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_field_names, reason = "the record's names")]
pub(super) struct SpanAsked {
    pub(super) within_10_percent: Option<Limit>,
    pub(super) within_1_percent: Option<Limit>,
    pub(super) within_0_1_percent: Option<Limit>,
}

#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SkewAsked {
    pub(super) agree: Option<Flag>,
    pub(super) offset_ns: Option<Limit>,
    pub(super) steps_back: Option<Few>,
}

impl Policy {
    /// What makes it no policy although it is written like one: it asks for nothing at all, or nothing of a clock.
    ///
    /// # Errors
    /// A sentence that says so.
    pub fn fault(&self) -> Result<(), String> {
        let empty_clock = self.clocks.iter().find(|(_, asked)| **asked == ClockAsked::default());
        let empty_skew = self.skew.iter().find(|(_, asked)| **asked == SkewAsked::default());
        let empty = empty_clock.map(|(id, _)| format!("clocks.{id}"));
        if let Some(table) = empty.or_else(|| empty_skew.map(|(id, _)| format!("skew.{id}"))) {
            return Err(format!("[{table}] asks for nothing; `readable = true` asks that there is such a clock"));
        }
        let asks = !self.deny.is_empty()
            || self.machine != MachineAsked::default()
            || self.run != RunAsked::default()
            || !self.clocks.is_empty()
            || !self.skew.is_empty();
        if asks { Ok(()) } else { Err("it asks for nothing, so that every machine would pass".into()) }
    }

    /// Has clocks go by the ids that `id` gives for the names that were written.
    ///
    /// # Errors
    /// The two names that mean one clock.
    pub fn name_clocks(&mut self, id: impl Fn(&str) -> String) -> Result<(), String> {
        self.clocks = named(std::mem::take(&mut self.clocks), &id)?;
        self.skew = named(std::mem::take(&mut self.skew), &id)?;
        Ok(())
    }

    /// What it calls itself.
    pub fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }

    /// The ids of the clocks that it asks for.
    pub fn clocks(&self) -> impl Iterator<Item = &str> {
        self.clocks.keys().chain(self.skew.keys()).map(String::as_str)
    }
}

fn named<T>(asked: BTreeMap<String, T>, id: impl Fn(&str) -> String) -> Result<BTreeMap<String, T>, String> {
    let mut by_id = BTreeMap::new();
    for (name, what) in asked {
        let id = id(&name);
        if by_id.insert(id.clone(), what).is_some() {
            return Err(format!("'{name}' is {id} by another name, which is asked for as well"));
        }
    }
    Ok(by_id)
}

impl Policy {
    /// The nearest known key or word to the one that a reader's message says is unknown: `; did you mean cost_ns?`, or
    /// nothing where the message says something else.
    pub fn hint(message: &str) -> String {
        if !["unknown field", "unknown variant"].iter().any(|unknown| message.starts_with(unknown)) {
            return String::new();
        }
        // What stands between backticks: the wrong one, and after it those that are known.
        let mut quoted = message.split('`').skip(1).step_by(2);
        quoted.next().map_or_else(String::new, |wrong| nearest::hint(wrong, quoted))
    }
}
