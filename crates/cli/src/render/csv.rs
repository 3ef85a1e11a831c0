//! CSV: one row a clock, the record's field names joined by underscores, so that each keeps its unit.

use clockscope_analysis::record::{Clock, Deltas, Finding, Skew, Sweep, SweepSource};
use clockscope_engine::session::Listed;
use serde::Serialize;

use super::clock_table::{kind, monotonic, path};
use super::findings::severity;
use super::skew::distance;

/// A column: its name and what it shows of a clock; empty where the record has `null`.
type Field = (&'static str, fn(&Clock) -> String);

/// The columns, in the record's order. Events are left out: they are a table of their own, in JSON.
const FIELDS: &[Field] = &[
    ("id", |c| c.id.clone()),
    ("api", |c| c.api.clone()),
    ("kind", |c| kind(c.kind).into()),
    ("path", |c| path(c.path).into()),
    ("path_evidence", |c| c.path_evidence.clone()),
    ("promises_may_step", |c| c.promises.may_step.to_string()),
    ("promises_slewed", |c| c.promises.slewed.to_string()),
    ("promises_counts_suspend", |c| c.promises.counts_suspend.to_string()),
    ("promises_per_cpu", |c| c.promises.per_cpu.to_string()),
    ("interposed_by", |c| c.interposed_by.clone().unwrap_or_default()),
    ("cost_ns_median", |c| optional(c.cost_ns.map(|cost| cost.median))),
    ("cost_ns_low", |c| optional(c.cost_ns.map(|cost| cost.low))),
    ("cost_ns_high", |c| optional(c.cost_ns.map(|cost| cost.high))),
    ("cost_ns_min", |c| optional(c.cost_ns.map(|cost| cost.min))),
    ("cost_ns_p99", |c| optional(c.cost_ns.and_then(|cost| cost.p99))),
    ("cost_ns_p999", |c| optional(c.cost_ns.and_then(|cost| cost.p999))),
    ("cost_ns_max", |c| optional(c.cost_ns.and_then(|cost| cost.max))),
    ("cost_ns_batches", |c| optional(c.cost_ns.map(|cost| cost.batches))),
    ("tick_ns_nominal", |c| optional(c.tick_ns.nominal)),
    ("tick_ns_nominal_source", |c| c.tick_ns.nominal_source.clone().unwrap_or_default()),
    ("tick_ns_reported", |c| optional(c.tick_ns.reported)),
    ("tick_ns_smallest_step", |c| optional(c.tick_ns.smallest_step)),
    ("tick_ns_smallest_step_counts", |c| optional(c.tick_ns.smallest_step_counts)),
    ("tick_ns_quantum", |c| optional(c.tick_ns.quantum)),
    ("tick_ns_quantum_low", |c| optional(c.tick_ns.quantum_low)),
    ("tick_ns_quantum_high", |c| optional(c.tick_ns.quantum_high)),
    ("tick_ns_method", |c| method(c).into()),
    ("tick_ns_readings", |c| c.tick_ns.readings.to_string()),
    ("reads", |c| c.reads.to_string()),
    ("undecided", |c| c.undecided.to_string()),
    ("failed_reads", |c| c.failed_reads.to_string()),
    ("monotonic", |c| monotonic(c.monotonic).into()),
    ("stalls_count", |c| c.stalls.count.to_string()),
    ("stalls_unexplained", |c| c.stalls.unexplained.to_string()),
    ("stalls_longest_reads", |c| c.stalls.longest_reads.to_string()),
    ("stalls_longest_ns", |c| c.stalls.longest_ns.to_string()),
    ("stalls_of_200_reads", |c| c.stalls.of_200_reads.to_string()),
    ("regressions_count", |c| c.regressions.count.to_string()),
    ("regressions_largest_ns", |c| c.regressions.largest_ns.to_string()),
    ("regressions_over_1ms", |c| c.regressions.over_1ms.to_string()),
    ("warps_count", |c| c.warps.count.to_string()),
    ("warps_largest_ns", |c| c.warps.largest_ns.to_string()),
    ("warps_over_1ms", |c| c.warps.over_1ms.to_string()),
    ("events_omitted", |c| c.events_omitted.to_string()),
    ("interruptions_count", |c| c.interruptions.count.to_string()),
    ("interruptions_longest_ns", |c| c.interruptions.longest_ns.to_string()),
    ("interruptions_by_cause", |c| pairs(&c.interruptions.by_cause)),
    ("span_ns", |c| optional(c.span_ns)),
    ("rate_ppm", |c| optional(c.rate.as_ref().map(|rate| rate.ppm))),
    ("rate_low_ppm", |c| optional(c.rate.as_ref().map(|rate| rate.low_ppm))),
    ("rate_high_ppm", |c| optional(c.rate.as_ref().map(|rate| rate.high_ppm))),
    ("rate_against", |c| c.rate.as_ref().map(|rate| rate.against.clone()).unwrap_or_default()),
    ("witness", |c| c.witness.clone()),
    ("missing", |c| pairs(&c.missing)),
];

/// The names of the columns.
pub fn header() -> impl Iterator<Item = &'static str> {
    FIELDS.iter().map(|(name, _)| *name)
}

/// One line: the columns' names.
pub fn header_line() -> String {
    line(header())
}

/// One line: a clock's row.
pub fn clock_line(clock: &Clock) -> String {
    line(FIELDS.iter().map(|(_, show)| show(clock)))
}

