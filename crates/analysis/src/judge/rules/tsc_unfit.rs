//! CS003: the TSC is not invariant, or the kernel has rejected it.

use super::prelude::*;
use crate::record::TscGeneration;

pub(super) fn apply(facts: &Facts) -> Option<Draft> {
    let tsc = facts.machine.tsc.as_ref()?;
    let source = facts.source();
    let slow = source.is_some_and(Clocksource::is_slow);
    let title = match facts.tsc_standing() {
        TscStanding::NotInvariant => match tsc.generation {
            TscGeneration::Variant => "The TSC's rate follows the core's clock".into(),
            _ => "The TSC may stop in deep sleep: its rate is constant, but it is not invariant".into(),
        },
        TscStanding::Rejected => format!("The kernel does not offer the TSC and runs on {}", source?),
        // Offered, yet a source of lower rating runs and nobody asked for it: its rating was taken away.
        TscStanding::Spare if slow && facts.option("clocksource=").is_none() => {
            format!("The kernel offers the TSC but runs on {}", source?)
        }
        _ => return None,
    };
    Some(Draft {
        // With a paravirtual source over it the kernel's clocks are well; only the bare counter is not.
        severity: if slow || source == Some(TSC) { Warning } else { Note },
        title,
        evidence: evidence(facts),
        why: "A bare TSC then does not tell time: its rate may change or stop with the core's power state, or the \
              CPUs' counters may disagree; programs that read it directly measure wrongly. Where no paravirtual \
              clock takes its place, every kernel clock falls back to a slow source."
            .into(),
        fix: fix(facts),
        clocks: ids(facts.ordinary().filter(|c| c.base_id() == TSC)),
    })
}

fn evidence(facts: &Facts) -> Vec<String> {
    let mut said = Vec::new();
    if let Some(tsc) = &facts.machine.tsc {
        said.extend(tsc.evidence.iter().cloned());
        said.extend((!tsc.flags.is_empty()).then(|| format!("flags: {}", tsc.flags.join(" "))));
    }
    let available = || text::list(&facts.machine.clocksource.available);
    said.extend(facts.source().map(|now| format!("clocksource: {now}; available: {}", available())));
    let options = ["tsc=", "notsc", "clocksource="].into_iter().filter_map(|prefix| facts.option(prefix));
    said.extend(options.map(in_command_line));
    if said.is_empty() {
        said.push("the kernel and CPUID promise no invariant TSC".into());
    }
    said
}

fn fix(facts: &Facts) -> String {
    if let Some(option) = facts.option("tsc=unstable").or_else(|| facts.option("notsc")) {
        return format!(
            "`{option}` on the kernel command line rejects it: take it off unless it answers a known defect."
        );
    }
    let look = "`dmesg | grep -iE 'tsc|clocksource'` says why";
    match (facts.tsc_standing(), facts.guest_of()) {
        (TscStanding::NotInvariant, Some(hypervisor)) => format!(
            "Have the hypervisor ({hypervisor}) pass the invariant TSC on (QEMU: `-cpu …,+invtsc`; libvirt: \
             `<feature policy='require' name='invtsc'/>`), and until then use `monotonic`, not the bare counter."
        ),
        (TscStanding::NotInvariant, None) => {
            "Use `monotonic`, not the bare counter; on such a CPU there is nothing to set.".into()
        }
        (_, Some(hypervisor)) => format!(
            "{look}; have the host of this {hypervisor} guest run on its own TSC and offer it as invariant. Do not \
             force it with `tsc=reliable` unless the kernel's reason is known and gone. Use `monotonic` until then."
        ),
        (_, None) => format!(
            "{look}: out of step between sockets or written by the firmware calls for a firmware update; a lone \
             'skew is too large' under heavy load may be the watchdog's own late read. Do not force it with \
             `tsc=reliable` unless the reason is known and gone. Use `monotonic` until then."
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Clocksource;

    #[test]
    fn an_invariant_tsc_that_is_missing_from_the_list_was_rejected() {
        let parts = ["[tsc, tsc-fenced]", "available: hpet and acpi_pm", "dmesg"];
        let rejected = Case::rejected().finds("CS003", Warning, &parts);
        // Without sysfs nothing is said of the kernel's mind.
        rejected.but(|case| case.machine.clocksource = Clocksource::default()).silent("CS003");
    }

    #[test]
    fn offered_but_passed_over_without_an_option_counts_too() {
        let case = Case::hpet().finds("CS003", Warning, &["offers the TSC but runs on hpet"]);
        // Somebody asked for hpet.
        case.but(|case| case.machine.kernel_options = vec!["clocksource=hpet".into()]).silent("CS003");
    }

    #[test]
    fn a_variant_tsc_under_kvm_clock_is_a_note_and_a_good_one_none() {
        let case = Case::healthy().silent("CS003").on("kvm-clock").silent("CS003");
        let variant = case.but(|case| case.tsc().generation = TscGeneration::Variant);
        variant.finds("CS003", Note, &["invtsc"]).but(|case| case.machine.tsc = None).silent("CS003");
    }
}
