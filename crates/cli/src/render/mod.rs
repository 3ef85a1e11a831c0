//! Records into something for people or programs.

pub mod check;
pub mod clock_table;
pub mod compare;
pub mod csv;
pub mod deltas;
pub mod findings;
pub mod formats;
pub mod frequency;
pub mod headline;
pub mod html;
pub mod interruptions;
pub mod list;
pub mod live;
pub mod looks;
pub mod markdown;
pub mod monitor;
pub mod page;
pub mod programs;
pub mod prose;
pub mod report;
pub mod runtimes;
pub mod samples;
pub mod skew;
pub mod span;
pub mod survey;
pub mod sweep;
pub mod table;
pub mod threads;
pub mod timers;
pub mod verdict;
pub mod view;

pub use clockscope_analysis::text::number;
pub use formats::{Format, Style};
pub use report::{Catalog, Findings, Report};
pub use view::View;

use clockscope_analysis::record::{Cost, Path, SampledClock};

/// Why no cost is shown where there is one.
const UNCERTAIN: &str = "too uncertain in this run; the JSON has its interval";

/// The cost of a read that the run tells well enough for a figure, of a clock of another program.
fn certain_cost(clock: &SampledClock) -> Option<Cost> {
    clock.cost_ns.filter(|cost| cost.certain().is_some())
}

/// The word by which a record names a value, as in `kebab-case`.
fn word<T: serde::Serialize>(value: T) -> String {
    serde_json::to_value(value).ok().and_then(|value| Some(value.as_str()?.to_owned())).unwrap_or_default()
}

/// With a capital letter.
fn capital(text: &str) -> String {
    let mut text = text.to_owned();
    text.get_mut(..1).into_iter().for_each(str::make_ascii_uppercase);
    text
}

/// The name of a record's field in words: `least_slew_ppm` is `least slew`.
fn words(field: &str) -> String {
    let named = [
        ("measured_hz", "our own frequency"),
        ("lost_share", "the share of the time away"),
        ("interrupts_per_s", "interrupts a second"),
        ("slack_measured_ns", "the slack as measured"),
        ("slack_ns", "timer slack"),
        ("suspended_ns", "time asleep"),
        ("ntp_end", "NTP's state at the end"),
    ];
    if let Some((_, words)) = named.iter().find(|(name, _)| *name == field) {
        return (*words).to_owned();
    }
    let units = ["_ns", "_ppm", "_hz", "_s", "_counts", "_per_s"];
    let bare = units.iter().find_map(|unit| field.strip_suffix(unit)).unwrap_or(field);
    bare.replace('_', " ")
}

/// The path of a read as people call it.
fn path(path: Path) -> &'static str {
    match path {
        Path::Instruction => "instruction",
        Path::Vdso => "vDSO",
        Path::Libc => "C library",
        Path::Library => "library",
        Path::Syscall => "system call",
        Path::Mmio => "device register",
        Path::Port => "I/O port",
        Path::Ioctl => "ioctl",
        Path::Page => "shared page",
    }
}
