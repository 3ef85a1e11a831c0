//! CS001: an ordinary clock whose read is a system call although the kernel has a vDSO path for it.

use super::rule::Draft;
use crate::judge::facts::{self, Facts, base};
use crate::judge::say;
use crate::record::{Clock, Kind, Path, Severity};

/// Clocks that Linux answers in the vDSO. The CPU-time and alarm clocks are system calls by their nature.
const VDSO_CLOCKS: [&str; 9] = [
    "realtime",
    "monotonic",
    "monotonic-raw",
    "boottime",
    "tai",
    "realtime-coarse",
    "monotonic-coarse",
    "gettimeofday",
    "time",
];

/// Those of them that came late to x86's vDSO: TAI with Linux 4.20, the other two with 5.3.
const LATE_CLOCKS: [&str; 3] = ["monotonic-raw", "boottime", "tai"];

pub(super) fn apply(facts: &Facts) -> Vec<Draft> {
    let lost: Vec<&Clock> = facts
        .ordinary()
        .filter(|c| {
            VDSO_CLOCKS.contains(&c.id.as_str()) && c.path == Path::Syscall && c.interposed_by.is_none()
        })
        .collect();
    if lost.is_empty() {
        return Vec::new();
    }
    let late_only = lost.iter().all(|c| LATE_CLOCKS.contains(&c.id.as_str()));
    let verb = if lost.len() == 1 { "is a system call" } else { "are system calls" };
    vec![Draft {
        severity: if late_only { Severity::Note } else { Severity::Warning },
        title: format!("{} {verb}: the vDSO path is lost", say::names(&lost)),
        evidence: evidence(facts, &lost),
        why: "A read through the vDSO stays in the process; a system call costs several times as much, disturbs \
              the caches and the branch predictor, and shows up in every timed interval."
            .into(),
        fix: fix(facts, &lost, late_only),
        clocks: say::ids(&lost),
    }]
}

/// The cost of the dearest-known lost clock, beside its forced system call and beside a vDSO read.
fn evidence(facts: &Facts, lost: &[&Clock]) -> String {
    let mut said = Vec::new();
    if let Some((clock, cost)) = lost.iter().find_map(|c| Some((c, facts::cost(c)?))) {
        said.push(format!("{} costs {} a read", clock.id, say::time(cost)));
        let forced = facts.clock(&format!("{}@syscall", base(&clock.id))).and_then(facts::cost);
        if let Some(forced) = forced {
            said.push(format!("its forced system call {}", say::time(forced)));
        }
        match facts.vdso_read().and_then(|c| Some((c, facts::cost(c)?))) {
            Some((vdso, vdso_cost)) => said.push(format!(
                "a read that does stay in the vDSO ({}) {}, {} times less",
                vdso.id,
                say::time(vdso_cost),
                say::number(cost / vdso_cost)
            )),
            None => said.push("no clock here is read in the vDSO".into()),
        }
    } else {
        said.push(format!("the path of {} is a system call; its cost is not known", say::names(lost)));
    }
    if let Some(clock) = lost.first().filter(|c| !c.path_evidence.is_empty()) {
        said.push(format!("path: {}", clock.path_evidence));
    }
    if let Some(source) = facts.source() {
        said.push(format!("clocksource: {source}"));
    }
    said.join("; ") + "."
}

