//! The size of a step and of a slew that a watch finds in looks of one a second.

use clockscope_analysis::analyze::changes::{Changes, Look};

use super::case::{Answer, Case};
use super::noise::Random;

/// Looks before the change is looked for, and in all.
const BEFORE: f64 = 200.0;
const ALL: u32 = 300;

/// `with`: 1 for a slew, in ppm; else it is a step, in ns.
pub(super) fn cases() -> Vec<Case> {
    [(100.0, 0.0, "a step of 100 ns, looks of σ 10 ns"), (1.0, 1.0, "a slew of 1 ppm, looks of σ 10 ns")]
        .map(|(truth, slew, name)| Case {
            estimator: "changes",
            injected: name.into(),
            run,
            truth,
            with: [slew, 0.0, 0.0, 0.0],
            wider: (slew > 0.0).then_some("the moment at which a slew begins is free between two looks"),
        })
        .into()
}

fn run(case: &Case, seed: u64) -> Vec<Answer> {
    let is_slew = case.with[0] > 0.0;
    let mut random = Random::new(seed);
    let truth = case.truth * random.between(1.0, 1.1);
    let begin = 1e9 * (BEFORE + random.between(0.0, 60.0));
    let mut changes = Changes::new(1.0);
    let look = |at: u32| {
        let at_ns = 1e9 * f64::from(at) + random.between(0.0, 1e5);
        let since = (at_ns - begin).max(0.0);
        let moved = if since > 0.0 { if is_slew { truth * 1e-6 * since } else { truth } } else { 0.0 };
        Look { at_ns, offset_ns: 40e-6 * at_ns + moved + 10.0 * random.normal(), half_ns: 60.0 }
    };
    let found = (0..ALL).map(look).find_map(|look| changes.push(look));
    let found = found.and_then(|change| if is_slew { change.slew_ppm } else { change.step_ns });
    found.map(|found| Answer { truth, value: found.value, low: found.low, high: found.high }).into_iter().collect()
}
