//! What a rule may ask: the machine, the run, the clocks, and look-ups in them.

use super::rules::{is_disagreeing, leaves_out};
use crate::analyze::keeping::{CLOCK_SET, LEAP_SECOND};
use crate::analyze::skew::is_about;
use crate::record::{Clock, Event, EventKind, Kind, Machine, Monotonic, Path, Run, Skew, TscGeneration};

/// Everything that a rule sees.
pub(super) struct Facts<'a> {
    pub(super) machine: &'a Machine,
    pub(super) run: &'a Run,
    pub(super) clocks: &'a [Clock],
    pub(super) skew: &'a [Skew],
}

/// How the bare TSC stands with the hardware and with the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TscStanding {
    /// No TSC on this architecture, or nothing is known of it.
    Unknown,
    /// RDTSC is not allowed in this process.
    Forbidden,
    /// Its rate or its running in deep sleep is not guaranteed.
    NotInvariant,
    /// Invariant, yet the kernel does not offer it as a clocksource.
    Rejected,
    /// Invariant and offered, but the kernel runs on another source.
    Spare,
    /// Invariant, but what the kernel thinks of it can't be seen.
    Unseen,
    /// Invariant, and the kernel's own clocksource.
    Trusted,
}

/// Clocksources whose read leaves the CPU, or that advance with the timer interrupt only; none has a vDSO path.
const SLOW_SOURCES: [&str; 6] =
    ["hpet", "acpi_pm", "jiffies", "refined-jiffies", "pit", "hyperv_clocksource_msr"];

/// Clocksources that a process can read without the kernel, best first.
const FAST_SOURCES: [&str; 5] =
    ["tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter", "riscv_clocksource"];

/// The id without the way of reading that it forces.
pub(super) fn base(id: &str) -> &str {
    id.split_once('@').map_or(id, |(base, _)| base)
}

/// Whether the id is an ordinary entry, as a program would call it, and not a forced way of reading.
pub(super) fn is_ordinary(clock: &Clock) -> bool {
    !clock.id.contains('@')
}

/// A figure that may be reasoned with: finite and not negative.
pub(super) fn figure(value: Option<f64>) -> Option<f64> {
    value.filter(|v| v.is_finite() && *v >= 0.0)
}

/// Median cost of a read, ns, if it is known.
pub(super) fn cost(clock: &Clock) -> Option<f64> {
    figure(clock.cost_ns.map(|c| c.median)).filter(|v| *v > 0.0)
}

/// The quantum, ns, if one was resolved.
pub(super) fn quantum(clock: &Clock) -> Option<f64> {
    figure(clock.tick_ns.quantum).filter(|v| *v > 0.0)
}

/// What the quantum is at most, ns: the quantum, or the limit that the readings set, or the smallest step,
/// of which the quantum is a divisor.
pub(super) fn quantum_at_most(clock: &Clock) -> Option<f64> {
    let positive = |v| figure(v).filter(|v| *v > 0.0);
    quantum(clock)
        .or_else(|| positive(clock.tick_ns.quantum_high))
        .or_else(|| positive(clock.tick_ns.smallest_step))
}

/// Whether anything was measured of this clock.
pub(super) fn is_measured(clock: &Clock) -> bool {
    clock.reads > 0 || cost(clock).is_some()
}

/// Whether no fault of any sort was seen.
pub(super) fn is_faultless(clock: &Clock) -> bool {
    clock.regressions.count == 0
        && clock.warps.count == 0
        && clock.stalls.unexplained == 0
        && clock.failed_reads == 0
        && clock.monotonic != Monotonic::Violated
}

/// Whether every fault that was seen came of the clock having been set, or of a leap second: it did what it was told.
pub(super) fn was_only_set(clock: &Clock) -> bool {
    let faults = [clock.regressions.count, clock.warps.count, clock.stalls.unexplained]
        .into_iter()
        .fold(0, u64::saturating_add);
    let was_set =
        |e: &&Event| e.kind != EventKind::Interruption && (e.cause == CLOCK_SET || e.cause == LEAP_SECOND);
    faults > 0
        && clock.promises.may_step
        && clock.events.iter().filter(was_set).count() as u64 == faults
        && clock.failed_reads == 0
}

