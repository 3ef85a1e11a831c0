//! The policy that a record would pass, with margins, and the reason beside each line.

use std::fmt::Write;

use super::clocks::resolution;
use super::denied::Denied;
use super::figures::Bounds;
use super::format::POLICY_SCHEMA;
use super::skew::farthest;
use crate::judge::clocksource::Clocksource;
use crate::judge::faults;
use crate::record::{Clock, Finding, Record, Severity, TscGeneration};

/// By how much a cost may exceed the upper end of its interval: runs differ by more than each one's own uncertainty, by the
/// CPU's frequency and by neighbours, and what matters (a system call for a vDSO's read) is tens of times as much.
const COST: f64 = 1.5;
/// The same of a resolution, which is the hardware's and hardly moves.
const RESOLUTION: f64 = 1.1;
/// The same of spans and of offsets between CPUs, which go by costs and by the length of messages.
const REST: f64 = 2.0;
/// What a rate may exceed twice of what was seen by, ppm: temperature moves a crystal by some tens, NTP slews besides.
const RATE_PPM: f64 = 100.0;

/// The text of a policy that this record passes, as TOML.
pub fn init(record: &Record) -> String {
    let mut out = head(record);
    out += &deny(&record.findings, record.run.interrupted);
    out += &machine(record);
    for clock in clocks(record) {
        out += &of_clock(clock);
    }
    for skew in record.skew.iter().filter(|skew| skew.agree == Some(true)) {
        let _ = writeln!(out, "\n# The CPUs were found to agree.\n[skew.{}]\nagree = true", key(&skew.clock));
        if let Some(Bounds { high, .. }) = farthest(skew).filter(|bounds| bounds.high.is_finite()) {
            out += "# Twice the farthest end of all bounds: they go by how long messages take.\n";
            out += &limit("offset_ns", high * REST);
        }
    }
    out
}

fn head(record: &Record) -> String {
    let machine = &record.machine;
    let of = [machine.cpu.model.as_deref(), Some(machine.os.as_str()), machine.kernel.as_deref()];
    let of: Vec<&str> = of.into_iter().flatten().filter(|word| !word.is_empty()).collect();
    let by = plain(&format!("{} {}", record.tool.name, record.tool.version));
    let on = record.run.started.as_deref().map_or_else(String::new, |started| format!(", {started}"));
    format!(
        "# What one machine was found to be, with margins; made of a record by {by}.\n# {}\n\
         # docs/check.md tells the whole format. Take out what does not matter to you.\n\
         schema = \"{POLICY_SCHEMA}\"\n\
         # What can't be shown fails: \"pass\" lets it pass, here or in a requirement.\nundecided = \"fail\"\n",
        plain(&format!("{}{on}", of.join(", "))),
    )
}

/// The mildest severity of which nothing was found. An interrupted run has not looked for all.
fn deny(findings: &[Finding], is_cut: bool) -> String {
    if is_cut {
        return "\n# The run was interrupted, so that no finding is shown to be absent: none is denied.\n".to_owned();
    }
    let is_free = |severity: &Severity| !findings.iter().any(|f| Denied::Severity(*severity).is_about(f));
    let free = [Severity::Warning, Severity::Error].into_iter().find(is_free);
    let there = |f: &&Finding| Denied::Severity(Severity::Warning).is_about(f);
    let mut out = "\n".to_owned();
    for finding in findings.iter().filter(there) {
        let _ = writeln!(out, "# Found here, and so not denied: {}: {}", plain(&finding.code), plain(&finding.title));
    }
    if let Some(free) = free {
        let _ = writeln!(out, "# No finding as severe as this was there.\ndeny = [\"{}\"]", Denied::Severity(free));
    }
    if let Some(finding) = findings.iter().find(there) {
        out += "# To deny these as well, mend them, or let them pass for a while:\n";
        let code = plain(&finding.code);
        let _ = writeln!(out, "# [[waive]]\n# finding = \"{code}\"\n# reason = \"…\"\n# until = 2099-12-31");
    }
    out
}

