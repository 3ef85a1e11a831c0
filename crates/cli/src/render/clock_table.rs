//! The table of clocks: what each column shows, and which columns matter most.

use clockscope_analysis::record::{Clock, Cost, Monotonic, QuantumMethod, Tick, Verdict};
use clockscope_analysis::text::{gather, trimmed};

use super::table::{Align, Cell, Column, Table};
use super::word::word;
use super::{View, number};

/// What stands where nothing could be obtained; the reasons stand below the table.
pub const ABSENT: &str = "-";

/// One row a clock. A column of faults moves up in rank when it has any to show.
pub fn clock_table(clocks: &[&Clock], verdict: &Verdict, view: View) -> Table {
    let any = |of: fn(&Clock) -> u64| clocks.iter().any(|clock| of(clock) > 0);
    let rank = |shows: bool, usual: u8| if shows { 1 } else { usual };
    let columns = vec![
        Column::new("Clock", "", Align::Left, 0),
        Column::new("Cost", "ns", Align::Decimal, 0),
        Column::new("±", "ns", Align::Decimal, 9),
        Column::new("p99", "ns", Align::Decimal, 8),
        Column::new("Quantum", "ns", Align::Decimal, 2),
        Column::new("Step", "ns", Align::Decimal, 11),
        Column::new("Claimed", "ns", Align::Decimal, 10),
        Column::new("Mono", "", Align::Left, 3),
        Column::new("Stalls", "", Align::Right, rank(any(|c| c.stalls.unexplained), 7)),
        Column::new("Back", "", Align::Right, rank(any(|c| c.regressions.count), 4)),
        Column::new("Warps", "", Align::Right, rank(any(|c| c.warps.count), 5)),
        Column::new("Failed", "", Align::Right, rank(any(|c| c.failed_reads), 14)),
        Column::new("Undecided", "", Align::Right, 12),
        Column::new("Reads", "", Align::Right, 13),
        Column::new("Path", "", Align::Left, 6),
    ];
    let rows = clocks.iter().map(|clock| row(clock, verdict, view)).collect();
    Table { columns, rows }
}

fn row(clock: &Clock, verdict: &Verdict, view: View) -> Vec<Cell> {
    let chosen = [&verdict.intervals, &verdict.wall, &verdict.cheap];
    let is_chosen = chosen.iter().any(|id| id.as_deref() == Some(clock.id.as_str()));
    let count = |n: u64| Cell { text: n.to_string(), style: if n > 0 { view.bad() } else { view.faint() } };
    let id_style = if is_chosen { view.strong() } else { anstyle::Style::new() };
    let mono_style = if clock.monotonic == Monotonic::Violated { view.bad() } else { anstyle::Style::new() };
    vec![
        Cell { text: clock.id.clone(), style: id_style },
        or_absent(clock.cost_ns.map(|cost| cost_text(&cost))),
        or_absent(clock.cost_ns.map(|cost| number::uncertainty(spread(&cost), 2))),
        or_absent(clock.cost_ns.and_then(|cost| cost.p99).map(number::rough)),
        or_absent(quantum_text(&clock.tick_ns)),
        or_absent(clock.tick_ns.smallest_step.map(|step| number::exact(step, 3))),
        or_absent(clock.tick_ns.reported.map(|claim| number::exact(claim, 3))),
        Cell { text: word(clock.monotonic), style: mono_style },
        count(clock.stalls.unexplained),
        count(clock.regressions.count),
        count(clock.warps.count),
        count(clock.failed_reads),
        clock.undecided.to_string().into(),
        clock.reads.to_string().into(),
        word(clock.path).into(),
    ]
}

/// A cell with what there is, or with the sign that there is nothing.
pub(super) fn or_absent(text: Option<String>) -> Cell {
    text.map_or_else(|| ABSENT.into(), Cell::from)
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
pub fn forced_table(clocks: &[Clock]) -> Option<Table> {
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
    let cost_of = |fits: &dyn Fn(&&Clock) -> bool| {
        or_absent(clocks.iter().find(fits).and_then(|clock| clock.cost_ns).map(|cost| cost_text(&cost)))
    };
    let mut columns = vec![Column::new("Clock", "", Align::Left, 0), Column::new("as called", "ns", Align::Decimal, 1)];
    columns.extend((2..).zip(&ways).map(|(rank, way)| Column::new(way, "ns", Align::Decimal, rank)));
    let rows = bases.iter().map(|base| {
        let by = |of: &String| cost_of(&|c| c.forced && c.base_id() == *base && way(c) == *of);
        [(*base).into(), cost_of(&|c| c.id == *base)].into_iter().chain(ways.iter().map(by)).collect()
    });
    (!bases.is_empty()).then(|| Table { columns, rows: rows.collect() })
}
