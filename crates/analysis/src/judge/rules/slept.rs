//! CS017: the machine slept while it was surveyed.

use super::prelude::*;

pub(super) fn apply(facts: &Facts) -> Option<Draft> {
    let slept = facts.run.suspended_ns.filter(|slept| slept.low > 0.0 && slept.high.is_finite())?;
    let (length, half) = (text::time(slept.value), text::time((slept.high - slept.low) / 2.0));
    let stood = |c: &&Clock| matches!(c.kind, Kind::Monotonic | Kind::Coarse) && !c.promises.counts_suspend;
    Some(Draft {
        severity: Warning,
        title: format!("The machine slept for {length} during the run"),
        evidence: vec![format!("CLOCK_BOOTTIME gained {length} (± {half}) on CLOCK_MONOTONIC")],
        why: "CLOCK_MONOTONIC and CLOCK_MONOTONIC_RAW stand while the machine sleeps, CLOCK_BOOTTIME and the wall \
              clock go on; a bare counter does the one, the other, or begins anew, as the hardware has it. A timeout \
              or a lease taken from one of the first outlives the sleep; and this run's figures are of two machines, \
              one before and one after."
            .into(),
        fix: "Take intervals that must count sleep (leases, certificates, sessions) from `boottime`, those that must \
              not (work done) from `monotonic`. Run the survey again on a machine that stays awake: \
              `systemd-inhibit clockscope`."
            .into(),
        clocks: ids(facts.ordinary().filter(stood)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Interval;

    #[test]
    fn a_sleep_is_said_with_its_length_and_none_within_the_brackets_is_not() {
        let slept = |value: f64, low, high| {
            Case::healthy().but(|case| case.run.suspended_ns = Some(Interval { value, low, high }))
        };
        let parts = ["slept for 6.03 s", "(± 90 ns)", "[monotonic, monotonic-raw, monotonic-coarse]"];
        slept(6.03e9, 6.03e9 - 90.0, 6.03e9 + 90.0).finds("CS017", Warning, &parts);
        slept(0.0, 0.0, 120.0).silent("CS017");
        Case::healthy().silent("CS017");
    }
}
