//! CS031 and CS032: a CPU that a quota or a hypervisor takes away for more than a moment.

use crate::judge::rules::prelude::{Draft, Warning, listed};
use crate::record::{Cause, CpuInterruptions, InterruptionReport};
use crate::text;

/// Share of the time watched from which on it is told of: ten times what a sound virtual machine loses to its host.
const SHARE: f64 = 0.01;

/// CS031: the cgroup's quota was used up.
pub(super) fn throttled(report: &InterruptionReport) -> Option<Draft> {
    let lost = lost(report, Cause::Throttled);
    let worst = worst(&lost)?;
    Some(Draft {
        severity: Warning,
        title: format!("The cgroup's CPU quota took {} of the time", text::percent(worst.share)),
        evidence: told(&lost),
        why: "Once the quota of a period (100 ms as a rule) is used up, every thread of the group stands still until the next \
              one, in the middle of whatever it does: latencies of tens of milliseconds, whatever the load is."
            .into(),
        fix: "Raise or remove the quota (`cpu.max` of the cgroup; a container's CPU limit), or run fewer threads than it grants \
              CPUs: it is used up the sooner, the more of them run."
            .into(),
        clocks: vec![],
    })
}

/// CS032: the hypervisor ran something else.
pub(super) fn stolen(report: &InterruptionReport) -> Option<Draft> {
    let lost = lost(report, Cause::Stolen);
    let worst = worst(&lost)?;
    Some(Draft {
        severity: Warning,
        title: format!("The hypervisor took CPU {} away for {} of the time", worst.cpu, text::percent(worst.share)),
        evidence: told(&lost),
        why: "More virtual CPUs want to run than the host has. To this system the CPU stood still: timings hold other guests' \
              work, and no setting in here changes it."
            .into(),
        fix: "Move to a host with CPUs to itself (dedicated or pinned instances), or have less run beside it. Weigh timings by \
              medians; clocks themselves are right."
            .into(),
        clocks: vec![],
    })
}

/// What a CPU lost to a cause.
struct Lost {
    cpu: u32,
    share: f64,
    ns: f64,
    of_ns: f64,
    longest_ns: Option<f64>,
}

/// Of each CPU that lost much of its time to that cause.
fn lost(report: &InterruptionReport, cause: Cause) -> Vec<Lost> {
    let of = |cpu: &CpuInterruptions| {
        let to = cpu.causes.iter().find(|to| to.cause == cause)?;
        let of_ns = cpu.seen_ns + cpu.lost_ns;
        let share = to.lost_ns / of_ns;
        let longest_ns = to.longest_ns;
        (SHARE..=1.0).contains(&share).then_some(Lost { cpu: cpu.cpu, share, ns: to.lost_ns, of_ns, longest_ns })
    };
    report.cpus.iter().filter_map(of).collect()
}

fn worst(lost: &[Lost]) -> Option<&Lost> {
    lost.iter().max_by(|a, b| a.share.total_cmp(&b.share))
}

fn told(lost: &[Lost]) -> Vec<String> {
    let one = |at: &Lost| {
        let longest = at.longest_ns.map(|ns| format!(", the longest {}", text::time(ns))).unwrap_or_default();
        format!("CPU {}: {} of {}{longest}", at.cpu, text::time(at.ns), text::time(at.of_ns))
    };
    listed(lost.iter().map(one), lost.len() as u64, "more CPUs")
}

#[cfg(test)]
mod tests {
    use crate::judge::judge_interruptions;
    use crate::record::{Cause, CpuInterruptions, Finding, InterruptionReport, LostTo, Severity};

    fn found(cause: Cause, shares: &[f64]) -> Vec<Finding> {
        let cpu = |(cpu, share): (usize, &f64)| {
            let lost_ns = share * 1e10;
            let to = LostTo { cause, lost_ns, share: 1.0, count: 10, median_ns: None, longest_ns: Some(8e7) };
            CpuInterruptions {
                cpu: cpu as u32,
                seen_ns: 1e10 - lost_ns,
                lost_ns,
                causes: vec![to],
                ..CpuInterruptions::default()
            }
        };
        let cpus = shares.iter().enumerate().map(cpu).collect();
        judge_interruptions(&InterruptionReport { cpus, ..InterruptionReport::default() })
    }

    #[test]
    fn a_quota_that_takes_much_is_told_of_by_the_cpu_that_lost_most() {
        let [quota] = &found(Cause::Throttled, &[0.001, 0.8, 0.5])[..] else { panic!("one of them") };
        assert_eq!((quota.code.as_str(), quota.severity, quota.of_run), ("CS031", Severity::Warning, false));
        assert_eq!(quota.title, "The cgroup's CPU quota took 80 % of the time");
        assert_eq!(quota.evidence, "CPU 1: 8 s of 10 s, the longest 80 ms; CPU 2: 5 s of 10 s, the longest 80 ms.");
    }

    #[test]
    fn a_host_that_takes_much_is_told_of_as_the_luck_of_the_run() {
        let [stolen] = &found(Cause::Stolen, &[0.03])[..] else { panic!("one of them") };
        assert_eq!((stolen.code.as_str(), stolen.severity, stolen.of_run), ("CS032", Severity::Warning, true));
        assert_eq!(stolen.title, "The hypervisor took CPU 0 away for 3 % of the time");
    }

    #[test]
    fn little_of_it_or_as_much_by_another_cause_is_not_told_of() {
        assert_eq!(found(Cause::Stolen, &[0.009]), []);
        assert_eq!(found(Cause::Throttled, &[0.009, f64::NAN]), []);
        assert_eq!(found(Cause::Preempted, &[0.5]), []);
        assert_eq!(found(Cause::Stolen, &[]), []);
    }
}
