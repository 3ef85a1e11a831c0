//! CS008: a coarse clock that saves nothing.

use super::prelude::*;
use crate::judge::is_faultless;

/// A precise clock is 'as cheap' up to a quarter above the coarse one: the coarse read is a plain load of a
/// shared page and costs a fifth of a precise one where it does save anything.
const AS_CHEAP: f64 = 1.25;

pub(super) fn apply(facts: &Facts) -> Option<Draft> {
    let pairs: Vec<(&Clock, &Clock)> = facts.ordinary().filter_map(|c| Some((c, as_cheap(facts, c)?))).collect();
    let (coarse, precise) = pairs.first()?;
    Some(Draft {
        severity: Note,
        title: format!("{} costs as much as {} here", coarse.id, precise.id),
        evidence: pairs.iter().flat_map(|(coarse, precise)| [said(coarse), said(precise)]).collect(),
        why: "A coarse clock is chosen for its cost alone: it gives up six digits of resolution. Where both take the \
              same path, nothing is saved."
            .into(),
        fix: format!(
            "Use `{}` in its place here. If the precise clock should be the dearer one, see CS001: both may have \
             lost the vDSO.",
            precise.id
        ),
        clocks: ids(pairs.iter().map(|(coarse, _)| *coarse)),
    })
}

/// The precise counterpart of a coarse clock of the kernel, if it is as cheap, finer and without a fault.
fn as_cheap<'a>(facts: &Facts<'a>, coarse: &Clock) -> Option<&'a Clock> {
    if coarse.kind != Kind::Coarse || !figures::is_shared(coarse) {
        return None;
    }
    let precise = facts.clock(if coarse.promises.may_step { "realtime" } else { "monotonic" })?;
    let finer = match (figures::resolution(precise), figures::resolution(coarse)) {
        (Some(fine), Some(coarse)) => fine < coarse,
        _ => true,
    };
    let cheap = figures::cost(precise)? <= AS_CHEAP * figures::cost(coarse)?;
    (cheap && finer && is_faultless(precise)).then_some(precise)
}

fn said(clock: &Clock) -> String {
    format!("{} costs {}, resolution {}", clock.id, figures::cost_text(clock), figures::resolution_text(clock))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_coarse_clock_by_system_call_saves_nothing() {
        let coarse = |id: &str| clock(id).kind(Kind::Coarse).cost(240.0).quantum(4e6);
        let (mut wall, mut jiffies) = (coarse("realtime-coarse"), coarse("times"));
        (wall.promises.may_step, jiffies.promises.slewed) = (true, false);
        let precise = |id: &str| clock(id).cost(244.0).quantum(10.015);
        let clocks = [coarse("monotonic-coarse"), precise("monotonic"), wall, precise("realtime"), jiffies];
        let parts = [
            "monotonic-coarse costs 240.0 ± 0.3 ns, resolution 4 ms; monotonic costs 244.0 ± 0.3 ns, resolution 10.0 ns",
            "; realtime costs",
            "[monotonic-coarse, realtime-coarse]",
        ];
        Case::healthy().silent("CS008").of(clocks).finds("CS008", Note, &parts);
    }
}
