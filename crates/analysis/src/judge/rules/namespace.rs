//! CS021: the process's clocks are offset by a time namespace.

use super::prelude::*;

pub(super) fn apply(facts: &Facts) -> Option<Draft> {
    let offsets = facts.machine.time_namespace.as_ref()?;
    let said = [("CLOCK_MONOTONIC", offsets.monotonic_ns), ("CLOCK_BOOTTIME", offsets.boottime_ns)];
    let said = said.iter().filter(|(_, ns)| *ns != 0.0);
    let evidence: Vec<String> =
        said.map(|(clock, ns)| format!("{clock} is {} from the host's", text::signed_time(*ns))).collect();
    (!evidence.is_empty()).then(|| Draft {
        severity: Note,
        title: "A time namespace offsets this process's clocks from the host's".into(),
        evidence,
        why: "Stamps of these clocks differ by the offsets from those of processes outside, and from those that the kernel \
              itself writes (traces, logs, packets' stamps); each read takes the vDSO's slower way, which adds the offset."
            .into(),
        fix: "Compare across the boundary by `realtime`, or take the offsets from /proc/PID/timens_offsets. Who did not ask \
              for it: `unshare --time`, a container that was restored from a checkpoint."
            .into(),
        clocks: ids(facts.ordinary().filter(|clock| matches!(clock.kind, Kind::Monotonic | Kind::Boot))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::TimeNamespace;

    #[test]
    fn offsets_are_said_with_their_signs_and_none_is_not() {
        let offset = |monotonic_ns, boottime_ns| {
            Case::healthy().but(|case| case.machine.time_namespace = Some(TimeNamespace { monotonic_ns, boottime_ns }))
        };
        let parts = ["CLOCK_MONOTONIC is −5 s from the host's.\n", "[monotonic"];
        offset(-5e9, 0.0).finds("CS021", Note, &parts);
        offset(0.0, 1e9).finds("CS021", Note, &["CLOCK_BOOTTIME is +1 s"]);
        offset(0.0, 0.0).silent("CS021");
        Case::healthy().silent("CS021");
    }
}
