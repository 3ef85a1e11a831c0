//! CS001: an ordinary clock whose read is a system call although the kernel has a vDSO path for it.

use super::prelude::*;

/// Clocks that came late to x86's vDSO: TAI with Linux 4.20, the other two with 5.3.
const LATE_CLOCKS: [&str; 3] = ["monotonic-raw", "boottime", "tai"];

pub(super) fn apply(facts: &Facts) -> Option<Draft> {
    // Linux answers in the vDSO what all processes share. The CPU-time and alarm clocks are system calls by their nature.
    let lost = |c: &&Clock| figures::is_shared(c) && c.path == Path::Syscall && c.interposed_by.is_none();
    let lost: Vec<&Clock> = facts.ordinary().filter(lost).collect();
    let late_only = lost.iter().all(|c| LATE_CLOCKS.contains(&c.id.as_str()));
    let verb = if lost.len() == 1 { "is a system call" } else { "are system calls" };
    (!lost.is_empty() && facts.is_of_one_source()).then(|| Draft {
        severity: if late_only { Note } else { Warning },
        title: format!("{} {verb}: the vDSO path is lost", names(&lost)),
        evidence: evidence(facts, &lost),
        why: "A read through the vDSO stays in the process; a system call costs several times as much, disturbs the \
              caches and the branch predictor, and shows up in every timed interval."
            .into(),
        fix: fix(facts, &lost, late_only),
        clocks: ids(lost),
    })
}

/// The cost of the first lost clock whose cost is known, beside its forced system call and beside a vDSO read.
fn evidence(facts: &Facts, lost: &[&Clock]) -> Vec<String> {
    let known = lost.iter().find_map(|c| Some((*c, figures::cost(c)?)));
    let forced = known.and_then(|(clock, _)| facts.forced_cost(clock, Path::Syscall));
    let in_vdso = |cost: f64| match facts.vdso_read() {
        Some((vdso, ns)) => {
            let (id, time, times) = (&vdso.id, text::time(ns), text::number(cost / ns));
            format!("a read that does stay in the vDSO ({id}) {time}, {times} times less")
        }
        None => "no clock here is read in the vDSO".into(),
    };
    let said = [
        Some(match known {
            Some((clock, cost)) => format!("{} costs {} a read", clock.id, text::time(cost)),
            None => format!("the path of {} is a system call; its cost is not known", names(lost)),
        }),
        forced.map(|ns| format!("its forced system call {}", text::time(ns))),
        known.map(|(_, cost)| in_vdso(cost)),
        lost.first().filter(|c| !c.path_evidence.is_empty()).map(|c| format!("path: {}", c.path_evidence)),
        facts.source().map(|source| format!("clocksource: {source}")),
    ];
    said.into_iter().flatten().collect()
}

fn fix(facts: &Facts, lost: &[&Clock], late_only: bool) -> String {
    if let Some(option) = facts.option("vdso=0") {
        return format!("Take `{option}` off the kernel command line: it takes the vDSO from every process.");
    }
    if late_only {
        return "On x86 CLOCK_TAI is in the vDSO since Linux 4.20, CLOCK_MONOTONIC_RAW and CLOCK_BOOTTIME since 5.3: \
                run a newer kernel, or use `monotonic` or `realtime`, which this kernel does answer in the vDSO."
            .into();
    }
    if lost.iter().any(|c| !figures::is_computed(c)) {
        // The coarse clocks need no hardware counter: no clocksource can take them out of the vDSO.
        return "Even clocks that need no hardware counter are system calls, so the clocksource is not (the only) \
                cause: the process has no usable vDSO. Look for a sandbox (gVisor), a tracer or an emulator \
                (valgrind, rr, qemu-user) around the process, for `vdso=0` on the kernel command line, and for a \
                static C library without vDSO support."
            .into();
    }
    match (facts.source(), facts.best_source()) {
        (Some(now), Some(best)) if now != best => format!(
            "{}, and for good `clocksource={best}` on the kernel command line; look first into \
             `dmesg | grep -iE 'tsc|clocksource'` for why the kernel runs on {now}.",
            switch_to(best)
        ),
        (Some("kvm-clock"), _) => "kvm-clock has a vDSO path only where the host's TSC is stable and the hypervisor \
                                   says so: have the host run on its TSC, or give the guest an invariant one (QEMU: \
                                   `-cpu …,+invtsc`)."
            .into(),
        (Some("xen"), _) => "The xen clocksource has a vDSO path only where Xen says that the TSC is stable: boot \
                             Xen with `tsc=stable:socket` where the hardware holds that, or take an instance type \
                             without Xen."
            .into(),
        (Some(now), None) => format!(
            "The clocksource {now} can't be read in the vDSO and the kernel offers none that can: see in \
             `dmesg | grep -iE 'tsc|clocksource'` why the TSC was refused; in a guest, have the hypervisor offer an \
             invariant TSC (QEMU: `-cpu …,+invtsc`) or its paravirtual clock."
        ),
        _ => "Find what stands between the program and the vDSO: `ldd` and `LD_PRELOAD` for a library, a seccomp \
              sandbox or gVisor around the process, `dmesg | grep -iE 'tsc|clocksource'` for the kernel's reasons."
            .into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::ClocksourceChange;

    #[test]
    fn system_calls_are_said_once_with_costs_and_the_switch() {
        let parts =
            ["1.25 µs", "monotonic-coarse) 4.4 ns", "hpet", "echo tsc |", "[monotonic, realtime, monotonic-raw]"];
        Case::hpet().finds("CS001", Warning, &parts);
    }

    #[test]
    fn the_path_that_another_clocksource_had_is_not_lost() {
        Case::hpet().but(|case| case.run.clocksource_changes = vec![ClocksourceChange::default()]).silent("CS001");
    }

    #[test]
    fn what_is_a_system_call_by_its_nature_is_no_loss() {
        let mut case = Case::healthy();
        let call = |id, kind| clock(id).kind(kind).path(Path::Syscall).cost(511.0);
        let alarm = call("boottime-alarm", Kind::Boot).with(|c| c.for_timing = false);
        let jiffies = call("times", Kind::Coarse).with(|c| c.promises.slewed = false);
        case.clocks.extend([call("thread-cputime", Kind::CpuTime), alarm, jiffies]);
        assert!(case.clocks.iter().any(|c| c.forced && c.path == Path::Syscall));
        let interposed = call("monotonic", Kind::Monotonic).with(|c| c.interposed_by = Some("libfaketime.so.1".into()));
        case.silent("CS001").of([interposed]).silent("CS001");
    }

    #[test]
    fn an_old_kernel_that_lacks_only_the_late_clocks_is_a_note() {
        let old = Case::healthy().but(|case| case.clock("monotonic-raw").path = Path::Syscall);
        old.finds("CS001", Note, &["5.3", "[monotonic-raw]"]);
    }

    #[test]
    fn a_lost_coarse_clock_points_at_the_sandbox_and_not_at_the_clocksource() {
        let parts = ["gVisor", "!echo", "its forced system call 23 ns", "no clock here is read in the vDSO"];
        let sandbox = Case::healthy().but(|case| case.clocks.iter_mut().for_each(|c| c.path = Path::Syscall));
        sandbox.finds("CS001", Warning, &parts);
    }
}
