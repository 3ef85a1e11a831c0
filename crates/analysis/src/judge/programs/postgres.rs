//! PostgreSQL 19's `timing_clock_source = auto`, step by step as `tsc_detect_frequency` and `tsc_use_by_default` take it.

use crate::judge::clocksource::TSC;
use crate::judge::facts::Facts;
use crate::record::TscGeneration;
use crate::text;

/// What the server takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Choice {
    /// The TSC.
    Tsc,
    /// CLOCK_MONOTONIC.
    System,
    /// The record lacks what it depends on.
    Open,
}

/// What `auto` comes to on this machine, and what of it decided.
pub(super) fn auto(facts: &Facts) -> (Choice, String) {
    let machine = facts.machine;
    if !machine.arch.is_empty() && machine.arch != "x86_64" {
        return (Choice::System, format!("built for {} it knows no counter", machine.arch));
    }
    let Some(tsc) = &machine.tsc else { return (Choice::Open, "nothing is known of a TSC here".into()) };
    match tsc.generation {
        TscGeneration::Invariant => {}
        TscGeneration::Unknown => return (Choice::Open, "whether the TSC is invariant can't be told".into()),
        _ => return (Choice::System, "CPUID promises no invariant TSC".into()),
    }
    let has = |flag: &str| tsc.flags.iter().any(|known| known == flag);
    // What was read is there, whatever the kernel lists.
    if facts.clock("tscp").is_none() && !has("rdtscp") && !tsc.flags.is_empty() {
        return (Choice::System, "CPUID has no RDTSCP".into());
    }
    if has("tsc_adjust") {
        return (Choice::Tsc, format!("CPUID has TSC_ADJUST, whatever the clocksource; {}", rate(facts)));
    }
    match facts.source() {
        Some(TSC) => (Choice::Tsc, format!("the clocksource is tsc; {}", rate(facts))),
        _ if tsc.flags.is_empty() => (Choice::Open, "whether CPUID has TSC_ADJUST can't be told".into()),
        Some(source) => (Choice::System, format!("CPUID has no TSC_ADJUST, and the clocksource is {source}")),
        None => (Choice::System, "CPUID has no TSC_ADJUST, and /sys names no clocksource".into()),
    }
}

/// Where the server has the TSC's frequency from.
fn rate(facts: &Facts) -> String {
    match stated_hz(facts) {
        _ if facts.machine.virtualization.guest.is_none() => "where it has the frequency from can't be told".into(),
        Some((source, hz)) => format!("it takes {} MHz from {source}", text::number(hz / 1e6)),
        None => {
            "CPUID states no frequency that it would take, so it calibrates, and keeps to CLOCK_MONOTONIC where that \
                 does not settle within 50 ms"
                .into()
        }
    }
}

/// The frequency that the server takes unmeasured, Hz: in a guest the hypervisor's alone, else CPUID 15H before 16H.
fn stated_hz<'a>(facts: &Facts<'a>) -> Option<(&'a str, f64)> {
    let virtualization = &facts.machine.virtualization;
    let asked: &[&str] = match (virtualization.guest?, virtualization.hypervisor.as_deref()) {
        (true, Some("kvm" | "vmware")) => &["hypervisor-leaf"],
        (true, _) => &[],
        (false, _) => &["cpuid-15h", "cpuid-16h"],
    };
    let stated = &facts.machine.tsc.as_ref()?.frequencies_hz;
    let of = |source: &&str| stated.iter().find(|frequency| frequency.source == **source);
    let frequency = asked.iter().find_map(of)?;
    Some((frequency.source.as_str(), frequency.hz)).filter(|(_, hz)| hz.is_finite() && *hz > 0.0)
}

/// Beyond this the server's intervals are wrong in the digits that EXPLAIN shows; its own calibration stops at a tenth of it.
const WRONG_PPM: f64 = 1000.0;

/// By how much the intervals are off that the server makes with the frequency that it takes, ppm, by what was measured; and
/// whether that is too much. `None` where it calibrates itself or nothing was measured.
pub(super) fn off(facts: &Facts) -> Option<(String, bool)> {
    let (source, stated) = stated_hz(facts)?;
    let frequencies = &facts.machine.tsc.as_ref()?.frequencies_hz;
    let measured = frequencies.iter().find(|frequency| frequency.source == "measured")?.hz;
    let ppm = (measured / stated - 1.0) * 1e6;
    let said = format!("its intervals come out {} ppm by the frequency of {source}", text::signed(ppm));
    ppm.is_finite().then_some((said, ppm.abs() > WRONG_PPM))
}
