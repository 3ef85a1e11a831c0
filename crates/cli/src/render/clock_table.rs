//! The table of clocks: what each column shows, and which columns matter most.

use clockscope_analysis::record::{Clock, Cost, Kind, Monotonic, Path, QuantumMethod, Tick, Verdict};

use super::table::{Align, Cell, Column, Table};
use super::{View, number};

/// What stands where nothing could be obtained; the reasons stand below the table.
pub const ABSENT: &str = "-";

/// The id of the clock that `id` is a forced way of reading, and the way: `monotonic@vdso` is `monotonic`
/// by `vdso`.
pub fn forced(id: &str) -> Option<(&str, &str)> {
    id.split_once('@')
}

/// Whether a clock did something that a clock must not do.
pub fn has_faults(clock: &Clock) -> bool {
    clock.monotonic == Monotonic::Violated
        || clock.regressions.count > 0
        || clock.warps.count > 0
        || clock.stalls.unexplained > 0
        || clock.failed_reads > 0
}

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
        Cell { text: monotonic(clock.monotonic).to_owned(), style: mono_style },
        count(clock.stalls.unexplained),
        count(clock.regressions.count),
        count(clock.warps.count),
        count(clock.failed_reads),
        clock.undecided.to_string().into(),
        clock.reads.to_string().into(),
        path(clock.path).into(),
    ]
}

fn or_absent(text: Option<String>) -> Cell {
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
            let text = number::measured(quantum, (high - quantum).max(quantum - low), 3);
            // A quantum known to more digits than are shown is shown as a round number where it is one.
            let zeros = text.contains('.').then(|| text.trim_end_matches('0').trim_end_matches('.'));
            Some(zeros.map_or(text.clone(), str::to_owned))
        }
        (None, QuantumMethod::Limit) => tick.quantum_high.map(|high| format!("≤ {}", number::limit(high))),
        (None, _) => None,
    }
}

/// What the table leaves blank and why: `(reason, ids)`, for the figures that it shows first.
pub fn absences(clocks: &[&Clock]) -> Vec<(String, Vec<String>)> {
    let mut by_reason: Vec<(String, Vec<String>)> = Vec::new();
    for clock in clocks {
        let cost = clock.cost_ns.is_none().then(|| ("cost", clock.missing.get("cost_ns")));
        let quantum =
            quantum_text(&clock.tick_ns).is_none().then(|| ("quantum", clock.missing.get("tick_ns.quantum")));
        for (what, reason) in [cost, quantum].into_iter().flatten() {
            let Some(reason) = reason else { continue };
            let reason = format!("{what}: {reason}");
            match by_reason.iter_mut().find(|(known, _)| *known == reason) {
                Some((_, ids)) => ids.push(clock.id.clone()),
                None => by_reason.push((reason, vec![clock.id.clone()])),
            }
        }
    }
    by_reason
}

/// What the same clock costs by each forced way, one row a clock; `None`: no way was forced.
pub fn forced_table(clocks: &[Clock]) -> Option<Table> {
    let mut ways: Vec<&str> = Vec::new();
    let mut bases: Vec<&str> = Vec::new();
    for (base, way) in clocks.iter().filter_map(|clock| forced(&clock.id)) {
        if !ways.contains(&way) {
            ways.push(way);
        }
        if !bases.contains(&base) {
            bases.push(base);
        }
    }
    if bases.is_empty() {
        return None;
    }
    let cost_of = |id: &str| {
        let clock = clocks.iter().find(|clock| clock.id == id);
        or_absent(clock.and_then(|clock| clock.cost_ns).map(|cost| cost_text(&cost)))
    };
    let mut columns =
        vec![Column::new("Clock", "", Align::Left, 0), Column::new("as called", "ns", Align::Decimal, 1)];
    columns.extend(ways.iter().enumerate().map(|(i, way)| {
        Column::new(format!("@{way}"), "ns", Align::Decimal, u8::try_from(i + 2).unwrap_or(u8::MAX))
    }));
    let rows = bases.iter().map(|base| {
        let ways = ways.iter().map(|way| cost_of(&format!("{base}@{way}")));
        [(*base).into(), cost_of(base)].into_iter().chain(ways).collect()
    });
    Some(Table { columns, rows: rows.collect() })
}

/// The word for how a clock kept its order.
pub fn monotonic(monotonic: Monotonic) -> &'static str {
    match monotonic {
        Monotonic::Strict => "strict",
        Monotonic::Weak => "weak",
        Monotonic::Violated => "violated",
    }
}

/// The word for a path.
pub fn path(path: Path) -> &'static str {
    match path {
        Path::Instruction => "instruction",
        Path::Vdso => "vdso",
        Path::Libc => "libc",
        Path::Syscall => "syscall",
        Path::Mmio => "mmio",
        Path::Port => "port",
        Path::Ioctl => "ioctl",
        Path::Page => "page",
    }
}

/// The word for a kind.
pub fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Counter => "counter",
        Kind::Wall => "wall",
        Kind::Monotonic => "monotonic",
        Kind::Boot => "boot",
        Kind::CpuTime => "cpu-time",
        Kind::Coarse => "coarse",
        Kind::Device => "device",
    }
}
