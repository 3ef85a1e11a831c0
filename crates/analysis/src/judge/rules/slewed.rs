//! CS019: the kernel's clock runs at another rate than the counter beneath it, or than the hypervisor's clock.

use super::prelude::*;
use crate::record::{Interval, Ntp, Rate};
use crate::text::number;

/// What no crystal is off by, ppm: correcting more than that is a slew, or repairs a counter's wrong frequency.
const STRONG_PPM: f64 = 100.0;
/// A difference from the hypervisor's clock from which on it is noted, ppm: 4 ms a day.
const NOTED_PPM: f64 = 0.05;

const ZERO: Interval = Interval::exactly(0.0);

pub(super) fn apply(facts: &Facts) -> Vec<Draft> {
    [slew, hypervisor].into_iter().filter(|_| facts.is_of_one_source()).filter_map(|each| each(facts)).collect()
}

/// MONOTONIC, which follows adjtimex, against MONOTONIC_RAW, which does not.
fn slew(facts: &Facts) -> Option<Draft> {
    let rate = discipline(facts).filter(|rate| !is_within(rate, STRONG_PPM))?;
    let mut evidence = vec![format!("monotonic runs {} against monotonic-raw", ppm(&rate))];
    for (when, ntp) in [("start", facts.machine.ntp.as_ref()), ("end", facts.run.ntp_end.as_ref())] {
        evidence.extend(ntp.map(|ntp| format!("adjtimex at the {when}: {}", adjustment(ntp))));
    }
    let (size, runs) = (text::number(rate.value.abs()), if rate.value > 0.0 { "faster" } else { "slower" });
    Some(Draft {
        severity: Warning,
        title: format!("The kernel's clock is made to run {size} ppm {runs} than its clocksource"),
        evidence,
        why: "Every clock but `monotonic-raw` and the bare counters runs at the corrected rate. While an offset is \
              being slewed away, an interval is wrong by that much: 500 ppm are 0.5 ms in a second. Where it lasts, \
              the counter's frequency that the kernel works with is wrong."
            .into(),
        fix: "See `chronyc tracking` (or `adjtimex --print`): if it goes away once the offset is gone, time short \
              intervals by `monotonic-raw` meanwhile; if the tick is not 10000 or the frequency stays beyond ±100 \
              ppm, put back what somebody set (`adjtimex --tick 10000 --frequency 0`) and look at the clocksource."
            .into(),
        clocks: ids(facts.ordinary().filter(|c| c.promises.slewed)),
    })
}

/// How fast MONOTONIC runs by MONOTONIC_RAW, ppm, from what was measured of both against the reference.
fn discipline(facts: &Facts) -> Option<Interval> {
    let rate = |id: &str| {
        let Rate { ppm, low_ppm, high_ppm, .. } = *facts.ordinary().find(|c| c.id == id)?.rate.as_ref()?;
        (low_ppm.is_finite() && high_ppm.is_finite()).then_some(Interval { value: ppm, low: low_ppm, high: high_ppm })
    };
    let raw = rate("monotonic-raw")?;
    let own = if facts.reference() == "monotonic" { ZERO } else { rate("monotonic")? };
    Some(Interval { value: own.value - raw.value, low: own.low - raw.high, high: own.high - raw.low })
}

/// Whether it may be no more than that, either way.
fn is_within(rate: &Interval, ppm: f64) -> bool {
    rate.low <= ppm && rate.high >= -ppm
}

/// `+0.5 ppm (95 %: +0.4 to +0.6)`.
fn ppm(rate: &Interval) -> String {
    let [value, low, high] = [rate.value, rate.low, rate.high].map(text::signed);
    format!("{value} ppm (95 %: {low} to {high})")
}

fn adjustment(ntp: &Ntp) -> String {
    let tick = ntp.tick_us.map_or_else(|| "of unknown length".into(), |tick| format!("{tick} µs"));
    let (ppm, offset) = (text::signed(ntp.frequency_ppm), text::signed_time(ntp.offset_ns));
    format!("frequency {ppm} ppm, tick {tick}, offset {offset}")
}

