//! What the running system answers, and the facts that every architecture has.

use super::root::Root;
use super::{cgroup, container, cpu, cpus, kernel, namespace, ntp, pseudonym, ptp, vmclock};
use crate::{catalog, measure};
use clockscope_analysis::record::{Clocksource, Cpus, Frequency, Machine, Ntp, VmClock};

/// What a source says of a frequency, by its name, or why it says nothing.
pub(super) type Word = (String, Result<Frequency, String>);

/// What to gather.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// Whether the host's name may be put down.
    pub hostname: bool,
    /// Whether its pseudonym may be.
    pub id: bool,
    /// The CPU measured on, whose governor is asked for; `None`: the last of the allowed ones.
    pub cpu: Option<u32>,
    /// Whether the kernel is asked for the frequency that it takes the counter to have.
    pub frequencies: bool,
}

/// Answers of the running system. `Err` says why there is none.
#[derive(Debug, Clone)]
pub(super) struct Live {
    pub(super) release: Result<String, String>,
    /// If asked for.
    pub(super) hostname: Option<String>,
    /// CPUs that this thread may run on.
    pub(super) allowed: Result<Vec<u32>, String>,
    pub(super) ntp: Result<Ntp, String>,
    pub(super) disruption_marker: Result<Option<u64>, String>,
    pub(super) kubernetes: bool,
    pub(super) counter_readable: bool,
    /// The counter's frequency by the hypervisors' pages.
    pub(super) stated_by_pages: Vec<Word>,
}

impl Live {
    pub(super) fn ask(options: &Options) -> Self {
        let uname = rustix::system::uname();
        let text = |field: &std::ffi::CStr| field.to_string_lossy().into_owned();
        let hostname = text(uname.nodename());
        Self {
            release: Ok(text(uname.release())),
            hostname: (options.hostname && !hostname.is_empty()).then_some(hostname),
            allowed: measure::allowed_cpus().map_err(|error| format!("sched_getaffinity: {error}")),
            ntp: ntp::read(),
            disruption_marker: vmclock::disruption_marker(),
            kubernetes: std::env::var_os("KUBERNETES_SERVICE_HOST").is_some(),
            counter_readable: catalog::counter_readable(),
            stated_by_pages: catalog::stated_tsc_frequencies(),
        }
    }
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
        id: options.id.then(|| keep.ok("id", pseudonym::of(root))).flatten(),
        os: std::env::consts::OS.into(),
        arch: std::env::consts::ARCH.into(),
        kernel: keep.ok("kernel", live.release.clone()),
        cpu: cpuinfo.as_deref().map(cpu::describe).unwrap_or_default(),
        cpus: Cpus {
            online: u32::try_from(online.len()).ok().filter(|count| *count > 0),
            allowed,
            isolated: keep.ok("cpus.isolated", cpus::isolated(root)).unwrap_or_default(),
            quota: keep.ok("cpus.quota", cgroup::quota(root)).flatten(),
            nodes: keep.ok("cpus.nodes", cpus::nodes(root)),
        },
        clocksource: Clocksource {
            current,
            available: available.split_ascii_whitespace().map(str::to_owned).collect(),
        },
        ntp: keep.ok("ntp", live.ntp.clone()),
        ptp: ptp::clocks(root),
        vmclock: keep
            .ok("vmclock", live.disruption_marker.clone())
            .flatten()
            .map(|disruption_marker| VmClock { disruption_marker }),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_answers() {
        let live = Live::ask(&Options::default());
        assert!(!live.allowed.unwrap().is_empty());
        assert!(live.release.unwrap().contains('.'));
        assert_eq!(live.hostname, None);
        assert!(Live::ask(&Options { hostname: true, ..Options::default() }).hostname.is_some());
    }
}
