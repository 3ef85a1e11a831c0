//! CS004: a clock moves in steps far coarser than its API claims.

use super::prelude::*;

/// A quantum counts as far coarser from ten times the claim on: up to there the conversion from ticks to whole
/// nanoseconds and a round claim explain it (a 3 ns tick under a claim of 1 ns surprises nobody).
const FAR: f64 = 10.0;

/// From a quantum of twice the read's cost on, more than half of all neighbouring reads are equal.
const MOSTLY_EQUAL: f64 = 2.0;

pub(super) fn apply(facts: &Facts) -> Vec<Draft> {
    let coarser: Vec<Coarser> = facts.clocks.iter().filter_map(coarser).collect();
    let group = |severity| coarser.iter().filter(|c| c.severity == severity).collect::<Vec<_>>();
    [Warning, Note].into_iter().filter_map(|severity| draft(facts, severity, &group(severity))).collect()
}

/// A clock whose steps are far coarser than it claims.
struct Coarser<'a> {
    clock: &'a Clock,
    quantum: f64,
    severity: Severity,
    said: String,
}

/// The clock, if even the lower end of its quantum's interval is far above its claim.
fn coarser(clock: &Clock) -> Option<Coarser<'_>> {
    let quantum = figures::quantum(clock).filter(|_| clock.kind != Kind::Coarse)?;
    let low = figure(clock.tick_ns.quantum_low)?;
    // A bare counter has no clock_getres; what it claims is its stated frequency.
    let (claim, claims_by) = match figure(clock.tick_ns.reported) {
        Some(reported) => (reported, "claimed"),
        None => (figure(clock.tick_ns.nominal)?, "nominal"),
    };
    // A quantum far above the cost of a read makes most neighbouring reads equal: intervals of zero, which a program
    // sees. Below that the error hides under the read's own time. CPU-time clocks are for long sums; there it never is
    // more than a note.
    let seen = figures::cost(clock).is_some_and(|cost| quantum > MOSTLY_EQUAL * cost);
    let severity = if seen && clock.kind != Kind::CpuTime { Warning } else { Note };
    let times = text::number(quantum / claim);
    let said =
        format!("steps of {}, {times} times the {claims_by} {}", figures::resolution_text(clock), text::time(claim));
    (claim > 0.0 && low > FAR * claim).then_some(Coarser { clock, quantum, severity, said })
}

fn draft(facts: &Facts, severity: Severity, group: &[&Coarser]) -> Option<Draft> {
    // One clause for all clocks that show the same steps; the forced ways of reading go without saying.
    let mut same = Vec::new();
    for coarser in group {
        text::gather(&mut same, &coarser.said, figures::name(coarser.clock));
    }
    let count = same.len() as u64;
    let clauses = same.into_iter().map(|(said, mut names)| {
        names.dedup();
        format!("{}: {said}", text::list(&names))
    });
    let clocks: Vec<&Clock> = group.iter().map(|c| c.clock).collect();
    let coarsest = group.iter().map(|c| c.quantum).max_by(f64::total_cmp)?;
    let up_to = if clocks.len() == 1 { "" } else { "up to " };
    let ids_of_all = ids(clocks.iter().copied());
    let steps =
        group.iter().find(|c| c.quantum == coarsest).map_or_else(String::new, |c| figures::resolution_text(c.clock));
    let long = text::time(coarsest * 100.0);
    let mostly_equal = severity == Warning;
    let why = if mostly_equal {
        "Reads that fall into one step are equal, so short intervals come out as 0 or as a whole step; a benchmark that \
         trusts the claimed resolution reports noise as signal."
    } else {
        "Single intervals are off by up to one step, and differences cluster on multiples of it: a histogram of short \
         intervals shows a comb that is the clock's, not the program's. The claim is the unit of the result, not a \
         measurement."
    };
    let fix = if mostly_equal {
        format!(
            "Time no single interval much shorter than {long}: time many repetitions and divide, or use a clock of \
             finer resolution. Where the clocksource is a slow one, switch it (see CS002)."
        )
    } else if facts.source().is_some_and(Clocksource::is_slow) {
        "The clocksource is a slow and coarse one: see CS002 and CS003 for how to get off it.".into()
    } else {
        format!(
            "Nothing to set. For an error under 1 %, time at least {long} at once, or many repetitions; take the \
             measured resolution, not clock_getres."
        )
    };
    Some(Draft {
        severity,
        title: format!("{}: steps of {up_to}{steps}, far coarser than claimed", shortened(&clocks, 1)),
        evidence: listed(clauses, count, "more of the sort"),
        why: why.into(),
        fix,
        clocks: ids_of_all,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_10_ns_lattice_under_a_1_ns_claim_is_one_note() {
        let parts = [
            "\ntsc and tsc-fenced: steps of 10.0 ns, 26 times the nominal 0.385 ns; monotonic, realtime and \
             monotonic-raw: steps of 10.0 ns, 10 times the claimed 1 ns.\n",
            "[tsc, tsc-fenced, monotonic, monotonic@vdso, ",
        ];
        Case::healthy().finds("CS004", Note, &parts);
    }

    #[test]
    fn a_quantum_far_above_the_cost_is_a_warning_of_its_own_but_never_of_cpu_time() {
        let mut case = Case::healthy();
        case.clocks.push(clock("realtime").cost(40.0).quantum(100.0).reported(1.0));
        let found = case.findings("CS004");
        assert_eq!(found.iter().map(|f| f.severity).collect::<Vec<_>>(), [Warning, Note]);
        assert_eq!(found[0].clocks, ["realtime"]);
        assert_eq!(found[0].evidence, "realtime: steps of 100 ns, 100 times the claimed 1 ns.");
        let cpu = clock("process-cputime").kind(Kind::CpuTime).cost(500.0).quantum(4e6).reported(1.0);
        Case::healthy().of([cpu]).finds("CS004", Note, &[]);
    }

    #[test]
    fn a_coarse_clock_a_finer_one_and_an_unresolved_one_are_silent() {
        let coarse = clock("monotonic-coarse").kind(Kind::Coarse).cost(4.4).quantum(4e6).reported(4e6);
        let fine = clock("monotonic").cost(20.0).quantum(9.9).reported(1.0);
        let loose = clock("monotonic-raw").cost(20.0).quantum(12.0).reported(1.0);
        let loose = loose.with(|c| c.tick_ns.quantum_low = Some(8.0));
        let unresolved = clock("boottime").cost(20.0).reported(1.0);
        Case::healthy().of([coarse, fine, loose, unresolved]).silent("CS004");
    }
}
