//! The lines of a watch as they come: one a clock and look, and what happened.

use std::fmt::Write;

use clockscope_analysis::record::{Interval, MonitorEvent, MonitorRow};
use clockscope_analysis::text::{signed, signed_time, signed_within, time};

use super::prose::{faint, hanging};
use super::{Format, View, csv};

/// The columns: title, width, and whether words stand in it.
const COLUMNS: [(&str, usize, bool); 7] = [
    ("Time", 7, false),
    ("Clock", 16, true),
    ("Gained", 9, false),
    ("Rate, ppm", 13, false),
    ("Since step", 16, false),
    ("Faults", 6, false),
    ("NTP", 0, true),
];
/// Which of them find room first.
const RANKS: [usize; 7] = [1, 3, 0, 2, 5, 4, 6];
/// What stands in a column, where its title does not say it.
const LEGEND: [(usize, &str); 3] = [
    (2, "Gained: since the first look."),
    (3, "Rate: over the last interval."),
    (4, "Since step: the rate since the last step."),
];

/// What stands above the lines, in each format.
pub fn head(reference: &str, format: Format, view: View) -> String {
    match format {
        Format::Table => {
            let titles = COLUMNS.map(|(title, ..)| title.to_owned());
            let shown = shown(view, &titles);
            let of_columns = LEGEND.iter().filter(|(at, _)| shown[*at]).map(|(_, what)| *what);
            let what: Vec<&str> = of_columns.chain(["± are bounds. - at the first look: a rate takes two."]).collect();
            faint(view, &format!("Against {reference}. {}", what.join(" "))) + &cells(view, &titles)
        }
        Format::Csv => csv::look_header_line(),
        Format::Json | Format::Jsonl | Format::Markdown | Format::Junit | Format::Github | Format::Parquet => {
            String::new()
        }
    }
}

/// A look, in each format; those that have the report alone have none of it.
pub fn look(rows: &[MonitorRow], format: Format, view: View) -> String {
    match format {
        Format::Table => lines(rows, view),
        Format::Csv => rows.iter().map(csv::look_line).collect(),
        Format::Jsonl => rows.iter().filter_map(|row| Some(serde_json::to_string(row).ok()? + "\n")).collect(),
        Format::Json | Format::Markdown | Format::Junit | Format::Github | Format::Parquet => String::new(),
    }
}

/// One line a clock, and one an event.
fn lines(rows: &[MonitorRow], view: View) -> String {
    let mut out = String::new();
    let mut told: Vec<&MonitorEvent> = Vec::new();
    for row in rows {
        out += &cells(
            view,
            &[
                moment(row.at_s),
                row.clock.clone(),
                signed_time(row.gained_ns),
                rate(row.rate_ppm, row.rate_low_ppm, row.rate_high_ppm, 2),
                rate(row.whole_ppm, row.whole_low_ppm, row.whole_high_ppm, 4),
                row.faults.to_string(),
                row.ntp.clone().unwrap_or_default(),
            ],
        );
        told.extend(row.events.iter().filter(|event| !told.contains(event)).collect::<Vec<_>>());
    }
    for one in told {
        let style = view.strong();
        let _ = write!(out, "{style}{}{style:#}", hanging(view, "  ", 4, &event(one)));
    }
    out
}

/// A rate with half the width of its bounds; `-` where there is none.
pub fn rate(value: Option<f64>, low: Option<f64>, high: Option<f64>, decimals: usize) -> String {
    let told = value.zip(low.zip(high));
    told.map_or_else(|| "-".into(), |(value, (low, high))| signed_within(value, (high - low) / 2.0, decimals))
}

/// Which of the cells find room, the most telling first.
fn shown(view: View, cells: &[String; 7]) -> [bool; 7] {
    let wide = |at: usize| COLUMNS[at].1.max(cells[at].chars().count()) + 2;
    let (mut used, mut shown) = (0, [false; 7]);
    for at in RANKS {
        // The gap of the first one is not written.
        used += wide(at);
        if view.width.is_some_and(|most| used > most + 2) {
            break;
        }
        shown[at] = true;
    }
    shown
}

/// The cells that find room.
fn cells(view: View, cells: &[String; 7]) -> String {
    let shown = shown(view, cells);
    let mut line = String::new();
    for (at, cell) in cells.iter().enumerate().filter(|(at, _)| shown[*at]) {
        let (_, width, is_word) = COLUMNS[at];
        let gap = if line.is_empty() { "" } else { "  " };
        let padded = if is_word { format!("{cell:<width$}") } else { format!("{cell:>width$}") };
        line.extend([gap, &padded]);
    }
    line.trim_end().to_owned() + "\n"
}

/// One event: `12:05  realtime stepped by +10 ms ± 60 ns: NTP (…)`.
pub fn event(event: &MonitorEvent) -> String {
    use clockscope_analysis::record::MonitorKind::{
        ClockSet, Clocksource, Disruption, Missed, Ntp, Slew, Step, Suspend,
    };
    let who = event.clock.as_deref().unwrap_or_default();
    let size = event.size_ns.map(|size| around(size, &signed_time, &time)).unwrap_or_default();
    let lasted = event.size_ns.map(|size| around(size, &time, &time)).unwrap_or_default();
    let change = event.change_ppm.map(|change| around(change, &signed, &signed)).unwrap_or_default();
    let what = match event.kind {
        Step => format!("{who} stepped by {size}"),
        Slew => format!("{who} changed its rate by {change} ppm"),
        Suspend => format!("the machine slept for {lasted}"),
        ClockSet => format!("the wall clock was set by {size}"),
        Clocksource => "the kernel changed its clocksource".into(),
        Disruption => "the counter was disrupted".into(),
        Ntp => "NTP".into(),
        Missed => format!("nobody looked for {lasted}"),
    };
    let cause = event.cause.as_ref().map(|cause| format!(" [{cause}]")).unwrap_or_default();
    let half = time(event.at_uncertainty_s * 1e9);
    format!("{} (± {half})  {what}{cause}: {}", moment(event.at_s), event.evidence)
}

/// A value and half the width of its interval.
fn around(it: Interval, value: &dyn Fn(f64) -> String, half: &dyn Fn(f64) -> String) -> String {
    format!("{} ± {}", value(it.value), half((it.high - it.low) / 2.0).trim_start_matches('+'))
}

/// Time since the first look: `12.3 s`, `1:02:03`.
fn moment(s: f64) -> String {
    let whole = s.max(0.0) as u64;
    match whole {
        ..60 => format!("{s:.1} s"),
        60..3600 => format!("{}:{:02}", whole / 60, whole % 60),
        _ => format!("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60),
    }
}
