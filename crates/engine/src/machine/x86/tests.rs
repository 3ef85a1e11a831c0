//! Whole machines, made up.

use super::collect;
use super::cpuid::fake::{Leaves, words};
use crate::machine::common::{Live, Options};
use crate::machine::gather::gather;
use crate::machine::root;
use clockscope_analysis::record::{Frequency, Machine, Ntp, TscGeneration};

fn live(release: &str) -> Live {
    Live {
        release: Ok(release.into()),
        hostname: None,
        allowed: Ok(vec![0, 1]),
        ntp: Ok(Ntp { synchronised: true, ..Ntp::default() }),
        disruption_marker: Ok(None),
        kubernetes: false,
        counter_readable: true,
        stated_by_pages: Vec::new(),
    }
}

fn machine<N: AsRef<str>, C: AsRef<[u8]>>(files: &[(N, C)], live: &Live, leaves: &Leaves) -> Machine {
    let (_dir, root) = root::tree(files);
    collect(&root, &Options::default(), live, leaves)
}

const CURRENT: &str = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
const AVAILABLE: &str = "/sys/devices/system/clocksource/clocksource0/available_clocksource";
const ONLINE: &str = "/sys/devices/system/cpu/online";
const NODES: &str = "/sys/devices/system/node/online";
const PACKAGE: &str = "/sys/devices/system/cpu/cpu0/topology/package_cpus_list";

fn amd_guest() -> Leaves {
    let [b, d, c] = words("AuthenticAMD");
    let [hb, hc, hd] = words("KVMKVMKVM");
    let [m0, m1, m2] = words("AMD EPYC");
    Leaves(vec![
        (0, [0x1c, b, c, d]),
        (1, [0x00a1_0f11, 0, 1 << 31, 0x178b_fbff]),
        (0x4000_0000, [0x4000_0001, hb, hc, hd]),
        (0x4000_0001, [0x0100_7efb, 0, 0, 0]),
        (0x8000_0000, [0x8000_0021, b, c, d]),
        (0x8000_0002, [m0, m1, m2, 0]),
        (0x8000_0007, [0, 0, 0, 0x100]),
    ])
}

fn intel_metal() -> Leaves {
    let [b, d, c] = words("GenuineIntel");
    Leaves(vec![
        (0, [0x16, b, c, d]),
        (1, [0x0005_0657, 0, 0, 0]),
        (0x15, [2, 200, 25_000_000, 0]),
        (0x16, [2500, 3900, 100, 0]),
        (0x8000_0000, [0x8000_0008, 0, 0, 0]),
        (0x8000_0007, [0, 0, 0, 0x100]),
    ])
}

#[test]
fn a_kvm_guest_on_amd_that_nobody_watches() {
    let cpuinfo = "vendor_id\t: AuthenticAMD\nflags\t\t: fpu tsc rdtscp constant_tsc nonstop_tsc tsc_known_freq \
                   tsc_adjust\n";
    let files = [
        (CURRENT, "tsc\n"),
        (AVAILABLE, "tsc kvm-clock \n"),
        (ONLINE, "0-1\n"),
        (NODES, "0\n"),
        (PACKAGE, "0-1\n"),
        ("/proc/cpuinfo", cpuinfo),
        ("/proc/cmdline", "console=ttyS0 quiet cpuidle_haltpoll.force=1\n"),
        ("/proc/loadavg", "0.40 0.29 0.11 1/89 10090\n"),
        ("/.dockerenv", ""),
    ];
    let machine = machine(&files, &live("6.18.44"), &amd_guest());
    let tsc = machine.tsc.unwrap();
    assert_eq!(tsc.generation, TscGeneration::Invariant);
    assert_eq!(tsc.evidence[0], "CPUID 8000_0007H:EDX[8] = 1 (EDX 00000100H)");
    assert_eq!(tsc.evidence.last().unwrap(), "the kernel keeps time by it");
    assert_eq!(tsc.watchdog, Some(false), "{}", tsc.watchdog_evidence);
    assert_eq!(tsc.flags, ["tsc", "rdtscp", "constant_tsc", "nonstop_tsc", "tsc_known_freq", "tsc_adjust"]);
    assert!(tsc.frequencies_hz.is_empty() && tsc.readable);
    assert_eq!(machine.cpu.model.as_deref(), Some("AMD EPYC"));
    assert_eq!(machine.cpu.family_model_stepping, Some([25, 17, 1]));
    assert_eq!(machine.virtualization.hypervisor.as_deref(), Some("kvm"));
    assert_eq!(machine.virtualization.offers, ["kvm-clock", "kvm-clock-stable", "kvm-steal-time"]);
    assert_eq!(machine.clocksource.available, ["tsc", "kvm-clock"]);
    assert_eq!((machine.cpus.online, machine.cpus.nodes, machine.cpus.quota), (Some(2), Some(1), None));
    assert_eq!(machine.kernel_options, ["cpuidle_haltpoll.force=1"]);
    assert_eq!(machine.load, Some([0.40, 0.29, 0.11]));
    assert_eq!(machine.container.as_deref(), Some("docker"));
    assert_eq!(machine.hostname, None);
    assert!(machine.unreadable.iter().any(|line| line.starts_with("governor: /sys/devices/system/cpu/cpu1/")));
}

