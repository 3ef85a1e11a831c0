//! The sweep: clocksource × clock.

use std::fmt::Write;

use clockscope_analysis::Resolution;
use clockscope_analysis::record::{Clock, Record, Sweep, SweepSource, Tick, TimerTick};
use clockscope_analysis::text::{self, trimmed};

use super::clock_table::resolution_text;
use super::headline::headline;
use super::prose::{ending, faint, hanging, styled};
use super::survey::basis;
use super::table::{Align, Cell, Table, escape, hidden_text};
use super::{View, number, path};

/// The clocks shown where none were asked for: those that follow the clocksource each in its own way.
const USUAL: [&str; 3] = ["monotonic", "realtime", "monotonic-raw"];

/// Finest digit of a quantum, as decimals of a nanosecond.
const QUANTUM_DECIMALS: usize = 6;

/// For a terminal. `asked`: the clocks were asked for, so all that were measured are shown.
pub fn sweep(sweep: &Sweep, asked: bool, view: View) -> String {
    let mut out = String::new();
    if let Some(record) = records(sweep).next() {
        out.push_str(&headline(&record.machine, None, &[], view));
    }
    out.extend(answer(sweep, asked).map(|said| styled(view.strong(), &hanging(view, "", 2, &said))));
    if !out.is_empty() {
        out.push('\n');
    }
    let (text, left_out) = table(sweep, asked, view).render(view);
    out.push_str(&text);
    let legend = "Tick: one count of the timer; Resol: measured, not clock_getres.";
    out.push_str(&faint(view, &format!("{legend}{}", hidden_text(&left_out))));
    out.extend(remarks(sweep).iter().map(|line| faint(view, line)));
    out + &ending(view, &sweep.notes, sweep.interrupted)
}

/// For a page.
pub fn markdown(sweep: &Sweep, asked: bool) -> String {
    let mut out = "# Clocks under each clocksource\n\n".to_owned();
    if let Some(record) = records(sweep).next() {
        let _ = writeln!(out, "{}", headline(&record.machine, None, &[], View::default()));
    }
    out.extend(answer(sweep, asked).map(|said| said + "\n\n"));
    let _ = writeln!(out, "{}", table(sweep, asked, View::default()).markdown());
    for line in remarks(sweep).iter().chain(&sweep.notes) {
        let _ = writeln!(out, "- {}", escape(line));
    }
    if sweep.interrupted {
        out.push_str("- Interrupted before its end.\n");
    }
    out
}

/// What the clock that comes first costs under each clocksource: `monotonic: 22.36 ± 0.02 ns under tsc, …`.
fn answer(sweep: &Sweep, asked: bool) -> Option<String> {
    let id = records(sweep).find_map(|record| {
        let shown = shown(record, asked);
        let usual = USUAL.iter().find_map(|id| shown.iter().find(|clock| clock.id == *id));
        usual.or(shown.first()).map(|clock| clock.id.clone())
    })?;
    let said: Vec<String> = (sweep.sources.iter())
        .filter_map(|source| {
            let clock = source.record.as_ref()?.clocks.iter().find(|clock| clock.id == id)?;
            Some(format!("{} under {}", text::cost(clock.cost_ns.as_ref()?)?, source.clocksource))
        })
        .collect();
    (!said.is_empty()).then(|| format!("{id}: {}", said.join(", ")))
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

/// One row a clock, and one for a source under which none was measured.
fn table(sweep: &Sweep, asked: bool, view: View) -> Table<(&SweepSource, Option<&Clock>)> {
    let mut rows = Vec::new();
    for source in &sweep.sources {
        let clocks = source.record.as_ref().map(|record| shown(record, asked)).unwrap_or_default();
        if clocks.is_empty() {
            rows.push((source, None));
        }
        rows.extend(clocks.into_iter().map(|clock| (source, Some(clock))));
    }
    let cost = |clock: Option<&Clock>| clock.and_then(Clock::certain_cost);
    let half = |tick: &Tick| Some(short(&number::uncertainty(half_width(tick)?, QUANTUM_DECIMALS)));
    let (left, decimal) = (Align::Left, Align::Decimal);
    Table::of(rows)
        .column("Clocksource", "", left, 0, |(s, _)| Cell { text: s.clocksource.clone(), style: view.strong() })
        .column("Timer", "", left, 7, |(s, _)| s.timer.clone())
        .column("Tick", "ns", decimal, 4, |(s, _)| s.tick_ns.as_ref().map(timer_tick))
        .column("Clock", "", left, 1, |(_, c)| c.map(|clock| clock.id.as_str()))
        .column("Cost", "ns", decimal, 2, |(_, c)| {
            cost(c).map(|cost| number::measured(cost.median, cost.half_width(), 2))
        })
        .column("±", "ns", decimal, 2, |(_, c)| cost(c).map(|cost| number::uncertainty(cost.half_width(), 2)))
        .column("Resol", "ns", decimal, 3, |(_, c)| c.and_then(|clock| quantum(&clock.tick_ns)))
        .column("±", "ns", decimal, 3, |(_, c)| c.and_then(|clock| half(&clock.tick_ns)))
        .column("Path", "", left, 5, |(_, c)| c.map(|clock| path(clock.path)))
}

fn timer_tick(tick: &TimerTick) -> String {
    // Six digits tell any two timers apart.
    short(&number::measured(tick.value, (tick.high - tick.low) / 2.0, if tick.value < 1.0 { 6 } else { 3 }))
}

/// The quantum with all digits that its interval allows.
fn quantum(tick: &Tick) -> Option<String> {
    let exact = || Some(short(&number::measured(tick.quantum?, half_width(tick)?, QUANTUM_DECIMALS)));
    exact().or_else(|| Resolution::of(tick).map(resolution_text))
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
    let (mut ticks, mut lines) = (Vec::new(), Vec::new());
    for SweepSource { clocksource, tick_ns, record, missing, .. } in &sweep.sources {
        match (tick_ns, missing.get("tick_ns")) {
            (Some(tick), _) => ticks.push(format!("{clocksource}: {}", tick.source)),
            (None, Some(why)) if record.is_some() => ticks.push(format!("{clocksource}: not known, as {why}")),
            _ => {}
        }
        if let Some(Record { run, .. }) = record {
            let cpu = run.cpu.map_or("no fixed CPU".to_owned(), |cpu| format!("CPU {cpu}"));
            lines.push(format!("{clocksource}: {:.1} s on {cpu}; {}.", run.wall_s, basis(run, "")));
        }
    }
    if !ticks.is_empty() {
        lines.insert(0, format!("Ticks: {}.", ticks.join("; ")));
    }
    let after = sweep.after.as_deref().unwrap_or("not readable");
    lines.push(format!("The clocksource before: {}; after: {after}.", sweep.before));
    lines
}
