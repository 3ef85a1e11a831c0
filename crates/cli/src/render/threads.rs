//! Threads that read a clock at once: how their pairs' lengths grow with their number, and where the long ones come from.

mod said;

use std::fmt::Write;

use clockscope_analysis::analyze::attribution::Cause;
use clockscope_analysis::record::{Crowd, PairFigures, Tail, ThreadRow, ThreadsClock, ThreadsReport};
use clockscope_analysis::text::{self, count, grouped, time};

use super::findings::traps;
use super::prose::{NOTHING_YET, ending, faint, hanging, heading};
use super::table::{Align, Cell, Table, escape, hidden_text};
use super::{View, number};
use said::said;

/// What people call the causes, those together that are one thing to them, and their columns' heads.
const CAUSES: [(&str, &str, &[Cause]); 8] = [
    ("Scheduler", "the scheduler", &[Cause::Preempted, Cause::Migrated]),
    ("Quota", "the cgroup's quota", &[Cause::Throttled]),
    ("Interrupts", "interrupts", &[Cause::Interrupt]),
    ("Faults", "page faults", &[Cause::PageFault]),
    ("Stolen", "the hypervisor", &[Cause::Stolen]),
    ("Blocked", "a freezer, a debugger or a lock of the kernel's", &[Cause::Blocked]),
    ("Stopped", "stops of the process or sleep of the machine", &[Cause::Stopped, Cause::Suspend]),
    ("Left", "", &[Cause::Unknown]),
];

/// For a terminal; `all`: a table of threads for every number of them.
pub fn threads(report: &ThreadsReport, all: bool, view: View) -> String {
    let mut out = String::new();
    for (at, clock) in report.clocks.iter().enumerate() {
        if at > 0 {
            out.push('\n');
        }
        let title = title(report, clock);
        let _ = write!(out, "{}", super::prose::styled(view.strong(), &hanging(view, "", 2, &title)));
        let (text, mut hidden) = lengths(clock.crowds.iter().map(Line::of_crowd)).render(view);
        out.push_str(&text);
        out.push_str(&heading(view, TAIL));
        let (text, left_out) = tails(clock).render(view);
        out.push_str(&text);
        hidden.extend(left_out);
        let shown = clock.crowds.iter().filter(|crowd| all || Some(*crowd) == clock.crowds.last());
        for crowd in shown {
            out.push_str(&heading(view, &each(crowd)));
            let (text, left_out) = lengths(crowd.rows.iter().map(Line::of_thread)).render(view);
            out.push_str(&text);
            hidden.extend(left_out);
        }
        hidden.sort();
        hidden.dedup();
        if !hidden.is_empty() {
            out.push_str(&faint(view, hidden_text(&hidden).trim_start()));
        }
        out.push('\n');
        out.extend(said(clock).iter().map(|text| hanging(view, "", 2, text)));
    }
    if !report.clocks.is_empty() {
        out.push('\n');
        out.push_str(&faint(view, LEGEND));
    } else if report.interrupted {
        out.push_str(NOTHING_YET);
    }
    out.push_str(&traps(&report.findings, all, view));
    out + &ending(view, &report.notes, report.interrupted)
}

/// For a page.
pub fn markdown(report: &ThreadsReport) -> String {
    let mut out = String::new();
    for clock in &report.clocks {
        let _ = write!(out, "## {}\n\n", escape(&title(report, clock)));
        let _ = writeln!(out, "{}", lengths(clock.crowds.iter().map(Line::of_crowd)).markdown());
        let _ = writeln!(out, "{TAIL}:\n\n{}", tails(clock).markdown());
        for crowd in &clock.crowds {
            let _ = writeln!(out, "{}:\n\n{}", each(crowd), lengths(crowd.rows.iter().map(Line::of_thread)).markdown());
        }
        for text in said(clock) {
            let _ = writeln!(out, "{}\n", escape(&text));
        }
    }
    if report.clocks.is_empty() && report.interrupted {
        let _ = writeln!(out, "{NOTHING_YET}");
    }
    let _ = writeln!(out, "{LEGEND} Nanoseconds by `{}`.", report.reference);
    out + &super::markdown::traps(&report.findings)
}

const TAIL: &str = "Where the time of the long pairs went";
const LEGEND: &str = "A pair is a start and a stop with nothing between them. All of them are counted: figures are this run's, without error, \
                      but for the clock's own rate; lengths beyond 4096 counts are known to 0.4 %. In pairs: their share of the time that the threads read; the rest \
                      is the loop, and what came between two pairs. Left: what no counter of the kernel explains, the clock's own or \
                      hidden from this system. Again: pairs read on two CPUs, which are no interval of a CPU's own counter.";