/// Header and rows of all clocks.
pub fn clocks(clocks: &[Clock]) -> String {
    clocks.iter().fold(header_line(), |text, clock| text + &clock_line(clock))
}

/// What a sweep's rows have before the clock's own columns.
const SWEEP_FIELDS: [&str; 6] =
    ["clocksource", "timer", "timer_tick_ns", "timer_tick_source", "left_for", "not_measured"];

/// One line: the names of a sweep's columns.
pub fn sweep_header_line() -> String {
    line(SWEEP_FIELDS.into_iter().chain(header()))
}

/// The rows of one clocksource: one a clock, or one that says why there is none.
pub fn sweep_lines(source: &SweepSource) -> String {
    let tick = source.tick_ns.as_ref();
    let head = [
        source.clocksource.clone(),
        source.timer.clone().unwrap_or_default(),
        optional(tick.map(|tick| tick.value)),
        tick.map(|tick| tick.source.clone()).unwrap_or_default(),
        source.left_for.clone().unwrap_or_default(),
        source.missing.get("record").cloned().unwrap_or_default(),
    ];
    let row = |cells: &dyn Fn(&Field) -> String| line(head.iter().cloned().chain(FIELDS.iter().map(cells)));
    let clocks = source.record.as_ref().map(|record| record.clocks.as_slice()).unwrap_or_default();
    if clocks.is_empty() {
        return row(&|_| String::new());
    }
    clocks.iter().map(|clock| row(&|(_, show)| show(clock))).collect()
}

/// Header and rows of all clocksources.
pub fn sweep(sweep: &Sweep) -> String {
    sweep.sources.iter().fold(sweep_header_line(), |text, source| text + &sweep_lines(source))
}

/// The catalog, one row a clock.
pub fn list(list: &[Listed]) -> String {
    let mut out = line(["id", "api", "kind", "path", "reported_ns", "reason"]);
    for clock in list {
        let reason = clock.reason.clone().unwrap_or_default();
        let reported = optional(clock.reported_ns);
        out += &line([&clock.id, &clock.api, kind(clock.kind), path(clock.path), &reported, &reason]);
    }
    out
}

/// The histogram, one row a distinct difference.
pub fn deltas(deltas: &Deltas) -> String {
    let mut out = line(["clock", "counts", "time_ns", "count"]);
    for row in &deltas.rows {
        let (counts, time, count) = (row.counts.to_string(), row.time_ns.to_string(), row.count.to_string());
        out += &line([&deltas.clock, &counts, &time, &count]);
    }
    out
}

/// Skew, one row a clock and pair of CPUs.
pub fn skew(clocks: &[Skew]) -> String {
    let mut out = line([
        "clock",
        "cpu_a",
        "cpu_b",
        "distance",
        "low_ns",
        "high_ns",
        "low_counts",
        "high_counts",
        "joint_low_ns",
        "joint_high_ns",
        "constant",
        "round_trip_ns",
        "messages",
        "backward_count",
        "backward_of",
        "backward_largest_ns",
        "missing",
    ]);
    for clock in clocks {
        for pair in &clock.pairs {
            out += &line([
                clock.clock.clone(),
                pair.cpu_a.to_string(),
                pair.cpu_b.to_string(),
                pair.distance.map(distance).unwrap_or_default().to_owned(),
                optional(pair.low_ns),
                optional(pair.high_ns),
                optional(pair.low_counts),
                optional(pair.high_counts),
                optional(pair.joint_low_ns),
                optional(pair.joint_high_ns),
                optional(pair.constant),
                optional(pair.round_trip_ns),
                pair.messages.to_string(),
                pair.backward.count.to_string(),
                pair.backward.of.to_string(),
                optional(pair.backward.largest_ns),
                pair.missing.clone().unwrap_or_default(),
            ]);
        }
    }
    out
}

/// The findings, one row each.
pub fn findings(findings: &[Finding]) -> String {
    let mut out = line(["code", "severity", "title", "evidence", "why", "fix", "clocks"]);
    for finding in findings {
        let clocks = finding.clocks.join(" ");
        out += &line([
            finding.code.as_str(),
            severity(finding.severity),
            &finding.title,
            &finding.evidence,
            &finding.why,
            &finding.fix,
            &clocks,
        ]);
    }
    out
}

fn optional<T: ToString>(value: Option<T>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

fn method(clock: &Clock) -> &'static str {
    use clockscope_analysis::record::QuantumMethod;
    match clock.tick_ns.method {
        QuantumMethod::Steps => "steps",
        QuantumMethod::Lattice => "lattice",
        QuantumMethod::Limit => "limit",
        QuantumMethod::None => "none",
    }
}

/// A map in one cell: `key: value; key: value`.
fn pairs<V: Serialize + ToString>(map: &std::collections::BTreeMap<String, V>) -> String {
    map.iter().map(|(key, value)| format!("{key}: {}", value.to_string())).collect::<Vec<_>>().join("; ")
}

/// One quoted line. Writing to memory can't fail, so neither does this.
fn line<T: AsRef<[u8]>>(cells: impl IntoIterator<Item = T>) -> String {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    let written = writer.write_record(cells).and_then(|()| Ok(writer.flush()?));
    debug_assert!(written.is_ok());
    let bytes = writer.into_inner().unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}