impl<'a> Facts<'a> {
    /// Whether the clock can be believed: no fault was seen, and the CPUs agree on it.
    pub(super) fn is_sound(&self, clock: &Clock) -> bool {
        is_faultless(clock) && self.is_agreed_on(clock)
    }

    /// Whether no two CPUs are known to disagree on it.
    pub(super) fn is_agreed_on(&self, clock: &Clock) -> bool {
        !self.is_disagreeing(clock) && !self.is_made_of_disagreeing(clock)
    }

    /// Whether its readings on different CPUs disagree.
    pub(super) fn is_disagreeing(&self, clock: &Clock) -> bool {
        self.skew.iter().any(|skew| is_about(&skew.clock, &clock.id) && is_disagreeing(skew))
    }

    /// Whether the kernel computes it from a counter on which the CPUs disagree. A comparison of its own clears it only
    /// where its bounds leave out what the counter is off by: a slow clock's are so wide that it would not have shown.
    fn is_made_of_disagreeing(&self, clock: &Clock) -> bool {
        let counter = match self.source() {
            Some("tsc" | "tsc-early") => "tsc",
            Some("arch_sys_counter") => "cntvct",
            _ => return false,
        };
        matches!(clock.kind, Kind::Monotonic | Kind::Boot | Kind::Wall)
            && self.skew.iter().filter(|skew| is_about(&skew.clock, counter) && is_disagreeing(skew)).any(
                |counter| {
                    let mut own = self.skew.iter().filter(|skew| is_about(&skew.clock, &clock.id));
                    !own.any(|own| leaves_out(own, counter))
                },
            )
    }

