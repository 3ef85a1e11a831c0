//! CS019: the kernel's clock runs at another rate than the counter beneath it, or than the hypervisor's clock.

use super::rule::Draft;
use crate::judge::facts::{Facts, base, figure};
use crate::judge::say;
use crate::record::{Interval, Ntp, Rate, Severity};

/// What no crystal is off by, ppm: correcting more than that is a slew, or repairs a counter's wrong frequency.
const STRONG_PPM: f64 = 100.0;
/// A difference from the hypervisor's clock that is worth a note, ppm: 4 ms a day.
const WORTH_PPM: f64 = 0.05;

pub(super) fn apply(facts: &Facts) -> Vec<Draft> {
    slew(facts).into_iter().chain(hypervisor(facts)).collect()
}

/// MONOTONIC, which follows adjtimex, against MONOTONIC_RAW, which does not.
fn slew(facts: &Facts) -> Option<Draft> {
    let Interval { value, low, high } = discipline(facts)?;
    if low <= STRONG_PPM && high >= -STRONG_PPM {
        return None;
    }
    let mut said = vec![format!(
        "monotonic runs {} ppm (95 %: {} to {}) against monotonic-raw",
        say::signed(value),
        say::signed(low),
        say::signed(high)
    )];
    for (when, ntp) in [("start", facts.machine.ntp.as_ref()), ("end", facts.run.ntp_end.as_ref())] {
        said.extend(ntp.map(|ntp| format!("adjtimex at the {when}: {}", adjustment(ntp))));
    }
    let runs = if value > 0.0 { "faster" } else { "slower" };
    Some(Draft {
        severity: Severity::Warning,
        title: format!(
            "The kernel's clock is made to run {} ppm {runs} than its clocksource",
            say::number(value.abs())
        ),
        evidence: said.join("; ") + ".",
        why: "Every clock but `monotonic-raw` and the bare counters runs at the corrected rate. While an offset is being \
              slewed away, an interval is wrong by that much: 500 ppm are 0.5 ms in a second. Where it lasts, the \
              counter's frequency that the kernel works with is wrong."
            .into(),
        fix: "See `chronyc tracking` (or `adjtimex --print`): if it goes away once the offset is gone, time short \
              intervals by `monotonic-raw` meanwhile; if the tick is not 10000 or the frequency stays beyond ±100 ppm, \
              put back what somebody set (`adjtimex --tick 10000 --frequency 0`) and look at the clocksource."
            .into(),
        clocks: facts
            .ordinary()
            .filter(|c| c.promises.slewed)
            .map(|c| c.id.clone())
            .collect(),
    })
}

/// How fast MONOTONIC runs by MONOTONIC_RAW, ppm, from what was measured of both against the reference.
fn discipline(facts: &Facts) -> Option<Interval> {
    let rate = |id: &str| -> Option<&Rate> {
        facts
            .ordinary()
            .find(|c| c.id == id)?
            .rate
            .as_ref()
            .filter(|r| r.low_ppm.is_finite() && r.high_ppm.is_finite())
    };
    let raw = rate("monotonic-raw")?;
    let zero = Rate { ppm: 0.0, low_ppm: 0.0, high_ppm: 0.0, against: String::new() };
    let own = if base(&facts.run.reference) == "monotonic" { &zero } else { rate("monotonic")? };
    Some(Interval {
        value: own.ppm - raw.ppm,
        low: own.low_ppm - raw.high_ppm,
        high: own.high_ppm - raw.low_ppm,
    })
}

fn adjustment(ntp: &Ntp) -> String {
    let tick = ntp.tick_us.map_or_else(|| "of unknown length".into(), |tick| format!("{tick} µs"));
    format!(
        "frequency {} ppm, tick {tick}, offset {}",
        say::signed(ntp.frequency_ppm),
        say::signed_time(ntp.offset_ns)
    )
}

