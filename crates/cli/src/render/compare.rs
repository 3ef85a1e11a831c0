//! What changed between records.

use std::fmt::Write;

use clockscope_analysis::Resolution;
use clockscope_analysis::record::{
    CompareReport, Compared, Comparison, Difference, Figure, Outcome, Passing, Side, Told,
};
use clockscope_analysis::text::{count, gather, grouped, shortened};

use super::clock_table::resolution_text;
use super::csv::{line, row};
use super::prose::{ending, faint, hanging, heading};
use super::table::{Align, Cell, Table, escape};
use super::{View, number, word};

/// A compared figure's columns, after its sides.
const COMPARED: &str = "clock figure before_value before_low before_high before_reads before_runs after_value after_low after_high \
                        after_reads after_runs ratio_value ratio_low ratio_high difference_ppm_value difference_ppm_low \
                        difference_ppm_high p p_holm result worse missing";

/// The tables: which figures, their title, their unit.
const TABLES: [(&[Figure], &str, &str); 5] = [
    (&[Figure::Cost], "Cost of a read, median", "ns"),
    (&[Figure::P99], "99th percentile of single reads", "ns"),
    (&[Figure::Quantum], "Resolution", "ns"),
    (&[Figure::Rate], "Rate by the reference", "ppm"),
    (&[Figure::Stalls, Figure::Backward, Figure::Jumps, Figure::Failed], "Faults among the reads", ""),
];

/// For a terminal.
pub fn compare(report: &CompareReport, view: View) -> String {
    let mut out = String::new();
    for (at, comparison) in report.comparisons.iter().enumerate() {
        if at > 0 {
            out.push('\n');
        }
        for (when, side) in [("Before  ", &comparison.before), ("After   ", &comparison.after)] {
            out.push_str(&hanging(view, when, 8, &files(side)));
        }
        out.push_str(&hanging(view, "", 2, &summary(comparison)));
        if let Some(what) = different(comparison) {
            out.push_str(&hanging(view, "", 2, what));
        }
        if !comparison.machine.is_empty() {
            out.push_str(&heading(view, "Machine and run"));
            out.extend(comparison.machine.iter().map(|it| hanging(view, "", 2, &difference(it))));
        }
        for (title, findings) in passing(comparison) {
            out.push_str(&heading(view, title));
            out.extend(findings.iter().map(|it| hanging(view, "", 2, &finding(it))));
        }
        for (figures, title, unit) in TABLES {
            let rows = of(comparison, figures);
            if !rows.is_empty() {
                out.push_str(&heading(view, title));
                out.push_str(&table(rows, unit, view).giving_way_to(1).shown(view));
            }
        }
        out.push('\n');
        out.extend(remarks(comparison).iter().map(|line| faint(view, line)));
        out.push_str(&ending(view, &comparison.notes, false));
    }
    out + &faint(view, &legend(report))
}

/// For a page.
pub fn markdown(report: &CompareReport) -> String {
    let mut out = "# What changed\n".to_owned();
    for comparison in &report.comparisons {
        let [before, after] = [&comparison.before, &comparison.after].map(|side| escape(&files(side)));
        let _ = write!(out, "\nBefore: {before}  \nAfter: {after}\n\n{}\n", escape(&summary(comparison)));
        if let Some(what) = different(comparison) {
            let _ = write!(out, "\n{what}\n");
        }
        if !comparison.machine.is_empty() {
            out.push_str("\n## Machine and run\n\n");
            out.extend(comparison.machine.iter().map(|it| format!("- {}\n", escape(&difference(it)))));
        }
        for (title, findings) in passing(comparison) {
            let _ = write!(out, "\n## {title}\n\n");
            out.extend(findings.iter().map(|it| format!("- {}\n", escape(&finding(it)))));
        }
        for (figures, title, unit) in TABLES {
            let rows = of(comparison, figures);
            if !rows.is_empty() {
                let _ = write!(out, "\n## {title}\n\n{}", table(rows, unit, View::default()).markdown());
            }
        }
        out.push('\n');
        for line in remarks(comparison).iter().chain(&comparison.notes) {
            let _ = writeln!(out, "- {}", escape(&plain(line)));
        }
    }
    let _ = writeln!(out, "\n{}", legend(report));
    out
}

/// One row a comparison, clock and figure.
pub fn csv(comparisons: &[Comparison]) -> String {
    let head = line(["before_files", "after_files", "by", "different_machines"].into_iter().chain(COMPARED.split(' ')));
    comparisons.iter().fold(head, |text, of| {
        let [before, after] = [&of.before, &of.after].map(|side| side.files.join(" "));
        let whose = || [before.clone(), after.clone(), word(of.by), of.different_machines.to_string()];
        text + &of.rows.iter().map(|it| line(whose().into_iter().chain(row(it, COMPARED)))).collect::<String>()
    })
}

