//! CS011: a guest, whose counter may jump or change its rate under it.

use super::prelude::*;

pub(super) fn apply(facts: &Facts) -> Option<Draft> {
    let hypervisor = facts.guest_of()?;
    let offers = &facts.machine.virtualization.offers;
    let mut evidence = vec![format!("hypervisor: {hypervisor}")];
    evidence.extend(facts.source().map(|source| format!("clocksource: {source}")));
    evidence.push(if offers.is_empty() {
        "it offers no paravirtual clock that is seen".into()
    } else {
        format!("it offers {}", text::list(offers))
    });
    let follows = match facts.source().and_then(Clocksource::of) {
        Some(source) if source.by_page => {
            "The kernel's clocks follow through the page that the hypervisor updates; a bare counter, and whatever \
             was calibrated from one, does not."
        }
        Some(source) if source.counter.is_none() => {
            "The kernel's clocks here rest on a device that the hypervisor emulates; it stands while the guest is \
             stopped."
        }
        _ => {
            "The kernel's clocks here rest on the counter itself, so they jump or change rate with it, until NTP \
             corrects them."
        }
    };
    Some(Draft {
        severity: Note,
        title: format!("Guest of {hypervisor}: a snapshot or a migration may make the counter jump or change its rate"),
        evidence,
        why: format!(
            "After a live migration the counter runs at another machine's rate, within its tolerance, and may step; \
             after a restore from a snapshot it stands where the snapshot was taken. {follows}"
        ),
        fix: "Never keep a calibration of a bare counter for good: re-fit it against `monotonic` (truetick does), \
              bound every wait, and after a restore let the NTP client step once (chrony: `makestep 1 3`, \
              `chronyc makestep`)."
            .into(),
        clocks: ids(facts.ordinary().filter(|c| c.kind == Kind::Counter)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guest_is_named_with_its_counters_and_what_the_kernels_clocks_rest_on() {
        for (source, follows) in [
            ("tsc", "rest on the counter itself"),
            ("kvm-clock", "follow through the page"),
            ("hpet", "rest on a device"),
            ("sundial", "rest on the counter itself"),
        ] {
            let parts = ["Guest of kvm", follows, "[tsc, tsc-fenced]"];
            Case::healthy().on(source).finds("CS011", Note, &parts);
        }
        for guest in [Some(false), None] {
            Case::healthy().but(|case| case.machine.virtualization.guest = guest).silent("CS011");
        }
    }
}
