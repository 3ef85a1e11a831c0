//! CS010: the kernel runs on the TSC and nothing watches it.

use super::rule::Draft;
use crate::judge::facts::{Facts, TscStanding};
use crate::record::Severity;

pub(super) fn apply(facts: &Facts) -> Vec<Draft> {
    let Some(tsc) = &facts.machine.tsc else { return Vec::new() };
    if tsc.watchdog != Some(false) || facts.source() != Some("tsc") {
        return Vec::new();
    }
    let forced = facts.option("tsc=reliable").or_else(|| facts.option("tsc=nowatchdog"));
    let invariant = facts.tsc_standing() != TscStanding::NotInvariant;
    let mut evidence =
        vec!["clocksource: tsc".to_owned(), "the clocksource watchdog does not check it".to_owned()];
    if !tsc.watchdog_evidence.is_empty() {
        evidence.push(tsc.watchdog_evidence.clone());
    }
    if let Some(option) = forced {
        evidence.push(format!("the kernel command line says `{option}`"));
    }
    let fix = match forced {
        Some(option) if !invariant => {
            format!("Take `{option}` off the kernel command line: this TSC is not invariant and needs the watchdog.")
        }
        _ => "Let something outside the machine watch: alert when `chronyc tracking` shows a jump of its frequency or \
              a growing offset, and on `TSC_ADJUST` and `tsc` in the kernel log."
            .to_owned(),
    };
    vec![Draft {
        severity: if invariant { Severity::Note } else { Severity::Warning },
        title: "Nothing watches the TSC that the kernel's time rests on".into(),
        evidence: evidence.join("; ") + ".",
        why: "If the TSC's rate is wrong or changes (a wrong frequency from the firmware or the hypervisor, a \
              migration), no clock of this machine notices: all of them are computed from it. The kernel trusts \
              TSCs of this sort by design, since false alarms of the watchdog did more harm."
            .into(),
        fix,
        clocks: Vec::new(),
    }]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::made_up::{findings, healthy};
    use crate::record::TscGeneration;

    #[test]
    fn an_unwatched_tsc_is_a_note() {
        let (mut machine, clocks) = healthy();
        machine.tsc.as_mut().unwrap().watchdog_evidence =
            "constant_tsc, nonstop_tsc, tsc_adjust, 1 node".into();
        let found = findings(&machine, &clocks, "CS010");
        assert_eq!((found.len(), found[0].severity), (1, Severity::Note));
        assert!(found[0].evidence.contains("tsc_adjust, 1 node"));
    }

    #[test]
    fn a_tsc_that_is_forced_although_not_invariant_is_a_warning() {
        let (mut machine, clocks) = healthy();
        machine.tsc.as_mut().unwrap().generation = TscGeneration::Constant;
        machine.kernel_options = vec!["tsc=reliable".into()];
        let found = findings(&machine, &clocks, "CS010");
        assert_eq!(found[0].severity, Severity::Warning);
        assert!(found[0].fix.starts_with("Take `tsc=reliable` off"));
    }

    #[test]
    fn a_watched_one_an_unknown_one_and_another_source_are_silent() {
        for (watchdog, source) in [(Some(true), "tsc"), (None, "tsc"), (Some(false), "kvm-clock")] {
            let (mut machine, clocks) = healthy();
            machine.tsc.as_mut().unwrap().watchdog = watchdog;
            machine.clocksource.current = Some(source.into());
            assert!(findings(&machine, &clocks, "CS010").is_empty(), "{watchdog:?} {source}");
        }
    }
}
