//! The table of clocks: what each column shows, and which columns matter most; and what is said below it.

use clockscope_analysis::Resolution;
use clockscope_analysis::record::{Clock, Cost, Kind, Monotonic, Path, Rate, Verdict};
use clockscope_analysis::text::{self, gather, shortened};

use super::table::{Align, Cell, Table};
use super::{View, number, path, word};

/// A difference from which on it is said, ppm: 9 ms a day. Every clock's rate is in the record.
const SAID_PPM: f64 = 0.1;

/// One row a clock. A column of faults moves up in rank when it has any to show. `cycles`: what a cycle of the counter
/// takes, ns, where costs are wanted in those.
pub fn clock_table<'a>(clocks: &[&'a Clock], verdict: &Verdict, cycles: Option<f64>, view: View) -> Table<&'a Clock> {
    let rank = |of: fn(&Clock) -> u64, usual: u8| if clocks.iter().any(|clock| of(clock) > 0) { 1 } else { usual };
    let chosen = [&verdict.intervals, &verdict.wall, &verdict.cheap];
    let is_chosen = |clock: &Clock| chosen.iter().any(|id| id.as_deref() == Some(clock.id.as_str()));
    let set_off = |text: String, is: bool, style| Cell { text, style: if is { style } else { anstyle::Style::new() } };
    // Of a clock that was not read, or of whose reads none could be judged, nothing was seen.
    let seen = |clock: &Clock| clock.reads > clock.undecided;
    let mono = |clock: &Clock| {
        seen(clock).then(|| set_off(word(clock.monotonic), clock.monotonic == Monotonic::Violated, view.bad()))
    };
    let faults = |clock: &Clock, n: u64| {
        let style = if n > 0 { view.bad() } else { view.faint() };
        (seen(clock) || n > 0).then(|| Cell { text: n.to_string(), style })
    };
    let (unit, by) = cycles.map_or(("ns", 1.0), |cycle_ns| ("cycles", cycle_ns));
    let cost = Clock::certain_cost;
    let tail = move |ns: f64| if cycles.is_none() { in_ns(ns, number::rough) } else { number::rough(ns / by) };
    // Within a step of the witness a tail does not show.
    let p99 = move |cost: Cost| match cost.p99_low {
        Some(low) if low <= cost.low => cost.p99_high.map(|high| format!("≤ {}", tail(high))),
        _ => cost.p99.map(tail),
    };
    let runs = move |cost: Cost| {
        let ends = cost.runs.map(|runs| [runs.low, runs.high])?;
        Some(ends.map(|ns| number::measured(ns / by, cost.half_width() / by, 2)).join("…"))
    };
    let (left, right, decimal) = (Align::Left, Align::Right, Align::Decimal);
    let head = Table::of(clocks.iter().copied())
        .column("Clock", "", left, 0, |c| set_off(c.id.clone(), is_chosen(c), view.strong()))
        .column("Cost", unit, decimal, 0, |c| {
            let figure = |cost: Cost, by: f64| number::measured(cost.median / by, cost.half_width() / by, 2);
            cost(c).map(|cost| match cycles {
                None if cost.median >= 1e6 => text::fine_time(cost.median),
                None => figure(cost, 1.0),
                Some(cycle_ns) => figure(cost, cycle_ns),
            })
        })
        .column("±", unit, decimal, 0, |c| cost(c).map(|cost| number::uncertainty(cost.half_width() / by, 2)));
    let head = if are_of_several_runs(clocks) {
        head.column("Runs", unit, right, 0, |c| cost(c).and_then(runs))
    } else {
        head
    };
    head.column("p99", unit, decimal, 8, |c| cost(c).and_then(p99))
        .column("Max", unit, decimal, 9, |c| cost(c)?.max.map(tail))
        .column("Resol", "ns", right, 2, |c| c.resolution().map(resolution_text))
        .column("Step", "ns", decimal, 11, |c| c.tick_ns.smallest_step.map(ns_text))
        .column("Claimed", "ns", decimal, 10, |c| c.tick_ns.reported.map(ns_text))
        .column("Mono", "", left, 3, mono)
        .column("Stall", "", right, rank(|c| c.stalls.unexplained, 7), |c| faults(c, c.stalls.unexplained))
        .column("Back", "", right, rank(|c| c.regressions.count, 4), |c| faults(c, c.regressions.count))
        .column("Jump", "", right, rank(|c| c.warps.count, 6), |c| faults(c, c.warps.count))
        .column("Failed", "", right, rank(|c| c.failed_reads, 14), |c| Some(faults(c, c.failed_reads)))
        .column("Undecided", "", right, 12, |c| c.undecided.to_string())
        .column("Reads", "", right, 13, |c| c.reads.to_string())
        .column("Path", "", left, 5, |c| path(c.path))
}

