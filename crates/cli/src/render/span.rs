//! The shortest intervals that clocks can time: the answer a clock, the spans, pairs with nothing in between, and the curves.

use std::fmt::Write;

use clockscope_analysis::record::{ClockSpans, EmptyPairs, Interval, Span, SpanBy, SpanPoint, SpanReport};
use clockscope_analysis::text::{grouped, rough_time, time, time_within};

use super::findings::traps;
use super::prose::{ending, faint, hanging, heading};
use super::table::{Align, Table, escape};
use super::{View, number};

/// The share of the sentence that is the answer.
const ANSWER: f64 = 0.01;

/// For a terminal; `curves` shows the error of each length.
pub fn span(report: &SpanReport, curves: bool, view: View) -> String {
    let mut out = String::new();
    for clock in &report.clocks {
        let said = hanging(view, "", 2, &answer(clock));
        let strong = view.strong();
        let (id, rest) = said.split_at(said.find(':').unwrap_or(0));
        let _ = write!(out, "{strong}{id}{strong:#}{rest}");
    }
    let mut put = |title: &str, table: String| {
        out.push_str(&heading(view, title));
        out.push_str(&table);
    };
    put("Shortest interval, 95 of 100 timings within", spans(report).shown(view));
    if !empties(report).is_empty() {
        put("Start and stop with nothing in between", empty_table(report).shown(view));
    }
    for clock in report.clocks.iter().filter(|clock| curves && !clock.curve.is_empty()) {
        put(&format!("{}: error by length", clock.clock), curve_table(clock).shown(view));
    }
    out.push('\n');
    out.push_str(&faint(view, LEGEND));
    out.push_str(&traps(&report.findings, curves, view));
    out + &ending(view, &report.notes, report.interrupted)
}

/// For a page: with all curves.
pub fn markdown(report: &SpanReport) -> String {
    let mut out = String::new();
    for clock in &report.clocks {
        let _ = writeln!(out, "- {}", escape(&answer(clock)));
    }
    let _ = write!(out, "\n## Shortest interval, 95 of 100 timings within\n\n{}", spans(report).markdown());
    let _ = write!(out, "\n## Start and stop with nothing in between\n\n{}", empty_table(report).markdown());
    for clock in &report.clocks {
        let _ = write!(out, "\n## `{}`: error by length\n\n{}", clock.clock, curve_table(clock).markdown());
    }
    let _ = write!(out, "\n{LEGEND} Nanoseconds by `{}`.\n", report.reference);
    out + &super::markdown::traps(&report.findings)
}

const LEGEND: &str = "Each by itself, with the overhead subtracted; 'raw' without that; 'of 100' is the mean of 100 timings. ±: 95 %, \
                      the wider side. ~ is reckoned from shorter chains or from the clock's resolution. Of the pairs with nothing in \
                      between all figures are of this run and exact.";

/// The answer in one sentence.
fn answer(clock: &ClockSpans) -> String {
    let name = &clock.clock;
    let Some(single) = clock.span(ANSWER, 1, true) else {
        let why = clock.missing.get("spans").map_or("the record does not say why", String::as_str);
        let coarser = clock.span(0.1, 1, true).map(|span| format!("; {} for 10 %, singly", told(span)));
        return format!("{name}: no span for 1 %: {why}{}.", coarser.unwrap_or_default());
    };
    let mean = clock.span(ANSWER, 100, true).map(|span| format!("; {} as the mean of 100", told(span)));
    let raw = clock.span(ANSWER, 1, false).map(|span| format!(" ({} as it is read)", told(span)));
    let overhead = clock
        .overhead_ns
        .map(|overhead| format!(" with {} ns subtracted{}", plus_minus(overhead), raw.unwrap_or_default()));
    format!("{name}: {} for 1 %, singly{}{}.", told(single), overhead.unwrap_or_default(), mean.unwrap_or_default())
}

/// Two digits, as its interval allows no more as a rule.
fn shown(span: &Span) -> String {
    let text = time(span.ns);
    match span.by {
        _ if is_bound(span) => format!("≤ {}", time(span.high)),
        SpanBy::Measured | SpanBy::AtMost => text,
        SpanBy::Extrapolated | SpanBy::Quantum => format!("~ {text}"),
    }
}

/// The same with its ±, for running text.
fn told(span: &Span) -> String {
    match span.by {
        // Records of the first versions have means without an interval.
        _ if half(span) <= 0.0 || is_bound(span) => shown(span),
        SpanBy::Measured | SpanBy::AtMost => time_within(span.ns, half(span)),
        SpanBy::Extrapolated | SpanBy::Quantum => format!("~ {}", time_within(span.ns, half(span))),
    }
}

/// Whether no more is known than that it is no longer.
fn is_bound(span: &Span) -> bool {
    span.by == SpanBy::AtMost || half(span) >= span.ns
}

