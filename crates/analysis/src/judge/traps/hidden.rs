//! CS027: the unit of an API for intervals hides a finer clock beneath.

use crate::judge::rules::prelude::{Draft, Note, listed};
use crate::record::{RuntimeClock, RuntimeFound};
use crate::resolution::Resolution;
use crate::text;

/// A unit so many times what lies beneath hides a digit of it.
const FAR: f64 = 10.0;

pub(super) fn apply(runtimes: &[RuntimeFound]) -> Option<Draft> {
    let all = || runtimes.iter().flat_map(|found| found.clocks.iter().map(move |clock| (found, clock)));
    // What is beneath resolves what the finest reader of it shows.
    let finest = |id: &str| {
        let resolutions = all().filter(|(_, clock)| beneath(clock) == Some(id)).filter_map(|(_, clock)| at_most(clock));
        resolutions.reduce(f64::min)
    };
    let mut found: Vec<(String, String)> = Vec::new();
    for (runtime, clock) in all().filter(|(_, clock)| clock.for_intervals) {
        let unit = clock.sampled.unit_ns.min(clock.sampled.tick_ns.nominal.unwrap_or(clock.sampled.unit_ns));
        let Some((id, fine)) = beneath(clock).and_then(|id| Some((id, finest(id)?))) else { continue };
        if unit >= FAR * fine {
            let name = format!("{} {}", runtime.title, clock.sampled.label);
            let said = format!("its unit of {} hides {id}, which resolves {}", text::time(unit), text::time(fine));
            found.push((name, said));
        }
    }
    let (name, said) = found.first()?;
    let more = if found.len() == 1 { String::new() } else { format!("; {} more", found.len() - 1) };
    Some(Draft {
        severity: Note,
        title: format!("{name}: {said}{more}"),
        evidence: listed(
            found.iter().map(|(name, said)| format!("{name}: {said}")),
            found.len() as u64,
            "more of the sort",
        ),
        why: "Every reading is cut to the unit: what the clock beneath tells more is lost, and its steps look as if the machine \
              had no finer clock."
            .into(),
        fix: "Where single short intervals matter, read the clock beneath by an interface with a finer unit; else time many \
              repetitions at once."
            .into(),
        clocks: found.iter().map(|(name, _)| name.clone()).collect(),
    })
}

fn beneath(clock: &RuntimeClock) -> Option<&str> {
    clock.beneath.as_ref()?.clock.as_deref()
}

fn at_most(clock: &RuntimeClock) -> Option<f64> {
    clock.sampled.resolution().map(Resolution::at_most_ns)
}

#[cfg(test)]
mod tests {
    use crate::judge::traps::made_up::{found, runtimes, sampled};

    #[test]
    fn a_tick_of_100_ns_hides_what_another_runtime_shows() {
        let mono = sampled("Stopwatch.GetTimestamp", 100.0, Some(100.0)).over("monotonic");
        let fine = sampled("steady_clock", 1.0, Some(0.741)).over("monotonic");
        let report = runtimes(vec![mono.clone().for_intervals(), fine.for_intervals()]);
        let [hidden] = &found(&report)[..] else { panic!("one of them") };
        assert_eq!(hidden.code, "CS027");
        assert_eq!(
            hidden.title,
            "Made-up Stopwatch.GetTimestamp: its unit of 100 ns hides monotonic, which resolves 1 ns"
        );
        assert_eq!(hidden.clocks, ["Made-up Stopwatch.GetTimestamp"]);
    }

    #[test]
    fn a_unit_that_suits_one_for_the_time_of_day_and_an_unknown_one_hide_nothing() {
        let fine = || sampled("steady_clock", 1.0, Some(0.741)).over("monotonic").for_intervals();
        let mono = || sampled("Stopwatch.GetTimestamp", 100.0, Some(100.0));
        let coarse = sampled("monotonic_ms", 1e6, Some(4e6)).claim("resolution", "0.004");
        for other in [
            mono().over("boottime").for_intervals(),
            mono().unwatched().for_intervals(),
            mono().over("monotonic"),
            coarse.over("monotonic-coarse").for_intervals(),
            sampled("9 ns", 9.0, Some(9.0)).over("monotonic").for_intervals(),
        ] {
            let report = runtimes(vec![other, fine()]);
            assert!(found(&report).is_empty(), "{report:?}");
        }
    }
}