/// Whether costs are known from several runs.
pub(super) fn are_of_several_runs(clocks: &[&Clock]) -> bool {
    clocks.iter().any(|clock| clock.cost_ns.is_some_and(|cost| cost.runs.is_some()))
}

/// What a clock resolves, in a column of ns: `0.769`, `≤ 4.5`, `4 ms`.
pub(super) fn resolution_text(resolution: Resolution) -> String {
    text::resolution(resolution).trim_end_matches(" ns").to_owned()
}

/// A length in a column of ns: `19.5`, `4 ms`.
pub(super) fn ns_text(ns: f64) -> String {
    in_ns(ns, |ns| number::exact(ns, 3))
}

/// A length in a column of ns, from a microsecond on with a unit of its own.
fn in_ns(ns: f64, short: impl Fn(f64) -> String) -> String {
    if ns < 1e3 { short(ns) } else { text::time(ns) }
}

/// What the table leaves blank and why: the figure, the reason, and the ids, for the figures that it shows first.
pub(super) fn absences<'a>(clocks: &[&'a Clock]) -> Vec<((&'static str, &'a str), Vec<&'a str>)> {
    let mut by_reason = Vec::new();
    for &clock in clocks {
        let missing = |field: &str| clock.missing.get(field).map(String::as_str);
        let why_no_cost =
            if clock.cost_ns.is_some() { TOO_OPEN } else { missing("cost_ns").unwrap_or("it was not measured") };
        let cost = clock.certain_cost().is_none().then_some(("cost", why_no_cost));
        let resolution = missing("tick_ns.quantum").filter(|_| clock.resolution().is_none()).map(|why| ("resol", why));
        for absence in [cost, resolution].into_iter().flatten() {
            gather(&mut by_reason, absence, clock.id.as_str());
        }
    }
    by_reason
}

/// `clock_gettime: vDSO 18.1 ± 0.1 ns, system call 135 ± 2 ns`.
pub(super) fn ways(clocks: &[Clock]) -> Option<String> {
    let plain = clocks.iter().find(|clock| clock.id == "monotonic" && !clock.forced)?;
    let cost = |way: Path| {
        let by = |clock: &&Clock| clock.forced && clock.base_id() == plain.id && clock.path == way;
        let text = text::cost(clocks.iter().find(by)?.cost_ns.as_ref()?)?;
        Some(format!("{} {text}", path(way)))
    };
    let ways: Vec<String> = [Path::Vdso, Path::Syscall].into_iter().filter_map(cost).collect();
    let call = plain.api.split('(').next().unwrap_or_default();
    (!ways.is_empty()).then(|| format!("{call}: {}", ways.join(", ")))
}

/// Why a cost that was measured is not shown.
const TOO_OPEN: &str = "known to no better than half of it; measure for longer, or on a quieter machine";

/// `monotonic-raw +500.02 ± 0.03 ppm by monotonic@vdso`; `None` where every clock keeps step as far as can be
/// seen.
pub(super) fn rates(clocks: &[&Clock]) -> Option<String> {
    let mut said: Vec<(String, Vec<&str>)> = Vec::new();
    let (mut by, mut counter) = ("", None);
    for (clock, rate) in clocks.iter().filter_map(|clock| Some((clock, clock.rate.as_ref()?))) {
        // Thirty clocks are looked at, so that one interval in twenty would be said of too many: twice as far.
        let [low, high] = [2.0 * rate.low_ppm - rate.ppm, 2.0 * rate.high_ppm - rate.ppm];
        if low <= SAID_PPM && high >= -SAID_PPM {
            continue;
        }
        // All ways of reading one counter have one rate.
        if clock.kind == Kind::Counter && counter.replace(clock.base_id()) == Some(clock.base_id()) {
            continue;
        }
        by = &rate.against;
        gather(&mut said, rate_text(rate), clock.id.as_str());
    }
    let parts: Vec<String> = said.iter().map(|(text, ids)| format!("{} {text}", shortened(ids, 1))).collect();
    (!parts.is_empty()).then(|| format!("{} by {by}", parts.join("; ")))
}

/// `+500.02 ± 0.03 ppm`.
fn rate_text(rate: &Rate) -> String {
    let spread = (rate.high_ppm - rate.ppm).max(rate.ppm - rate.low_ppm);
    let sign = if rate.ppm < 0.0 { '−' } else { '+' };
    format!("{sign}{} ppm", number::with_uncertainty(rate.ppm.abs(), spread, 3))
}