/// A figure with its change: `monotonic cost ×1.10`.
pub fn called(row: &Compared) -> String {
    let by = match (row.ratio.and_then(|ratio| ratio.value), row.difference_ppm) {
        (Some(ratio), _) if ratio > 0.0 => format!(" ×{}", clockscope_analysis::text::number(ratio)),
        (_, Some(by)) => format!(" {} ppm", clockscope_analysis::text::signed(by.value)),
        _ => String::new(),
    };
    format!("{} {}{by}", plain(&row.clock), name(row.figure))
}

fn name(figure: Figure) -> &'static str {
    match figure {
        Figure::Cost => "cost",
        Figure::P99 => "p99",
        Figure::Quantum => "resolution",
        Figure::Rate => "rate",
        Figure::Stalls => "stalls",
        Figure::Backward => "steps back",
        Figure::Jumps => "jumps",
        Figure::Failed => "failed reads",
    }
}

/// Text of a file without what a terminal would obey.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

fn files(side: &Side) -> String {
    let files: Vec<String> = side.files.iter().map(|file| plain(file)).collect();
    let runs = if files.len() > 1 { format!("{}: ", count(files.len() as u64, "run")) } else { String::new() };
    format!("{runs}{}", shortened(&files, 4))
}

fn of<'a>(comparison: &'a Comparison, figures: &[Figure]) -> Vec<&'a Compared> {
    comparison.rows.iter().filter(|row| figures.contains(&row.figure)).collect()
}

fn summary(comparison: &Comparison) -> String {
    let rows = &comparison.rows;
    let changed: Vec<&Compared> = rows.iter().filter(|row| row.result == Outcome::Changed).collect();
    let worse: Vec<String> = changed.iter().filter(|row| row.worse == Some(true)).map(|row| called(row)).collect();
    let other: Vec<String> = changed.iter().filter(|row| row.worse != Some(true)).map(|row| called(row)).collect();
    let open = rows.iter().filter(|row| row.result == Outcome::Undecided).count();
    let mut said = format!("{} of {} changed", changed.len(), count(rows.len() as u64, "figure"));
    let _ = write!(said, ", {open} undecided.");
    if !worse.is_empty() {
        let _ = write!(said, " Worse: {}.", shortened(&worse, 5));
    }
    if !other.is_empty() {
        let which = if comparison.different_machines { "Different" } else { "Else changed" };
        let _ = write!(said, " {which}: {}.", shortened(&other, 5));
    }
    said
}

fn different(comparison: &Comparison) -> Option<&'static str> {
    let what = "Different machines: the figures differ as the machines do, and none counts as worse or better.";
    comparison.different_machines.then_some(what)
}

fn difference(it: &Difference) -> String {
    let clock = it.clock.as_ref().map_or_else(String::new, |clock| format!("{} ", plain(clock)));
    let value = |text: &Option<String>| match text.as_deref() {
        None => "not known".to_owned(),
        Some("") => "none".to_owned(),
        Some(text) => plain(text),
    };
    format!("{clock}{}: {} → {}", it.what, value(&it.before), value(&it.after))
}

fn passing(comparison: &Comparison) -> impl Iterator<Item = (&'static str, &[Passing])> {
    let both = [("Findings that came", comparison.came.as_slice()), ("Findings that went", &comparison.went)];
    both.into_iter().filter(|(_, findings)| !findings.is_empty())
}

fn finding(it: &Passing) -> String {
    let of_run = if it.of_run { " (of the run alone)" } else { "" };
    format!("{} {}: {}{of_run}", word(it.severity), plain(&it.code), plain(&it.title))
}