fn title(report: &ThreadsReport, clock: &ThreadsClock) -> String {
    let on = report.cpus.map(|cpus| format!(" on {}", count(cpus, "CPU"))).unwrap_or_default();
    let quota =
        report.cpu_quota.map(|cpus| format!(" and a quota of {} CPUs' time", text::number(cpus))).unwrap_or_default();
    format!("{}, pairs of reads{on}{quota}", clock.clock)
}

fn each(crowd: &Crowd) -> String {
    format!("Each of {}", count(crowd.threads.into(), "thread"))
}

/// A line of a table of lengths.
#[derive(Clone, Copy)]
struct Line<'a> {
    number: u32,
    cpu: Option<u32>,
    is_thread: bool,
    pairs: &'a PairFigures,
}

impl<'a> Line<'a> {
    fn of_crowd(crowd: &'a Crowd) -> Self {
        Self { number: crowd.threads, cpu: None, is_thread: false, pairs: &crowd.pairs }
    }

    fn of_thread(row: &'a ThreadRow) -> Self {
        Self { number: row.thread, cpu: row.cpu, is_thread: true, pairs: &row.pairs }
    }
}

fn lengths<'a>(lines: impl Iterator<Item = Line<'a>>) -> Table<Line<'a>> {
    let lines: Vec<Line> = lines.collect();
    let (is_thread, is_pinned) = (lines.iter().any(|line| line.is_thread), lines.iter().any(|line| line.cpu.is_some()));
    let right = Align::Right;
    let ns = |of: fn(&PairFigures) -> Option<f64>| move |line: Line| -> Cell { of(line.pairs).map(time).into() };
    let table = Table::of(lines)
        .column(if is_thread { "Thread" } else { "Threads" }, "", right, 0, |line| line.number.to_string());
    let table =
        if is_pinned { table.column("CPU", "", right, 9, |line| line.cpu.map(|cpu| cpu.to_string())) } else { table };
    table
        .column("Pairs", "", right, 5, |line| grouped(line.pairs.observations))
        .column("Min", "", right, 4, ns(|pairs| pairs.min_ns))
        .column("Median", "", right, 1, ns(|pairs| pairs.median_ns))
        .column("Mean", "", right, 6, ns(|pairs| pairs.mean_ns))
        .column("SD", "", right, 7, ns(|pairs| pairs.sd_ns))
        .column("p99", "", right, 3, ns(|pairs| pairs.p99_ns))
        .column("p99.9", "", right, 3, ns(|pairs| pairs.p999_ns))
        .column("Max", "", right, 2, ns(|pairs| pairs.max_ns))
        .column("Observed", "", right, 9, |line| (line.pairs.observed_ns > 0.0).then(|| time(line.pairs.observed_ns)))
        .column("In pairs", "", right, 8, |line| {
            (line.pairs.observed_ns > 0.0).then(|| number::percent(line.pairs.sum_ns / line.pairs.observed_ns))
        })
        .column("Moved", "", right, 8, |line| grouped(line.pairs.migrations))
        .column("Again", "", right, 10, |line| grouped(line.pairs.retries))
}

fn part(tail: &Tail, causes: &[Cause]) -> f64 {
    causes.iter().filter_map(|cause| tail.shares.get(cause)).sum()
}

/// The causes that a clock's tail has; those without a share are no column.
fn tails(clock: &ThreadsClock) -> Table<&Crowd> {
    let right = Align::Right;
    let table = Table::of(&clock.crowds)
        .column("Threads", "", right, 0, |crowd| crowd.threads.to_string())
        .column("Over", "", right, 12, |crowd| crowd.pairs.tail.over_ns.map(time))
        .column("Pairs", "", right, 11, |crowd| grouped(crowd.pairs.tail.pairs))
        .column("Time", "", right, 1, |crowd| time(crowd.pairs.tail.ns));
    // What is left for the clock first, then the causes by their largest share.
    let largest =
        |causes: &[Cause]| clock.crowds.iter().map(|crowd| part(&crowd.pairs.tail, causes)).fold(0.0, f64::max);
    CAUSES.iter().fold(table, |table, (head, _, causes)| {
        let before = CAUSES.iter().filter(|(_, _, other)| largest(other) > largest(causes)).count() as u8;
        let rank = if *causes == [Cause::Unknown] { 1 } else { 2 + before };
        let is_known = *causes == [Cause::Unknown];
        let has_share = clock.crowds.iter().any(|crowd| part(&crowd.pairs.tail, causes) > 0.0);
        if !is_known && !has_share {
            return table;
        }
        table.column(*head, "", right, rank, |crowd| {
            let tail = &crowd.pairs.tail;
            (tail.pairs > 0).then(|| number::percent(part(tail, causes)))
        })
    })
}