fn machine(record: &Record) -> String {
    let machine = &record.machine;
    let mut out = String::new();
    let mut say = |name: &str, value: Option<&str>, why: &str| {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            let _ = writeln!(out, "# {why}\n{name} = {}", quoted(value));
        }
    };
    let virtualization = &machine.virtualization;
    let hypervisor = match virtualization.guest {
        Some(true) => virtualization.hypervisor.as_deref(),
        Some(false) => Some("none"),
        None => None,
    };
    let source = machine.clocksource.current.as_deref();
    let is_invariant = machine.tsc.as_ref().is_some_and(|tsc| tsc.generation == TscGeneration::Invariant);
    say("arch", Some(&machine.arch), "Costs and counters are another matter on another architecture.");
    say("hypervisor", hypervisor, "It decides which clocksources there are, and what a read of them costs.");
    say(
        "clocksource",
        source,
        "Behind another one, each read of the kernel's clocks may cost a hundred times as much.",
    );
    say("tsc", is_invariant.then_some("invariant"), "Counts at one rate and never stops.");
    if source.is_some_and(Clocksource::is_tsc) {
        out += "# The kernel's time is the TSC's, with no page of a hypervisor between.\nruns_on_tsc = true\n";
    }
    if out.is_empty() { out } else { format!("\n[machine]\n{out}") }
}

/// Those that the verdict names, and the two that most programs read.
fn clocks(record: &Record) -> Vec<&Clock> {
    let verdict = &record.verdict;
    let named = [verdict.intervals.as_deref(), verdict.wall.as_deref(), verdict.cheap.as_deref()];
    let ids: Vec<&str> = named.into_iter().flatten().chain(["monotonic", "realtime"]).collect();
    record.clocks.iter().filter(|clock| ids.contains(&clock.id.as_str())).collect()
}

fn of_clock(clock: &Clock) -> String {
    let mut out = format!("\n[clocks.{}]\n", key(&clock.id));
    let path = super::clocks::path_word(clock.path);
    let _ = writeln!(out, "# The way that a read takes: where it is lost, so is the cost.\npath = \"{path}\"");
    if let Some((_, high)) = clock.certain_cost().map(|cost| cost.between_runs()).filter(|(_, high)| high.is_finite()) {
        out += "# Half as much again as the upper end of its interval: runs differ.\n";
        out += &limit("cost_ns", high * COST);
    }
    if let Some(Bounds { high, .. }) = resolution(clock).filter(|bounds| bounds.high.is_finite()) {
        out += "# A tenth more than it was, or may have been.\n";
        out += &limit("resolution_ns", high * RESOLUTION);
    }
    let (count, judged) = (faults(clock), clock.reads.saturating_sub(clock.undecided));
    if count > 0 {
        let _ = writeln!(out, "# Faults are not asked about: {count} were seen in {judged} reads.");
    } else if judged > 0 {
        // A tenth of the reads: a shorter run is to be enough, and a run on a busy machine.
        let least = floor(judged as f64 / 10.0).floor().max(1.0);
        out += "# None was seen. Fewer reads than a tenth of those made here show too little.\n";
        let _ = writeln!(out, "faults = {{ at_most = 0, reads_at_least = {least} }}");
    }
    if let Some(rate) = &clock.rate {
        let most = rate.low_ppm.abs().max(rate.high_ppm.abs());
        if most.is_finite() {
            let _ = writeln!(out, "# Against {}: twice what was seen, and {RATE_PPM} ppm.", plain(&rate.against));
            out += &limit("rate_ppm", most * 2.0 + RATE_PPM);
        }
    }
    if let Some(span) = clock.span_ns.and_then(|spans| spans.within_1_percent).filter(|span| span.high.is_finite()) {
        out += "# The shortest interval that it times within 1 %: twice as long may do.\n";
        out += &limit("span_ns.within_1_percent", span.high * REST);
    }
    out
}

/// A line that holds a figure to a limit, rounded up to two digits.
fn limit(name: &str, most: f64) -> String {
    let most = most.max(0.0);
    let place = place(most);
    let rounded = (most / place - 1e-9).ceil() * place;
    // As text and back, so that 0.30000000000000004 is 0.3; as far from 0 as numbers may be, they have an exponent.
    let text = if rounded < 1e15 { format!("{rounded:.6}") } else { format!("{rounded:e}") };
    format!("{name} = {}\n", crate::text::trimmed(&text))
}

/// Down to two digits.
fn floor(value: f64) -> f64 {
    (value / place(value)).floor() * place(value)
}

/// The power of ten of a number's second digit.
fn place(value: f64) -> f64 {
    if value > 0.0 { 10f64.powi(libm::log10(value).floor().clamp(-5.0, 300.0) as i32 - 1) } else { 1.0 }
}

/// On one line, as a comment is.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// As TOML has a text.
fn quoted(text: &str) -> String {
    let mut out = "\"".to_owned();
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => drop(write!(out, "\\u{:04X}", u32::from(c))),
            c => out.push(c),
        }
    }
    out + "\""
}

/// As TOML has a key.
fn key(id: &str) -> String {
    let is_bare = !id.is_empty() && id.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    if is_bare { id.into() } else { quoted(id) }
}