fn table<'a>(rows: Vec<&'a Compared>, unit: &'static str, view: View) -> Table<&'a Compared> {
    let faults = unit.is_empty();
    let is_rate = unit == "ppm";
    let is_resolution = rows.iter().all(|row| row.figure == Figure::Quantum);
    let who = move |row: &Compared| {
        if faults { format!("{} {}", plain(&row.clock), name(row.figure)) } else { plain(&row.clock) }
    };
    // As in the survey's table: of limits and other units the point says nothing.
    let side = if is_resolution { Align::Right } else { Align::Decimal };
    let told = move |told: &Told| if is_resolution { resolved(told) } else { shown(told) };
    let (by, ends) = if is_rate { ("Difference", "95 % ppm") } else { ("Ratio", "95 %") };
    Table::of(rows)
        .column("Clock", "", Align::Left, 0, who)
        .column("Before", unit, side, 4, move |row| told(&row.before))
        .column("After", unit, side, 3, move |row| told(&row.after))
        .column("Reads", "", Align::Right, 8, |row| {
            let reads = [row.before.reads, row.after.reads].into_iter().flatten().map(grouped);
            Some(reads.collect::<Vec<_>>().join(" | ")).filter(|text| !text.is_empty())
        })
        .column(by, "", Align::Decimal, 2, |row| change(row).0)
        .column(ends, "", Align::Right, 5, |row| change(row).1)
        .column("Result", "", Align::Left, 1, move |row| result(row, view))
        .without_empty()
}

/// A side's figure with the digits that its interval allows, or its limit.
fn shown(told: &Told) -> Option<String> {
    let (low, high) = (told.low.unwrap_or(f64::NAN), told.high.unwrap_or(f64::NAN));
    match told.value {
        Some(value) if told.reads.is_some() => Some(number::exact(value, 0)),
        Some(value) => Some(number::measured(value, (high - value).max(value - low).max(0.0), 3)),
        None => told.high.map(|high| format!("≤ {}", number::limit(high))),
    }
}

/// What a clock resolved on a side, as the survey's table has it: from a microsecond on with a unit of its own.
fn resolved(told: &Told) -> Option<String> {
    let (low, high) = (told.low.unwrap_or(f64::NAN), told.high.unwrap_or(f64::NAN));
    let resolution = match told.value {
        Some(ns) => Resolution::Of { ns, half_width_ns: (high - ns).max(ns - low).max(0.0) },
        None => Resolution::AtMost(told.high?),
    };
    Some(resolution_text(resolution))
}

/// The change and the ends of its interval.
fn change(row: &Compared) -> (Option<String>, Option<String>) {
    let (value, low, high) = match (row.ratio, row.difference_ppm) {
        (Some(ratio), _) => (ratio.value, ratio.low, ratio.high),
        (_, Some(by)) => (Some(by.value), by.low, Some(by.high)),
        _ => return (None, None),
    };
    let half = high.zip(value).map_or(0.0, |(high, value)| (high - value).max(value - low));
    let said = |value: f64| number::measured(value, half, 3);
    let is_known = high.is_some() || low > 0.0;
    let ends = is_known.then(|| format!("{}…{}", said(low), high.map_or_else(|| "∞".to_owned(), said)));
    (value.map(said), ends)
}

fn result(row: &Compared, view: View) -> Cell {
    let (text, style) = match (row.result, row.worse) {
        (Outcome::Changed, Some(true)) => ("worse", view.bad()),
        (Outcome::Changed, Some(false)) => ("better", view.strong()),
        (Outcome::Changed, None) => ("changed", view.strong()),
        (Outcome::Same, _) => ("~", view.faint()),
        (Outcome::Undecided, _) => ("undecided", view.faint()),
    };
    Cell { text: text.into(), style }
}

/// What stands beside the tables: clocks of one side, without faults, and why rows say no more.
fn remarks(comparison: &Comparison) -> Vec<String> {
    let list = |ids: &[String]| shortened(&ids.iter().map(|id| plain(id)).collect::<Vec<_>>(), 12);
    let mut all = Vec::new();
    for (title, ids) in [
        ("No fault on either side", &comparison.faultless),
        ("Only before", &comparison.only_before),
        ("Only after", &comparison.only_after),
    ] {
        if !ids.is_empty() {
            all.push(format!("{title}: {}.", list(ids)));
        }
    }
    let mut said: Vec<((Figure, &str), Vec<String>)> = Vec::new();
    for row in &comparison.rows {
        if let Some(why) = &row.missing {
            gather(&mut said, (row.figure, why.as_str()), row.clock.clone());
        }
    }
    all.extend(
        said.iter()
            .map(|((figure, why), ids)| format!("{} of {}: {}.", super::capital(name(*figure)), list(ids), plain(why))),
    );
    all
}

fn legend(report: &CompareReport) -> String {
    let least = number::exact(report.least * 100.0, 3);
    format!(
        "Ratio: after / before with its 95 % interval. worse, better, changed: by more than {least} % (rates: {} ppm), and not by \
         chance: all rows together err so in {} % of tables at most. ~: within {least} %. undecided: neither can be said.",
        number::exact(report.least_ppm, 3),
        number::exact(report.error_share * 100.0, 1),
    )
}
