//! What is to be said beside the figures.

use crate::analyze::frequency::apart;
use crate::record::{FrequencyOrigin, FrequencyReport, FrequencySource, Interval, Machine, TscGeneration};
use crate::text;

/// Steps that figures are cut to, Hz, and what they are called. Above 2 GHz Linux keeps of a pvclock page an even number of kHz
/// (`pvclock_tsc_khz` shifts what it divided), and hands that on.
const STEPS: [(f64, &str); 3] = [(1e3, "whole kHz"), (2e3, "steps of 2 kHz"), (1e6, "whole MHz")];
/// A stated frequency that is further off is not of the counter, or nobody's, ppm.
const FAR_PPM: f64 = 200.0;

/// Marks those that were cut.
pub(super) fn cut(report: &mut FrequencyReport) {
    let Some(trusted) = &report.trusted else { return };
    let (name, hz) = (trusted.source.clone(), trusted.hz);
    for source in report.sources.iter_mut().filter(|source| source.source != name) {
        let is_short = source.origin != FrequencyOrigin::Measured && hz.low > source.hz.value;
        source.cut_to_hz = step(source, hz.value).filter(|_| is_short);
    }
}

/// The smallest step by which a stated frequency may be what is left of a higher one: it is a whole number of them, lies less
/// than one of them lower, and is not stated in larger ones.
fn step(source: &FrequencySource, higher_hz: f64) -> Option<f64> {
    let value = source.hz.value;
    let explains = |step: &f64| {
        let is_whole = (value / step - (value / step).round()).abs() * step < 1e-3;
        is_whole && higher_hz - value < *step && source.step_hz.is_none_or(|own| own <= *step)
    };
    STEPS.into_iter().map(|(step, _)| step).find(explains)
}

/// The remarks, the weightiest first.
pub(super) fn remarks(report: &FrequencyReport, machine: &Machine) -> Vec<String> {
    let all = [unsteady(machine), circle(report), steering(report), cuts(report), differing(report), far(report)];
    all.into_iter().flatten().collect()
}

fn unsteady(machine: &Machine) -> Option<String> {
    let varies = machine.tsc.as_ref()?.generation == TscGeneration::Variant;
    varies.then(|| {
        "This counter follows the core's clock, so that it has no one frequency: all here is of the time of the run.".into()
    })
}

/// Clocks that are reckoned from the counter can't tell whether its frequency is right.
fn circle(report: &FrequencyReport) -> Option<String> {
    let counter = report.counter.as_ref()?;
    let of_counter = |by_page: bool| -> Vec<&str> {
        let sources = report.sources.iter().filter(|source| source.of_the_counter == Some(true));
        sources.filter(|source| source.by_page == by_page).map(|source| source.source.as_str()).collect()
    };
    let figure = report.kernel.as_ref().map(|kernel| format!(", {}", khz(kernel.khz)));
    let said = [(of_counter(false), "the kernel's figure", figure), (of_counter(true), "the hypervisor's page", None)];
    let of = |(names, whose, figure): (Vec<&str>, &str, Option<String>)| {
        (!names.is_empty()).then(|| format!("{} by {whose}{}", text::list(&names), figure.unwrap_or_default()))
    };
    let said: Vec<String> = said.into_iter().filter_map(of).collect();
    (!said.is_empty()).then(|| {
        format!(
            "Circular: {counter} is what these clocks count themselves: {}. Measured against them it gives that back, with what \
             NTP adds; that they agree tells nothing of the truth.",
            said.join("; ")
        )
    })
}

/// `2,445,424 kHz`, or the ends.
fn khz(khz: Interval) -> String {
    let whole = |khz: f64| text::grouped(khz.round() as u64);
    if khz.low < khz.high {
        format!("{} to {} kHz", whole(khz.low), whole(khz.high))
    } else {
        format!("{} kHz", whole(khz.value))
    }
}