fn fix(facts: &Facts, lost: &[&Clock], late_only: bool) -> String {
    if let Some(option) = facts.option("vdso=0") {
        return format!("Take `{option}` off the kernel command line: it takes the vDSO from every process.");
    }
    if late_only {
        return "On x86 CLOCK_TAI is in the vDSO since Linux 4.20, CLOCK_MONOTONIC_RAW and CLOCK_BOOTTIME since 5.3: \
                run a newer kernel, or use `monotonic` or \
                `realtime`, which this kernel does answer in the vDSO."
            .into();
    }
    let coarse_lost = lost.iter().any(|c| c.kind == Kind::Coarse || c.id == "time");
    if coarse_lost {
        // The coarse clocks need no hardware counter: no clocksource can take them out of the vDSO.
        return "Even clocks that need no hardware counter are system calls, so the clocksource is not (the only) \
                cause: the process has no usable vDSO. Look for a sandbox (gVisor), a tracer or an emulator \
                (valgrind, rr, qemu-user) around the process, for `vdso=0` on the kernel command line, and for a \
                static C library without vDSO support."
            .into();
    }
    match (facts.source(), facts.best_source()) {
        (Some(now), Some(best)) if now != best => format!(
            "`echo {best} | sudo tee /sys/devices/system/clocksource/clocksource0/current_clocksource`, and for \
             good `clocksource={best}` on the kernel command line; look first into `dmesg | grep -iE 'tsc|clocksource'` \
             for why the kernel runs on {now}."
        ),
        (Some("kvm-clock"), _) => "kvm-clock has a vDSO path only where the host's TSC is stable and the hypervisor \
             says so: have the host run on its TSC, or give the guest an invariant one (QEMU: `-cpu …,+invtsc`)."
            .into(),
        (Some("xen"), _) => "The xen clocksource has a vDSO path only where Xen says that the TSC is stable: boot Xen \
             with `tsc=stable:socket` where the hardware holds that, or take an instance type without Xen."
            .into(),
        (Some(now), None) => format!(
            "The clocksource {now} can't be read in the vDSO and the kernel offers none that can: see in \
             `dmesg | grep -iE 'tsc|clocksource'` why the TSC was refused; in a guest, have the hypervisor offer \
             an invariant TSC (QEMU: `-cpu …,+invtsc`) or its paravirtual clock."
        ),
        _ => "Find what stands between the program and the vDSO: `ldd` and `LD_PRELOAD` for a library, a seccomp \
              sandbox or gVisor around the process, `dmesg | grep -iE 'tsc|clocksource'` for the kernel's reasons."
            .into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::made_up::{clock, findings, healthy, hpet_machine, survey};

    #[test]
    fn system_calls_are_said_once_with_costs_and_the_switch() {
        let (machine, clocks) = hpet_machine();
        let found = findings(&machine, &clocks, "CS001");
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].severity, Severity::Warning);
        assert_eq!(found[0].clocks, ["monotonic", "realtime", "monotonic-raw"]);
        for figure in ["1.25 µs", "monotonic-coarse", "4.4 ns", "hpet"] {
            assert!(found[0].evidence.contains(figure), "{figure} in {}", found[0].evidence);
        }
        assert!(found[0].fix.contains("echo tsc |"), "{}", found[0].fix);
    }

    #[test]
    fn the_forced_system_call_and_cpu_time_are_no_loss() {
        let (machine, mut clocks) = healthy();
        clocks.push(clock("thread-cputime").kind(Kind::CpuTime).path(Path::Syscall).cost(511.0).build());
        assert!(clocks.iter().any(|c| c.id == "monotonic@syscall" && c.path == Path::Syscall));
        assert!(findings(&machine, &clocks, "CS001").is_empty());
    }

    #[test]
    fn an_old_kernel_that_lacks_only_the_late_clocks_is_a_note() {
        let (machine, mut clocks) = healthy();
        for c in &mut clocks {
            if c.id == "monotonic-raw" {
                c.path = Path::Syscall;
            }
        }
        let found = findings(&machine, &clocks, "CS001");
        assert_eq!((found.len(), found[0].severity), (1, Severity::Note));
        assert!(found[0].fix.contains("5.3"));
    }

    #[test]
    fn a_lost_coarse_clock_points_at_the_sandbox_and_not_at_the_clocksource() {
        let (machine, mut clocks) = healthy();
        for c in &mut clocks {
            c.path = Path::Syscall;
        }
        let found = findings(&machine, &clocks, "CS001");
        assert!(found[0].fix.contains("gVisor") && !found[0].fix.contains("echo"), "{}", found[0].fix);
        assert!(found[0].evidence.contains("no clock here is read in the vDSO"));
    }

    #[test]
    fn an_interposed_clock_is_another_rules_business() {
        let (machine, mut clocks) = survey("tsc", &["tsc"]);
        clocks.push(clock("monotonic").path(Path::Syscall).cost(300.0).build());
        clocks[0].interposed_by = Some("libfaketime.so.1".into());
        assert!(findings(&machine, &clocks, "CS001").is_empty());
    }
}
