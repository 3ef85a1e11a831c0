//! Puts the facts together.

use super::live::{Live, Options};
use super::root::Root;
use super::{cgroup, container, cpu, cpus, kernel, namespace};
use clockscope_analysis::record::{Clocksource, Cpus, Machine};

/// Gathers the facts of this machine. Never fails: what can't be read goes to `unreadable` with its reason.
///
/// Costs a few ms: some twenty small files, about ten CPUID reads (each an exit to the hypervisor in a guest)
/// and four system calls; nothing is changed.
pub fn gather(options: &Options) -> Machine {
    let live = Live::ask(options);
    let root = Root::default();
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    let machine = super::x86::collect(&root, options, &live, &super::cpuid::native());
    #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
    let machine = common(&root, options, &live).0;
    machine
}

/// The facts that every architecture has; for further conclusions, the text of `/proc/cpuinfo` and the CPUs on line.
pub(super) fn common(root: &Root, options: &Options, live: &Live) -> (Machine, Option<String>, Vec<u32>) {
    let mut keep = Keep(Vec::new());
    let available = keep.ok("clocksource.available", kernel::clocksource(root, "available")).unwrap_or_default();
    let current = keep.ok("clocksource.current", kernel::clocksource(root, "current"));
    let kernel_options = keep.ok("kernel_options", root.text("/proc/cmdline"));
    let allowed = keep.ok("cpus.allowed", live.allowed.clone()).unwrap_or_default();
    let online = keep.ok("cpus.online", cpus::online(root)).unwrap_or_default();
    let cpuinfo = keep.ok("cpuinfo", cpu::text(root));
    let governor = match options.cpu.or(allowed.last().copied()) {
        Some(cpu) => kernel::governor(root, cpu),
        None => Err("the CPU measured on is not known".into()),
    };
    let machine = Machine {
        hostname: live.hostname.clone(),
        os: std::env::consts::OS.into(),
        arch: std::env::consts::ARCH.into(),
        kernel: keep.ok("kernel", live.release.clone()),
        cpu: cpuinfo.as_deref().map(cpu::describe).unwrap_or_default(),
        cpus: Cpus {
            online: u32::try_from(online.len()).ok().filter(|count| *count > 0),
            allowed,
            quota: keep.ok("cpus.quota", cgroup::quota(root)).flatten(),
            nodes: keep.ok("cpus.nodes", cpus::nodes(root)),
        },
        clocksource: Clocksource {
            current,
            available: available.split_ascii_whitespace().map(str::to_owned).collect(),
        },
        ntp: keep.ok("ntp", live.ntp.clone()),
        kernel_options: kernel_options.as_deref().map(kernel::clock_options).unwrap_or_default(),
        governor: keep.ok("governor", governor),
        load: keep.ok("load", kernel::load(root)),
        time_namespace: keep.ok("time_namespace", namespace::offsets(root)).flatten(),
        container: container::kind(root, live.kubernetes),
        unreadable: keep.0,
        ..Machine::default()
    };
    (machine, cpuinfo, online)
}

/// Keeps the reasons of what could not be read.
struct Keep(Vec<String>);

impl Keep {
    fn ok<T>(&mut self, name: &str, result: Result<T, String>) -> Option<T> {
        result.map_err(|reason| self.0.push(format!("{name}: {reason}"))).ok()
    }
}
