//! CS010: the kernel runs on the TSC and nothing watches it.

use super::prelude::*;
use crate::record::Tsc;

pub(super) fn apply(facts: &Facts) -> Option<Draft> {
    let unwatched = |tsc: &&Tsc| tsc.watchdog == Some(false) && facts.source() == Some(TSC);
    let tsc = facts.machine.tsc.as_ref().filter(unwatched)?;
    let forced = facts.option("tsc=reliable").or_else(|| facts.option("tsc=nowatchdog"));
    let invariant = facts.tsc_standing() != TscStanding::NotInvariant;
    let mut evidence = vec!["clocksource: tsc".to_owned(), "the clocksource watchdog does not check it".to_owned()];
    evidence.extend(Some(tsc.watchdog_evidence.clone()).filter(|said| !said.is_empty()));
    evidence.extend(forced.map(in_command_line));
    let fix = match forced {
        Some(option) if !invariant => {
            format!("Take `{option}` off the kernel command line: this TSC is not invariant and needs the watchdog.")
        }
        _ => "Let something outside the machine watch: alert when `chronyc tracking` shows a jump of its frequency \
              or a growing offset, and on `TSC_ADJUST` and `tsc` in the kernel log."
            .to_owned(),
    };
    Some(Draft {
        severity: if invariant { Note } else { Warning },
        title: "Nothing watches the TSC that the kernel's time rests on".into(),
        evidence,
        why: "If the TSC's rate is wrong or changes (a wrong frequency from the firmware or the hypervisor, a \
              migration), no clock of this machine notices: all of them are computed from it. The kernel trusts TSCs \
              of this sort by design, since false alarms of the watchdog did more harm."
            .into(),
        fix,
        clocks: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::TscGeneration;

    fn unwatched(change: impl FnOnce(&mut Tsc)) -> Case {
        Case::healthy().but(|case| change(case.tsc()))
    }

    #[test]
    fn an_unwatched_tsc_is_a_note_and_one_that_is_not_invariant_a_warning() {
        let evidence = "constant_tsc, nonstop_tsc, tsc_adjust, 1 node";
        let good = unwatched(|tsc| tsc.watchdog_evidence = evidence.into());
        good.finds("CS010", Note, &[evidence]);
        let bad = unwatched(|tsc| tsc.generation = TscGeneration::Constant);
        let forced = bad.but(|case| case.machine.kernel_options = vec!["tsc=reliable".into()]);
        forced.finds("CS010", Warning, &["\nTake `tsc=reliable` off"]);
    }

    #[test]
    fn a_watched_one_an_unknown_one_and_another_source_are_silent() {
        for (watchdog, source) in [(Some(true), "tsc"), (None, "tsc"), (Some(false), "kvm-clock")] {
            unwatched(|tsc| tsc.watchdog = watchdog).on(source).silent("CS010");
        }
    }
}
