//! The sweep: clocksource × clock.

use std::fmt::Write;

use clockscope_analysis::record::{Clock, Record, Sweep, SweepSource, Tick};
use clockscope_analysis::text::trimmed;

use super::clock_table::{cost_text, or_absent, quantum_text, spread};
use super::headline::headline;
use super::prose::{faint, hanging};
use super::table::{Align, Cell, Column, Table, escape};
use super::word::word;
use super::{View, number};

/// The clocks shown where none were asked for: those that follow the clocksource each in its own way.
const USUAL: [&str; 3] = ["monotonic", "realtime", "monotonic-raw"];

/// Finest digit of a quantum, as decimals of a nanosecond.
const QUANTUM_DECIMALS: usize = 6;

/// For a terminal. `asked`: the clocks were asked for, so all that were measured are shown.
pub fn sweep(sweep: &Sweep, asked: bool, view: View) -> String {
    let mut out = String::new();
    if let Some(record) = records(sweep).next() {
        out.push_str(&headline(&record.machine, view));
        out.push('\n');
    }
    let (text, left_out) = table(sweep, asked, view).render(view);
    out.push_str(&text);
    let mut legend = "Tick: one count of the timer; Quantum: what the clock truly resolves.".to_owned();
    if !left_out.is_empty() {
        let _ = write!(legend, " Left out for want of width: {}.", left_out.join(", "));
    }
    out.push_str(&faint(view, &legend));
    for line in remarks(sweep) {
        out.push_str(&faint(view, &line));
    }
    for note in &sweep.notes {
        out.push_str(&hanging(view, "Note: ", 6, note));
    }
    if sweep.interrupted {
        let style = view.bad();
        let _ = writeln!(out, "{style}Interrupted:{style:#} the figures up to then.");
    }
    out
}

/// For a page.
pub fn markdown(sweep: &Sweep, asked: bool) -> String {
    let mut out = "# Clocks under each clocksource\n\n".to_owned();
    if let Some(record) = records(sweep).next() {
        let _ = writeln!(out, "{}", headline(&record.machine, View::default()));
    }
    let _ = writeln!(out, "{}", table(sweep, asked, View::default()).markdown());
    for line in remarks(sweep).iter().chain(&sweep.notes) {
        let _ = writeln!(out, "- {}", escape(line));
    }
    if sweep.interrupted {
        out.push_str("- Interrupted before its end.\n");
    }
    out
}

fn records(sweep: &Sweep) -> impl Iterator<Item = &Record> {
    sweep.sources.iter().filter_map(|source| source.record.as_ref())
}

/// The clocks of one source that are shown.
fn shown(record: &Record, asked: bool) -> Vec<&Clock> {
    let usual: Vec<&Clock> =
        record.clocks.iter().filter(|clock| !asked && USUAL.contains(&clock.id.as_str())).collect();
    if usual.is_empty() { record.clocks.iter().collect() } else { usual }
}

fn table(sweep: &Sweep, asked: bool, view: View) -> Table {
    let columns = vec![
        Column::new("Clocksource", "", Align::Left, 0),
        Column::new("Timer", "", Align::Left, 7),
        Column::new("Tick", "ns", Align::Decimal, 4),
        Column::new("Clock", "", Align::Left, 1),
        Column::new("Cost", "ns", Align::Decimal, 2),
        Column::new("±", "ns", Align::Decimal, 6),
        Column::new("Quantum", "ns", Align::Decimal, 3),
        Column::new("±", "ns", Align::Decimal, 8),
        Column::new("Path", "", Align::Left, 5),
    ];
    let mut rows = Vec::new();
    for source in &sweep.sources {
        let clocks = source.record.as_ref().map(|record| shown(record, asked)).unwrap_or_default();
        if clocks.is_empty() {
            rows.push(row(source, None, view));
        }
        rows.extend(clocks.into_iter().map(|clock| row(source, Some(clock), view)));
    }
    Table { columns, rows }
}

/// A clock's row; without a clock: that of a source under which none was measured.
fn row(source: &SweepSource, clock: Option<&Clock>, view: View) -> Vec<Cell> {
    let cost = clock.and_then(|clock| clock.cost_ns);
    let tick = clock.map(|clock| &clock.tick_ns);
    let timer_tick = source.tick_ns.as_ref().map(|tick| {
        // Six digits tell any two timers apart.
        number::measured(tick.value, (tick.high - tick.low) / 2.0, if tick.value < 1.0 { 6 } else { 3 })
    });
    vec![
        Cell { text: source.clocksource.clone(), style: view.strong() },
        or_absent(source.timer.clone()),
        or_absent(timer_tick.map(|text| short(&text))),
        or_absent(clock.map(|clock| clock.id.clone())),
        or_absent(cost.map(|cost| cost_text(&cost))),
        or_absent(cost.map(|cost| number::uncertainty(spread(&cost), 2))),
        or_absent(tick.and_then(quantum)),
        or_absent(tick.and_then(half_width).map(|half| short(&number::uncertainty(half, QUANTUM_DECIMALS)))),
        or_absent(clock.map(|clock| word(clock.path))),
    ]
}

/// The quantum with all digits that its interval allows.
fn quantum(tick: &Tick) -> Option<String> {
    let exact = || Some(short(&number::measured(tick.quantum?, half_width(tick)?, QUANTUM_DECIMALS)));
    exact().or_else(|| quantum_text(tick))
}

fn short(text: &str) -> String {
    trimmed(text).to_owned()
}

/// Half width of the quantum's interval, ns.
fn half_width(tick: &Tick) -> Option<f64> {
    tick.quantum?;
    Some((tick.quantum_high? - tick.quantum_low?) / 2.0)
}

/// Where the ticks come from, how the run went, what the clocksource was and is.
fn remarks(sweep: &Sweep) -> Vec<String> {
    let mut lines = Vec::new();
    let ticks: Vec<String> = sweep
        .sources
        .iter()
        .filter_map(|source| match (&source.tick_ns, &source.record) {
            (Some(tick), _) => Some(format!("{}: {}", source.clocksource, tick.source)),
            (None, Some(_)) => {
                Some(format!("{}: not known, as {}", source.clocksource, source.missing.get("tick_ns")?))
            }
            (None, None) => None,
        })
        .collect();
    if !ticks.is_empty() {
        lines.push(format!("Ticks: {}.", ticks.join("; ")));
    }
    for source in &sweep.sources {
        if let Some(record) = &source.record {
            let run = &record.run;
            let cpu = run.cpu.map_or("no fixed CPU".to_owned(), |cpu| format!("CPU {cpu}"));
            let mut line = format!(
                "{}: {:.1} s on {cpu}; nanoseconds by {}, reads bracketed by {}",
                source.clocksource, run.wall_s, run.reference, run.witness
            );
            if let Some(share) = run.standstill_share {
                let _ = write!(line, "; the reader stood still {} of the time", number::percent(share));
            }
            lines.push(line + ".");
        }
    }
    let after = sweep.after.as_deref().unwrap_or("not readable");
    lines.push(format!("The clocksource before: {}; after: {after}.", sweep.before));
    lines
}
