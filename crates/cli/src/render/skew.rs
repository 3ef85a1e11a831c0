//! Skew: a matrix where few CPUs were compared, the worst pairs and a summary by distance where many were.

use std::fmt::Write;

use clockscope_analysis::analyze::skew::is_apart;
use clockscope_analysis::record::{Backward, Skew, SkewPair, SkewReport};
use clockscope_analysis::text::gather;

use super::clock_table::{ABSENT, or_absent};
use super::prose::{faint, hanging, heading};
use super::table::{Align, Cell, Column, Table};
use super::word::word;
use super::{View, number};

/// Most CPUs in a matrix.
const MATRIX: usize = 9;
/// Pairs in the list of the worst.
const WORST: usize = 10;

/// For a terminal.
pub fn skew(report: &SkewReport, view: View) -> String {
    let mut out = String::new();
    for (at, clock) in report.clocks.iter().enumerate() {
        if at > 0 {
            out.push('\n');
        }
        let style = if clock.agree == Some(false) { view.bad() } else { view.strong() };
        let said = hanging(view, "", 2, &summary(clock));
        let (id, rest) = said.split_at(said.find(':').unwrap_or(0));
        let _ = write!(out, "{style}{id}{style:#}{rest}");
        out.push_str(&tables(clock, view));
        for reason in reasons(clock) {
            out.push_str(&hanging(view, "", 2, &reason));
        }
    }
    if report.clocks.iter().any(|clock| clock.pairs.iter().any(|pair| pair.low_ns.is_some())) {
        out.push('\n');
        out.push_str(&faint(view, LEGEND));
    }
    for note in &report.notes {
        out.push_str(&hanging(view, "Note: ", 6, note));
    }
    if report.interrupted {
        let style = view.bad();
        // Coloured afterwards, so that the escapes do not count as width.
        let text = hanging(view, "", 2, "Interrupted: these are the figures up to then.");
        out.push_str(&text.replacen("Interrupted:", &format!("{style}Interrupted:{style:#}"), 1));
    }
    out
}

/// For a page.
pub fn markdown(report: &SkewReport) -> String {
    let mut out = String::new();
    for clock in &report.clocks {
        let text = summary(clock);
        let (id, rest) = text.split_once(": ").unwrap_or(("", &text));
        let pairs = list(&worst_first(clock)).markdown();
        let _ = write!(out, "## `{id}`\n\nBetween its CPUs: {rest}\n\n{pairs}\n");
        if !clock.by_distance.is_empty() {
            let _ = writeln!(out, "{}", by_distance(clock).markdown());
        }
        for reason in reasons(clock) {
            let _ = writeln!(out, "{}\n", super::table::escape(&reason));
        }
    }
    let _ = writeln!(out, "{LEGEND} Nanoseconds by `{}`.", report.reference);
    out
}

/// One line for the survey, of all clocks compared.
pub(super) fn line(clocks: &[Skew]) -> Option<String> {
    let said: Vec<String> = clocks.iter().map(brief).collect();
    (!said.is_empty()).then(|| format!("Between CPUs: {}.", said.join("; ")))
}

const LEGEND: &str = "An interval holds the second CPU's reading less the first one's at the same moment, for certain; it is about \
                      as wide as a message takes there and back. Went back: readings less than one made before.";

/// What is to be known first.
fn summary(clock: &Skew) -> String {
    let id = &clock.clock;
    let cpus = clock.cpus.len();
    let mut text = match clock.agree {
        None => format!("{id}: nothing could be measured between CPUs."),
        Some(true) if clock.pairs.iter().any(|pair| pair.low_ns.is_none()) || !are_all(clock) => {
            format!("{id}: the CPUs that could be compared agree.")
        }
        Some(true) if cpus == 2 => format!("{id}: CPUs {} and {} agree.", clock.cpus[0], clock.cpus[1]),
        Some(true) => format!("{id}: all {cpus} CPUs agree."),
        Some(false) => format!("{id}: the CPUs disagree; do not use it across CPUs (CS016)."),
    };
    if clock.backward.of > 0 {
        let _ = write!(text, " {}.", backward(clock.backward));
    }
    if let Some(moved) = clock.pairs.iter().find(|pair| pair.constant == Some(false)) {
        let _ = write!(
            text,
            " The offset between CPUs {} and {} changed meanwhile: its interval is the range that it moved in.",
            moved.cpu_a, moved.cpu_b
        );
    }
    text
}

