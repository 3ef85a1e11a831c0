//! CS012 and CS015: a run that was disturbed so much that its figures need a caveat.

use super::prelude::*;

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
        s if s >= warning => Some(Warning),
        s if s >= note => Some(Note),
        _ => None,
    }
}

/// CS012: heavy interruption or steal during the run.
pub(super) fn interruption(facts: &Facts) -> Option<Draft> {
    let standstill = figure(facts.run.standstill_share);
    let steal = figure(facts.run.steal_share);
    let severity = severity(standstill, STANDSTILL).into_iter().chain(severity(steal, STEAL)).min()?;
    let interrupted = facts.clocks.iter().filter(|c| c.interruptions.count > 0);
    let lengths = interrupted.filter_map(|c| Some((&c.id, figure(Some(c.interruptions.longest_ns))?)));
    let longest = lengths.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(id, ns)| (id, text::time(ns)));
    let longest = longest.map_or_else(String::new, |(id, ns)| format!(", longest {ns} (reading {id})"));
    let evidence = [
        standstill.map(|share| format!("Interrupted {} of the time{longest}", text::percent(share))),
        steal.map(|share| format!("steal {}", text::percent(share))),
        figure(facts.run.load).map(|load| format!("load {} at the start", text::number(load))),
    ];
    Some(Draft {
        severity,
        title: "Noisy run: tails and fault counts tell of other load too".into(),
        evidence: evidence.into_iter().flatten().collect(),
        why: "A cost is the median of short batches, and its ± says how well it stands. p99 and above, the longest reads \
              and the share of undecided reads reflect the other load."
            .into(),
        fix: "Rerun on an idle machine or an isolated CPU (`taskset -c N`, `isolcpus`); for steal, ask for dedicated \
              CPUs."
            .into(),
        clocks: Vec::new(),
    })
}

/// CS015: so many reads undecided that the fault counts are a lower bound.
pub(super) fn undecided(facts: &Facts) -> Option<Draft> {
    let share = |c: &Clock| if c.reads > 0 { c.undecided as f64 / c.reads as f64 } else { 0.0 };
    // The threshold is 'over 1 %': exactly 1 % is still fine.
    let hit: Vec<&Clock> = facts.clocks.iter().filter(|c| share(c) > UNDECIDED.0).collect();
    let worst = hit.iter().max_by(|a, b| share(a).total_cmp(&share(b)))?;
    let mut different: Vec<&str> = hit.iter().map(|c| figures::name(c)).collect();
    different.dedup();
    let (hits, of) = (text::grouped(worst.undecided), text::count(worst.reads, "read"));
    let (percent, clocks) = (text::percent(share(worst)), text::count(different.len() as u64, "clock"));
    let severity = severity(Some(share(worst)), UNDECIDED)?;
    Some(Draft {
        // Of a run cut short, that it knows little is no surprise.
        severity: if facts.run.interrupted { Note } else { severity },
        title: format!("Fault counts are a lower bound for {}", names(&hit)),
        evidence: vec![format!("{}: {hits} of {of} undecided ({percent}), the most of {clocks}", worst.id)],
        why: "An interruption between the two stamps of the witness makes a read impossible to judge. Such reads \
              count as neither good nor bad, so a fault among them is not in the counts."
            .into(),
        fix: "Repeat on a quiet machine or an isolated CPU, or watch for longer (`--time 30s`).".into(),
        clocks: ids(hit),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disturbed_run_says_so_by_degrees() {
        for (standstill, steal, expected) in [
            (Some(0.15), None, Some(Warning)),
            (Some(0.001), Some(0.06), Some(Warning)),
            (Some(0.03), Some(0.0), Some(Note)),
            (Some(0.001), Some(0.0), None),
            (None, None, None),
            (Some(f64::NAN), Some(-1.0), None),
        ] {
            let mut case = Case::healthy();
            (case.run.standstill_share, case.run.steal_share) = (standstill, steal);
            let interruptions = &mut case.clock("tsc").interruptions;
            (interruptions.count, interruptions.longest_ns) = (2, 8.2e6);
            match expected {
                Some(severity) => case.finds("CS012", severity, &["longest 8.2 ms (reading tsc"]),
                None => case.silent("CS012"),
            };
        }
    }

    #[test]
    fn more_than_one_per_cent_undecided_is_said_once() {
        let undecided = |of: &[(&str, u64)]| {
            let set = |case: &mut Case| of.iter().for_each(|(id, undecided)| case.clock(id).undecided = *undecided);
            Case::healthy().but(set)
        };
        let some = [("monotonic", 10_001), ("monotonic@vdso", 50_000), ("tsc", 10_000)];
        let parts = [
            "bound for monotonic",
            "[monotonic, monotonic@vdso]",
            "50,000 of 1,000,000 reads undecided (5 %), the most of 1 clock.",
        ];
        undecided(&some).finds("CS015", Note, &parts);
        undecided(&[("tsc", 500_000)]).finds("CS015", Warning, &["[tsc]"]);
        undecided(&[("tsc", 500_000)]).but(|case| case.run.interrupted = true).finds("CS015", Note, &["[tsc]"]);
        undecided(&[("tsc", 5)]).but(|case| case.clock("tsc").reads = 0).silent("CS015");
    }
}
