//! CS002: the kernel runs on a slow clocksource while a better one is there.

use super::rule::Draft;
use crate::judge::facts::{self, Facts, TscStanding};
use crate::judge::say;
use crate::record::{Clock, Path, Severity};

pub(super) fn apply(facts: &Facts) -> Vec<Draft> {
    draft(facts).into_iter().collect()
}

fn draft(facts: &Facts) -> Option<Draft> {
    let now = facts.source()?;
    let best = facts.best_source().filter(|best| *best != now)?;
    let dependent = dependent_clocks(facts);
    let by_call = dependent.iter().any(|c| c.id == "monotonic" && c.path == Path::Syscall);
    // xen and kvm-clock are fast or slow as the hypervisor has them; the path that a read takes here says which.
    let severity = if Facts::is_slow_source(now) || by_call {
        Severity::Warning
    } else if best == "tsc" && facts.tsc_standing() == TscStanding::Spare {
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
        clocks: say::ids(&dependent),
    })
}

/// The clocks that the kernel computes from its clocksource.
fn dependent_clocks<'a>(facts: &Facts<'a>) -> Vec<&'a Clock> {
    const IDS: [&str; 6] = ["monotonic", "realtime", "monotonic-raw", "boottime", "tai", "gettimeofday"];
    facts.ordinary().filter(|c| IDS.contains(&c.id.as_str())).collect()
}

fn evidence(facts: &Facts, now: &str) -> String {
    let mut said =
        vec![format!("current: {now}; available: {}", say::list(&facts.machine.clocksource.available))];
    if let Some(clock) = facts.clock("monotonic") {
        if let Some(cost) = facts::cost(clock) {
            said.push(format!("monotonic costs {} a read", say::time(cost)));
        }
        if let Some(quantum) = facts::quantum(clock) {
            said.push(format!("it moves in steps of {}", say::step(quantum)));
        }
    }
    if let Some((tsc, cost)) = facts.clock("tsc").and_then(|c| Some((c, facts::cost(c)?))) {
        said.push(format!("{} costs {}", tsc.id, say::time(cost)));
    }
    if let Some(option) = facts.option("clocksource=") {
        said.push(format!("the kernel command line says `{option}`"));
    }
    said.join("; ") + "."
}

fn why(now: &str, severity: Severity) -> String {
    if severity == Severity::Note {
        return format!(
            "{now} adds the hypervisor's scaling to each read and depends on the page that it shares; an invariant \
             TSC is read directly. kvm-clock in turn follows a migration, which a bare TSC may not."
        );
    }
    match now {
        "jiffies" | "refined-jiffies" => {
            "This source advances with the timer interrupt only: every clock of the \
             kernel moves in milliseconds and loses time whenever interrupts are lost."
                .into()
        }
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
    use crate::judge::made_up::{findings, healthy, hpet_machine};

    #[test]
    fn hpet_beside_an_invariant_tsc_is_a_warning() {
        let (machine, clocks) = hpet_machine();
        let found = findings(&machine, &clocks, "CS002");
        assert_eq!((found.len(), found[0].severity), (1, Severity::Warning));
        assert!(
            found[0].fix.contains("echo tsc | sudo tee /sys/devices/system/clocksource"),
            "{}",
            found[0].fix
        );
        assert!(found[0].evidence.contains("current: hpet; available: tsc, hpet and acpi_pm"));
    }

    #[test]
    fn the_option_that_chose_it_is_named() {
        let (mut machine, clocks) = hpet_machine();
        machine.kernel_options = vec!["clocksource=hpet".into()];
        assert!(findings(&machine, &clocks, "CS002")[0].fix.contains("take `clocksource=hpet` off"));
    }

    #[test]
    fn kvm_clock_beside_an_invariant_tsc_is_a_note() {
        let (mut machine, clocks) = healthy();
        machine.clocksource.current = Some("kvm-clock".into());
        let found = findings(&machine, &clocks, "CS002");
        assert_eq!((found.len(), found[0].severity), (1, Severity::Note));
    }

    #[test]
    fn xen_by_system_calls_is_a_warning_and_in_the_vdso_a_note() {
        let (mut machine, mut clocks) = healthy();
        machine.clocksource.current = Some("xen".into());
        assert_eq!(findings(&machine, &clocks, "CS002")[0].severity, Severity::Note);
        for c in &mut clocks {
            if c.id == "monotonic" {
                c.path = Path::Syscall;
            }
        }
        assert_eq!(findings(&machine, &clocks, "CS002")[0].severity, Severity::Warning);
    }

    #[test]
    fn the_best_source_and_a_slow_one_without_an_alternative_are_silent() {
        let (mut machine, clocks) = healthy();
        assert!(findings(&machine, &clocks, "CS002").is_empty());
        machine.clocksource.current = Some("hpet".into());
        machine.clocksource.available = vec!["hpet".into(), "acpi_pm".into()];
        assert!(findings(&machine, &clocks, "CS002").is_empty());
    }

    #[test]
    fn a_tsc_that_is_not_invariant_is_no_better_source() {
        let (mut machine, clocks) = hpet_machine();
        machine.tsc.as_mut().unwrap().generation = crate::record::TscGeneration::Variant;
        assert!(findings(&machine, &clocks, "CS002").is_empty());
    }
}
