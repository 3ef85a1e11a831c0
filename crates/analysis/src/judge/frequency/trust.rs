//! The frequency to trust.

use crate::record::{FrequencyOrigin, FrequencyReport, FrequencySource, Interval, Ntp, TrustedFrequency};
use crate::text;

/// Stated ones, the best first, and why one is good.
const STATED: [(&str, &str); 5] = [
    ("counter-register", "firmware states it of the counter itself; a crystal is good for some 50 ppm"),
    ("cpuid-15h", "the CPU states its crystal and the ratio; a crystal is good for some 50 ppm"),
    (
        "pvclock-page",
        "the host's own figure, before this kernel makes whole kHz of it; true as far as the host calibrated it",
    ),
    ("hyperv-tsc-page", "the host's own figure; true as far as the host calibrated it"),
    ("hypervisor-leaf", "the host's own figure, in whole kHz; true as far as the host calibrated it"),
];

/// Which one, and why; `None` where nobody says anything.
pub(super) fn trusted(report: &FrequencyReport) -> Option<TrustedFrequency> {
    steered(report)
        .or_else(|| stated(report, &STATED[..2]))
        .or_else(|| stated(report, &STATED[2..]))
        .or_else(|| of_device(report))
        .or_else(|| kernels(report))
        .or_else(|| ours(report))
        .or_else(|| any(report))
}

fn of(source: &FrequencySource, because: String) -> TrustedFrequency {
    TrustedFrequency { source: source.source.clone(), hz: source.hz, because, bound_ppm: None }
}

fn width(hz: Interval) -> f64 {
    hz.high - hz.low
}

fn measured(report: &FrequencyReport) -> impl Iterator<Item = &FrequencySource> {
    report.sources.iter().filter(|source| source.origin == FrequencyOrigin::Measured)
}

/// By a clock that NTP keeps at the true rate, if it does.
fn steered(report: &FrequencyReport) -> Option<TrustedFrequency> {
    let (start, end) = (report.ntp.as_ref()?, report.ntp_end.as_ref()?);
    if !(start.synchronised && end.synchronised) {
        return None;
    }
    let best = measured(report).filter(|source| source.steered).min_by(|a, b| width(a.hz).total_cmp(&width(b.hz)))?;
    let bound_ppm = bound_ppm(start, end, report.over_s);
    let bound = match bound_ppm {
        Some(ppm) if ppm <= WIDEST_PPM => {
            format!("by the kernel's own bound its rate was within {} ppm of the true one", text::number(ppm))
        }
        Some(ppm) => format!(
            "the kernel's own bound, {} ppm over this time, is wider than a crystal's error, and narrows with --time",
            text::number(ppm)
        ),
        None => "the kernel states no bound".into(),
    };
    let because =
        format!("NTP keeps {} at the true rate, and the kernel holds it for synchronised; {bound}", best.source);
    Some(TrustedFrequency { bound_ppm, ..of(best, because) })
}

/// Beyond this a bound excludes nothing that a crystal does by itself, ppm.
const WIDEST_PPM: f64 = 100.0;

/// How far the rate of a clock may be off at most that was never further from the true time than its maximum error, ppm.
fn bound_ppm(start: &Ntp, end: &Ntp, over_s: f64) -> Option<f64> {
    let ppm = (start.max_error_ns + end.max_error_ns) / (over_s * 1e9) * 1e6;
    (ppm.is_finite() && ppm > 0.0).then_some(ppm)
}

fn stated(report: &FrequencyReport, wanted: &[(&str, &str)]) -> Option<TrustedFrequency> {
    wanted.iter().find_map(|(name, why)| {
        let source = report.sources.iter().find(|source| source.source == *name)?;
        Some(of(source, format!("{why}; {NOBODY}")))
    })
}

const NOBODY: &str = "no clock here is kept by NTP, which would know better";

/// By the clock of a device that has a crystal of its own.
fn of_device(report: &FrequencyReport) -> Option<TrustedFrequency> {
    let own = measured(report).filter(|source| source.of_the_counter == Some(false));
    let best = own.min_by(|a, b| width(a.hz).total_cmp(&width(b.hz)))?;
    Some(of(best, format!("{} does not run on this counter, and nobody states a frequency; {NOBODY}", best.source)))
}

/// The kernel's figure, where there is nothing else.
fn kernels(report: &FrequencyReport) -> Option<TrustedFrequency> {
    let kernel = report.sources.iter().find(|source| source.source == "kernel-khz")?;
    let because =
        "all clocks here run on this figure of the kernel's, so it agrees with them; how true it is nobody here knows";
    Some(of(kernel, because.into()))
}

fn ours(report: &FrequencyReport) -> Option<TrustedFrequency> {
    let best = measured(report).min_by(|a, b| width(a.hz).total_cmp(&width(b.hz)))?;
    Some(of(best, format!("it is what {} makes of the counter, and nobody states a frequency; {NOBODY}", best.source)))
}

fn any(report: &FrequencyReport) -> Option<TrustedFrequency> {
    let narrowest = report.sources.iter().min_by(|a, b| width(a.hz).total_cmp(&width(b.hz)))?;
    Some(of(narrowest, "nothing could be measured, and it is the finest that is stated".into()))
}
