//! CS004: a clock moves in steps far coarser than its API claims.

use super::rule::Draft;
use crate::judge::facts::{self, Facts, base};
use crate::judge::say;
use crate::record::{Clock, Kind, Severity};

/// A quantum counts as far coarser from ten times the claim on: up to there the conversion from ticks to whole
/// nanoseconds and a round claim explain it (a 3 ns tick under a claim of 1 ns surprises nobody).
const FAR: f64 = 10.0;

/// From a quantum of twice the read's cost on, more than half of all neighbouring reads are equal.
const MOSTLY_EQUAL: f64 = 2.0;

/// Clauses that the evidence has room for.
const MOST: usize = 4;

pub(super) fn apply(facts: &Facts) -> Vec<Draft> {
    let coarser: Vec<Coarser> = facts.clocks.iter().filter_map(Coarser::of).collect();
    [Severity::Warning, Severity::Note]
        .into_iter()
        .filter_map(|severity| {
            let group: Vec<&Coarser> = coarser.iter().filter(|c| c.severity() == severity).collect();
            (!group.is_empty()).then(|| draft(facts, severity, &group))
        })
        .collect()
}

/// A clock with what it claims and what it does.
struct Coarser<'a> {
    clock: &'a Clock,
    quantum: f64,
    claim: f64,
    claims_by: &'static str,
}

impl<'a> Coarser<'a> {
    /// The clock, if even the lower end of its quantum's interval is far above its claim.
    fn of(clock: &'a Clock) -> Option<Self> {
        if clock.kind == Kind::Coarse {
            return None;
        }
        let quantum = facts::quantum(clock)?;
        let low = facts::figure(clock.tick_ns.quantum_low)?;
        // A bare counter has no clock_getres; what it claims is its stated frequency.
        let (claim, claims_by) = match facts::figure(clock.tick_ns.reported) {
            Some(reported) => (reported, "claimed"),
            None => (facts::figure(clock.tick_ns.nominal)?, "nominal"),
        };
        (claim > 0.0 && low > FAR * claim).then_some(Self { clock, quantum, claim, claims_by })
    }

    /// A quantum far above the cost of a read makes most neighbouring reads equal: intervals of zero, which a
    /// program sees. Below that the error hides under the read's own time. CPU-time clocks are for long sums;
    /// there it never is more than a note.
    fn severity(&self) -> Severity {
        let seen = facts::cost(self.clock).is_some_and(|cost| self.quantum > MOSTLY_EQUAL * cost);
        if seen && self.clock.kind != Kind::CpuTime { Severity::Warning } else { Severity::Note }
    }

    fn said(&self) -> String {
        format!(
            "steps of {}, {} times the {} {}",
            say::step(self.quantum),
            say::number(self.quantum / self.claim),
            self.claims_by,
            say::step(self.claim)
        )
    }
}

fn draft(facts: &Facts, severity: Severity, group: &[&Coarser]) -> Draft {
    let clocks: Vec<&Clock> = group.iter().map(|c| c.clock).collect();
    let coarsest = group.iter().map(|c| c.quantum).fold(0.0, f64::max);
    Draft {
        severity,
        title: format!(
            "{} {} in steps of {}{}, far coarser than claimed",
            say::names(&clocks),
            if clocks.len() == 1 { "moves" } else { "move" },
            if clocks.len() == 1 { "" } else { "up to " },
            say::step(coarsest)
        ),
        evidence: evidence(group),
        why: match severity {
            Severity::Warning => "Reads that fall into one step are equal, so short intervals come out as 0 or as a \
                 whole step; a benchmark that trusts the claimed resolution reports noise as signal."
                .into(),
            _ => "Single intervals are off by up to one step, and differences cluster on multiples of it: a \
                 histogram of short intervals shows a comb that is the clock's, not the program's. The claim is the \
                 unit of the result, not a measurement."
                .into(),
        },
        fix: match severity {
            Severity::Warning => format!(
                "Time no single interval much shorter than {}: time many repetitions and divide, or use a clock with \
                 a finer quantum. Where the clocksource is a slow one, switch it (see CS002).",
                say::time(coarsest * 100.0)
            ),
            _ if facts.source().is_some_and(Facts::is_slow_source) => {
                "The clocksource is a slow and coarse one: see CS002 and CS003 for how to get off it.".into()
            }
            _ => format!(
                "Nothing to set. For an error under 1 %, time at least {} at once, or many repetitions; take the \
                 quantum, not clock_getres, as the resolution.",
                say::time(coarsest * 100.0)
            ),
        },
        clocks: say::ids(&clocks),
    }
}