/// What the kernel makes of a tick of the TSC, against what the hypervisor's page makes of it.
fn hypervisor(facts: &Facts) -> Option<Draft> {
    let frequencies = &facts.machine.tsc.as_ref()?.frequencies_hz;
    let stated =
        figure(Some(frequencies.iter().find(|f| f.source == "pvclock-page")?.hz)).filter(|hz| *hz > 1e6)?;
    if facts.run.witness != "tscp" {
        return None;
    }
    let tick = facts.run.witness_tick_ns.filter(|tick| tick.low > 0.0 && tick.high.is_finite())?;
    // By the undisciplined clock where that was measured: NTP's correction is not the kernel's mistake.
    let zero = Interval { value: 0.0, low: 0.0, high: 0.0 };
    let (by, corrected) = match discipline(facts) {
        Some(discipline) => ("CLOCK_MONOTONIC_RAW", discipline),
        None if base(&facts.run.reference) == "monotonic-raw" => ("CLOCK_MONOTONIC_RAW", zero),
        None => return None,
    };
    // A clock that takes the tick for longer than it is runs fast.
    let ppm = |tick_ns: f64, corrected: f64| (tick_ns * stated / 1e9 - 1.0) * 1e6 - corrected;
    let (value, low, high) =
        (ppm(tick.value, corrected.value), ppm(tick.low, corrected.high), ppm(tick.high, corrected.low));
    if !value.is_finite() || (low <= WORTH_PPM && high >= -WORTH_PPM) {
        return None;
    }
    Some(Draft {
        severity: Severity::Note,
        title: format!("The kernel takes the TSC's frequency {} ppm otherwise than the hypervisor", say::number(value.abs())),
        evidence: format!(
            "pvclock page: {} Hz; {by} runs {} ppm (95 %: {} to {}) against it, {} a day.",
            say::hertz(stated),
            say::signed(value),
            say::signed(low),
            say::signed(high),
            say::time(value.abs() * 86.4e6)
        ),
        why: "Linux keeps whole kHz of the frequency that the hypervisor states, and rounds the factor once more. Its \
              clocks drift from the host's by that much where nothing disciplines them; NTP takes it for the crystal's."
            .into(),
        fix: "Nothing to set for intervals: it is less than any crystal's error. To keep the host's time, run an NTP client \
              or take the host's clock (`modprobe ptp_kvm`, `refclock PHC /dev/ptp0` in chrony.conf); one who converts \
              ticks should fit them against `monotonic` or take the page's own factor."
            .into(),
        clocks: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::made_up::{findings_of, healthy, run};
    use crate::record::{Finding, Frequency, Machine, Run};

    fn rated(raw_ppm: f64, half: f64) -> Vec<crate::record::Clock> {
        let (_, mut clocks) = healthy();
        let raw = clocks.iter_mut().find(|c| c.id == "monotonic-raw").unwrap();
        let against = "monotonic@vdso".into();
        raw.rate = Some(Rate { ppm: raw_ppm, low_ppm: raw_ppm - half, high_ppm: raw_ppm + half, against });
        clocks
    }

    fn found(raw_ppm: f64, half: f64) -> Vec<Finding> {
        let (mut machine, _) = healthy();
        if let Some(ntp) = &mut machine.ntp {
            (ntp.frequency_ppm, ntp.tick_us) = (-500.0, Some(10_000));
        }
        findings_of(&machine, &run(), &rated(raw_ppm, half), "CS019")
    }

    #[test]
    fn a_strong_slew_is_told_with_sign_interval_and_cause() {
        let slow = &found(500.25, 0.03)[0];
        assert_eq!(slow.severity, Severity::Warning);
        assert_eq!(slow.title, "The kernel's clock is made to run 500 ppm slower than its clocksource");
        assert!(
            slow.evidence.contains("−500.25 ppm (95 %: −500.28 to −500.22)")
                && slow.evidence.contains("frequency −500 ppm, tick 10000 µs"),
            "{}",
            slow.evidence
        );
        assert!(found(-500.0, 0.03)[0].title.contains("faster"));
    }

    #[test]
    fn a_crystals_correction_and_an_unsure_rate_are_silent() {
        for (ppm, half) in [(60.0, 0.03), (0.0, 0.03), (500.0, 450.0), (f64::NAN, 1.0)] {
            assert!(found(ppm, half).is_empty(), "{ppm} {half}");
        }
    }

    fn guest(page_hz: f64, tick_hz: f64) -> (Machine, Run) {
        let (mut machine, _) = healthy();
        if let Some(tsc) = &mut machine.tsc {
            tsc.frequencies_hz = vec![Frequency { source: "pvclock-page".into(), hz: page_hz }];
        }
        let mut run = run();
        let tick = 1e9 / tick_hz;
        run.witness_tick_ns =
            Some(Interval { value: tick, low: tick * (1.0 - 2e-8), high: tick * (1.0 + 2e-8) });
        (machine, run)
    }

    #[test]
    fn the_hypervisors_frequency_is_compared() {
        let (machine, run) = guest(2_596_145_000.6, 2_596_143_823.6);
        let found = findings_of(&machine, &run, &rated(0.0, 0.01), "CS019");
        assert_eq!((found.len(), found[0].severity), (1, Severity::Note));
        assert!(found[0].title.contains("0.453 ppm"), "{}", found[0].title);
        assert!(
            found[0].evidence.contains("+0.453 ppm") && found[0].evidence.contains("39.2 ms a day"),
            "{}",
            found[0].evidence
        );
    }

    #[test]
    fn what_ntp_corrects_is_not_laid_at_the_kernels_door() {
        // The reference runs 40 ppm fast by discipline, so a tick seems 40 ppm longer; RAW is right.
        let (machine, run) = guest(2.5e9, 2.5e9 / (1.0 + 40e-6));
        assert!(findings_of(&machine, &run, &rated(-40.0, 0.01), "CS019").is_empty());
    }

    #[test]
    fn without_the_undisciplined_clock_nothing_is_said_of_the_hypervisor() {
        // The same, and nobody has measured RAW.
        let (machine, run) = guest(2.5e9, 2.5e9 / (1.0 + 40e-6));
        let clocks: Vec<_> = rated(-40.0, 0.01).into_iter().filter(|c| c.id != "monotonic-raw").collect();
        assert!(findings_of(&machine, &run, &clocks, "CS019").is_empty());
    }

    #[test]
    fn agreement_and_no_page_are_silent() {
        let (machine, run) = guest(2.5e9, 2.5e9);
        assert!(findings_of(&machine, &run, &rated(0.0, 0.01), "CS019").is_empty());
        let (mut machine, run) = guest(2.5e9, 2.4e9);
        machine.tsc.as_mut().unwrap().frequencies_hz[0].source = "cpuid-16h".into();
        assert!(findings_of(&machine, &run, &rated(0.0, 0.01), "CS019").is_empty());
    }
}
