//! CS018: the wall clock was set, or had a leap second, while the machine was surveyed.

use super::prelude::*;
use crate::analyze::keeping::{Leap, leap};
use crate::record::{Interval, WallStep};

pub(super) fn apply(facts: &Facts) -> Option<Draft> {
    let (steps, end) = (&facts.run.wall_steps_ns, facts.run.ntp_end.as_ref());
    let largest = steps.iter().max_by(|a, b| a.size_ns.value.abs().total_cmp(&b.size_ns.value.abs()))?;
    let leaps = |step: &WallStep| leap(step.size_ns, facts.machine.ntp.as_ref(), end);
    let leap = steps.iter().find_map(leaps);
    let count = facts.run.wall_steps_omitted.saturating_add(steps.len() as u64);
    let size = text::signed_time(largest.size_ns.value);
    let title = match leap.filter(|_| steps.iter().all(|step| leaps(step).is_some())) {
        Some(Leap::Inserted) => "A leap second was inserted during the run: the wall clock went 1 s back".into(),
        Some(Leap::Deleted) => "A leap second was deleted during the run: the wall clock went 1 s on".into(),
        None if count == 1 => format!("The wall clock was set by {size} during the run"),
        None => {
            let times = text::count(count, "time");
            format!("The wall clock was set {times} during the run, by up to {size}")
        }
    };
    let mut evidence = listed(steps.iter().map(said), count, "more");
    if let Some(ntp) = end.or(facts.machine.ntp.as_ref()) {
        let flags = if ntp.status.is_empty() { String::new() } else { format!(" with {}", text::list(&ntp.status)) };
        evidence.push(format!("adjtimex at the end: {}{flags}", ntp.state));
    }
    let fix = if leap.is_some() {
        "Have the NTP servers smear leap seconds over a day (chrony: `leapsecmode slew`, `smoothtime` on the server; \
         all servers of one kind only), or take CLOCK_TAI, which has none (`tai`, once the kernel is told the \
         offset); take intervals from `monotonic`."
    } else {
        "Find who set it: `journalctl -u chronyd -u systemd-timesyncd -u ntpd`, the hypervisor's guest agent after a \
         pause, or somebody's `date -s`. Let one client slew it instead (chrony: `makestep` only at the start). Take \
         intervals from `monotonic`."
    };
    Some(Draft {
        severity: Warning,
        title,
        evidence,
        why: "An interval across a set clock is wrong by the step, and negative across one back; records of before \
              and after are in the wrong order, timers fire early or late. The clock itself did what it was told."
            .into(),
        fix: fix.into(),
        clocks: ids(facts.ordinary().filter(|c| c.promises.may_step && c.kind != Kind::Device)),
    })
}

/// `CLOCK_REALTIME moved by −10 ms (± 62 ns) 1.2 s after the start (± 5.5 ms)`.
fn said(step: &WallStep) -> String {
    let Interval { value, low, high } = step.size_ns;
    let [half, at, unsure] = [(high - low) / 2.0, step.at_ns, step.at_uncertainty_ns].map(text::time);
    format!("CLOCK_REALTIME moved by {} (± {half}) {at} after the start (± {unsure})", text::signed_time(value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Ntp;

    fn set(sizes: &[f64], end: &str) -> Case {
        Case::healthy().but(|case| {
            let size_ns = |size: &f64| Interval { value: *size, low: size - 60.0, high: size + 60.0 };
            let step = |size| WallStep { size_ns: size_ns(size), at_ns: 1.2e9, at_uncertainty_ns: 5.5e6 };
            case.run.wall_steps_ns = sizes.iter().map(step).collect();
            case.run.ntp_end = Some(Ntp { state: end.into(), ..Ntp::default() });
        })
    }

    #[test]
    fn a_set_clock_is_said_with_size_sign_and_time() {
        let back = "−10 ms (± 60 ns) 1.2 s after the start (± 5.5 ms)";
        let many = "The wall clock was set 5 times during the run, by up to −20 ms";
        for (sizes, end, parts) in [
            (&[-1e7][..], "TIME_ERROR", ["The wall clock was set by −10 ms during the run\n", back, "[realtime]"]),
            (&[1e9], "TIME_OK", ["The wall clock was set by +1 s during the run", "", ""]),
            (&[-1e9], "TIME_OK", ["The wall clock was set by −1 s", "", ""]),
            (&[1e7, -2e7, 1.0e6, 1e6, 1e6], "TIME_OK", [many, "; 1 more; adjtimex", ""]),
            (&[-1e9], "TIME_OOP", ["A leap second was inserted", "smear", "CLOCK_TAI"]),
            (&[-1e9], "TIME_WAIT", ["A leap second was inserted", "smear", "CLOCK_TAI"]),
            (&[1e9], "TIME_WAIT", ["A leap second was deleted", "", ""]),
        ] {
            set(sizes, end).finds("CS018", Warning, &parts);
        }
        set(&[], "TIME_WAIT").silent("CS018");
    }
}
