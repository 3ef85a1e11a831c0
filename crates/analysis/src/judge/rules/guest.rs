//! CS011: a guest, whose counter may jump or change its rate under it.

use super::rule::Draft;
use crate::judge::facts::Facts;
use crate::judge::say;
use crate::record::{Clock, Kind, Severity};

pub(super) fn apply(facts: &Facts) -> Vec<Draft> {
    let Some(hypervisor) = facts.guest_of() else { return Vec::new() };
    let offers = &facts.machine.virtualization.offers;
    let counters: Vec<&Clock> = facts.ordinary().filter(|c| c.kind == Kind::Counter).collect();
    let mut evidence = vec![format!("hypervisor: {hypervisor}")];
    if let Some(source) = facts.source() {
        evidence.push(format!("clocksource: {source}"));
    }
    evidence.push(if offers.is_empty() {
        "it offers no paravirtual clock that is seen".into()
    } else {
        format!("it offers {}", say::list(offers))
    });
    let follows = match facts.source() {
        Some("kvm-clock" | "hyperv_clocksource_tsc_page" | "xen") => {
            "The kernel's clocks follow through the page that the hypervisor updates; a bare counter, and whatever \
             was calibrated from one, does not."
        }
        Some("hpet" | "acpi_pm") => {
            "The kernel's clocks here rest on a device that the hypervisor emulates; it stands while the guest is \
             stopped."
        }
        _ => {
            "The kernel's clocks here rest on the counter itself, so they jump or change rate with it, until NTP \
             corrects them."
        }
    };
    vec![Draft {
        severity: Severity::Note,
        title: format!("A guest of {hypervisor}: a snapshot or a migration may make the counter jump or change its rate"),
        evidence: evidence.join("; ") + ".",
        why: format!(
            "After a live migration the counter runs at another machine's rate, within its tolerance, and may step; \
             after a restore from a snapshot it stands where the snapshot was taken. {follows}"
        ),
        fix: "Never keep a calibration of a bare counter for good: re-fit it against `monotonic` (truetick does), bound \
              every wait, and after a restore let the NTP client step once (chrony: `makestep 1 3`, \
              `chronyc makestep`)."
            .into(),
        clocks: say::ids(&counters),
    }]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::made_up::{findings, healthy};

    #[test]
    fn a_guest_is_told_and_the_counters_are_named() {
        let (machine, clocks) = healthy();
        let found = findings(&machine, &clocks, "CS011");
        assert_eq!((found.len(), found[0].severity), (1, Severity::Note));
        assert_eq!(found[0].clocks, ["tsc", "tsc-fenced"]);
        assert!(found[0].title.contains("kvm") && found[0].why.contains("rest on the counter itself"));
    }

    #[test]
    fn a_paravirtual_source_is_told_to_follow() {
        let (mut machine, clocks) = healthy();
        machine.clocksource.current = Some("kvm-clock".into());
        assert!(findings(&machine, &clocks, "CS011")[0].why.contains("follow through the page"));
    }

    #[test]
    fn bare_metal_and_not_known_are_silent() {
        for guest in [Some(false), None] {
            let (mut machine, clocks) = healthy();
            machine.virtualization.guest = guest;
            assert!(findings(&machine, &clocks, "CS011").is_empty(), "{guest:?}");
        }
    }
}
