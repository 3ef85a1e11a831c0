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
    // The server asks CPUID alone: not the kernel, which may know better where a hypervisor hides the bit.
    match (tsc.invariant_bit, tsc.generation) {
        (Some(true), _) | (None, TscGeneration::Invariant) => {}
        (None, TscGeneration::Unknown) => {
            return (Choice::Open, "whether the TSC is invariant can't be told".into());
        }
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

/// How many bits of a nanosecond a tick is counted to (`TICKS_TO_NS_SHIFT`).
const SHIFT: u32 = 14;

/// What the server takes for the length of a tick, ns, at that frequency (`set_ticks_per_ns_for_tsc`): in whole kHz, and cut
/// to 14 bits behind the point, which leaves out up to 244 ppm at 5 GHz. `None` of a frequency below 1 kHz.
fn tick_ns(hz: f64) -> Option<f64> {
    let khz = (hz / 1e3) as u64;
    let scaled = (1_000_000_u64 << SHIFT).checked_div(khz)?;
    Some(scaled as f64 / f64::from(1 << SHIFT))
}

/// By how much the intervals are off that the server makes with the frequency that it takes, ppm, by what was measured; and
/// whether that is too much. `None` where nothing was measured.
pub(super) fn off(facts: &Facts) -> Option<(String, bool)> {
    let frequencies = &facts.machine.tsc.as_ref()?.frequencies_hz;
    let measured = frequencies.iter().find(|frequency| frequency.source == "measured")?.hz;
    let ppm = |hz: f64| Some((tick_ns(hz)? * measured / 1e9 - 1.0) * 1e6).filter(|ppm| ppm.is_finite());
    let rounding = |ppm: f64, rest: &str| format!("its intervals come out {} ppm{rest}", text::signed(ppm));
    Some(if let Some((source, hz)) = stated_hz(facts) {
        let ppm = ppm(hz)?;
        let rest = format!(": by the frequency of {source}, and a tick's length cut to {SHIFT} bits");
        (rounding(ppm, &rest), ppm.abs() > WRONG_PPM)
    } else {
        let rest = format!(" and what its calibration misses (100): a tick's length is cut to {SHIFT} bits");
        (rounding(ppm(measured)?, &rest), false)
    })
}
