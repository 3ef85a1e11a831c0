//! The table of clocks: what each column shows, and which columns matter most; and what is said below it.

use clockscope_analysis::record::{Clock, Cost, Monotonic, QuantumMethod, Rate, Tick, Verdict};
use clockscope_analysis::text::{gather, trimmed};

use super::table::{Align, Cell, Table};
use super::{View, number, word};

/// A difference from which on it is said, ppm: 9 ms a day. Every clock's rate is in the record.
const SAID_PPM: f64 = 0.1;

/// One row a clock. A column of faults moves up in rank when it has any to show.
pub fn clock_table<'a>(clocks: &[&'a Clock], verdict: &Verdict, view: View) -> Table<&'a Clock> {
    let rank = |of: fn(&Clock) -> u64, usual: u8| if clocks.iter().any(|clock| of(clock) > 0) { 1 } else { usual };
    let chosen = [&verdict.intervals, &verdict.wall, &verdict.cheap];
    let is_chosen = |clock: &Clock| chosen.iter().any(|id| id.as_deref() == Some(clock.id.as_str()));
    let set_off = |text: String, is: bool, style| Cell { text, style: if is { style } else { anstyle::Style::new() } };
    let mono = |clock: &Clock| set_off(word(clock.monotonic), clock.monotonic == Monotonic::Violated, view.bad());
    let faults = |n: u64| Cell { text: n.to_string(), style: if n > 0 { view.bad() } else { view.faint() } };
    let (left, right, decimal) = (Align::Left, Align::Right, Align::Decimal);
    Table::of(clocks.iter().copied())
        .column("Clock", "", left, 0, |c| set_off(c.id.clone(), is_chosen(c), view.strong()))
        .column("Cost", "ns", decimal, 0, |c| c.cost_ns.as_ref().map(cost_text))
        .column("±", "ns", decimal, 9, |c| c.cost_ns.map(|cost| number::uncertainty(spread(&cost), 2)))
        .column("p99", "ns", decimal, 8, |c| c.cost_ns.and_then(|cost| cost.p99).map(number::rough))
        .column("Quantum", "ns", decimal, 2, |c| quantum_text(&c.tick_ns))
        .column("Step", "ns", decimal, 11, |c| c.tick_ns.smallest_step.map(|step| number::exact(step, 3)))
        .column("Claimed", "ns", decimal, 10, |c| c.tick_ns.reported.map(|claim| number::exact(claim, 3)))
        .column("Mono", "", left, 3, mono)
        .column("Stalls", "", right, rank(|c| c.stalls.unexplained, 7), |c| faults(c.stalls.unexplained))
        .column("Back", "", right, rank(|c| c.regressions.count, 4), |c| faults(c.regressions.count))
        .column("Warps", "", right, rank(|c| c.warps.count, 5), |c| faults(c.warps.count))
        .column("Failed", "", right, rank(|c| c.failed_reads, 14), |c| faults(c.failed_reads))
        .column("Undecided", "", right, 12, |c| c.undecided.to_string())
        .column("Reads", "", right, 13, |c| c.reads.to_string())
        .column("Path", "", left, 6, |c| word(c.path))
}

/// Half width of the cost's interval, its longer side.
pub fn spread(cost: &Cost) -> f64 {
    (cost.high - cost.median).max(cost.median - cost.low)
}

/// The cost with the digits that its interval allows.
pub fn cost_text(cost: &Cost) -> String {
    number::measured(cost.median, spread(cost), 2)
}

/// The quantum with the digits that its interval allows, or the limit that it does not exceed.
pub fn quantum_text(tick: &Tick) -> Option<String> {
    match (tick.quantum, tick.method) {
        (Some(quantum), _) => {
            let low = tick.quantum_low.unwrap_or(quantum);
            let high = tick.quantum_high.unwrap_or(quantum);
            // A quantum known to more digits than are shown is shown as a round number where it is one.
            Some(trimmed(&number::measured(quantum, (high - quantum).max(quantum - low), 3)).to_owned())
        }
        (None, QuantumMethod::Limit) => tick.quantum_high.map(|high| format!("≤ {}", number::limit(high))),
        (None, _) => None,
    }
}