#[test]
fn intel_on_bare_metal_with_five_packages_is_watched() {
    let flags = "model name\t: Xeon\nflags\t\t: tsc constant_tsc nonstop_tsc tsc_adjust art\n";
    let package = |cpu: u32| (PACKAGE.replace("cpu0", &format!("cpu{cpu}")), cpu.to_string());
    let files = [
        (CURRENT, "tsc\n"),
        (AVAILABLE, "tsc hpet acpi_pm \n"),
        (ONLINE, "0-4"),
        ("/proc/cpuinfo", flags),
        ("/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "performance\n"),
    ];
    let files = files.map(|(name, text)| (name.to_owned(), text.to_owned())).into_iter().chain((0..5).map(package));
    let files: Vec<_> = files.collect();
    let machine = machine(&files, &live("6.12.9-amd64"), &intel_metal());
    let tsc = machine.tsc.unwrap();
    assert_eq!(tsc.generation, TscGeneration::Invariant);
    assert_eq!(tsc.watchdog, Some(true), "{}", tsc.watchdog_evidence);
    let stated: Vec<_> = tsc.frequencies_hz.iter().map(|f| (f.source.as_str(), f.hz)).collect();
    assert_eq!(stated, [("cpuid-15h", 2.5e9), ("cpuid-16h", 2.5e9)]);
    assert_eq!(machine.cpu.vendor.as_deref(), Some("GenuineIntel"));
    // CPUID has no brand here, so that the kernel's word is taken.
    assert_eq!(machine.cpu.model.as_deref(), Some("Xeon"));
    assert_eq!(machine.virtualization.guest, Some(false));
    assert_eq!(machine.governor.as_deref(), Some("performance"));
    assert_eq!(machine.container, None);
}

#[test]
fn tsc_available_but_not_current() {
    let files = [
        (CURRENT, "kvm-clock\n"),
        (AVAILABLE, "kvm-clock tsc acpi_pm \n"),
        ("/proc/cpuinfo", "flags : tsc constant_tsc\n"),
        ("/proc/cmdline", "clocksource=kvm-clock no-steal-acc"),
    ];
    let machine = machine(&files, &live("6.1.0-18-amd64"), &amd_guest());
    let tsc = machine.tsc.unwrap();
    assert_eq!(tsc.watchdog, None);
    assert!(tsc.watchdog_evidence.contains("kvm-clock"));
    assert!(tsc.evidence.last().unwrap().contains("usable but keeps time by kvm-clock"));
    assert_eq!(machine.kernel_options, ["clocksource=kvm-clock", "no-steal-acc"]);
}

#[test]
fn a_guest_whose_hypervisor_states_the_frequency() {
    let mut leaves = amd_guest();
    let highest = leaves.0.iter_mut().find(|(leaf, _)| *leaf == 0x4000_0000).unwrap();
    highest.1[0] = 0x4000_0010;
    leaves.0.push((0x4000_0010, [2_596_145, 1_000_000, 0, 0]));
    let page = Frequency { source: "pvclock-page".into(), hz: 2_596_145_000.6, ..Frequency::default() };
    let live = Live { stated_by_pages: vec![("pvclock-page".into(), Ok(page.clone()))], ..live("6.1.0") };
    let machine = machine::<&str, &str>(&[], &live, &leaves);
    let stated = &machine.tsc.unwrap().frequencies_hz;
    assert_eq!((stated[0].source.as_str(), stated[0].hz), ("hypervisor-leaf", 2_596_145_000.0));
    assert_eq!(stated[1..], [page]);
    assert_eq!(machine.virtualization.offers.last().unwrap(), "tsc-frequency-leaf");
}

#[test]
fn no_proc_no_sys_nothing_answers() {
    let silent = Live {
        release: Err("no uname".into()),
        allowed: Err("sched_getaffinity: Operation not permitted".into()),
        ntp: Err("adjtimex: Operation not permitted".into()),
        counter_readable: false,
        ..live("")
    };
    let machine = machine::<&str, &str>(&[], &silent, &Leaves(Vec::new()));
    let tsc = machine.tsc.clone().unwrap();
    assert_eq!((tsc.generation, tsc.watchdog, tsc.readable), (TscGeneration::Unknown, None, false));
    assert_eq!((machine.kernel.as_ref(), machine.load, machine.cpus.online), (None, None, None));
    assert!(machine.ntp.is_none() && machine.cpus.allowed.is_empty());
    let names = "kernel clocksource.current clocksource.available cpus.online cpus.allowed cpus.quota cpus.nodes cpuinfo \
                 kernel_options governor load ntp time_namespace";
    for name in names.split(' ') {
        let reason = |line: &String| line.strip_prefix(name).is_some_and(|rest| rest.starts_with(": "));
        assert_eq!(machine.unreadable.iter().filter(|line| reason(line)).count(), 1, "{name}");
    }
}

#[test]
fn garbage_everywhere() {
    let others = "/proc/cpuinfo /proc/cmdline /proc/loadavg /proc/stat /proc/self/cgroup /proc/self/mountinfo \
                  /proc/self/timens_offsets /proc/1/environ /run/systemd/container";
    let names = || [CURRENT, AVAILABLE, ONLINE, NODES, PACKAGE].into_iter().chain(others.split(' '));
    let huge = vec![b'9'; 3 << 20];
    let contents: [&[u8]; 6] = [b"", b"\0\0\0", b"\xff\xfe\n: : :\n,,,-", b"-1 -1 -1\n", b"cpu : cpu\n0::\n", &huge];
    let all_bits = Leaves((0..0x20).chain([0x4000_0000, 0x8000_0000]).map(|leaf| (leaf, [u32::MAX; 4])).collect());
    for content in contents {
        let files: Vec<(&str, &[u8])> = names().map(|name| (name, content)).collect();
        let machine = machine(&files, &live("garbage"), &all_bits);
        assert_eq!((machine.load, machine.cpus.quota, machine.cpus.nodes), (None, None, None));
        assert_eq!(machine.time_namespace, None);
    }
}

#[test]
fn this_machine() {
    let machine = gather(&Options::default());
    assert!(machine.tsc.is_some() && !machine.cpus.allowed.is_empty());
}
