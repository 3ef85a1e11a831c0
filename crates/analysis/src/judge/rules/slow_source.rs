//! CS002: the kernel runs on a slow clocksource while a better one is there.

use super::prelude::*;

pub(super) fn apply(facts: &Facts) -> Option<Draft> {
    let now = facts.source().filter(|_| facts.is_of_one_source())?;
    let best = facts.best_source().filter(|best| *best != now)?;
    let by_call = facts.clock("monotonic").is_some_and(|c| c.path == Path::Syscall);
    // xen and kvm-clock are fast or slow as the hypervisor has them; the path that a read takes here says which.
    let severity = if Clocksource::is_slow(now) || by_call {
        Warning
    } else if best == TSC && facts.tsc_standing() == TscStanding::Spare {
        Note
    } else {
        return None;
    };
    let paravirtual = severity == Note;
    let why = match now {
        _ if paravirtual => format!(
            "{now} adds the hypervisor's scaling to each read and depends on the page that it shares; an invariant \
             TSC is read directly. kvm-clock in turn follows a migration, which a bare TSC may not."
        ),
        "jiffies" | "refined-jiffies" => "This source advances with the timer interrupt only: every clock of the \
                                          kernel moves in milliseconds and loses time whenever interrupts are lost."
            .into(),
        _ => format!(
            "Every read of {now} leaves the CPU or the guest (a device register, an I/O port or a hypervisor call) \
             and needs a system call, so each timestamp of each program here costs a microsecond or so instead of \
             some 20 ns."
        ),
    };
    let lasting = match facts.option("clocksource=") {
        Some(option) => format!("take `{option}` off"),
        None => format!("put `clocksource={best}` on"),
    };
    let (monotonic, switch) = (facts.clock("monotonic"), switch_to(best));
    let evidence = [
        Some(format!("current: {now}; available: {}", text::list(&facts.machine.clocksource.available))),
        monotonic.map(|c| format!("monotonic costs {} a read", figures::cost_text(c))),
        monotonic.map(|c| format!("its resolution is {}", figures::resolution_text(c))),
        facts.clock(TSC).map(|c| format!("{TSC} costs {}", figures::cost_text(c))),
        facts.option("clocksource=").map(in_command_line),
    ];
    Some(Draft {
        severity,
        title: if paravirtual {
            format!("The clocksource is {now} although an invariant TSC is available")
        } else {
            format!("The kernel runs on the slow clocksource {now} while {best} is available")
        },
        evidence: evidence.into_iter().flatten().collect(),
        why,
        fix: if paravirtual {
            format!(
                "Nothing must be done. To try the other: {switch}; stay with {now} where the guest is migrated between \
                 hosts that can't scale the TSC."
            )
        } else {
            format!(
                "First see why the kernel chose {now}: `dmesg | grep -iE 'tsc|clocksource'`. If it did not mark the \
                 better one unstable: {switch}; for good, {lasting} the kernel command line."
            )
        },
        clocks: ids(facts.ordinary().filter(|c| c.for_timing && figures::is_computed(c))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{ClocksourceChange, TscGeneration};

    #[test]
    fn hpet_beside_an_invariant_tsc_is_a_warning() {
        let parts = [
            "echo tsc | sudo tee /sys/devices/system/clocksource",
            "current: hpet; available: tsc, hpet and acpi_pm",
            "[monotonic, realtime, monotonic-raw]",
        ];
        let case = Case::hpet().finds("CS002", Warning, &parts);
        let asked = case.but(|case| case.machine.kernel_options = vec!["clocksource=hpet".into()]);
        let asked = asked.finds("CS002", Warning, &["take `clocksource=hpet` off"]);
        // A TSC that is not invariant is no better source.
        asked.but(|case| case.tsc().generation = TscGeneration::Variant).silent("CS002");
        // What the kernel has left, nobody need leave.
        Case::hpet().but(|case| case.run.clocksource_changes = vec![ClocksourceChange::default()]).silent("CS002");
    }

    #[test]
    fn a_paravirtual_source_beside_it_is_a_note_and_by_system_calls_a_warning() {
        for source in ["kvm-clock", "xen"] {
            let mut case = Case::healthy().on(source).finds("CS002", Note, &[]);
            case.clock("monotonic").path = Path::Syscall;
            case.finds("CS002", Warning, &[]);
        }
        // The best source, and a slow one without an alternative.
        Case::healthy().silent("CS002");
        Case::rejected().silent("CS002");
    }
}