/// Whether every CPU is in a pair and none was left out.
fn are_all(clock: &Skew) -> bool {
    let paired = |cpu: &u32| clock.pairs.iter().any(|pair| pair.cpu_a == *cpu || pair.cpu_b == *cpu);
    clock.cpus.iter().all(paired) && !clock.missing.keys().any(|key| key.starts_with("cpu "))
}

/// `None of 1 234 567 ordered reads went back`, or how many did.
fn backward(backward: Backward) -> String {
    let of = number::grouped(backward.of);
    match (backward.count, backward.largest_ns) {
        (0, _) => format!("None of {of} ordered reads went back"),
        (count, Some(largest)) => format!(
            "{} of {of} ordered reads went back, the largest by {}",
            number::grouped(count),
            number::duration(largest)
        ),
        (count, None) => format!("{} of {of} ordered reads went back", number::grouped(count)),
    }
}

fn brief(clock: &Skew) -> String {
    match (clock.agree, widest(clock)) {
        (None, _) => format!("{} could not be compared", clock.clock),
        (Some(true), Some((low, high))) => format!("{} agrees within {low} to {high} ns", clock.clock),
        (Some(true), None) => format!("{} agrees", clock.clock),
        (Some(false), _) => format!("{} disagrees (CS016)", clock.clock),
    }
}

/// The ends of all intervals together.
fn widest(clock: &Skew) -> Option<(String, String)> {
    let low = clock.pairs.iter().filter_map(|pair| pair.low_ns).reduce(f64::min)?;
    let high = clock.pairs.iter().filter_map(|pair| pair.high_ns).reduce(f64::max)?;
    Some((number::rough(low), number::rough(high)))
}

fn tables(clock: &Skew, view: View) -> String {
    if clock.pairs.is_empty() {
        return String::new();
    }
    if clock.cpus.len() <= MATRIX {
        let (text, left_out) = matrix(clock, view).render(view);
        if left_out.is_empty() {
            let title = "Offset of the column's CPU against the row's, ns";
            return format!("{}{text}", hanging(view, "", 2, title));
        }
    }
    let pairs = worst_first(clock);
    let mut out = String::new();
    if pairs.len() > WORST {
        out.push_str(&heading(view, "The worst pairs"));
    }
    let (text, mut left_out) = list(&pairs[..pairs.len().min(WORST)]).render(view);
    out.push_str(&text);
    if !clock.by_distance.is_empty() {
        out.push_str(&heading(view, "By distance"));
        let (text, more) = by_distance(clock).render(view);
        out.push_str(&text);
        left_out.extend(more);
    }
    left_out.sort();
    left_out.dedup();
    if !left_out.is_empty() {
        out.push_str(&faint(view, &format!("Left out for want of width: {}.", left_out.join(", "))));
    }
    out
}

fn matrix(clock: &Skew, view: View) -> Table {
    let mut columns = vec![Column::new("CPU", "", Align::Right, 0)];
    columns.extend(clock.cpus.iter().skip(1).map(|cpu| Column::new(cpu.to_string(), "", Align::Right, 1)));
    let cell = |a: u32, b: u32| -> Cell {
        let Some(pair) = clock.pairs.iter().find(|pair| (pair.cpu_a, pair.cpu_b) == (a, b)) else {
            return Cell::from("");
        };
        let (Some(low), Some(high)) = (pair.low_ns, pair.high_ns) else { return Cell::from(ABSENT) };
        let style = if is_apart(pair) { view.bad() } else { anstyle::Style::new() };
        let (low, high) = ends(low, high);
        Cell { text: format!("{low}…{high}"), style }
    };
    let rows = clock.cpus.iter().take(clock.cpus.len().saturating_sub(1)).map(|&a| {
        let mut row = vec![Cell::from(a.to_string())];
        row.extend(clock.cpus.iter().skip(1).map(|&b| if a < b { cell(a, b) } else { Cell::from("") }));
        row
    });
    Table { columns, rows: rows.collect() }
}

