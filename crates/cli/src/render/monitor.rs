//! What a watch came to.

use std::fmt::Write;

use clockscope_analysis::record::{Deviation, MonitorReport, Monitored, Rate, StabilityPoint};
use clockscope_analysis::text::{count, gather, percent, shortened, signed, signed_time, signed_within, time};

use super::looks::event;
use super::prose::{ending, facts, faint, hanging, heading};
use super::table::{Align, Table};
use super::{View, words};

/// Events of the report that are shown; JSON has all.
const SHOWN: usize = 40;

/// The report for a terminal; the stability of the first clock, or of all.
pub fn report(report: &MonitorReport, all: bool, view: View) -> String {
    let mut out = hanging(view, "", 2, &summary(report));
    out += &facts(view, &ntp(report));
    if !report.clocks.is_empty() {
        out.push('\n');
        out += &clocks(&report.clocks).shown(view);
    }
    out += &reasons(report).iter().map(|reason| hanging(view, "", 2, reason)).collect::<String>();
    if !report.events.is_empty() {
        out += &heading(view, "What happened");
        out += &events(report).iter().map(|event| hanging(view, "", 2, event)).collect::<String>();
    }
    let stable: Vec<&Monitored> = report.clocks.iter().filter(|clock| !clock.stability.is_empty()).collect();
    let shown = if all { stable.len() } else { stable.len().min(1) };
    for clock in &stable[..shown] {
        out += &heading(view, &format!("Stability of {}", clock.clock));
        out += &stability(&clock.stability).shown(view);
    }
    if stable.len() > shown {
        let more = count((stable.len() - shown) as u64, "more clock");
        out += &faint(view, &format!("Stability of {more}: --all."));
    }
    out + &ending(view, &report.notes, report.interrupted)
}

/// The report for a page.
pub fn markdown(report: &MonitorReport) -> String {
    let mut out = format!("{}\n\n{}\n", summary(report), clocks(&report.clocks).markdown());
    for reason in reasons(report) {
        let _ = writeln!(out, "{}\n", super::table::escape(&reason));
    }
    if !report.events.is_empty() {
        out += "## What happened\n\n";
        for event in events(report) {
            let _ = writeln!(out, "- {}", super::table::escape(&event));
        }
        out.push('\n');
    }
    for clock in report.clocks.iter().filter(|clock| !clock.stability.is_empty()) {
        let _ = writeln!(out, "## Stability of `{}`\n\n{}", clock.clock, stability(&clock.stability).markdown());
    }
    out
}

fn summary(report: &MonitorReport) -> String {
    let MonitorReport { reference, looks, missed_looks, .. } = report;
    let clocks = count(report.clocks.len() as u64, "clock");
    let watched = time(report.watched_s * 1e9);
    let sum = |of: fn(&Monitored) -> u64| report.clocks.iter().map(of).sum::<u64>();
    let (steps, slews) = (sum(|clock| clock.steps), sum(|clock| clock.slews));
    let faults = sum(|clock| clock.regressions.count + clock.warps.count);
    let mut text = format!("{clocks} watched against {reference} for {watched}, {}", count(*looks, "look"));
    if *missed_looks > 0 {
        let _ = write!(text, " ({missed_looks} missed)");
    }
    let _ = write!(text, ": {}, {}, {}.", count(steps, "step"), count(slews, "slew"), count(faults, "fault"));
    if *looks > 0 && report.clocks.iter().all(|clock| clock.least_step_ns.is_none()) {
        text += " Of steps and slews nothing can be told from so few looks.";
    }
    if let Some(slept) = report.suspended_ns.filter(|slept| slept.low > 0.0) {
        let _ = write!(text, " The machine slept for {}.", time(slept.value));
    }
    text
}

