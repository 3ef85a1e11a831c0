//! CS026: a clock moves in steps coarser than its unit, its frequency or its stated resolution.

use std::collections::BTreeMap;

use crate::judge::rules::prelude::{Draft, Note, listed};
use crate::record::{SampledClock, Tick};
use crate::resolution::Resolution;
use crate::samples;
use crate::text;

/// Up to here a round claim and whole numbers explain it: a tick of 1.7 ns under a unit of 1 ns surprises nobody.
const COARSER: f64 = 2.0;

/// A clock that claims more than it shows.
struct Claims {
    name: String,
    times: f64,
    said: String,
}

/// Of clocks with their names.
pub(super) fn apply<'a>(clocks: impl Iterator<Item = (String, &'a SampledClock)>) -> Option<Draft> {
    let mut found: Vec<Claims> = clocks.filter_map(|(name, clock)| claims(name, clock)).collect();
    found.sort_by(|a, b| b.times.total_cmp(&a.times));
    let worst = found.first()?;
    let more = if found.len() == 1 { String::new() } else { format!("; {} more", found.len() - 1) };
    Some(Draft {
        severity: Note,
        title: format!("{}: {}{more}", worst.name, worst.said),
        evidence: listed(
            found.iter().map(|at| format!("{}: {}", at.name, at.said)),
            found.len() as u64,
            "more of the sort",
        ),
        why: "A frequency, a unit or a printed digit says how the number is to be read, not how often it changes: intervals below \
              a step come out as 0 or as a whole step."
            .into(),
        fix: "Reckon with the measured step: for an error below 1 % time at least 100 of them at once, or take a finer clock."
            .into(),
        clocks: found.into_iter().map(|at| at.name).collect(),
    })
}

fn claims(name: String, clock: &SampledClock) -> Option<Claims> {
    let tick = &clock.tick_ns;
    if samples::is_unit_assumed(clock) {
        return None;
    }
    // The decimals of a floating-point number claim nothing.
    let unit = tick.nominal.filter(|unit| *unit == clock.unit_ns);
    let stated = stated_ns(&clock.claims);
    // Who says that it is coarse is believed.
    let claim = stated.into_iter().chain(unit).reduce(f64::max)?;
    let by = if stated == Some(claim) { "stated resolution" } else { "unit" };
    let moves = moves(tick, clock, claim)?;
    let said =
        format!("moves in steps of {}, {} times its {by} of {}", moves.0, text::number(moves.1), text::time(claim));
    Some(Claims { name, times: moves.1, said })
}

/// In which steps the clock moves, in words, and how many times the claim that is; nothing where they are no coarser.
fn moves(tick: &Tick, clock: &SampledClock, claim: f64) -> Option<(String, f64)> {
    if let (Some(quantum), Some(low)) = (tick.quantum, tick.quantum_low) {
        let is_coarser = low.is_finite() && low > COARSER * claim && claim > 0.0;
        return is_coarser
            .then(|| (text::resolution(Resolution::Of { ns: quantum, half_width_ns: 0.0 }), quantum / claim));
    }
    // Equal readings in a row took their cost at least.
    let cost = clock.cost_ns.map(|cost| cost.low).filter(|cost| cost.is_finite() && *cost > 0.0)?;
    let stood = clock.stalls?.longest_reads.saturating_sub(1) as f64 * cost;
    // One that moved at all and has some equal readings tells nothing: CPU time, for one.
    let never_moved = tick.smallest_step.is_none();
    (never_moved && claim > 0.0 && stood > COARSER * claim)
        .then(|| (format!("{} or more", text::time(stood)), stood / claim))
}

/// What the API states as its resolution, ns: `clock_getres` as `1 ns`, and `resolution`, which is in seconds, or how many
/// to a second (Erlang).
fn stated_ns(claims: &BTreeMap<String, String>) -> Option<f64> {
    let stated = if let Some(stated) = claims.get("clock_getres") {
        let (number, unit) = stated.split_once(' ')?;
        let unit = match unit {
            "ns" => 1.0,
            "s" => 1e9,
            _ => return None,
        };
        number.parse::<f64>().ok()? * unit
    } else {
        let number: f64 = claims.get("resolution")?.parse().ok()?;
        if number < 1.0 { number * 1e9 } else { 1e9 / number }
    };
    Some(stated).filter(|ns| ns.is_finite() && *ns > 0.0)
}