/// Both ends of an interval: short, and yet different where they differ.
fn ends(low: f64, high: f64) -> (String, String) {
    let short = (number::rough(low), number::rough(high));
    if short.0 == short.1 && high - low >= 1.0 { (format!("{low:.0}"), format!("{high:.0}")) } else { short }
}

/// Pairs by how far readings went back, then by how far their intervals reach; those without an interval come last.
fn worst_first(clock: &Skew) -> Vec<&SkewPair> {
    let key = |pair: &SkewPair| {
        let reach = [pair.low_ns, pair.high_ns].into_iter().flatten().map(f64::abs).fold(-1.0, f64::max);
        (pair.backward.largest_ns.unwrap_or(-1.0), reach)
    };
    let mut pairs: Vec<&SkewPair> = clock.pairs.iter().collect();
    pairs.sort_by(|a, b| {
        let ((back_a, reach_a), (back_b, reach_b)) = (key(a), key(b));
        back_b.total_cmp(&back_a).then(reach_b.total_cmp(&reach_a))
    });
    pairs
}

fn list(pairs: &[&SkewPair]) -> Table {
    let columns = vec![
        Column::new("CPUs", "", Align::Left, 0),
        Column::new("Low", "ns", Align::Right, 1),
        Column::new("High", "ns", Align::Right, 1),
        Column::new("Went back", "", Align::Right, 2),
        Column::new("Round trip", "ns", Align::Right, 3),
        Column::new("Distance", "", Align::Left, 4),
        Column::new("Reads", "", Align::Right, 5),
    ];
    let rows = pairs.iter().map(|pair| {
        vec![
            format!("{} {}", pair.cpu_a, pair.cpu_b).into(),
            end(pair, |(low, _)| low),
            end(pair, |(_, high)| high),
            pair.backward.count.to_string().into(),
            figure(pair.round_trip_ns),
            or_absent(pair.distance.map(word)),
            pair.backward.of.to_string().into(),
        ]
    });
    Table { columns, rows: rows.collect() }
}

fn by_distance(clock: &Skew) -> Table {
    let columns = vec![
        Column::new("Distance", "", Align::Left, 0),
        Column::new("Pairs", "", Align::Right, 1),
        Column::new("Lowest", "ns", Align::Right, 2),
        Column::new("Highest", "ns", Align::Right, 2),
        Column::new("Went back", "", Align::Right, 3),
        Column::new("Round trip", "ns", Align::Right, 4),
    ];
    let rows = clock.by_distance.iter().map(|group| {
        let (lowest, highest) = ends(group.lowest_ns, group.highest_ns);
        vec![
            word(group.distance).into(),
            group.pairs.to_string().into(),
            lowest.into(),
            highest.into(),
            group.backward.count.to_string().into(),
            figure(group.round_trip_ns),
        ]
    });
    Table { columns, rows: rows.collect() }
}

/// One end of a pair's interval.
fn end(pair: &SkewPair, which: fn((String, String)) -> String) -> Cell {
    or_absent(pair.low_ns.zip(pair.high_ns).map(|(low, high)| which(ends(low, high))))
}

fn figure(ns: Option<f64>) -> Cell {
    or_absent(ns.map(number::rough))
}

/// Why pairs have no interval, and CPUs no part; the same reason once.
fn reasons(clock: &Skew) -> Vec<String> {
    let mut said: Vec<(&str, Vec<String>)> = Vec::new();
    for (key, reason) in &clock.missing {
        if let Some(cpu) = key.strip_prefix("cpu ") {
            gather(&mut said, reason, format!("CPU {cpu}"));
        }
    }
    for pair in &clock.pairs {
        if let Some(reason) = &pair.missing {
            gather(&mut said, reason, format!("CPUs {} and {}", pair.cpu_a, pair.cpu_b));
        }
    }
    if let Some(reason) = clock.missing.get("offsets").filter(|_| clock.agree.is_some()) {
        gather(&mut said, reason, "No offsets that fit all pairs".into());
    }
    let text = |(reason, all): (&str, Vec<String>)| {
        let names = all[..all.len().min(3)].join(", ");
        let more = all.len().saturating_sub(3);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("{names}{more}: {reason}.")
    };
    said.into_iter().map(text).collect()
}