/// What the kernel makes of a tick of the TSC, against what the hypervisor's page makes of it.
fn hypervisor(facts: &Facts) -> Option<Draft> {
    let frequencies = &facts.machine.tsc.as_ref()?.frequencies_hz;
    let stated = figure(Some(frequencies.iter().find(|f| f.source == "pvclock-page")?.hz)).filter(|hz| *hz > 1e6)?;
    let tick = facts.run.witness_tick_ns.filter(|tick| tick.low > 0.0 && tick.high.is_finite())?;
    if facts.witness() != TSC {
        return None;
    }
    // By the undisciplined clock where that was measured: NTP's correction is not the kernel's mistake.
    let corrected = discipline(facts).or((facts.reference() == "monotonic-raw").then_some(ZERO))?;
    // A clock that takes the tick for longer than it is runs fast.
    let off = |tick_ns: f64, corrected: f64| (tick_ns * stated / 1e9 - 1.0) * 1e6 - corrected;
    let (low, high) = (off(tick.low, corrected.high), off(tick.high, corrected.low));
    let rate = Interval { value: off(tick.value, corrected.value), low, high };
    if !rate.value.is_finite() || is_within(&rate, NOTED_PPM) {
        return None;
    }
    let (size, half) = (rate.value.abs(), (rate.high - rate.low) / 2.0);
    let off = number::with_uncertainty(size, half, 3);
    Some(Draft {
        severity: Note,
        title: format!("TSC frequency: kernel and hypervisor differ by {off} ppm"),
        evidence: vec![format!(
            "pvclock page: {} Hz; CLOCK_MONOTONIC_RAW runs {} against it, {} a day",
            text::hertz(stated),
            ppm(&rate),
            text::time(size * 86.4e6)
        )],
        why: "Linux keeps whole kHz of the frequency that the hypervisor states, and rounds the factor once more. \
              Its clocks drift from the host's by that much where nothing disciplines them; NTP takes it for the \
              crystal's."
            .into(),
        fix: "Nothing to set for intervals: it is less than any crystal's error. To keep the host's time, run an NTP \
              client or take the host's clock (`modprobe ptp_kvm`, `refclock PHC /dev/ptp0` in chrony.conf); one who \
              converts ticks should fit them against `monotonic` or take the page's own factor."
            .into(),
        clocks: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{ClocksourceChange, Frequency};

    /// MONOTONIC_RAW that runs so much faster than the reference, ± `half`, under an adjtimex of −500 ppm.
    fn rated(raw_ppm: f64, half: f64) -> Case {
        Case::healthy().but(|case| {
            (case.ntp().frequency_ppm, case.ntp().tick_us) = (-500.0, Some(10_000));
            let (low_ppm, high_ppm, against) = (raw_ppm - half, raw_ppm + half, "monotonic@vdso".into());
            case.clock("monotonic-raw").rate = Some(Rate { ppm: raw_ppm, low_ppm, high_ppm, against });
        })
    }

    /// The same, but for the page's word on the TSC's frequency and the witness's tick.
    fn guest(raw_ppm: f64, source: &str, page_hz: f64, tick_hz: f64) -> Case {
        rated(raw_ppm, 0.01).but(|case| {
            case.tsc().frequencies_hz = vec![Frequency { source: source.into(), hz: page_hz, ..Frequency::default() }];
            let tick = 1e9 / tick_hz;
            let (low, high) = (tick * (1.0 - 2e-8), tick * (1.0 + 2e-8));
            case.run.witness_tick_ns = Some(Interval { value: tick, low, high });
        })
    }

    #[test]
    fn a_strong_slew_is_said_with_sign_interval_and_cause_and_a_crystals_correction_is_not() {
        let parts = [
            "The kernel's clock is made to run 500 ppm slower than its clocksource\n",
            "−500.25 ppm (95 %: −500.28 to −500.22)",
            "frequency −500 ppm, tick 10000 µs",
        ];
        rated(500.25, 0.03).finds("CS019", Warning, &parts);
        let fast = rated(-500.0, 0.03).finds("CS019", Warning, &["faster"]);
        fast.but(|case| case.run.clocksource_changes = vec![ClocksourceChange::default()]).silent("CS019");
        // A crystal's correction, and a rate that is not sure.
        for (ppm, half) in [(60.0, 0.03), (0.0, 0.03), (500.0, 450.0), (f64::NAN, 1.0)] {
            rated(ppm, half).silent("CS019");
        }
    }

    #[test]
    fn the_hypervisors_frequency_is_compared_by_the_undisciplined_clock() {
        guest(0.0, "pvclock-page", 2_596_145_000.6, 2_596_143_823.6)
            .finds("CS019", Note, &["differ by 0.45 ± 0.03 ppm", "+0.453 ppm", "39.2 ms a day"])
            .but(|case| case.run.witness_base = "monotonic".into())
            .silent("CS019");
        // The reference runs 40 ppm fast by discipline, so a tick seems 40 ppm longer; RAW is right.
        let disciplined = guest(-40.0, "pvclock-page", 2.5e9, 2.5e9 / (1.0 + 40e-6)).silent("CS019");
        // The same, and nobody has measured RAW.
        disciplined.but(|case| case.clocks.retain(|c| c.id != "monotonic-raw")).silent("CS019");
        // Agreement, and no page.
        guest(0.0, "pvclock-page", 2.5e9, 2.5e9).silent("CS019");
        guest(0.0, "cpuid-16h", 2.5e9, 2.4e9).silent("CS019");
    }
}