/// What NTP does to the rate.
fn steering(report: &FrequencyReport) -> Option<String> {
    let find = |name: &str| report.sources.iter().find(|source| source.source == name);
    let raw = find("monotonic-raw")?;
    let steered = report.sources.iter().find(|source| source.steered && source.origin == FrequencyOrigin::Measured)?;
    // A clock that runs faster makes the counter look slower.
    let by = apart(raw.hz, steered.hz);
    let set = report
        .ntp
        .as_ref()
        .map(|ntp| ntp.frequency_ppm + ntp.tick_us.map_or(0.0, |tick| (tick - 10_000) as f64 * 100.0));
    let slewed = set.filter(|set| set - by.high > SLEWED_PPM || by.low - set > SLEWED_PPM);
    let slewed = slewed
        .map(|set| format!(" Its steady correction is {} ppm: an offset is being slewed away.", text::signed(set)));
    if by.low <= NOTED_PPM && by.high >= -NOTED_PPM {
        return None;
    }
    let synchronised = report.ntp.as_ref().is_some_and(|ntp| ntp.synchronised);
    let verdict = if synchronised {
        "the kernel's own figure is wrong by as much, if NTP is right"
    } else {
        "and the kernel does not hold its clock for synchronised: an old correction, or somebody's setting"
    };
    Some(format!(
        "{} is made to run {} ppm against the unsteered monotonic-raw: {verdict}.{}",
        steered.source,
        text::signed(by.value),
        slewed.unwrap_or_default()
    ))
}

/// A correction that is no more than this is none, ppm.
const NOTED_PPM: f64 = 0.02;
/// A rate so far from the correction that adjtimex states is a slew, ppm.
const SLEWED_PPM: f64 = 1.0;

fn cuts(report: &FrequencyReport) -> Option<String> {
    let trusted = report.trusted.as_ref()?;
    let mut said: Vec<(String, Vec<&str>)> = Vec::new();
    for source in &report.sources {
        let name = |cut: f64| STEPS.iter().find(|(step, _)| *step == cut).map(|(_, name)| *name);
        if let Some(name) = source.cut_to_hz.and_then(name) {
            let low_ppm = apart(source.hz, trusted.hz).value;
            text::gather(&mut said, format!("to {name}, {} ppm", text::signed(low_ppm)), source.source.as_str());
        }
    }
    let said: Vec<String> = said.into_iter().map(|(how, who)| format!("{} {how}", text::list(&who))).collect();
    (!said.is_empty()).then(|| format!("Cut short of {}'s: {}.", trusted.source, said.join("; ")))
}

/// The kernel's own words that are not of the figure that it runs on.
fn differing(report: &FrequencyReport) -> Option<String> {
    let kernel = report.kernel.as_ref()?;
    let log = report.sources.iter().find(|source| source.source == "kernel-log")?;
    let off = log.hz.value / 1e3;
    (off < kernel.khz.low || off > kernel.khz.high).then(|| {
        format!(
            "The kernel's log says {} kHz, but its clocks run on {}: it was calibrated again, or the log is of an earlier kernel.",
            text::grouped(off.round() as u64),
            khz(kernel.khz)
        )
    })
}

/// What is too far off to be of this counter.
fn far(report: &FrequencyReport) -> Option<String> {
    let is_far = |source: &&FrequencySource| {
        source.origin != FrequencyOrigin::Measured
            && source.off_ppm.is_some_and(|off| off.low > FAR_PPM || off.high < -FAR_PPM)
    };
    let far = |source: &FrequencySource| {
        let whose = if source.origin == FrequencyOrigin::Core { ", which is of the core" } else { "" };
        format!("{}{whose}", source.source)
    };
    let names: Vec<String> = report.sources.iter().filter(is_far).map(far).collect();
    (!names.is_empty()).then(|| {
        format!("More than {FAR_PPM} ppm off, as no crystal is: {}. Don't convert ticks by that.", names.join("; "))
    })
}
