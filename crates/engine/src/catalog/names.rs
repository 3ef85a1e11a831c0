//! The names that people type for a clock: its id, the name of the call or instruction in C, and what other languages and
//! systems call theirs.

use clockscope_analysis::text::nearest;

use super::posix;

/// Other names for an id on this system, folded; beside the rules in [`here`].
const HERE: [(&str, &[&str]); 7] = [
    ("tsc", &["rdtsc"]),
    ("tscp", &["rdtscp"]),
    ("monotonic", &["clock-gettime"]),
    ("timespec_get", &["timespec-get"]),
    ("cntvct", &["cntvct-el0", "arch-sys-counter"]),
    ("cntvctss", &["cntvctss-el0"]),
    ("kvm-pvclock", &["kvm-clock"]),
];

/// A clock's id, a remark, and the names, folded, that mean this clock.
type Row = (&'static str, &'static str, &'static [&'static str]);

/// What the languages' own clocks read on Linux, by their sources: Rust, C++, Java, .NET, Python, JavaScript (Node.js),
/// Go, PHP. A name with a dot is one that would mean something else without what stands before it.
const LANGUAGES: [Row; 8] = [
    (
        "monotonic",
        "",
        &[
            "instant",
            "steady-clock",
            "nanotime",
            "stopwatch",
            "stopwatch.gettimestamp",
            "stopwatch.startnew",
            "perf-counter",
            "perf-counter-ns",
            "time.monotonic",
            "monotonic-ns",
            "performance.now",
            "hrtime",
            "hrtime.bigint",
            "uv-hrtime",
            "time.since",
        ],
    ),
    ("monotonic", ", with CLOCK_REALTIME beside it", &["time.now"]),
    (
        "realtime",
        "",
        &[
            "systemtime",
            "system-clock",
            "time.time",
            "time-ns",
            "currenttimemillis",
            "instant.now",
            "datetime.now",
            "datetime.utcnow",
            "datetimeoffset.now",
            "datetimeoffset.utcnow",
        ],
    ),
    ("realtime", " with GCC's library, and CLOCK_MONOTONIC with LLVM's", &["high-resolution-clock"]),
    ("gettimeofday", "", &["date.now", "microtime"]),
    ("monotonic-coarse", "", &["environment.tickcount", "environment.tickcount64"]),
    ("process-cputime", "", &["process-time", "process-time-ns"]),
    ("thread-cputime", "", &["thread-time", "thread-time-ns"]),
];

/// The same for people who ask what reads a clock.
const READERS: [(&str, &[&str]); 6] = [
    (
        "monotonic",
        &[
            "C++ steady_clock",
            "Go time.Since",
            "Java System.nanoTime",
            ".NET Stopwatch",
            "Node.js process.hrtime and performance.now",
            "PHP hrtime",
            "Python time.perf_counter and time.monotonic",
            "Rust Instant",
        ],
    ),
    (
        "realtime",
        &[
            "C++ system_clock",
            "Java System.currentTimeMillis and java.time.Instant.now",
            ".NET DateTime.UtcNow",
            "Python time.time",
            "Rust SystemTime",
        ],
    ),
    ("gettimeofday", &["JavaScript Date.now", "PHP microtime"]),
    ("monotonic-coarse", &[".NET Environment.TickCount64"]),
    ("process-cputime", &["Python time.process_time"]),
    ("thread-cputime", &["Python time.thread_time"]),
];

/// What other languages' programs call the clock of that id by on this system; empty where none is known to read it.
pub fn readers(id: &str) -> &'static [&'static str] {
    READERS.iter().find(|(of, _)| *of == id).map_or(&[], |(_, names)| names)
}

