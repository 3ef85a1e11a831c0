//! CS018: the wall clock was set, or had a leap second, while the machine was surveyed.

use super::rule::Draft;
use crate::analyze::keeping::{Leap, leap};
use crate::judge::facts::Facts;
use crate::judge::say;
use crate::record::{Clock, Kind, Severity, WallStep};

/// Steps that the evidence lists.
const TOLD: usize = 4;

pub(super) fn apply(facts: &Facts) -> Vec<Draft> {
    let steps = &facts.run.wall_steps_ns;
    let Some(largest) = steps.iter().max_by(|a, b| a.size_ns.value.abs().total_cmp(&b.size_ns.value.abs()))
    else {
        return Vec::new();
    };
    let leaps = |step: &WallStep| leap(step.size_ns, facts.machine.ntp.as_ref(), facts.run.ntp_end.as_ref());
    let leap = steps.iter().find_map(leaps);
    let all_leaps = steps.iter().all(|step| leaps(step).is_some());
    let count = facts.run.wall_steps_omitted.saturating_add(steps.len() as u64);
    let title = match (leap, all_leaps) {
        (Some(Leap::Inserted), true) => {
            "A leap second was inserted during the run: the wall clock went 1 s back".into()
        }
        (Some(Leap::Deleted), true) => {
            "A leap second was deleted during the run: the wall clock went 1 s on".into()
        }
        (_, _) if count == 1 => {
            format!("The wall clock was set by {} during the run", say::signed_time(largest.size_ns.value))
        }
        (_, _) => format!(
            "The wall clock was set {} during the run, by up to {}",
            say::count(count, "time"),
            say::signed_time(largest.size_ns.value)
        ),
    };
    let mut said: Vec<String> = steps.iter().take(TOLD).map(told).collect();
    if count > TOLD as u64 {
        said.push(format!("{} more", say::grouped(count - TOLD as u64)));
    }
    if let Some(ntp) = facts.run.ntp_end.as_ref().or(facts.machine.ntp.as_ref()) {
        let flags =
            if ntp.status.is_empty() { String::new() } else { format!(" with {}", say::list(&ntp.status)) };
        said.push(format!("adjtimex at the end: {}{flags}", ntp.state));
    }
    let concerned: Vec<&Clock> =
        facts.ordinary().filter(|c| c.promises.may_step && c.kind != Kind::Device).collect();
    let fix = if leap.is_some() {
        "Have the NTP servers smear leap seconds over a day (chrony: `leapsecmode slew`, `smoothtime` on the server; all \
         servers of one kind only), or take CLOCK_TAI, which has none (`tai`, once the kernel is told the offset); take \
         intervals from `monotonic`."
    } else {
        "Find who set it: `journalctl -u chronyd -u systemd-timesyncd -u ntpd`, the hypervisor's guest agent after a \
         pause, or somebody's `date -s`. Let one client slew it instead (chrony: `makestep` only at the start). Take \
         intervals from `monotonic`."
    };
    vec![Draft {
        severity: Severity::Warning,
        title,
        evidence: said.join("; ") + ".",
        why: "An interval across a set clock is wrong by the step, and negative across one back; records of before and \
              after are in the wrong order, timers fire early or late. The clock itself did what it was told."
            .into(),
        fix: fix.into(),
        clocks: say::ids(&concerned),
    }]
}

/// `CLOCK_REALTIME −10 ms (± 62 ns) against CLOCK_BOOTTIME, 1.2 s after the start (± 5.5 ms)`.
fn told(step: &WallStep) -> String {
    format!(
        "CLOCK_REALTIME moved by {} (± {}) {} after the start (± {})",
        say::signed_time(step.size_ns.value),
        say::time((step.size_ns.high - step.size_ns.low) / 2.0),
        say::time(step.at_ns),
        say::time(step.at_uncertainty_ns)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::made_up::{findings_of, healthy, run};
    use crate::record::{Finding, Interval, Ntp};

    fn found(sizes: &[f64], end: &str) -> Vec<Finding> {
        let (machine, clocks) = healthy();
        let mut run = run();
        run.wall_steps_ns = sizes
            .iter()
            .map(|size| WallStep {
                size_ns: Interval { value: *size, low: size - 60.0, high: size + 60.0 },
                at_ns: 1.2e9,
                at_uncertainty_ns: 5.5e6,
            })
            .collect();
        run.ntp_end = Some(Ntp { state: end.into(), ..Ntp::default() });
        findings_of(&machine, &run, &clocks, "CS018")
    }

    #[test]
    fn a_set_clock_is_told_with_size_sign_and_time() {
        let back = &found(&[-1e7], "TIME_ERROR")[0];
        assert_eq!(back.severity, Severity::Warning);
        assert_eq!(back.title, "The wall clock was set by −10 ms during the run");
        assert!(
            back.evidence.contains("−10 ms (± 60 ns) 1.2 s after the start (± 5.5 ms)"),
            "{}",
            back.evidence
        );
        assert_eq!(back.clocks, ["realtime"]);
        assert_eq!(found(&[1e9], "TIME_OK")[0].title, "The wall clock was set by +1 s during the run");
        let many = &found(&[1e7, -2e7, 1.0e6, 1e6, 1e6], "TIME_OK")[0];
        assert_eq!(many.title, "The wall clock was set 5 times during the run, by up to −20 ms");
        assert!(many.evidence.contains("; 1 more; adjtimex"), "{}", many.evidence);
    }

    #[test]
    fn a_leap_second_is_told_by_the_kernels_state() {
        for state in ["TIME_OOP", "TIME_WAIT"] {
            let leap = &found(&[-1e9], state)[0];
            assert!(leap.title.starts_with("A leap second was inserted"), "{}", leap.title);
            assert!(leap.fix.contains("smear") && leap.fix.contains("CLOCK_TAI"));
        }
        assert!(found(&[1e9], "TIME_WAIT")[0].title.starts_with("A leap second was deleted"));
        assert!(found(&[-1e9], "TIME_OK")[0].title.starts_with("The wall clock was set by −1 s"));
    }

    #[test]
    fn no_step_no_finding() {
        assert!(found(&[], "TIME_WAIT").is_empty());
    }
}