    /// The clock of that exact id.
    pub(super) fn clock(&self, id: &str) -> Option<&'a Clock> {
        self.clocks.iter().find(|c| c.id == id)
    }

    /// The ordinary entries.
    pub(super) fn ordinary(&self) -> impl Iterator<Item = &'a Clock> + use<'a> {
        self.clocks.iter().filter(|c| is_ordinary(c))
    }

    /// The kernel's current clocksource.
    pub(super) fn source(&self) -> Option<&'a str> {
        self.machine.clocksource.current.as_deref()
    }

    /// Whether the kernel offers that clocksource.
    pub(super) fn offers(&self, source: &str) -> bool {
        self.machine.clocksource.available.iter().any(|s| s == source)
    }

    /// Whether that clocksource is a slow one.
    pub(super) fn is_slow_source(source: &str) -> bool {
        SLOW_SOURCES.contains(&source)
    }

    /// The best of the fast clocksources on offer; the TSC only where its rate can be relied upon.
    pub(super) fn best_source(&self) -> Option<&'static str> {
        let tsc_fits = !matches!(self.tsc_standing(), TscStanding::NotInvariant | TscStanding::Rejected);
        FAST_SOURCES.into_iter().find(|s| self.offers(s) && (*s != "tsc" || tsc_fits))
    }

    /// The kernel command line options that begin so, as given.
    pub(super) fn option(&self, prefix: &str) -> Option<&'a str> {
        self.machine.kernel_options.iter().map(String::as_str).find(|o| o.starts_with(prefix))
    }

    /// Hypervisor's name, where this is a guest.
    pub(super) fn guest_of(&self) -> Option<&'a str> {
        let virtualization = &self.machine.virtualization;
        (virtualization.guest == Some(true))
            .then(|| virtualization.hypervisor.as_deref().unwrap_or("an unknown hypervisor"))
    }

    /// How the bare TSC stands with the hardware and with the kernel.
    pub(super) fn tsc_standing(&self) -> TscStanding {
        let Some(tsc) = &self.machine.tsc else { return TscStanding::Unknown };
        if !tsc.readable {
            return TscStanding::Forbidden;
        }
        match tsc.generation {
            TscGeneration::Unknown => return TscStanding::Unknown,
            TscGeneration::Variant | TscGeneration::Constant => return TscStanding::NotInvariant,
            TscGeneration::Invariant => {}
        }
        let Some(source) = self.source() else { return TscStanding::Unseen };
        // tsc-early is the same counter before its final calibration.
        if source == "tsc" || source == "tsc-early" {
            TscStanding::Trusted
        } else if self.offers("tsc") {
            TscStanding::Spare
        } else if self.machine.clocksource.available.is_empty() {
            TscStanding::Unseen
        } else {
            TscStanding::Rejected
        }
    }

    /// Whether a bare counter can be relied upon: an invariant TSC that the kernel has not rejected, or a
    /// counter whose constant rate the architecture itself promises (AArch64, RISC-V).
    pub(super) fn is_counter_fit(&self, clock: &Clock) -> bool {
        if clock.kind != Kind::Counter {
            return false;
        }
        if clock.id.starts_with("tsc") {
            matches!(self.tsc_standing(), TscStanding::Trusted | TscStanding::Spare | TscStanding::Unseen)
        } else {
            clock.id.starts_with("cntvct") || clock.id.starts_with("rdtime")
        }
    }

    /// Whether a clock that the kernel computes from the TSC went wrong by itself, so that the counter beneath it
    /// is under suspicion although its own reads looked well. What an interposed library did does not count, nor
    /// do steps of clocks that may be set, nor late ticks.
    pub(super) fn is_source_suspect(&self) -> bool {
        self.source() == Some("tsc")
            && self.clocks.iter().any(|c| {
                matches!(c.kind, Kind::Monotonic | Kind::Boot)
                    && c.interposed_by.is_none()
                    && (c.regressions.count > 0 || c.warps.count > 0)
            })
    }

    /// The cheapest read through the vDSO that is not of a coarse clock, or of one where there is no other.
    pub(super) fn vdso_read(&self) -> Option<&'a Clock> {
        let cheapest = |coarse: bool| {
            self.clocks
                .iter()
                .filter(|c| c.path == Path::Vdso && (c.kind == Kind::Coarse) == coarse && cost(c).is_some())
                .min_by(|a, b| f64::total_cmp(&cost(a).unwrap_or(f64::MAX), &cost(b).unwrap_or(f64::MAX)))
        };
        cheapest(false).or_else(|| cheapest(true))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::made_up::{clock, healthy, rejected, run};

    #[test]
    fn figures_that_are_none_are_not_known() {
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0] {
            assert_eq!(figure(Some(value)), None);
            assert_eq!(cost(&clock("x").cost(value).build()), None);
            assert_eq!(quantum(&clock("x").quantum(value).build()), None);
        }
        assert_eq!(cost(&clock("x").cost(0.0).build()), None, "a read that costs nothing was not measured");
        assert_eq!(figure(Some(0.0)), Some(0.0));
    }

    #[test]
    fn without_a_quantum_the_limit_and_then_the_smallest_step_bound_it() {
        let mut c = clock("x").build();
        assert_eq!(quantum_at_most(&c), None);
        c.tick_ns.smallest_step = Some(20.0);
        assert_eq!(quantum_at_most(&c), Some(20.0));
        c.tick_ns.quantum_high = Some(3.0);
        assert_eq!(quantum_at_most(&c), Some(3.0));
    }

    #[test]
    fn a_failed_read_is_a_fault() {
        let mut c = clock("x").build();
        assert!(is_faultless(&c));
        c.failed_reads = 1;
        assert!(!is_faultless(&c));
    }

    #[test]
    fn the_tsc_stands_as_hardware_and_kernel_say() {
        let standing =
            |machine: &Machine| Facts { machine, run: &run(), clocks: &[], skew: &[] }.tsc_standing();
        let (mut machine, _) = healthy();
        assert_eq!(standing(&machine), TscStanding::Trusted);
        machine.clocksource.current = Some("kvm-clock".into());
        assert_eq!(standing(&machine), TscStanding::Spare);
        machine.clocksource.available.clear();
        assert_eq!(standing(&machine), TscStanding::Unseen);
        machine.tsc.as_mut().unwrap().readable = false;
        assert_eq!(standing(&machine), TscStanding::Forbidden);
        machine.tsc = None;
        assert_eq!(standing(&machine), TscStanding::Unknown);
        assert_eq!(standing(&rejected().0), TscStanding::Rejected);
    }
}