/// Half the width of its interval, the wider side.
fn half(span: &Span) -> f64 {
    f64::max(span.high - span.ns, span.ns - span.low)
}

fn plus_minus(interval: Interval) -> String {
    let half = (interval.high - interval.value).max(interval.value - interval.low);
    number::with_uncertainty(interval.value, half, 2)
}

fn spans(report: &SpanReport) -> Table<&ClockSpans> {
    let of = |within: f64, mean_of: u32, subtracted: bool| {
        move |clock: &ClockSpans| clock.span(within, mean_of, subtracted).map(shown)
    };
    // What is known to be at most so much has no width.
    let off = |within: f64, mean_of: u32, subtracted: bool| {
        move |clock: &ClockSpans| {
            let span = clock.span(within, mean_of, subtracted);
            span.map(|span| if is_bound(span) || half(span) <= 0.0 { String::new() } else { rough_time(half(span)) })
        }
    };
    let right = Align::Right;
    Table::of(&report.clocks)
        .column("Clock", "", Align::Left, 0, |clock| clock.clock.as_str())
        .column("Overhead", "ns", Align::Decimal, 5, |clock| clock.overhead_ns.map(plus_minus))
        .column("10 %", "", right, 2, of(0.1, 1, true))
        .column("±", "", right, 6, off(0.1, 1, true))
        .column("1 %", "", right, 1, of(ANSWER, 1, true))
        .column("±", "", right, 4, off(ANSWER, 1, true))
        .column("0.1 %", "", right, 3, of(0.001, 1, true))
        .column("±", "", right, 7, off(0.001, 1, true))
        .column("1 % raw", "", right, 8, of(ANSWER, 1, false))
        .column("±", "", right, 9, off(ANSWER, 1, false))
        .column("1 % of 100", "", right, 10, of(ANSWER, 100, true))
        .column("±", "", right, 11, off(ANSWER, 100, true))
        .column("0.1 % of 1000", "", right, 12, of(0.001, 1000, true))
        .column("±", "", right, 13, off(0.001, 1000, true))
}

fn empties(report: &SpanReport) -> Vec<(&str, &EmptyPairs)> {
    let with = |clock| move |pairs| (clock, pairs);
    report.clocks.iter().flat_map(|of| of.empty.iter().map(with(of.clock.as_str()))).collect()
}

fn empty_table(report: &SpanReport) -> Table<(&str, &EmptyPairs)> {
    Table::of(empties(report))
        .column("Clock", "", Align::Left, 0, |(clock, _)| clock)
        .column("On", "", Align::Left, 1, |(_, pairs)| if pairs.pinned { "one CPU" } else { "any CPU" })
        .column("Pairs", "", Align::Right, 6, |(_, pairs)| grouped(pairs.pairs))
        .column("Mean", "counts", Align::Decimal, 8, |(_, pairs)| number::exact(pairs.mean_counts, 1))
        .column("σ", "counts", Align::Decimal, 9, |(_, pairs)| number::exact(pairs.sd_counts, 1))
        .column("Mean", "ns", Align::Decimal, 5, |(_, pairs)| number::exact(pairs.mean_ns, 1))
        .column("σ", "ns", Align::Decimal, 7, |(_, pairs)| number::exact(pairs.sd_ns, 1))
        .column("Median", "ns", Align::Decimal, 4, |(_, pairs)| number::exact(pairs.median_ns, 1))
        .column("p99.9", "ns", Align::Decimal, 10, |(_, pairs)| number::exact(pairs.p999_ns, 1))
        .column("Longest", "", Align::Right, 2, |(_, pairs)| time(pairs.longest_ns))
        .column("Cause", "", Align::Left, 3, |(_, pairs)| pairs.longest_cause.as_deref().unwrap_or("none seen"))
}

fn curve_table(clock: &ClockSpans) -> Table<&SpanPoint> {
    let ns = |value: f64| number::exact(value, 1);
    Table::of(&clock.curve)
        .column("Length", "ns", Align::Decimal, 0, |point| {
            number::with_uncertainty(point.length_ns, point.length_off_ns, 2)
        })
        .column("Bias", "ns", Align::Decimal, 1, move |point| ns(point.bias_ns))
        .column("2.5 %", "ns", Align::Decimal, 3, move |point| ns(point.low_ns))
        .column("97.5 %", "ns", Align::Decimal, 4, move |point| ns(point.high_ns))
        .column("95 % within", "ns", Align::Decimal, 2, move |point| ns(point.p95_subtracted_ns))
        .column("σ", "ns", Align::Decimal, 5, move |point| ns(point.sd_ns))
        .column("Timings", "", Align::Right, 6, |point| grouped(point.timings))
}
