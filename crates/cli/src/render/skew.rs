//! Skew: a matrix where few CPUs were compared, the worst pairs and a summary by distance where many were.

use std::fmt::Write;

use clockscope_analysis::analyze::skew::{fastest, is_apart, is_drifting};
use clockscope_analysis::record::{Backward, Interval, Skew, SkewGroup, SkewPair, SkewReport};
use clockscope_analysis::text::{self, gather, grouped, sign, time};

use super::prose::{NOTHING_YET, ending, faint, hanging, heading};
use super::table::{ABSENT, Align, Cell, Table, hidden_text};
use super::{View, number, word};

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
        out.extend(pace(clock).map(|pace| hanging(view, "", 2, &pace)));
        out.extend(reasons(clock).iter().map(|reason| hanging(view, "", 2, reason)));
    }
    if report.clocks.iter().any(|clock| clock.pairs.iter().any(|pair| pair.low_ns.is_some())) {
        out.push('\n');
        out.push_str(&faint(view, LEGEND));
    }
    if report.clocks.is_empty() && report.interrupted {
        out.push_str(NOTHING_YET);
    }
    out + &ending(view, &report.notes, report.interrupted)
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
        for reason in pace(clock).into_iter().chain(reasons(clock)) {
            let _ = writeln!(out, "{}\n", super::table::escape(&reason));
        }
    }
    if report.clocks.is_empty() && report.interrupted {
        let _ = writeln!(out, "{NOTHING_YET}");
    }
    let _ = writeln!(out, "{LEGEND} Nanoseconds by `{}`.", report.reference);
    out
}

/// One line for the survey, of all clocks compared: `tscp -59…+58 ns, monotonic@vdso -72…+62 ns (bounds)`.
pub(super) fn line(clocks: &[Skew]) -> Option<String> {
    let said: Vec<String> = clocks.iter().map(brief).collect();
    let bounds = if clocks.iter().all(|clock| clock.agree == Some(true)) { " (bounds)" } else { "" };
    (!said.is_empty()).then(|| format!("{}{bounds}", said.join(", ")))
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

/// How fast the offsets move: of the pair where it is most.
fn pace(clock: &Skew) -> Option<String> {
    let Some((pair, drift)) = fastest(&clock.pairs) else {
        let why = clock.pairs.iter().find_map(|pair| pair.drift_missing.as_ref());
        return why.map(|why| format!("Drift not told: {why}."));
    };
    let (a, b) = (pair.cpu_a, pair.cpu_b);
    let which = if clock.pairs.len() > 1 { ", the most of all pairs" } else { "" };
    let certain = format!("{} for certain", text::rates(drift.low_ppb, drift.high_ppb));
    let value = drift.ppb.map(|ppb| format!("{}, ", plus_minus(ppb))).unwrap_or_default();
    let steady = if drift.steady { "" } else { " on the average: its rate changed, or it stepped" };
    let apart = if is_drifting(pair) { " They drift apart (CS022)." } else { "" };
    let over = time(drift.over_ns);
    Some(format!("Drift of CPU {b} by CPU {a}{which}: {value}{certain}{steady}, over {over}.{apart}"))
}

/// `+0.4 ± 2.1 ppb`.
fn plus_minus(ppb: Interval) -> String {
    let half_width = (ppb.high - ppb.low) / 2.0;
    let (scale, unit) = if ppb.value.abs().max(half_width) < 1e4 { (1.0, "ppb") } else { (1e3, "ppm") };
    format!("{} {unit}", text::signed_within(ppb.value / scale, half_width / scale, 3))
}

/// Whether every CPU is in a pair and none was left out.
fn are_all(clock: &Skew) -> bool {
    let paired = |cpu: &u32| clock.pairs.iter().any(|pair| pair.cpu_a == *cpu || pair.cpu_b == *cpu);
    clock.cpus.iter().all(paired) && !clock.missing.keys().any(|key| key.starts_with("cpu "))
}

/// `None of 1 234 567 ordered reads went back`, or how many did.
fn backward(backward: Backward) -> String {
    let of = grouped(backward.of);
    let count = if backward.count == 0 { "None".to_owned() } else { grouped(backward.count) };
    let largest = backward.largest_ns.filter(|_| backward.count > 0);
    let largest = largest.map(|ns| format!(", the largest by {}", time(ns))).unwrap_or_default();
    format!("{count} of {of} ordered reads went back{largest}")
}

fn brief(clock: &Skew) -> String {
    match (clock.agree, widest(clock)) {
        (None, _) => format!("{} could not be compared", clock.clock),
        (Some(true), Some((low, high))) => format!("{} {low}…{high} ns", clock.clock),
        (Some(true), None) => format!("{} agrees", clock.clock),
        (Some(false), _) => format!("{} disagrees (CS016)", clock.clock),
    }
}

/// The ends of all intervals together.
fn widest(clock: &Skew) -> Option<(String, String)> {
    let low = clock.pairs.iter().filter_map(|pair| pair.low_ns).reduce(f64::min)?;
    let high = clock.pairs.iter().filter_map(|pair| pair.high_ns).reduce(f64::max)?;
    Some(ends(low, high))
}

fn tables(clock: &Skew, view: View) -> String {
    if clock.pairs.is_empty() {
        return String::new();
    }
    if clock.cpus.len() <= MATRIX {
        let (text, left_out) = matrix(clock, view).render(view);
        if left_out.is_empty() {
            let title = "Offset of the column's CPU against the row's, ns: bounds";
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
        out.push_str(&faint(view, hidden_text(&left_out).trim_start()));
    }
    out
}

fn matrix(clock: &Skew, view: View) -> Table<u32> {
    let cell = |a: u32, b: u32| -> Cell {
        let Some(pair) = clock.pairs.iter().find(|pair| (pair.cpu_a, pair.cpu_b) == (a, b)).filter(|_| a < b) else {
            return Cell::default();
        };
        let (Some(low), Some(high)) = (pair.low_ns, pair.high_ns) else { return Cell::from(ABSENT) };
        let style = if is_apart(pair) { view.bad() } else { anstyle::Style::new() };
        let (low, high) = ends(low, high);
        Cell { text: format!("{low}…{high}"), style }
    };
    let [heads @ .., _] = &clock.cpus[..] else { return Table::of([]) };
    let table = Table::of(heads.iter().copied()).column("CPU", "", Align::Right, 0, |a| a.to_string());
    clock.cpus[1..].iter().fold(table, |table, &b| table.column(b.to_string(), "", Align::Right, 1, |a| cell(a, b)))
}

/// Both ends of an interval with their signs: short, and yet different where they differ.
fn ends(low: f64, high: f64) -> (String, String) {
    let signed = |of: fn(f64) -> String| [low, high].map(|ns| format!("{}{}", sign(ns), of(ns.abs())));
    let mut short = signed(number::rough);
    if short[0] == short[1] && high - low >= 1.0 {
        short = signed(|ns| format!("{ns:.0}"));
    }
    short.into()
}

/// Pairs by how far readings went back, then by how far their intervals reach; those without an interval come last.
fn worst_first(clock: &Skew) -> Vec<&SkewPair> {
    let key = |pair: &SkewPair| {
        let reach = [pair.low_ns, pair.high_ns].into_iter().flatten().map(f64::abs).fold(-1.0, f64::max);
        [pair.backward.largest_ns.unwrap_or(-1.0), reach]
    };
    let mut pairs: Vec<&SkewPair> = clock.pairs.iter().collect();
    pairs.sort_by(|a, b| key(b)[0].total_cmp(&key(a)[0]).then(key(b)[1].total_cmp(&key(a)[1])));
    pairs
}

fn list<'a>(pairs: &[&'a SkewPair]) -> Table<&'a SkewPair> {
    let both = |pair: &SkewPair| pair.low_ns.zip(pair.high_ns).map(|(low, high)| ends(low, high));
    let right = Align::Right;
    Table::of(pairs.iter().copied())
        .column("CPUs", "", Align::Left, 0, |pair| format!("{} {}", pair.cpu_a, pair.cpu_b))
        .column("Low", "ns", right, 1, |pair| both(pair).map(|(low, _)| low))
        .column("High", "ns", right, 1, |pair| both(pair).map(|(_, high)| high))
        .column("Went back", "", right, 2, |pair| pair.backward.count.to_string())
        .column("Round trip", "ns", right, 3, |pair| pair.round_trip_ns.map(number::rough))
        .column("Drift", "", right, 4, |pair| pair.drift.as_ref()?.ppb.map(plus_minus))
        .column("Distance", "", Align::Left, 5, |pair| pair.distance.map(word))
        .column("Reads", "", right, 6, |pair| pair.backward.of.to_string())
        .column("Node", "", right, 7, |pair| nodes(&pair.nodes))
}