/// One clause for all clocks that show the same steps; the forced ways of reading go without saying.
fn evidence(group: &[&Coarser]) -> String {
    let mut told: Vec<(String, Vec<String>)> = Vec::new();
    for coarser in group {
        let (said, id) = (coarser.said(), base(&coarser.clock.id).to_owned());
        match told.iter_mut().find(|(text, _)| *text == said) {
            Some((_, ids)) if ids.contains(&id) => {}
            Some((_, ids)) => ids.push(id),
            None => told.push((said, vec![id])),
        }
    }
    let more = told.len().saturating_sub(MOST);
    let mut clauses: Vec<String> =
        told.iter().take(MOST).map(|(said, ids)| format!("{}: {said}", say::list(ids))).collect();
    if more > 0 {
        clauses.push(format!("{} more of the sort", say::grouped(more as u64)));
    }
    clauses.join("; ") + "."
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::made_up::{clock, findings, healthy};

    #[test]
    fn a_10_ns_lattice_under_a_1_ns_claim_is_one_note() {
        let (machine, clocks) = healthy();
        let found = findings(&machine, &clocks, "CS004");
        assert_eq!((found.len(), found[0].severity), (1, Severity::Note));
        assert!(
            found[0].clocks.contains(&"monotonic@vdso".into()) && found[0].clocks.contains(&"tsc".into())
        );
        assert_eq!(
            found[0].evidence,
            "tsc and tsc-fenced: steps of 10.015 ns, 26 times the nominal 0.385 ns; monotonic, realtime and \
             monotonic-raw: steps of 10.015 ns, 10 times the claimed 1 ns."
        );
    }

    #[test]
    fn a_quantum_far_above_the_cost_is_a_warning_of_its_own() {
        let (machine, mut clocks) = healthy();
        clocks.push(clock("realtime").cost(40.0).quantum(100.0).reported(1.0).build());
        let found = findings(&machine, &clocks, "CS004");
        assert_eq!(found.iter().map(|f| f.severity).collect::<Vec<_>>(), [Severity::Warning, Severity::Note]);
        assert_eq!(found[0].clocks, ["realtime"]);
        assert!(
            found[0].evidence.contains("realtime: steps of 100 ns, 100 times the claimed 1 ns"),
            "{}",
            found[0].evidence
        );
    }

    #[test]
    fn cpu_time_is_a_note_however_coarse() {
        let (machine, _) = healthy();
        let cpu = clock("process-cputime").kind(Kind::CpuTime).cost(500.0).quantum(4e6).reported(1.0).build();
        assert_eq!(findings(&machine, &[cpu], "CS004")[0].severity, Severity::Note);
    }

    #[test]
    fn a_coarse_clock_a_finer_one_and_an_unresolved_one_are_silent() {
        let (machine, _) = healthy();
        let coarse =
            clock("monotonic-coarse").kind(Kind::Coarse).cost(4.4).quantum(4e6).reported(4e6).build();
        let fine = clock("monotonic").cost(20.0).quantum(9.9).reported(1.0).build();
        let mut loose = clock("monotonic-raw").cost(20.0).quantum(12.0).reported(1.0).build();
        loose.tick_ns.quantum_low = Some(8.0);
        let unresolved = clock("boottime").cost(20.0).reported(1.0).build();
        assert!(findings(&machine, &[coarse, fine, loose, unresolved], "CS004").is_empty());
    }
}
