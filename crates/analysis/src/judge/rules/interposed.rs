//! CS013: the clock functions are interposed.

use super::prelude::*;

pub(super) fn apply(facts: &Facts) -> Option<Draft> {
    let hit: Vec<&Clock> = facts.clocks.iter().filter(|c| c.interposed_by.is_some()).collect();
    let first = hit.first()?;
    let mut libraries: Vec<&str> = hit.iter().filter_map(|c| c.interposed_by.as_deref()).collect();
    libraries.sort_unstable();
    libraries.dedup();
    let libraries = text::list(&libraries);
    let mut evidence = vec![format!("calls of {} are answered by {libraries}, not by the C library", names(&hit))];
    if let Some((here, direct)) = figures::cost(first).zip(facts.forced_cost(first, Path::Vdso)) {
        let (id, here, direct) = (&first.id, text::time(here), text::time(direct));
        evidence.push(format!("{id} costs {here} a read, straight through the vDSO {direct}"));
    }
    Some(Draft {
        severity: Warning,
        title: format!("{libraries} answers the clock functions of this process"),
        evidence,
        why: "Costs, steps and faults of these clocks are the library's as much as the machine's. Programs started \
              the same way see the same clocks; others do not."
            .into(),
        fix: "See `LD_PRELOAD`, `LD_AUDIT` and /etc/ld.so.preload; measure the machine itself with \
              `env -u LD_PRELOAD clockscope`, and compare with the @vdso entries, which the library does not touch."
            .into(),
        clocks: ids(hit),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interposed_clock_is_named_with_its_library_and_both_costs() {
        let mut case = Case::healthy().silent("CS013");
        for id in ["monotonic", "realtime"] {
            case.clock(id).interposed_by = Some("libfaketime.so.1".into());
        }
        let parts = ["libfaketime.so.1 answers", "straight through the vDSO 23 ns.\n", "[monotonic, realtime]"];
        case.finds("CS013", Warning, &parts);
    }
}