/// Clocks of Windows, macOS, FreeBSD and Solaris: the one here that serves the same end.
const SYSTEMS: [Row; 5] = [
    (
        "monotonic",
        "",
        &[
            "queryperformancecounter",
            "qpc",
            "queryunbiasedinterrupttimeprecise",
            "mach-absolute-time",
            "clock-uptime",
            "clock-uptime-raw",
            "clock-uptime-precise",
            "clock-monotonic-precise",
            "gethrtime",
        ],
    ),
    (
        "monotonic-coarse",
        "",
        &[
            "gettickcount",
            "gettickcount64",
            "timegettime",
            "queryunbiasedinterrupttime",
            "clock-uptime-fast",
            "clock-uptime-raw-approx",
            "clock-monotonic-fast",
        ],
    ),
    ("boottime", "", &["mach-continuous-time", "queryinterrupttime", "queryinterrupttimeprecise"]),
    ("realtime", "", &["getsystemtimepreciseasfiletime", "clock-realtime-precise"]),
    ("realtime-coarse", "", &["getsystemtimeasfiletime", "clock-realtime-fast"]),
];

/// What a name means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Meaning {
    /// The id. Whether the catalog has a clock of that id is not known here.
    pub id: String,
    /// A sentence for whoever typed the name of another language's or system's clock; `None` for a name of this one.
    pub note: Option<String>,
}

/// What a name means that somebody typed; without a meaning of its own it is taken as an id. Case does not count, nor
/// whether it has hyphens or underscores. A forced way of reading may follow, as in `CLOCK_MONOTONIC@vdso`.
pub fn meaning(typed: &str) -> Meaning {
    let folded = typed.trim().to_lowercase().replace('_', "-");
    let (name, way) = folded.find('@').map_or((&*folded, ""), |at| folded.split_at(at));
    // A call's name stands before its arguments; of this one the first argument is the clock.
    let argument = name.strip_prefix("clock-gettime(").filter(|rest| *rest != ")");
    let name = argument.unwrap_or(name).split(['(', ',', ')']).next().unwrap_or(name).trim_matches('-');
    let call = |id: &str| posix::call(id).unwrap_or_else(|| format!("{id}()"));
    let (id, what) = if let Some((id, remark, _)) = of_language(name) {
        (*id, Some(format!("is {} here{remark}", call(id))))
    } else if let Some((id, ..)) = row(&SYSTEMS, name) {
        (*id, Some(format!("is another system's; the nearest here is {}", call(id))))
    } else {
        (here(name), None)
    };
    let id = format!("{id}{way}");
    let note = what.map(|what| format!("'{}' {what}: taking {id}", typed.trim()));
    Meaning { id, note }
}

/// That a name means no clock, with the names that are near.
pub fn unknown<'a>(typed: &str, ids: impl IntoIterator<Item = &'a str>) -> String {
    let meant = meaning(typed).id;
    let mut hint = nearest::hint(&meant, ids);
    if hint.is_empty() {
        hint = nearest::hint(&meant, rows().flat_map(|(_, _, names)| *names).copied());
    }
    format!("no clock is called '{typed}'{hint} (`clockscope list` shows all of them)")
}

fn rows() -> impl Iterator<Item = &'static Row> {
    LANGUAGES.iter().chain(&SYSTEMS)
}

fn row(rows: &'static [Row], name: &str) -> Option<&'static Row> {
    rows.iter().find(|(_, _, names)| names.contains(&name))
}

/// The row of a name that may have its module or class before it, and Rust's and C++'s `::now` behind it.
fn of_language(name: &str) -> Option<&'static Row> {
    let mut rest = name.strip_suffix("::now").unwrap_or(name);
    loop {
        if let Some(found) = row(&LANGUAGES, rest) {
            return Some(found);
        }
        rest = rest.split_once(['.', ':'])?.1.trim_start_matches(':');
    }
}

/// The id that a folded name of this system means. A clock of POSIX has its C name's words: `CLOCK_THREAD_CPUTIME_ID` is
/// `thread-cputime`.
fn here(name: &str) -> &str {
    if let Some((id, _)) = HERE.iter().find(|(_, names)| names.contains(&name)) {
        return id;
    }
    if let Some(id) = posix::aux(name) {
        return id;
    }
    name.strip_prefix("clock-").map_or(name, |posix| posix.strip_suffix("-id").unwrap_or(posix))
}

#[cfg(test)]
mod tests;
