//! How long one count of a clocksource takes.
//!
//! The rates are those that the kernel's drivers register (drivers/clocksource, arch/*/kernel). A source of the
//! hypervisor counts units of time, not ticks; what stands behind them shows in the quantum alone.

use clockscope_analysis::judge::clocksource::{Clocksource, TSC};
use clockscope_analysis::record::{Interval, Record, TimerTick};

/// Rate of the ACPI power management timer, Hz (ACPI 6.5, 4.8.2.1).
const ACPI_PM_HZ: f64 = 3_579_545.0;
/// Rate of the PC's interval timer, Hz: 14.318 18 MHz divided by 12 (the kernel's `PIT_TICK_RATE`).
const PIT_HZ: f64 = 1_193_182.0;

/// How long a count of `clocksource` takes, from its definition or from the survey made under it. `Err`: why
/// that can't be said.
pub(super) fn tick(clocksource: &str, record: &Record) -> Result<TimerTick, String> {
    let defined = |hz: f64, source: &str| Ok(exactly(1e9 / hz, source));
    match clocksource {
        "acpi_pm" => defined(ACPI_PM_HZ, "3.579545 MHz by the ACPI specification"),
        "pit" => defined(PIT_HZ, "1.193182 MHz by design"),
        "kvm-clock" | "xen" => defined(1e9, "nanoseconds by definition"),
        "hyperv_clocksource_tsc_page" | "hyperv_clocksource_msr" => {
            defined(1e7, "100 ns by definition (Hyper-V's reference time)")
        }
        "hpet" => of_clock(record, "hpet")
            .ok_or_else(|| "the period stands in the HPET's own register, which the survey did not read".into()),
        "jiffies" | "refined-jiffies" => jiffy(record)
            .ok_or_else(|| "a jiffy is the reported resolution of monotonic-coarse, which was not surveyed".into()),
        other => match Clocksource::of(other).and_then(|source| source.counter) {
            Some(TSC) => stated_tsc(record)
                .or_else(|| measured(record, TSC))
                .ok_or_else(|| "nobody states the TSC's frequency, and the survey did not measure it".into()),
            Some(counter) => of_clock(record, counter)
                .or_else(|| measured(record, counter))
                .ok_or_else(|| "the survey did not measure the counter's frequency".into()),
            None => Err(format!("this program does not know the clocksource {other}")),
        },
    }
}

fn exactly(ns: f64, source: &str) -> TimerTick {
    TimerTick { value: ns, low: ns, high: ns, source: source.to_owned() }
}

/// The TSC's tick by the frequency that CPUID or the hypervisor states.
fn stated_tsc(record: &Record) -> Option<TimerTick> {
    let stated = record.machine.tsc.as_ref()?.frequencies_hz.iter().find(|f| f.source != "measured")?;
    let ns = Some(1e9 / stated.hz).filter(|ns| ns.is_finite() && *ns > 0.0)?;
    Some(exactly(ns, &stated.source))
}

/// The tick of the counter that was the witness, as the survey measured it.
fn measured(record: &Record, counter: &str) -> Option<TimerTick> {
    let run = &record.run;
    let Interval { value, low, high } = run.witness_tick_ns.filter(|_| run.witness_base == counter)?;
    Some(TimerTick { value, low, high, source: format!("measured by {}", run.reference) })
}

fn of_clock(record: &Record, id: &str) -> Option<TimerTick> {
    let tick = &record.clocks.iter().find(|clock| clock.id == id)?.tick_ns;
    let source = tick.nominal_source.clone().unwrap_or_else(|| format!("stated by {id}"));
    Some(exactly(tick.nominal?, &source))
}

/// What the coarse clocks, which advance by jiffies, claim (`KTIME_LOW_RES`, which is `TICK_NSEC`).
fn jiffy(record: &Record) -> Option<TimerTick> {
    let coarse = |id: &str| record.clocks.iter().find(|clock| clock.id == id)?.tick_ns.reported;
    let value = coarse("monotonic-coarse").or_else(|| coarse("realtime-coarse"))?;
    Some(exactly(value, "clock_getres of the coarse clocks"))
}

#[cfg(test)]
mod tests {
    use super::super::made_up::record;
    use super::*;
    use clockscope_analysis::record::{Frequency, Tsc};

    #[test]
    fn timers_of_a_defined_rate() {
        let record = record();
        let ns = |source: &str| tick(source, &record).unwrap().value;
        assert!((ns("acpi_pm") - 279.365_114).abs() < 1e-6);
        assert!((ns("pit") - 838.095_110).abs() < 1e-6);
        assert_eq!(ns("kvm-clock"), 1.0);
        assert_eq!(ns("hyperv_clocksource_tsc_page"), 100.0);
    }

    #[test]
    fn the_tsc_by_its_stated_frequency_or_as_measured() {
        let mut record = record();
        let measured = tick("tsc", &record).unwrap();
        assert_eq!((measured.low, measured.value, measured.high), (0.384, 0.385, 0.386));
        assert_eq!(measured.source, "measured by monotonic@vdso");
        let stated = |source: &str| Frequency { source: source.into(), hz: 2e9, ..Frequency::default() };
        record.machine.tsc = Some(Tsc { frequencies_hz: vec![stated("measured")], ..Tsc::default() });
        assert_eq!(tick("tsc", &record).unwrap().value, 0.385);
        record.machine.tsc.as_mut().unwrap().frequencies_hz.push(stated("cpuid-15h"));
        let tick = tick("tsc", &record).unwrap();
        assert_eq!((tick.value, tick.source.as_str()), (0.5, "cpuid-15h"));
    }

    #[test]
    fn what_is_not_known_is_absent_with_a_reason() {
        let mut record = record();
        record.run.witness_base = "monotonic".into();
        for source in ["tsc", "hpet", "jiffies", "arch_sys_counter", "riscv_clocksource"] {
            assert!(tick(source, &record).is_err(), "{source}");
        }
        assert!(tick("sundial", &record).unwrap_err().contains("sundial"));
    }
}
