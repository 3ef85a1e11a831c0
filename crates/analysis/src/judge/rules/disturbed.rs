//! CS012 and CS015: a run that was disturbed so much that its figures need a caveat.

use super::rule::Draft;
use crate::judge::facts::{Facts, base, figure};
use crate::judge::say;
use crate::record::{Clock, Severity};

/// Shares of the run from which on it is noted, and warned of. Medians stand up to half of the batches being
/// disturbed; the 99th percentile is the reader's neighbours' from 1 % on, and clocks can't be compared by it.
const STANDSTILL: (f64, f64) = (0.02, 0.10);

/// Steal is measured over all CPUs and hits whatever runs, so it counts at half of that.
const STEAL: (f64, f64) = (0.01, 0.05);

/// Shares of a clock's reads that could not be judged: above the first the fault counts are a lower bound by more
/// than a rounding, above the second a missed fault is likely.
const UNDECIDED: (f64, f64) = (0.01, 0.10);

/// How bad a share is by its two thresholds.
fn severity(share: Option<f64>, (note, warning): (f64, f64)) -> Option<Severity> {
    match share? {
        s if s >= warning => Some(Severity::Warning),
        s if s >= note => Some(Severity::Note),
        _ => None,
    }
}

/// CS012: heavy interruption or steal during the run.
pub(super) fn interruption(facts: &Facts) -> Vec<Draft> {
    let standstill = figure(facts.run.standstill_share);
    let steal = figure(facts.run.steal_share);
    let worst = severity(standstill, STANDSTILL).into_iter().chain(severity(steal, STEAL)).min();
    let Some(severity) = worst else { return Vec::new() };
    let mut said = Vec::new();
    if let Some(share) = standstill {
        said.push(format!("the reader stood still for {} of the time watched", say::percent(share)));
    }
    if let Some(share) = steal {
        said.push(format!("the hypervisor took {} of the run's CPU time", say::percent(share)));
    }
    let longest = facts
        .clocks
        .iter()
        .filter_map(|c| Some((c, figure(Some(c.interruptions.longest_ns))?)))
        .filter(|(c, _)| c.interruptions.count > 0)
        .max_by(|a, b| a.1.total_cmp(&b.1));
    if let Some((clock, ns)) = longest {
        said.push(format!("the longest interruption lasted {} (while {} was read)", say::time(ns), clock.id));
    }
    if let Some(load) = figure(facts.run.load) {
        said.push(format!("load average {} at the start", say::number(load)));
    }
    vec![Draft {
        severity,
        title: "The run was disturbed: tails and fault counts say more of the machine's load than of its clocks".into(),
        evidence: said.join("; ") + ".",
        why: "Costs are medians of short batches and stand; the 99th percentile and above, the longest reads and the \
              share of undecided reads are the neighbours' doing."
            .into(),
        fix: "Repeat on a quiet machine or an isolated CPU (`taskset -c N`, `isolcpus`), as few busy neighbours as \
              can be; for steal, ask for dedicated CPUs."
            .into(),
        clocks: Vec::new(),
    }]
}

/// CS015: so many reads undecided that the fault counts are a lower bound.
pub(super) fn undecided(facts: &Facts) -> Vec<Draft> {
    let share = |c: &Clock| (c.reads > 0).then(|| c.undecided as f64 / c.reads as f64);
    // The threshold is 'over 1 %': exactly 1 % is still fine.
    let over = |c: &&Clock| share(c).is_some_and(|s| s > UNDECIDED.0);
    let hit: Vec<&Clock> = facts.clocks.iter().filter(over).collect();
    let Some(worst) = hit.iter().max_by(|a, b| share(a).unwrap_or(0.0).total_cmp(&share(b).unwrap_or(0.0)))
    else {
        return Vec::new();
    };
    let worst_share = share(worst).unwrap_or(0.0);
    let mut bases: Vec<&str> = hit.iter().map(|c| base(&c.id)).collect();
    bases.dedup();
    vec![Draft {
        severity: severity(Some(worst_share), UNDECIDED).unwrap_or(Severity::Note),
        title: format!("Fault counts are a lower bound for {}", say::names(&hit)),
        evidence: format!(
            "{}: {} of {} undecided ({}), the most of {}.",
            worst.id,
            say::grouped(worst.undecided),
            say::count(worst.reads, "read"),
            say::percent(worst_share),
            say::count(bases.len() as u64, "clock")
        ),
        why: "An interruption between the two stamps of the witness makes a read impossible to judge. Such reads count \
              as neither good nor bad, so a fault among them is not in the counts."
            .into(),
        fix: "Repeat on a quiet machine or an isolated CPU, or watch for longer (`--time 30s`).".into(),
        clocks: say::ids(&hit),
    }]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::made_up::{clock, findings, findings_of, healthy, run};

    #[test]
    fn a_disturbed_run_says_so_by_degrees() {
        let (machine, clocks) = healthy();
        for (standstill, steal, expected) in [
            (Some(0.15), None, Some(Severity::Warning)),
            (Some(0.001), Some(0.06), Some(Severity::Warning)),
            (Some(0.03), Some(0.0), Some(Severity::Note)),
            (Some(0.001), Some(0.0), None),
            (None, None, None),
            (Some(f64::NAN), Some(-1.0), None),
        ] {
            let mut run = run();
            (run.standstill_share, run.steal_share) = (standstill, steal);
            let found = findings_of(&machine, &run, &clocks, "CS012");
            assert_eq!(found.first().map(|f| f.severity), expected, "{standstill:?} {steal:?}");
        }
    }

    #[test]
    fn the_figures_are_in_the_evidence() {
        let (machine, mut clocks) = healthy();
        clocks[0].interruptions.count = 2;
        clocks[0].interruptions.longest_ns = 8.2e6;
        let mut run = run();
        run.standstill_share = Some(0.5);
        let found = findings_of(&machine, &run, &clocks, "CS012");
        assert!(
            found[0].evidence.contains("50 %") && found[0].evidence.contains("8.2 ms"),
            "{}",
            found[0].evidence
        );
    }

    #[test]
    fn more_than_one_per_cent_undecided_is_told_once() {
        let (machine, _) = healthy();
        let mut clocks = ["monotonic", "monotonic@vdso", "tsc"].map(|id| clock(id).build());
        clocks[0].undecided = 10_001;
        clocks[1].undecided = 50_000;
        clocks[2].undecided = 10_000;
        let found = findings(&machine, &clocks, "CS015");
        assert_eq!((found.len(), found[0].severity), (1, Severity::Note));
        assert_eq!(found[0].clocks, ["monotonic", "monotonic@vdso"]);
        assert!(
            found[0].evidence.contains("50 000 of 1 000 000 reads undecided (5 %)"),
            "{}",
            found[0].evidence
        );
        clocks[2].undecided = 500_000;
        assert_eq!(findings(&machine, &clocks, "CS015")[0].severity, Severity::Warning);
    }

    #[test]
    fn few_undecided_and_no_reads_at_all_are_silent() {
        let (machine, mut clocks) = healthy();
        clocks[0].reads = 0;
        clocks[0].undecided = 5;
        assert!(findings(&machine, &clocks, "CS015").is_empty());
    }
}