/// The NUMA nodes that the lines lay on.
fn nodes(nodes: &[u32]) -> Option<String> {
    let names: Vec<String> = nodes.iter().map(u32::to_string).collect();
    (!names.is_empty()).then(|| names.join(" "))
}

fn by_distance(clock: &Skew) -> Table<&SkewGroup> {
    let both = |group: &SkewGroup| ends(group.lowest_ns, group.highest_ns);
    let right = Align::Right;
    Table::of(&clock.by_distance)
        .column("Distance", "", Align::Left, 0, |group| word(group.distance))
        .column("Pairs", "", right, 1, |group| group.pairs.to_string())
        .column("Lowest", "ns", right, 2, |group| both(group).0)
        .column("Highest", "ns", right, 2, |group| both(group).1)
        .column("Went back", "", right, 3, |group| group.backward.count.to_string())
        .column("Round trip", "ns", right, 4, |group| group.round_trip_ns.map(number::rough))
}

/// Why pairs have no interval, and CPUs no part; the same reason once.
fn reasons<'a>(clock: &'a Skew) -> Vec<String> {
    let cpus = clock.missing.iter().filter_map(|(key, why)| Some((why, format!("CPU {}", key.strip_prefix("cpu ")?))));
    let of_pair =
        |pair: &'a SkewPair| Some((pair.missing.as_ref()?, format!("CPUs {} and {}", pair.cpu_a, pair.cpu_b)));
    let pairs = clock.pairs.iter().filter_map(of_pair);
    let offsets = clock.missing.get("offsets").filter(|_| clock.agree.is_some());
    let offsets = offsets.map(|why| (why, "No offsets that fit all pairs".to_owned()));
    let mut said: Vec<(&String, Vec<String>)> = Vec::new();
    for (reason, who) in cpus.chain(pairs).chain(offsets) {
        gather(&mut said, reason, who);
    }
    let text = |(reason, all): (&String, Vec<String>)| {
        let names = all[..all.len().min(3)].join(", ");
        let more = all.len().checked_sub(3).filter(|more| *more > 0);
        let more = more.map(|more| format!(" and {more} more")).unwrap_or_default();
        format!("{names}{more}: {reason}.")
    };
    said.into_iter().map(text).collect()
}
