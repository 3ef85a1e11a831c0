//! Which clock for cheap stamps: the cheapest that can be trusted and whose quantum is below a microsecond.

use std::fmt::Write as _;

use super::{Choice, words};
use crate::judge::facts::{Facts, TscStanding};
use crate::judge::figures;
use crate::record::{Clock, Kind};

/// A stamp whose steps are a microsecond or more can't order what a program does.
const FINE_NS: f64 = 1000.0;

pub(super) fn choose<'a>(facts: &Facts<'a>) -> Choice<'a> {
    let fitting = words::measured(facts, &[Kind::Counter, Kind::Monotonic, Kind::Boot]);
    let suspect = facts.is_source_suspect();
    let known = |c: &&Clock| facts.is_sound(c) && figures::cost(c).is_some();
    let fit = |c: &&Clock| c.kind != Kind::Counter || (facts.is_counter_fit(c) && !suspect);
    let fine = |c: &&Clock| figures::resolution(c).is_some_and(|q| q < FINE_NS);
    let fine = words::cheapest(fitting.iter().copied().filter(known).filter(fit).filter(fine));
    // A coarse one that no one sets.
    let coarse = words::measured(facts, &[Kind::Coarse]);
    let coarse = words::cheapest(coarse.into_iter().filter(known).filter(|c| !c.promises.may_step));
    match (fine, coarse) {
        (Some(fine), coarse) => Ok((fine, because(facts, fine, coarse))),
        (None, Some(coarse)) => {
            let steps = figures::resolution_text(coarse);
            let why = format!("Resolution {steps}: no finer clock that can be trusted was measured.");
            Ok((coarse, why + &words::interposition(coarse)))
        }
        (None, None) => Err(none(facts, &fitting)),
    }
}

fn because(facts: &Facts, clock: &Clock, coarse: Option<&Clock>) -> String {
    let mut text = if clock.kind == Kind::Counter { counters_caveat(facts, clock) } else { String::new() };
    let cheaper = coarse.filter(|coarse| figures::costs_less(coarse, 1.0, clock));
    if let Some((coarse, cost)) = cheaper.and_then(|coarse| Some((coarse, figures::told_cost(coarse)?))) {
        let _ = write!(text, " Cheaper: {}, {cost}, resolution {}.", coarse.id, figures::resolution_text(coarse));
    }
    (text + &words::interposition(clock)).trim_start().into()
}

/// What a counter's user has to know.
fn counters_caveat(facts: &Facts, clock: &Clock) -> String {
    let order = if clock.ordered { "" } else { ", not ordered with surrounding instructions" };
    let standing = match facts.tsc_standing() {
        TscStanding::Spare => " The kernel offers it but runs on another source.",
        TscStanding::Unseen => " What the kernel thinks of it can't be seen here.",
        _ => "",
    };
    format!("Raw ticks{order}.{standing}")
}

fn none(facts: &Facts, fitting: &[&Clock]) -> String {
    let unfit = fitting.iter().find(|c| c.kind == Kind::Counter && facts.is_sound(c) && !facts.is_counter_fit(c));
    match unfit {
        Some(counter) => format!(
            "{} costs {}, but the counter can't be relied upon here (CS003), and no other clock fit for timestamps was \
             measured.",
            counter.id,
            figures::cost_text(counter)
        ),
        None => words::why_none(facts, "timestamps", fitting),
    }
}