/// What the kernel said of NTP, at the start and at the end.
fn ntp(report: &MonitorReport) -> Vec<String> {
    let Some(end) = &report.ntp_end else {
        let why = report.missing.get("ntp_end").map_or("not asked", String::as_str);
        return vec![format!("NTP's state is not known: {why}")];
    };
    let word = |synchronised| if synchronised { "synchronised" } else { "not synchronised" };
    let changed = report.ntp_start.as_ref().filter(|start| start.synchronised != end.synchronised);
    let before = changed.map(|start| format!(" ({} at the start)", word(start.synchronised))).unwrap_or_default();
    vec![
        format!("Kernel clock {}{before}", word(end.synchronised)),
        format!("steered by {} ppm", signed(end.frequency_ppm)),
        format!("offset {}", signed_time(end.offset_ns)),
    ]
}

fn clocks(clocks: &[Monitored]) -> Table<&Monitored> {
    let right = Align::Right;
    Table::of(clocks)
        .column("Clock", "", Align::Left, 0, |clock| clock.clock.clone())
        .column("Rate", "ppm", Align::Decimal, 1, |clock| {
            let half = |rate: &Rate| f64::max(rate.high_ppm - rate.ppm, rate.ppm - rate.low_ppm);
            clock.rate.as_ref().map(|rate| signed_within(rate.ppm, half(rate), 6))
        })
        .column("Gained", "", right, 3, |clock| clock.gained_ns.map(|gained| signed_time(gained.value)))
        .column("Steps", "", right, 4, |clock| clock.steps.to_string())
        .column("Slews", "", right, 5, |clock| clock.slews.to_string())
        .column("Faults", "", right, 6, |clock| (clock.regressions.count + clock.warps.count).to_string())
        .column("Noise", "", right, 7, |clock| clock.noise_ns.map(time))
        .column("Least step", "", right, 8, |clock| clock.least_step_ns.map(time))
        .column("Interrupted", "", right, 9, |clock| clock.interruptions.to_string())
        .column("Looks", "", right, 10, |clock| clock.looks.to_string())
}

fn stability(points: &[StabilityPoint]) -> Table<&StabilityPoint> {
    let scientific = |it: Option<Deviation>| it.map(|it| format!("{:.3e}", it.value));
    let half = |it: Option<Deviation>| {
        let it = it?;
        let wide = (it.high? - it.low?) / 2.0 / it.value;
        wide.is_finite().then(|| percent(wide))
    };
    let right = Align::Right;
    Table::of(points)
        .column("Tau", "", right, 0, |point| time(point.tau_s * 1e9))
        .column("ADEV", "", right, 1, |point| scientific(point.adev))
        .column("±", "", right, 4, |point| half(point.adev))
        .column("MDEV", "", right, 5, |point| scientific(point.mdev))
        .column("TDEV", "", right, 3, |point| point.tdev_ns.map(|it| time(it.value)))
        .column("MTIE", "", right, 2, |point| point.mtie_ns.map(time))
        .column("Noise", "", Align::Left, 6, |point| point.noise.clone())
}

/// The events that are shown.
fn events(report: &MonitorReport) -> Vec<String> {
    let all = &report.events;
    let mut out: Vec<String> = all.iter().take(SHOWN).map(event).collect();
    let more = all.len().saturating_sub(SHOWN) as u64 + report.events_omitted;
    if more > 0 {
        out.push(format!("… and {}; JSON has the first 512 and the latest 512", count(more, "more event")));
    }
    out
}

/// Why figures are missing; the same reason once.
fn reasons(report: &MonitorReport) -> Vec<String> {
    let mut by_field: Vec<((&String, &String), Vec<String>)> = Vec::new();
    for clock in &report.clocks {
        for what in &clock.missing {
            gather(&mut by_field, what, clock.clock.clone());
        }
    }
    let mut said: Vec<((String, &String), Vec<String>)> = Vec::new();
    for ((field, why), of) in by_field {
        gather(&mut said, (shortened(&of, 3), why), words(field));
    }
    said.into_iter().map(|((of, why), fields)| format!("{} of {of}: {why}.", fields.join(", "))).collect()
}
