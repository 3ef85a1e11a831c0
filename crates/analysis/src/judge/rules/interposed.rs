//! CS013: the clock functions are interposed.

use std::fmt::Write as _;

use super::rule::Draft;
use crate::judge::facts::{self, Facts, base};
use crate::judge::say;
use crate::record::{Clock, Severity};

pub(super) fn apply(facts: &Facts) -> Vec<Draft> {
    let hit: Vec<&Clock> = facts.clocks.iter().filter(|c| c.interposed_by.is_some()).collect();
    let Some(first) = hit.first() else { return Vec::new() };
    let mut libraries: Vec<String> = hit.iter().filter_map(|c| c.interposed_by.clone()).collect();
    libraries.sort();
    libraries.dedup();
    let libraries = say::list(&libraries);
    let mut evidence =
        format!("calls of {} are answered by {libraries}, not by the C library", say::names(&hit));
    let direct = facts.clock(&format!("{}@vdso", base(&first.id))).and_then(facts::cost);
    if let (Some(here), Some(direct)) = (facts::cost(first), direct) {
        let _ = write!(
            evidence,
            "; {} costs {} a read, straight through the vDSO {}",
            first.id,
            say::time(here),
            say::time(direct)
        );
    }
    vec![Draft {
        severity: Severity::Warning,
        title: format!("{libraries} answers the clock functions of this process"),
        evidence: evidence + ".",
        why: "Costs, steps and faults of these clocks are the library's as much as the machine's. Programs started \
              the same way see the same clocks; others do not."
            .into(),
        fix: "See `LD_PRELOAD`, `LD_AUDIT` and /etc/ld.so.preload; measure the machine itself with \
              `env -u LD_PRELOAD clockscope`, and compare with the @vdso entries, which the library does not touch."
            .into(),
        clocks: say::ids(&hit),
    }]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::made_up::{findings, healthy};

    #[test]
    fn an_interposed_clock_is_named_with_its_library_and_both_costs() {
        let (machine, mut clocks) = healthy();
        for c in &mut clocks {
            if c.id == "monotonic" || c.id == "realtime" {
                c.interposed_by = Some("libfaketime.so.1".into());
            }
        }
        let found = findings(&machine, &clocks, "CS013");
        assert_eq!((found.len(), found[0].severity), (1, Severity::Warning));
        assert_eq!(found[0].clocks, ["monotonic", "realtime"]);
        assert!(found[0].title.contains("libfaketime.so.1"));
        assert!(found[0].evidence.contains("straight through the vDSO 23 ns"), "{}", found[0].evidence);
    }

    #[test]
    fn the_c_librarys_own_are_silent() {
        let (machine, clocks) = healthy();
        assert!(findings(&machine, &clocks, "CS013").is_empty());
    }
}
