//! The schemas of what the program prints as JSON: a file under docs/ each, made of its type.

use std::io::Read;

use clockscope_analysis::record::{
    CheckReport, CompareReport, Deltas, Diagnosis, FrequencyReport, InterruptionReport, MonitorReport, MonitorRow,
    Record, RuntimesReport, Samples, SkewReport, SpanReport, Sweep, ThreadsReport, TimerReport,
};
use flate2::read::ZlibDecoder;
use schemars::{Schema, schema_for};

/// Makes the list of results; `docs/NAME.schema.json` is the schema of each.
macro_rules! schemas {
    ($($(#[doc = $doc:literal])* $file:literal: $name:ident = $result:ty,)*) => {
        /// What there is a schema of.
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
        pub enum Of {
            /// The survey
            #[default]
            Record,
            $($(#[doc = $doc])* $name,)*
            /// The tables of `export`
            Tables,
        }

        impl Of {
            /// Each result that has a type, with its name.
            pub const ALL: &[(Self, &str)] = &[(Self::Record, "record"), $((Self::$name, $file),)*];

            /// The schema as it stands under docs/.
            pub fn text(self) -> String {
                inflated(match self {
                    Self::Tables => include_bytes!(concat!(env!("OUT_DIR"), "/tables.schema.json")),
                    Self::Record => include_bytes!(concat!(env!("OUT_DIR"), "/record.schema.json")),
                    $(Self::$name => include_bytes!(concat!(env!("OUT_DIR"), "/", $file, ".schema.json")),)*
                })
            }

            /// The schema as the type has it; `None` for tables, which are rows of several.
            pub fn of_type(self) -> Option<Schema> {
                match self {
                    Self::Record => Some(schema_for!(Record)),
                    $(Self::$name => Some(schema_for!($result)),)*
                    Self::Tables => None,
                }
            }
        }
    };
}

schemas! {
    /// `skew`
    "skew": Skew = SkewReport,
    /// `span`
    "span": Span = SpanReport,
    /// `frequency`
    "frequency": Frequency = FrequencyReport,
    /// `threads`
    "threads": Threads = ThreadsReport,
    /// `monitor`
    "monitor": Monitor = MonitorReport,
    /// A line of `monitor --format jsonl` but the last
    "monitor-line": MonitorLine = MonitorRow,
    /// `deltas`
    "deltas": Deltas = Deltas,
    /// `interruptions`
    "interruptions": Interruptions = InterruptionReport,
    /// `timers`
    "timers": Timers = TimerReport,
    /// `runtimes`
    "runtimes": Runtimes = RuntimesReport,
    /// `analyze` of samples
    "samples": Samples = Samples,
    /// `sweep`
    "sweep": Sweep = Sweep,
    /// `compare`
    "compare": Compare = CompareReport,
    /// `doctor`
    "doctor": Doctor = Diagnosis,
    /// `check`
    "check": Check = CheckReport,
}

/// What the build deflated; that it comes back as it stands under docs/, the tests tell.
pub(crate) fn inflated(deflated: &[u8]) -> String {
    let mut text = String::new();
    let read = ZlibDecoder::new(deflated).read_to_string(&mut text);
    debug_assert!(read.is_ok(), "{read:?}");
    text
}
