//! The counter's frequency: the answer, what is to be said of it, a row a source, and those that say nothing.

use std::fmt::Write;

use clockscope_analysis::record::{FrequencyOrigin, FrequencyReport, FrequencySource, Interval};
use clockscope_analysis::text::{self, number};

use super::prose::{ending, faint, hanging, heading};
use super::table::{Align, Table, escape, hidden_text};
use super::{View, word, words};

const LEGEND: &str = "Off: beside ours, positive where higher; its ± is the measuring's. ±: 95 % of a measured one; of a stated one what its own rounding permits, \
                      which says nothing of its truth.";

/// For a terminal.
pub fn frequency(report: &FrequencyReport, view: View) -> String {
    let mut out = hanging(view, "", 2, &answer(report));
    out.extend(said(report).iter().map(|line| hanging(view, "- ", 2, line)));
    if !report.sources.is_empty() {
        out.push('\n');
        let (text, hidden) = table(report).render(view);
        out.push_str(&text);
        out.push('\n');
        out.push_str(&faint(view, &format!("{LEGEND}{}", hidden_text(&hidden))));
    }
    if view.width.is_some() && !report.sources.is_empty() {
        out.push_str(&heading(view, "Where each stands"));
        let each =
            |source: &FrequencySource| hanging(view, "", 2, &format!("{}: {}", source.source, source.provenance));
        out.extend(report.sources.iter().map(each));
    }
    if !report.unavailable.is_empty() {
        out.push_str(&heading(view, "Say nothing here"));
        out.extend(silent(report).iter().map(|(who, why)| hanging(view, "", 2, &format!("{who}: {why}"))));
    }
    out.extend(report.missing.iter().map(|(field, why)| hanging(view, "", 2, &format!("{}: {why}.", words(field)))));
    out + &ending(view, &report.notes, report.interrupted)
}

/// For a page.
pub fn markdown(report: &FrequencyReport) -> String {
    let mut out = format!("# Frequency of the counter\n\n{}\n\n", escape(&answer(report)));
    for line in said(report) {
        let _ = writeln!(out, "- {}", escape(&line));
    }
    if !report.sources.is_empty() {
        let _ =
            write!(out, "\n## Sources\n\n{}\n{LEGEND} Ours is by `{}`.\n", table(report).markdown(), report.reference);
    }
    if !report.unavailable.is_empty() {
        out.push_str("\n## Say nothing here\n\n");
        for (who, why) in silent(report) {
            let _ = writeln!(out, "- {}: {}", escape(&who), escape(why));
        }
    }
    for (field, why) in &report.missing {
        let _ = writeln!(out, "\n{}: {}.", words(field), escape(why));
    }
    out
}

/// The answer in one sentence.
fn answer(report: &FrequencyReport) -> String {
    let counter = report.counter.as_deref().unwrap_or("the counter");
    let Some(trusted) = &report.trusted else { return format!("{counter}: nothing here tells its frequency.") };
    let source = report.sources.iter().find(|source| source.source == trusted.source);
    let is_measured = source.is_some_and(|source| source.origin == FrequencyOrigin::Measured);
    let hz = if is_measured { hertz(trusted.hz) } else { digits(trusted.hz) };
    format!("{counter} ticks at {hz} Hz by {}, the one to trust: {}.", trusted.source, trusted.because)
}

/// Ours, where another one is to be trusted.
fn ours(report: &FrequencyReport) -> Option<String> {
    let hz = report.measured_hz?;
    let trusted = report.trusted.as_ref().filter(|trusted| trusted.source != report.reference)?;
    let off = report.sources.iter().find(|source| source.source == trusted.source)?.off_ppm?;
    let beside = Interval { value: -off.value, low: -off.high, high: -off.low };
    let (by, over) = (&report.reference, report.over_s);
    Some(format!("Ours, by {by} over {over:.1} s: {} Hz, {} ppm beside that.", hertz(hz), self::off(beside)))
}

/// Ours, remarks and findings.
fn said(report: &FrequencyReport) -> Vec<String> {
    let findings = report
        .findings
        .iter()
        .map(|of| format!("{} {}: {}.", word(of.severity), of.code, of.title.trim_end_matches('.')));
    ours(report).into_iter().chain(report.remarks.iter().cloned()).chain(findings).collect()
}

fn table(report: &FrequencyReport) -> Table<&FrequencySource> {
    let trusted = report.trusted.as_ref().map_or("", |trusted| trusted.source.as_str());
    let marked = move |source: &FrequencySource| {
        let mark = if source.source == trusted { " *" } else { "" };
        format!("{}{mark}", source.source)
    };
    Table::of(&report.sources)
        .column("Source", "", Align::Left, 0, marked)
        .column("Frequency", "Hz", Align::Decimal, 1, |source| digits(source.hz))
        .column("±", "Hz", Align::Right, 2, |source| half(source.hz))
        .column("Off", "ppm", Align::Right, 3, |source| source.off_ppm.map(off))
        .column("Step", "Hz", Align::Right, 5, |source| source.step_hz.map(number::limit))
        .column("Whose word", "", Align::Left, 4, |source| word(source.origin))
        .column("Read from", "", Align::Left, 6, |source| source.provenance.clone())
        .giving_way_to(2)
}

/// Those of whom the same is said stand together.
fn silent(report: &FrequencyReport) -> Vec<(String, &str)> {
    let mut by_reason: Vec<(&str, Vec<&str>)> = Vec::new();
    for source in &report.unavailable {
        text::gather(&mut by_reason, source.reason.as_str(), source.id.as_str());
    }
    by_reason.into_iter().map(|(why, who)| (text::list(&who), why)).collect()
}

fn half_width(of: Interval) -> f64 {
    f64::max(of.high - of.value, of.value - of.low)
}

/// Decimals that an uncertainty allows: none of one that is nothing, or 2 Hz and more.
fn decimals(half: f64) -> usize {
    match half {
        half if half >= 2.0 || half <= 0.0 => 0,
        half if half >= 0.2 => 1,
        half if half >= 0.02 => 2,
        _ => 3,
    }
}

/// Digits in groups, as many as the interval allows.
fn digits(hz: Interval) -> String {
    let decimals = decimals(half_width(hz));
    let text = format!("{:.decimals$}", hz.value);
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let grouped = whole.parse().map_or_else(|_| whole.to_owned(), text::grouped);
    if fraction.is_empty() { grouped } else { format!("{grouped}.{fraction}") }
}

fn half(hz: Interval) -> String {
    let half = half_width(hz);
    let text = number::uncertainty(half, decimals(half));
    if half >= 1e3 { text::grouped(half.ceil() as u64) } else { text }
}

/// `2,445,424,031 ± 12`.
fn hertz(hz: Interval) -> String {
    format!("{} ± {}", digits(hz), half(hz))
}

/// With its sign and what it is sure of.
fn off(ppm: Interval) -> String {
    text::signed_within(ppm.value, half_width(ppm), 4)
}
