//! What a stated frequency is worth: whose word it is, and what its rounding permits.

use crate::record::{Cpu, Frequency, FrequencyOrigin, FrequencySource, Interval};

/// Sources by name: whose word it is, and whether what they state is cut to the next lower step rather than rounded in a way
/// that is not known.
const KNOWN: [(&str, FrequencyOrigin, bool); 10] = [
    ("cpuid-15h", FrequencyOrigin::Cpu, false),
    ("cpuid-16h", FrequencyOrigin::Core, false),
    ("hypervisor-leaf", FrequencyOrigin::Hypervisor, false),
    ("pvclock-page", FrequencyOrigin::Hypervisor, false),
    ("hyperv-tsc-page", FrequencyOrigin::Hypervisor, false),
    ("pvclock-whole-khz", FrequencyOrigin::Kernel, true),
    ("perf-page", FrequencyOrigin::Kernel, false),
    ("vdso-page", FrequencyOrigin::Kernel, false),
    ("kernel-log", FrequencyOrigin::Kernel, false),
    ("cpuinfo", FrequencyOrigin::Core, false),
];

/// The entry of a stated frequency; `None` of what no counter has.
pub(super) fn entry(frequency: &Frequency) -> Option<FrequencySource> {
    let known = KNOWN.iter().find(|(name, ..)| *name == frequency.source);
    let (origin, is_cut) = known.map_or((FrequencyOrigin::Cpu, false), |(_, origin, is_cut)| (*origin, *is_cut));
    let Frequency { source, hz, read_from, step_hz } = frequency;
    let step = step_hz.filter(|step| step.is_finite() && *step >= 0.0);
    let off = step.unwrap_or(0.0);
    let low = if is_cut { *hz } else { hz - off };
    let provenance = if read_from.is_empty() { "the record does not say where".into() } else { read_from.clone() };
    let hz = Interval { value: *hz, low, high: hz + off };
    (hz.value.is_finite() && hz.value > 0.0)
        .then(|| FrequencySource { step_hz: step, ..FrequencySource::new(source, origin, provenance, hz) })
}

/// What the CPU's name says: '… @ 2.60GHz'.
pub(super) fn by_name(cpu: &Cpu) -> Option<Frequency> {
    let model = cpu.model.as_ref()?;
    let (_, said) = model.rsplit_once("@ ")?;
    let text = said.trim();
    let (number, unit_hz) =
        [("GHz", 1e9), ("MHz", 1e6)].into_iter().find_map(|(unit, hz)| Some((text.strip_suffix(unit)?.trim(), hz)))?;
    let value: f64 = number.parse().ok()?;
    let decimals = number.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    let step_hz = unit_hz / 10f64.powi(i32::try_from(decimals).ok()?);
    (value.is_finite() && value > 0.0)
        .then(|| Frequency::read("cpu-name", value * unit_hz, format!("the CPU's name: '{model}'"), step_hz))
}
