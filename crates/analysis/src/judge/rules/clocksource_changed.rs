//! CS020: the kernel changed its clocksource while the machine was surveyed.

use super::prelude::*;

use crate::record::ClocksourceChange;

pub(super) fn apply(facts: &Facts) -> Option<Draft> {
    let changes = &facts.run.clocksource_changes;
    let demotion = changes.iter().find(|change| is_demotion(change));
    let change = demotion.or(changes.first())?;
    let ClocksourceChange { from, to, .. } = change;
    let again = "Run the survey again, so that its figures are of one clocksource";
    let (severity, title, fix) = match demotion {
        Some(_) => (
            Warning,
            format!("The kernel gave up its clocksource {from} for the slow {to} during the run"),
            format!(
                "`dmesg | grep -iE 'tsc|clocksource|unstable'` says whether the kernel's watchdog found {from} \
                 unstable (see CS003 for what that may be) or somebody wrote to current_clocksource. {again}."
            ),
        ),
        None => (
            Note,
            format!("The kernel changed its clocksource from {from} to {to} during the run"),
            format!(
                "{again}; soon after boot this is how the kernel comes to its final clocksource. \
                 `dmesg | grep -i clocksource` says when and why it changed."
            ),
        ),
    };
    Some(Draft {
        severity,
        title,
        evidence: listed(changes.iter().map(said), changes.len() as u64, "more"),
        why: "All clocks of the kernel are computed from its clocksource: their costs, steps and rates here are of \
              both sources. Faults that they showed while it changed are the change's and are not held against them; \
              a program that measured across it saw them all the same."
            .into(),
        fix,
        clocks: ids(facts.ordinary().filter(|clock| clock.kind.is_kernels())),
    })
}

/// Whether the kernel was left with a slow one.
fn is_demotion(change: &ClocksourceChange) -> bool {
    Clocksource::is_slow(&change.to) && !Clocksource::is_slow(&change.from)
}

/// `from tsc-early to tsc between 1.2 s and 1.21 s after the start`.
fn said(change: &ClocksourceChange) -> String {
    let ClocksourceChange { since_ns, at_ns, from, to } = change;
    format!("from {from} to {to} between {} and {} after the start", text::time(*since_ns), text::time(*at_ns))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::made_up::event;
    use crate::record::EventKind::{self, Regression, Stall, Warp};

    /// A change between 1.2 s and 1.21 s, and a monotonic clock with these faults.
    fn changed(from: &str, to: &str, faults: &[(EventKind, f64, f64)]) -> Case {
        let mut case = Case::healthy().on(from);
        let (from, to) = (from.into(), to.into());
        case.run.clocksource_changes = vec![ClocksourceChange { since_ns: 1.2e9, at_ns: 1.21e9, from, to }];
        let clock = case.clock("monotonic");
        let [regressions, warps, stalls] =
            [Regression, Warp, Stall].map(|kind| faults.iter().filter(|fault| fault.0 == kind).count() as u64);
        *clock = clock.clone().faults(regressions, warps, stalls);
        clock.events = faults.iter().map(|(kind, size_ns, at_ns)| event(*kind, *size_ns, *at_ns, "unknown")).collect();
        case
    }

    #[test]
    fn a_change_is_a_note_and_to_a_slow_one_a_warning() {
        let parts = [
            "changed its clocksource from tsc-early to tsc",
            "between 1.2 s and 1.21 s after the start",
            "Run the survey again",
            "[monotonic, realtime, monotonic-raw, monotonic-coarse]",
        ];
        changed("tsc-early", "tsc", &[]).finds("CS020", Note, &parts);
        changed("tsc", "hpet", &[]).finds("CS020", Warning, &["gave up its clocksource tsc", "unstable"]);
        changed("hpet", "acpi_pm", &[]).finds("CS020", Note, &[]);
        Case::healthy().silent("CS020");
    }

    #[test]
    fn faults_of_that_time_are_not_the_clocks_and_others_are() {
        let within = [(Regression, 900.0, 1.205e9), (Warp, 5e5, 1.25e9), (Stall, 3e7, 1.19e9)];
        let case = changed("tsc-early", "tsc", &within).silent("CS005").silent("CS006").silent("CS007");
        assert_eq!(case.verdict().intervals.as_deref(), Some("monotonic"));
        assert_eq!(case.verdict().cheap.as_deref(), Some("tsc"), "nor is the counter under suspicion");

        let mut same = changed("tsc-early", "tsc", &within);
        same.run.clocksource_changes.clear();
        same.finds("CS005", Error, &[]).finds("CS006", Error, &[]).finds("CS007", Error, &[]);

        let outside = [(Warp, 5e5, 1.205e9), (Warp, 700.0, 1.19e9), (Warp, 800.0, 1.4e9)];
        let case = changed("tsc-early", "tsc", &outside);
        let case = case.finds("CS006", Error, &["2 in 1,000,000 reads, the largest 800 ns, the first 1.19 s"]);
        assert_ne!(case.verdict().intervals.as_deref(), Some("monotonic"));
        // A fault that is counted but not listed has no time that would excuse it.
        let mut unlisted = changed("tsc-early", "tsc", &within);
        unlisted.clock("monotonic").warps.count += 1;
        unlisted.finds("CS006", Error, &["monotonic: 1 in 1,000,000 reads", "!the largest"]);
        // A counter is judged by the kernel's clock, but for its order.
        let counter = |kind| {
            let mut case = changed("tsc-early", "tsc", &[]);
            let clock = case.clock("tsc");
            *(if kind == Warp { &mut clock.warps.count } else { &mut clock.regressions.count }) = 1;
            clock.events = vec![event(kind, 5e5, 1.205e9, "unknown")];
            case
        };
        counter(Warp).silent("CS006");
        counter(Regression).finds("CS005", Error, &["[tsc]"]);
    }
}