/// What the table leaves blank and why: `(reason, ids)`, for the figures that it shows first.
pub fn absences<'a>(clocks: &[&'a Clock]) -> Vec<(String, Vec<&'a str>)> {
    let mut by_reason = Vec::new();
    for clock in clocks {
        let cost = clock.cost_ns.is_none().then_some(("cost", "cost_ns"));
        let quantum = quantum_text(&clock.tick_ns).is_none().then_some(("quantum", "tick_ns.quantum"));
        for (what, field) in [cost, quantum].into_iter().flatten() {
            if let Some(reason) = clock.missing.get(field) {
                gather(&mut by_reason, format!("{what}: {reason}"), clock.id.as_str());
            }
        }
    }
    by_reason
}

/// What the same clock costs by each forced way, one row a clock; `None`: no way was forced.
pub fn forced_table(clocks: &[Clock]) -> Option<Table<&str>> {
    // A way's head: what the id of a forced way has beyond that of the clock itself.
    let way = |clock: &Clock| clock.id.strip_prefix(clock.base_id()).unwrap_or(&clock.id).to_owned();
    let mut ways: Vec<String> = Vec::new();
    let mut bases: Vec<&str> = Vec::new();
    for clock in clocks.iter().filter(|clock| clock.forced) {
        if !ways.contains(&way(clock)) {
            ways.push(way(clock));
        }
        if !bases.contains(&clock.base_id()) {
            bases.push(clock.base_id());
        }
    }
    let cost_of = |fits: &dyn Fn(&&Clock) -> bool| clocks.iter().find(fits)?.cost_ns.as_ref().map(cost_text);
    let head = Table::of(bases.iter().copied()).column("Clock", "", Align::Left, 0, |base| base);
    let head = head.column("as called", "ns", Align::Decimal, 1, |base| cost_of(&|clock| clock.id == base));
    let whole = (2..).zip(&ways).fold(head, |table, (rank, of)| {
        let by = |base| cost_of(&|clock| clock.forced && clock.base_id() == base && way(clock) == *of);
        table.column(of, "ns", Align::Decimal, rank, by)
    });
    (!bases.is_empty()).then_some(whole)
}

/// `Rate by monotonic@vdso: monotonic-raw +500.02 ± 0.03 ppm.`; `None` where every clock keeps step as far as can be
/// seen.
pub(super) fn rates(clocks: &[&Clock]) -> Option<String> {
    let mut said: Vec<(String, Vec<&str>)> = Vec::new();
    let mut by = "";
    for (clock, rate) in clocks.iter().filter_map(|clock| Some((clock, clock.rate.as_ref()?))) {
        // Thirty clocks are looked at, so that one interval in twenty would be said of too many: twice as far.
        let [low, high] = [2.0 * rate.low_ppm - rate.ppm, 2.0 * rate.high_ppm - rate.ppm];
        if low <= SAID_PPM && high >= -SAID_PPM {
            continue;
        }
        by = &rate.against;
        gather(&mut said, rate_text(rate), clock.id.as_str());
    }
    let parts: Vec<String> = said.iter().map(|(text, ids)| format!("{} {text}", ids.join(", "))).collect();
    (!parts.is_empty()).then(|| format!("Rate by {by}: {}.", parts.join("; ")))
}

/// `+500.02 ± 0.03 ppm`.
fn rate_text(rate: &Rate) -> String {
    let spread = (rate.high_ppm - rate.ppm).max(rate.ppm - rate.low_ppm);
    let sign = if rate.ppm < 0.0 { '−' } else { '+' };
    let value = number::measured(rate.ppm.abs(), spread, 3);
    format!("{sign}{value} ± {} ppm", number::uncertainty(spread, 3))
}
