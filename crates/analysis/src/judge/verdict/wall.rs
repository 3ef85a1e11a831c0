//! Which clock for wall time.

use std::fmt::Write as _;

use super::{Choice, words};
use crate::judge::facts::Facts;
use crate::judge::faults::was_only_set;
use crate::judge::figures::{figure, is_computed};
use crate::record::{Clock, Kind};
use crate::text;

/// The wall clock that a program would not ask for the date: it is not UTC.
const NOT_UTC: &str = "tai";

pub(super) fn choose<'a>(facts: &Facts<'a>) -> Choice<'a> {
    let fitting: Vec<&Clock> = words::measured(facts, &[Kind::Wall, Kind::Coarse])
        .into_iter()
        .filter(|c| (c.kind == Kind::Wall || c.promises.may_step) && c.base_id() != NOT_UTC)
        .collect();
    // Being set is what a wall clock is for; which of them happened to be read just then tells nothing of the others.
    let is_sound = |c: &Clock| facts.is_sound(c) || (was_only_set(c) && facts.is_agreed_on(c));
    let sound = || fitting.iter().copied().filter(|c| is_sound(c));
    let precise = || words::cheapest(sound().filter(|c| is_computed(c)));
    let chosen = sound().find(|c| c.id == "realtime").or_else(precise).or_else(|| words::cheapest(sound()));
    let clock = chosen.ok_or_else(|| words::why_none(facts, "wall time", &fitting))?;
    let mut text = discipline(facts);
    if was_only_set(clock) || !facts.run.wall_steps_ns.is_empty() {
        text += " It was set during the run (CS018).";
    }
    if let Some(realtime) = fitting.iter().find(|c| c.id == "realtime" && !is_sound(c)) {
        let _ = write!(text, " realtime {}.", words::faults(facts, realtime));
    }
    Ok((clock, text + &words::interposition(clock)))
}

/// How true the kernel holds its wall clock for.
fn discipline(facts: &Facts) -> String {
    match &facts.machine.ntp {
        Some(ntp) if ntp.synchronised => match figure(Some(ntp.max_error_ns)) {
            Some(error) => format!("Synchronised within {}, says the kernel.", text::time(error)),
            None => "Synchronised, says the kernel.".into(),
        },
        Some(_) => "Unsynchronised: may be off by any amount (CS009).".into(),
        None => "Whether it is synchronised can't be told.".into(),
    }
}
