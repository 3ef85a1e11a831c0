//! What only x86 has: CPUID and the time-stamp counter.

use raw_cpuid::CpuIdReader;

use super::common::{Common, common};
use super::live::{Live, Options};
use super::root::Root;
use super::{cpu, cpuid, cpus, hypervisor, kernel, tsc, watchdog};
use clockscope_analysis::record::{Cpu, Frequency, Machine, Tsc};

/// All facts, by the files under `root`, the running system's answers and a CPU.
pub(super) fn collect(root: &Root, options: &Options, live: &Live, reader: &impl CpuIdReader) -> Machine {
    let Common { mut machine, cpuinfo, online } = common(root, options, live);
    let (virtualization, stated) = hypervisor::detect(reader);
    machine.virtualization = virtualization;
    let told = cpuid::describe(reader);
    machine.cpu = Cpu {
        vendor: told.vendor.or(machine.cpu.vendor),
        model: told.model.or(machine.cpu.model),
        family_model_stepping: told.family_model_stepping.or(machine.cpu.family_model_stepping),
    };
    let flags = cpuinfo.as_deref().and_then(cpu::tsc_flags);
    let found = Found { flags, packages: cpus::packages(root, &online), stated };
    machine.tsc = Some(counter(&machine, live, reader, found));
    machine
}

/// What was found out for the counter alone.
struct Found {
    flags: Option<Vec<String>>,
    packages: Option<u32>,
    stated: Option<Frequency>,
}

fn counter(machine: &Machine, live: &Live, reader: &impl CpuIdReader, found: Found) -> Tsc {
    let (generation, mut evidence) = tsc::generation(&tsc::Facts {
        power_management: cpuid::power_management(reader),
        flags: found.flags.as_deref(),
        guest: machine.virtualization.guest == Some(true),
    });
    evidence.extend(tsc::kernels_word(&machine.clocksource, found.flags.as_deref()));
    let (watchdog, watchdog_evidence) = watchdog::watched(&watchdog::Facts {
        kernel: machine.kernel.as_deref().and_then(kernel::version),
        flags: found.flags.as_deref(),
        options: &machine.kernel_options,
        current: machine.clocksource.current.as_deref(),
        nodes: machine.cpus.nodes,
        packages: found.packages,
    });
    let by_cpuid = cpuid::frequencies(reader).into_iter().chain(found.stated);
    let frequencies_hz = by_cpuid.chain(live.stated_by_pages.iter().cloned()).collect();
    Tsc {
        generation,
        evidence,
        flags: found.flags.unwrap_or_default(),
        watchdog,
        watchdog_evidence,
        frequencies_hz,
        readable: live.counter_readable,
    }
}
