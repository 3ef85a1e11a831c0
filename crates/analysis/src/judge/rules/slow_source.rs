//! CS002: the kernel runs on a slow clocksource while a better one is there.

use super::rule::{Draft, ids};
use crate::judge::clocksource::{Clocksource, TSC};
use crate::judge::facts::{Facts, TscStanding};
use crate::judge::figures;
use crate::record::{Path, Severity};
use crate::text;

pub(super) fn apply(facts: &Facts) -> Option<Draft> {
    let now = facts.source()?;
    let best = facts.best_source().filter(|best| *best != now)?;
    let by_call = facts.clock("monotonic").is_some_and(|c| c.path == Path::Syscall);
    // xen and kvm-clock are fast or slow as the hypervisor has them; the path that a read takes here says which.
    let severity = if Clocksource::is_slow(now) || by_call {
        Severity::Warning
    } else if best == TSC && facts.tsc_standing() == TscStanding::Spare {
        Severity::Note
    } else {
        return None;
    };
    Some(Draft {
        severity,
        title: match severity {
            Severity::Note => format!("The clocksource is {now} although an invariant TSC is available"),
            _ => format!("The kernel runs on the slow clocksource {now} while {best} is available"),
        },
        evidence: evidence(facts, now),
        why: why(now, severity),
        fix: fix(facts, now, best, severity),
        clocks: ids(facts.ordinary().filter(|c| c.for_timing && figures::is_computed(c))),
    })
}

fn evidence(facts: &Facts, now: &str) -> Vec<String> {
    let mut said = vec![format!("current: {now}; available: {}", text::list(&facts.machine.clocksource.available))];
    if let Some(clock) = facts.clock("monotonic") {
        if let Some(cost) = figures::cost(clock) {
            said.push(format!("monotonic costs {} a read", text::time(cost)));
        }
        if let Some(quantum) = figures::quantum(clock) {
            said.push(format!("it moves in steps of {}", text::step(quantum)));
        }
    }
    if let Some((tsc, cost)) = facts.clock(TSC).and_then(|c| Some((c, figures::cost(c)?))) {
        said.push(format!("{} costs {}", tsc.id, text::time(cost)));
    }
    if let Some(option) = facts.option("clocksource=") {
        said.push(format!("the kernel command line says `{option}`"));
    }
    said
}

fn why(now: &str, severity: Severity) -> String {
    if severity == Severity::Note {
        return format!(
            "{now} adds the hypervisor's scaling to each read and depends on the page that it shares; an invariant \
             TSC is read directly. kvm-clock in turn follows a migration, which a bare TSC may not."
        );
    }
    match now {
        "jiffies" | "refined-jiffies" => "This source advances with the timer interrupt only: every clock of the \
             kernel moves in milliseconds and loses time whenever interrupts are lost."
            .into(),
        _ => format!(
            "Every read of {now} leaves the CPU or the guest (a device register, an I/O port or a hypervisor call) \
             and needs a system call, so each timestamp of each program here costs a microsecond or so instead of \
             some 20 ns."
        ),
    }
}

fn fix(facts: &Facts, now: &str, best: &str, severity: Severity) -> String {
    let file = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    if severity == Severity::Note {
        return format!(
            "Nothing must be done. To try the other: `echo {best} | sudo tee {file}`; stay with {now} where the \
             guest is migrated between hosts that can't scale the TSC."
        );
    }
    let lasting = match facts.option("clocksource=") {
        Some(option) => format!("for good, take `{option}` off the kernel command line"),
        None => format!("for good, put `clocksource={best}` on the kernel command line"),
    };
    format!(
        "First see why the kernel chose {now}: `dmesg | grep -iE 'tsc|clocksource'`. If it did not mark the \
         better one unstable: `echo {best} | sudo tee {file}`; {lasting}."
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::made_up::Case;
    use crate::record::TscGeneration;
    use Severity::{Note, Warning};

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
        let variant = |case: &mut Case| case.machine.tsc.as_mut().unwrap().generation = TscGeneration::Variant;
        asked.but(variant).silent("CS002");
    }

    #[test]
    fn a_paravirtual_source_beside_it_is_a_note_and_by_system_calls_a_warning() {
        for source in ["kvm-clock", "xen"] {
            let mut case = Case::healthy().on(source).finds("CS002", Note, &[]);
            case.clock("monotonic").path = Path::Syscall;
            case.finds("CS002", Warning, &[]);
        }
    }

    #[test]
    fn the_best_source_and_a_slow_one_without_an_alternative_are_silent() {
        Case::healthy().silent("CS002");
        Case::rejected().silent("CS002");
    }
}
