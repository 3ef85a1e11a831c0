//! CS023: the hypervisor disrupted the counter while the machine was surveyed.

use super::prelude::*;

pub(super) fn apply(facts: &Facts) -> Option<Draft> {
    let disruptions = &facts.run.disruptions;
    let first = disruptions.first()?;
    let (since, at) = (text::time(first.since_ns), text::time(first.at_ns));
    let times = text::count(disruptions.len() as u64, "time");
    let hit = |clock: &&Clock| matches!(clock.kind, Kind::Counter) || clock.kind.is_kernels();
    Some(Draft {
        severity: Warning,
        title: format!("The hypervisor disrupted the counter {times} during the run"),
        evidence: vec![format!(
            "/dev/vmclock0 has another disruption marker, the first time between {since} and {at} after the start"
        )],
        why: "The machine was moved to another host, or restored from a snapshot: its counter may have jumped and may \
              run at another rate, and NTP knows of neither yet. Until it is synchronised anew, wall time is as far \
              off as the move took or the snapshot is old; and this run's figures may be of two machines."
            .into(),
        fix: "Run the survey again. A program that must know of it watches the marker (in truetick: \
              `VmClock::is_disrupted`, `Kernel::until_disrupted`); chronyd asks its sources anew after `chronyc \
              burst 4/4`."
            .into(),
        clocks: ids(facts.ordinary().filter(hit)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Disruption;

    #[test]
    fn a_disruption_is_said_with_its_time() {
        let moved = Disruption { since_ns: 1.2e9, at_ns: 1.22e9 };
        let case = Case::healthy().but(|case| case.run.disruptions = vec![moved; 2]);
        case.finds("CS023", Warning, &["2 times during the run", "between 1.2 s and 1.22 s", "monotonic"]);
        Case::healthy().silent("CS023");
    }
}
