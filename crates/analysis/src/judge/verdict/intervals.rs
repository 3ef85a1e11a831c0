//! Which clock for intervals.

use std::fmt::Write as _;

use super::{Choice, words};
use crate::judge::facts::{Facts, TscStanding};
use crate::judge::figures;
use crate::record::{Clock, Kind};
use crate::text::time;

/// Another clock takes `monotonic`'s place when it costs less than half: below that, being what every program and
/// language uses counts for more than the difference.
const CLEARLY_CHEAPER: f64 = 0.5;

/// A counter is named beside the choice when it saves at least a tenth.
const CHEAPER: f64 = 0.9;

pub(super) fn choose<'a>(facts: &Facts<'a>) -> Choice<'a> {
    let fitting = words::measured(facts, &[Kind::Monotonic]);
    if let Some(clock) = best_monotonic(facts, &fitting) {
        return Ok((clock, because(facts, clock, &fitting)));
    }
    let boot = words::measured(facts, &[Kind::Boot]);
    let sleeps = words::cheapest(boot.iter().copied().filter(|c| facts.is_sound(c)));
    let sleeps = sleeps.map(|clock| (clock, "It goes on counting while the machine sleeps."));
    let ticks = "Raw ticks: calibrate them against the kernel's clock, as truetick does.";
    if let Some((clock, what)) = sleeps.or_else(|| Some((fit_counter(facts)?, ticks))) {
        return Ok((clock, format!("{what} {}.{}", instead(facts, &fitting), words::interposition(clock))));
    }
    let all: Vec<&Clock> = fitting.into_iter().chain(boot).collect();
    Err(words::why_none(facts, "intervals", &all))
}

/// `monotonic` if it is without fault, unless another is clearly cheaper and not much coarser.
fn best_monotonic<'a>(facts: &Facts, fitting: &[&'a Clock]) -> Option<&'a Clock> {
    let sound = || fitting.iter().copied().filter(|c| facts.is_sound(c));
    let other = words::cheapest(sound().filter(|c| c.id != "monotonic"));
    let Some(monotonic) = sound().find(|c| c.id == "monotonic") else { return other };
    let Some(other) = other else { return Some(monotonic) };
    let clearly_cheaper = figures::costs_less(other, CLEARLY_CHEAPER, monotonic);
    let resolutions = figures::resolution(other).zip(figures::resolution(monotonic));
    let fine_enough = resolutions.is_some_and(|(other, own)| other <= 10.0 * own);
    Some(if clearly_cheaper && fine_enough { other } else { monotonic })
}

fn because(facts: &Facts, clock: &Clock, fitting: &[&Clock]) -> String {
    let mut text =
        if clock.id == "monotonic" { steered(facts, fitting) } else { unlike_monotonic(facts, clock, fitting) };
    if let Some(shortest) = clock.span_ns.and_then(|span| span.within_1_percent) {
        let _ = write!(text, " Right within 1 % from {} on, timed singly.", time(shortest.value));
    }
    let counter = fit_counter(facts).filter(|counter| figures::costs_less(counter, CHEAPER, clock));
    if let Some((counter, cost)) = counter.and_then(|counter| Some((counter, figures::told_cost(counter)?))) {
        let _ = write!(text, " Cheaper: {}, {cost}, if you calibrate its ticks (as truetick does).", counter.id);
    }
    (text + &words::interposition(clock)).trim_start().into()
}

/// Who steers its rate, and where to turn for one that nobody does.
fn steered(facts: &Facts, fitting: &[&Clock]) -> String {
    let steered = "NTP steers its rate: right for long intervals.";
    match fitting.iter().find(|c| c.id == "monotonic-raw" && facts.is_sound(c)) {
        Some(raw) => format!("{steered} Short, unsteered: {}.", raw.id),
        None => steered.into(),
    }
}

/// Why the choice is not `monotonic`.
fn unlike_monotonic(facts: &Facts, clock: &Clock, fitting: &[&Clock]) -> String {
    let unsteered = if clock.promises.slewed { "" } else { " NTP does not steer its rate." };
    let Some(monotonic) = fitting.iter().find(|c| c.id == "monotonic") else { return unsteered.into() };
    let said = if facts.is_sound(monotonic) {
        format!("costs {}", figures::cost_text(monotonic))
    } else {
        words::faults(facts, monotonic)
    };
    format!("monotonic {said}.{unsteered}")
}

/// `monotonic went back 3 times`, for a choice that is no monotonic clock.
fn instead(facts: &Facts, fitting: &[&Clock]) -> String {
    match fitting.iter().find(|c| !facts.is_sound(c)) {
        Some(clock) => format!("{} {}", clock.id, words::faults(facts, clock)),
        None => "No monotonic clock was measured".into(),
    }
}

/// An ordered counter that those may use who calibrate: without fault, and the kernel's own source.
fn fit_counter<'a>(facts: &Facts<'a>) -> Option<&'a Clock> {
    let trusted = facts.machine.tsc.is_none() || facts.tsc_standing() == TscStanding::Trusted;
    let fit = |c: &&Clock| c.ordered && facts.is_counter_fit(c) && facts.is_sound(c);
    let counters = words::measured(facts, &[Kind::Counter]).into_iter().filter(fit);
    words::cheapest(counters).filter(|_| trusted && !facts.is_source_suspect())
}
