//! CS008: a coarse clock that saves nothing.

use super::rule::Draft;
use crate::judge::facts::{self, Facts};
use crate::judge::say;
use crate::record::{Clock, Kind, Severity};

/// A precise clock is 'as cheap' up to a quarter above the coarse one: the coarse read is a plain load of a
/// shared page and costs a fifth of a precise one where it does save anything.
const AS_CHEAP: f64 = 1.25;

pub(super) fn apply(facts: &Facts) -> Vec<Draft> {
    let pairs: Vec<(&Clock, &Clock)> =
        facts.ordinary().filter_map(|c| Some((c, as_cheap(facts, c)?))).collect();
    let Some((coarse, precise)) = pairs.first() else { return Vec::new() };
    let said: Vec<String> = pairs.iter().map(|(coarse, precise)| said(coarse, precise)).collect();
    let clocks: Vec<&Clock> = pairs.iter().map(|(coarse, _)| *coarse).collect();
    vec![Draft {
        severity: Severity::Note,
        title: format!("{} costs as much as {} here", coarse.id, precise.id),
        evidence: said.join("; ") + ".",
        why: "A coarse clock is chosen for its cost alone: it gives up six digits of resolution. Where both take the \
              same path, nothing is saved."
            .into(),
        fix: format!(
            "Use `{}` in its place here. If the precise clock should be the dearer one, see CS001: both may have \
             lost the vDSO.",
            precise.id
        ),
        clocks: say::ids(&clocks),
    }]
}

/// The precise counterpart of a coarse clock, if it is as cheap, finer and without a fault.
fn as_cheap<'a>(facts: &Facts<'a>, coarse: &Clock) -> Option<&'a Clock> {
    if coarse.kind != Kind::Coarse {
        return None;
    }
    let precise = facts.clock(coarse.id.strip_suffix("-coarse")?)?;
    let finer = match (facts::quantum_at_most(precise), facts::quantum(coarse)) {
        (Some(fine), Some(coarse)) => fine < coarse,
        _ => true,
    };
    let cheap = facts::cost(precise)? <= AS_CHEAP * facts::cost(coarse)?;
    (cheap && finer && facts::is_faultless(precise)).then_some(precise)
}

fn said(coarse: &Clock, precise: &Clock) -> String {
    let cost = |c: &Clock| facts::cost(c).map_or_else(|| "unknown".into(), say::time);
    let steps = |c: &Clock| {
        facts::quantum(c)
            .map_or_else(|| "steps of unknown size".into(), |q| format!("steps of {}", say::step(q)))
    };
    format!(
        "{} costs {} and moves in {}; {} costs {} and moves in {}",
        coarse.id,
        cost(coarse),
        steps(coarse),
        precise.id,
        cost(precise),
        steps(precise)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::made_up::{clock, findings, healthy};

    #[test]
    fn a_coarse_clock_by_system_call_saves_nothing() {
        let (machine, _) = healthy();
        let coarse = clock("monotonic-coarse").kind(Kind::Coarse).cost(240.0).quantum(4e6).build();
        let precise = clock("monotonic").cost(244.0).quantum(10.015).build();
        let found = findings(&machine, &[coarse, precise], "CS008");
        assert_eq!((found.len(), found[0].severity), (1, Severity::Note));
        assert_eq!(found[0].clocks, ["monotonic-coarse"]);
        assert!(found[0].evidence.contains("240 ns") && found[0].evidence.contains("4 ms"));
    }

    #[test]
    fn one_that_costs_a_fifth_is_silent() {
        let (machine, clocks) = healthy();
        assert!(clocks.iter().any(|c| c.kind == Kind::Coarse));
        assert!(findings(&machine, &clocks, "CS008").is_empty());
    }
}
