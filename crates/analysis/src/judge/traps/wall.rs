//! CS028: an API that is offered for intervals reads the time of day.

use crate::judge::rules::prelude::{Draft, Warning, listed};
use crate::record::{RuntimeClock, RuntimeFound};

/// Clocks that are set, and step with a leap second.
const WALL: [&str; 4] = ["realtime", "realtime-coarse", "gettimeofday", "time"];

pub(super) fn apply(runtimes: &[RuntimeFound]) -> Option<Draft> {
    let of = |found: &RuntimeFound, clock: &RuntimeClock| {
        let id = clock.beneath.as_ref()?.clock.clone()?;
        let is_trap = clock.for_intervals && WALL.contains(&id.as_str());
        is_trap.then(|| (format!("{} {}", found.title, clock.sampled.label), id))
    };
    let all = runtimes.iter().flat_map(|found| found.clocks.iter().filter_map(move |clock| of(found, clock)));
    let found: Vec<(String, String)> = all.collect();
    let (name, id) = found.first()?;
    let more = if found.len() == 1 { String::new() } else { format!("; {} more", found.len() - 1) };
    Some(Draft {
        severity: Warning,
        title: format!("{name} times intervals by the wall clock {id}{more}"),
        evidence: listed(found.iter().map(|(name, id)| format!("{name} reads {id}")), found.len() as u64, "more of the sort"),
        why: "The wall clock is set, by NTP, by people, and in a leap second: an interval across that is negative or hours long, \
              and a timeout ends at once or not at all."
            .into(),
        fix: "Take the runtime's monotonic clock: C++ `std::chrono::steady_clock`, and where there is none, the system's \
              CLOCK_MONOTONIC by a foreign call."
            .into(),
        clocks: found.into_iter().map(|(name, _)| name).collect(),
    })
}

#[cfg(test)]
mod tests {
    use crate::judge::traps::made_up::{found, runtimes, sampled};
    use crate::record::Severity;

    #[test]
    fn a_clock_for_intervals_over_realtime_is_a_warning() {
        let clock = |id: &str| sampled("high_resolution_clock", 1.0, Some(0.741)).over(id);
        let report = runtimes(vec![clock("realtime").for_intervals(), clock("gettimeofday").for_intervals()]);
        let [wall] = &found(&report)[..] else { panic!("one of them") };
        assert_eq!((wall.code.as_str(), wall.severity), ("CS028", Severity::Warning));
        assert_eq!(wall.title, "Made-up high_resolution_clock times intervals by the wall clock realtime; 1 more");
        let sound =
            [clock("monotonic").for_intervals(), clock("realtime"), clock("realtime").unwatched().for_intervals()];
        assert!(found(&runtimes(sound.into())).is_empty());
    }
}
