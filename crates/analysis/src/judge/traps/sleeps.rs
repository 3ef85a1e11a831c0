//! CS029 and CS030: sleeps that end before their time, and timers no finer than the tick.

use crate::judge::rules::prelude::{Draft, Warning, listed};
use crate::record::{TimerReport, TimerRow};
use crate::text;

/// CS029: the time asked for had not passed.
pub(super) fn early(report: &TimerReport) -> Option<Draft> {
    let rows: Vec<&TimerRow> = report.rows.iter().filter(|row| row.early > 0).collect();
    if rows.is_empty() {
        return None;
    }
    let told = |row: &&TimerRow| {
        let asked = row.asked_ns.map(|ns| format!(" of {}", text::time(ns))).unwrap_or_default();
        let most = row.earliest_ns.map(|ns| format!(", by up to {}", text::time(ns))).unwrap_or_default();
        let (early, all) = (text::grouped(row.early), text::count(row.count, "sleep"));
        format!("{}{asked}: {early} of {all} ended early{most}", row.way)
    };
    let early = rows.iter().fold(0, |sum: u64, row| sum.saturating_add(row.early));
    Some(Draft {
        severity: Warning,
        title: format!("{} ended before the time asked for", text::count(early, "sleep")),
        evidence: listed(rows.iter().map(told), rows.len() as u64, "more of the sort"),
        why: "POSIX and the kernel promise that a sleep lasts at least as long as asked. What waits for something to be over \
              (a lease, a pause between tries, the settling of a device) goes on too soon."
            .into(),
        fix: format!(
            "See whether `{}` itself is right: `clockscope doctor`. A hypervisor, or a library preloaded in front of the \
             call, may cut sleeps short. Until then look at the clock after each sleep, and sleep the rest.",
            report.clock
        ),
        clocks: vec![report.clock.clone()],
    })
}

/// CS030: no high-resolution timers.
pub(super) fn coarse(report: &TimerReport) -> Option<Draft> {
    if report.high_resolution != Some(false) {
        return None;
    }
    let tick = report.tick_ns.filter(|ns| ns.is_finite() && *ns > 0.0);
    let late = |row: &&TimerRow| {
        let asked = row.asked_ns.filter(|asked| tick.is_none_or(|tick| *asked < tick))?;
        let late = row.late_ns?.value;
        Some(format!("{} of {} ends {} late (median)", row.way, text::time(asked), text::time(late)))
    };
    let late = report.rows.iter().find_map(|row| late(&row));
    let by = tick.map(|ns| format!(" of {}", text::time(ns))).unwrap_or_default();
    Some(Draft {
        severity: Warning,
        title: format!("No high-resolution timers: sleeps end with the kernel's tick{by}"),
        evidence: std::iter::once("the kernel's timers run on its tick".to_owned()).chain(late).collect(),
        why: "Every sleep and timeout is rounded up to the tick, however short it is: pacing, polling and rate limits below it \
              can't be had."
            .into(),
        fix: "Remove `highres=off` from the kernel's command line, and see in its log why the timers stayed coarse: \
              a kernel without CONFIG_HIGH_RES_TIMERS, a clocksource that was found unstable (`clockscope doctor`), or a CPU \
              whose timer stops in deep idle states."
            .into(),
        clocks: vec![],
    })
}

#[cfg(test)]
mod tests {
    use crate::judge::judge_timers;
    use crate::record::{Finding, Interval, Severity, TimerReport, TimerRow};

    fn row(early: u64) -> TimerRow {
        TimerRow {
            way: "sleep-absolute".into(),
            asked_ns: Some(1e6),
            count: 1000,
            early,
            earliest_ns: (early > 0).then_some(250.0),
            late_ns: Some(Interval::exactly(3.2e6)),
            ..TimerRow::default()
        }
    }

    fn found(early: u64, high_resolution: Option<bool>) -> Vec<Finding> {
        let rows = vec![row(0), row(early)];
        let tick_ns = Some(4e6);
        judge_timers(&TimerReport {
            clock: "monotonic".into(),
            rows,
            high_resolution,
            tick_ns,
            ..TimerReport::default()
        })
    }

    #[test]
    fn a_sleep_that_ends_early_is_told_of_and_a_late_one_is_not() {
        let [early] = &found(3, Some(true))[..] else { panic!("one of them") };
        assert_eq!((early.code.as_str(), early.severity, early.of_run), ("CS029", Severity::Warning, false));
        assert_eq!(early.title, "3 sleeps ended before the time asked for");
        assert_eq!(early.evidence, "sleep-absolute of 1 ms: 3 of 1,000 sleeps ended early, by up to 250 ns.");
        assert_eq!(found(0, Some(true)), []);
    }

    #[test]
    fn coarse_timers_are_told_of_with_what_they_do_and_fine_or_unknown_ones_are_not() {
        let [coarse] = &found(0, Some(false))[..] else { panic!("one of them") };
        assert_eq!((coarse.code.as_str(), coarse.severity), ("CS030", Severity::Warning));
        assert_eq!(coarse.title, "No high-resolution timers: sleeps end with the kernel's tick of 4 ms");
        assert!(coarse.evidence.contains("sleep-absolute of 1 ms ends 3.2 ms late (median)"), "{coarse:?}");
        assert_eq!(found(0, None), []);
    }
}
