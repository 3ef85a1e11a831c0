//! The facts that every architecture has.

use super::live::{Live, Options};
use super::root::Root;
use super::{cgroup, clocksource, container, cpu, cpus, kernel, namespace};
use clockscope_analysis::record::{Cpus, Machine};

/// The facts that every architecture has, and what further conclusions need.
pub(super) struct Common {
    pub(super) machine: Machine,
    pub(super) cpuinfo: Option<String>,
    pub(super) online: Vec<u32>,
}

/// Gathers them.
pub(super) fn common(root: &Root, options: &Options, live: &Live) -> Common {
    let mut unreadable = Vec::new();
    let clocksource = clocksource::read(root, &mut unreadable);
    let mut keep = Keep(&mut unreadable);
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
        clocksource,
        ntp: keep.ok("ntp", live.ntp.clone()),
        kernel_options: kernel_options.as_deref().map(kernel::clock_options).unwrap_or_default(),
        governor: keep.ok("governor", governor),
        load: keep.ok("load", kernel::load(root)),
        time_namespace: keep.ok("time_namespace", namespace::offsets(root)).flatten(),
        container: container::kind(root, live.kubernetes),
        unreadable,
        ..Machine::default()
    };
    Common { machine, cpuinfo, online }
}

/// Keeps the reasons of what could not be read.
struct Keep<'a>(&'a mut Vec<String>);

impl Keep<'_> {
    fn ok<T>(&mut self, name: &str, result: Result<T, String>) -> Option<T> {
        result.map_err(|reason| self.0.push(format!("{name}: {reason}"))).ok()
    }
}
