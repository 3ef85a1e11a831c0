//! Which clock for cheap stamps: the cheapest that can be trusted and whose quantum is below a microsecond.

use std::fmt::Write as _;

use super::{Choice, words};
use crate::judge::facts::{Facts, TscStanding};
use crate::judge::figures;
use crate::record::{Clock, Kind};
use crate::text;

/// A stamp whose steps are a microsecond or more can't order what a program does.
const FINE_NS: f64 = 1000.0;

pub(super) fn choose<'a>(facts: &Facts<'a>) -> Choice<'a> {
    let fitting = words::measured(facts, &[Kind::Counter, Kind::Monotonic, Kind::Boot]);
    let suspect = facts.is_source_suspect();
    let known = |c: &&Clock| facts.is_sound(c) && figures::cost(c).is_some();
    let fit = |c: &&Clock| c.kind != Kind::Counter || (facts.is_counter_fit(c) && !suspect);
    let fine = |c: &&Clock| figures::quantum_at_most(c).is_some_and(|q| q < FINE_NS);
    let fine = words::cheapest(fitting.iter().copied().filter(known).filter(fit).filter(fine));
    // A coarse one that no one sets.
    let coarse = words::measured(facts, &[Kind::Coarse]);
    let coarse = words::cheapest(coarse.into_iter().filter(known).filter(|c| !c.promises.may_step));
    match (fine, coarse) {
        (Some(fine), coarse) => Ok((fine, because(facts, fine, coarse))),
        (None, Some(coarse)) => {
            let why = "no finer clock that can be trusted was measured";
            Ok((coarse, format!("{}, and {why}.", words::merits(coarse))))
        }
        (None, None) => Err(none(facts, &fitting)),
    }
}

fn because(facts: &Facts, clock: &Clock, coarse: Option<&Clock>) -> String {
    let mut text = words::merits(clock);
    if clock.kind == Kind::Counter {
        text += &counters_caveat(facts, clock);
    }
    let cheaper = |c| Some((c, figures::cost(c).filter(|cost| figures::cost(clock).is_some_and(|own| *cost < own))?));
    if let Some((coarse, cost)) = coarse.and_then(cheaper) {
        let steps = figures::quantum_at_most(coarse).map_or_else(|| "milliseconds".into(), text::step);
        let _ = write!(text, "; {} is cheaper still ({}) where steps of {steps} will do", coarse.id, text::time(cost));
    }
    text + &words::interposition(clock) + "."
}

/// What a counter's user has to know.
fn counters_caveat(facts: &Facts, clock: &Clock) -> String {
    let order = if clock.ordered { "" } else { " and is not ordered against the instructions around it" };
    let standing = match facts.tsc_standing() {
        TscStanding::Trusted => ", and the kernel itself runs on it",
        TscStanding::Spare => ", and the kernel offers it but runs on another source",
        TscStanding::Unseen => ", and what the kernel thinks of it can't be seen here",
        _ => "",
    };
    format!("; it counts ticks{order}{standing}")
}

fn none(facts: &Facts, fitting: &[&Clock]) -> String {
    let unfit = fitting.iter().find(|c| c.kind == Kind::Counter && facts.is_sound(c) && !facts.is_counter_fit(c));
    match unfit {
        Some(counter) => format!(
            "{} {}, but the counter can't be relied upon here (CS003), and no other clock fit for cheap stamps was \
             measured.",
            counter.id,
            words::cost(counter)
        ),
        None => words::why_none(facts, "cheap stamps", fitting),
    }
}