#[cfg(test)]
mod tests {
    use super::stated_ns;
    use crate::judge::judge_samples;
    use crate::judge::traps::made_up::{sampled, seconds};
    use crate::record::{Cost, Finding, SampledClock, SampledStalls, Samples};

    fn found(clock: SampledClock) -> Vec<Finding> {
        judge_samples(&Samples { clocks: vec![clock], ..Samples::default() })
    }

    fn title(clock: SampledClock) -> String {
        let found = found(clock);
        assert!(found.len() == 1 && found[0].code == "CS026", "{found:?}");
        found[0].title.clone()
    }

    #[test]
    fn steps_are_compared_with_the_unit_or_what_is_stated() {
        let tick = sampled("TickCount", 1e6, Some(4e6));
        assert_eq!(title(tick), "TickCount: moves in steps of 4 ms, 4 times its unit of 1 ms");
        // A double with more digits than anybody promised.
        let page = sampled("performance.now", 1e6, Some(1e5)).last_digit(1e-6);
        assert_eq!(found(page), []);
        let python = seconds("time.time", Some(238.4)).claim("resolution", "1e-09");
        assert_eq!(title(python), "time.time: moves in steps of 238 ns, 238 times its stated resolution of 1 ns");
    }

    #[test]
    fn a_clock_that_moves_in_its_unit_or_says_that_it_is_coarse_is_let_pass() {
        for sound in [
            sampled("steady_clock", 1.0, Some(0.741)),
            sampled("gettimeofday", 1000.0, Some(1000.0)),
            sampled("not-known", 1.0, None),
            sampled("nobody-claims", 1.0, Some(f64::NAN)),
            sampled("windows", 1.0, Some(15_625_000.0)).claim("resolution", "0.015625"),
            sampled("coarse", 1.0, Some(4e6)).claim("clock_getres", "4000000 ns"),
        ] {
            assert!(found(sound.clone()).is_empty(), "{sound:?}");
        }
        let mut assumed = sampled("samples", 1.0, Some(100.0));
        assumed.tick_ns.nominal_source = Some("taken for a nanosecond, as nothing states it".into());
        assert!(found(assumed).is_empty(), "nobody claims it");
    }

    #[test]
    fn a_clock_that_never_moved_is_known_by_how_long_it_stood() {
        let still = |reads, step| {
            let mut clock = sampled("get-internal-real-time", 1000.0, None);
            clock.stalls = Some(SampledStalls { count: 1, longest_reads: reads, of_200_reads: 1 });
            clock.cost_ns = Some(Cost { median: 10.0, low: 10.0, high: 10.0, ..Cost::default() });
            clock.tick_ns.smallest_step = step;
            clock
        };
        assert!(title(still(100_001, None)).contains("steps of 1 ms or more, 1000 times its unit of 1 µs"));
        assert!(found(still(100, None)).is_empty());
        assert!(found(still(100_001, Some(1000.0))).is_empty(), "it stood still once");
        assert!(found(still(100_001, Some(1e9))).is_empty(), "its step is not known to be the usual one");
    }

    #[test]
    fn what_the_apis_state_is_understood() {
        let of = |key: &str, value: &str| stated_ns(&[(key.to_owned(), value.to_owned())].into());
        assert_eq!(of("clock_getres", "1 ns"), Some(1.0));
        assert_eq!(of("clock_getres", "0.004 s"), Some(4e6));
        assert_eq!(of("resolution", "1000000000"), Some(1.0));
        assert_eq!(of("resolution", "0.0"), None);
        assert_eq!(of("clock_getres", "fine"), None);
        assert_eq!(of("Frequency", "10000000"), None);
    }
}
