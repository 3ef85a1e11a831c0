//! CS017: the machine slept while it was surveyed.

use super::rule::Draft;
use crate::judge::facts::Facts;
use crate::judge::say;
use crate::record::{Clock, Kind, Severity};

pub(super) fn apply(facts: &Facts) -> Vec<Draft> {
    let Some(slept) = facts.run.suspended_ns.filter(|slept| slept.low > 0.0 && slept.high.is_finite()) else {
        return Vec::new();
    };
    let concerned: Vec<&Clock> = facts
        .ordinary()
        .filter(|c| matches!(c.kind, Kind::Monotonic | Kind::Coarse) && !c.promises.counts_suspend)
        .collect();
    vec![Draft {
        severity: Severity::Warning,
        title: format!("The machine slept for {} during the run", say::time(slept.value)),
        evidence: format!(
            "CLOCK_BOOTTIME gained {} (± {}) on CLOCK_MONOTONIC.",
            say::time(slept.value),
            say::time((slept.high - slept.low) / 2.0)
        ),
        why: "CLOCK_MONOTONIC and CLOCK_MONOTONIC_RAW stand while the machine sleeps, CLOCK_BOOTTIME and the wall clock \
              go on; a bare counter does the one, the other, or begins anew, as the hardware has it. A timeout or a \
              lease taken from one of the first outlives the sleep; and this run's figures are of two machines, one \
              before and one after."
            .into(),
        fix: "Take intervals that must count sleep (leases, certificates, sessions) from `boottime`, those that must not \
              (work done) from `monotonic`. Run the survey again on a machine that stays awake: \
              `systemd-inhibit clockscope`."
            .into(),
        clocks: say::ids(&concerned),
    }]
}

#[cfg(test)]
mod tests {
    use crate::judge::made_up::{findings_of, healthy, run};
    use crate::record::{Interval, Severity};

    #[test]
    fn a_sleep_is_told_with_its_length() {
        let (machine, clocks) = healthy();
        let mut run = run();
        run.suspended_ns = Some(Interval { value: 6.03e9, low: 6.03e9 - 90.0, high: 6.03e9 + 90.0 });
        let found = findings_of(&machine, &run, &clocks, "CS017");
        assert_eq!((found.len(), found[0].severity), (1, Severity::Warning));
        assert!(found[0].title.contains("6.03 s"), "{}", found[0].title);
        assert_eq!(found[0].clocks, ["monotonic", "monotonic-raw", "monotonic-coarse"]);
    }

    #[test]
    fn none_within_the_brackets_and_none_known_are_silent() {
        let (machine, clocks) = healthy();
        for slept in [Some(Interval { value: 0.0, low: 0.0, high: 120.0 }), None] {
            let mut run = run();
            run.suspended_ns = slept;
            assert!(findings_of(&machine, &run, &clocks, "CS017").is_empty(), "{slept:?}");
        }
    }
}
