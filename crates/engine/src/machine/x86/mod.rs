//! What only x86 has: CPUID and the time-stamp counter.

mod cpuid;
mod hypervisor;
mod kernels;
#[cfg(test)]
mod tests;
mod tsc;
mod watchdog;

use raw_cpuid::CpuIdReader;

use super::common::{Live, Options, common};
use super::root::Root;
use super::{cpu, cpus, kernel};
use clockscope_analysis::record::{Cpu, Machine, Tsc};

/// All facts of this machine. In a guest each read of CPUID is an exit to the hypervisor (1 to 100 µs): few are made.
pub(super) fn here(root: &Root, options: &Options, live: &Live) -> Machine {
    collect(root, options, live, &|leaf, subleaf| raw_cpuid::native_cpuid::cpuid_count(leaf, subleaf))
}

/// All facts, by the files under `root`, the running system's answers and a CPU.
fn collect(root: &Root, options: &Options, live: &Live, reader: &impl CpuIdReader) -> Machine {
    let (mut machine, cpuinfo, online) = common(root, options, live);
    let (virtualization, stated) = hypervisor::detect(reader);
    machine.virtualization = virtualization;
    let cpu = cpuid::describe(reader);
    machine.cpu = Cpu {
        vendor: cpu.vendor.or(machine.cpu.vendor),
        model: cpu.model.or(machine.cpu.model),
        family_model_stepping: cpu.family_model_stepping.or(machine.cpu.family_model_stepping),
        microcode: machine.cpu.microcode.take(),
    };
    let flags = cpuinfo.as_deref().and_then(cpu::tsc_flags);
    let guest = machine.virtualization.guest == Some(true);
    let power = cpuid::power_management(reader);
    let (generation, mut evidence) = tsc::generation(power, flags.as_deref(), guest);
    evidence.extend(tsc::kernels_word(&machine.clocksource, flags.as_deref()));
    let (watchdog, watchdog_evidence) = watchdog::watched(&watchdog::Conditions {
        kernel: machine.kernel.as_deref().and_then(kernel::version),
        flags: flags.as_deref(),
        options: &machine.kernel_options,
        current: machine.clocksource.current.as_deref(),
        nodes: machine.cpus.nodes,
        packages: cpus::packages(root, &online),
    });
    let mut words = cpuid::frequencies(reader);
    words.push((hypervisor::LEAF.into(), stated.ok_or_else(|| hypervisor::silent(&machine.virtualization))));
    words.extend(live.stated_by_pages.iter().cloned());
    let mut tsc = Tsc {
        generation,
        invariant_bit: power.map(|edx| edx >> 8 & 1 == 1),
        evidence,
        flags: flags.unwrap_or_default(),
        watchdog,
        watchdog_evidence,
        readable: live.counter_readable,
        ..Tsc::default()
    };
    tsc.state(words);
    if options.frequencies {
        kernels::ask(root, cpuinfo.as_deref(), &mut tsc);
    }
    machine.tsc = Some(tsc);
    machine
}
