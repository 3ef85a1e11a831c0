//! What a rule may ask: the machine, the run, the clocks, and look-ups in them.

use super::clocksource::{Clocksource, TSC};
use super::faults::{is_disagreeing, is_faultless, leaves_out};
use super::figures::cost;
use crate::record::{Clock, Kind, Machine, Path, Run, Skew, TscGeneration};

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
        self.skew_of(clock.base_id()).any(is_disagreeing)
    }

    /// Whether the kernel computes it from a counter on which the CPUs disagree. A comparison of its own clears it only
    /// where its bounds leave out what the counter is off by: a slow clock's are so wide that it would not have shown.
    fn is_made_of_disagreeing(&self, clock: &Clock) -> bool {
        let source = self.source().and_then(Clocksource::of).filter(|source| !source.by_page);
        let Some(counter) = source.and_then(|source| source.counter) else { return false };
        matches!(clock.kind, Kind::Monotonic | Kind::Boot | Kind::Wall)
            && self
                .skew_of(counter)
                .filter(|skew| is_disagreeing(skew))
                .any(|counter| !self.skew_of(clock.base_id()).any(|own| leaves_out(own, counter)))
    }

    /// What was found between CPUs of the clock with that base.
    fn skew_of(&self, base: &str) -> impl Iterator<Item = &'a Skew> {
        self.skew.iter().filter(move |skew| self.base_of(&skew.clock) == base)
    }

    /// Whether a comparison speaks of that clock: both are ways of reading one.
    pub(super) fn is_about(&self, skew: &Skew, clock: &Clock) -> bool {
        self.base_of(&skew.clock) == clock.base_id()
    }

    /// The base of the clock with that id; the id itself where it is not in the record.
    fn base_of<'b>(&'b self, id: &'b str) -> &'b str {
        self.clock(id).map_or(id, Clock::base_id)
    }

    /// The base of the run's reference.
    pub(super) fn reference(&self) -> &str {
        let run = self.run;
        if run.reference_base.is_empty() { self.base_of(&run.reference) } else { &run.reference_base }
    }

    /// The base of the run's witness.
    pub(super) fn witness(&self) -> &str {
        let run = self.run;
        if run.witness_base.is_empty() { self.base_of(&run.witness) } else { &run.witness_base }
    }

    pub(super) fn clock(&self, id: &str) -> Option<&'a Clock> {
        self.clocks.iter().find(|c| c.id == id)
    }

    /// The cheapest forced way of reading the same clock along that path, ns.
    pub(super) fn forced_cost(&self, clock: &Clock, path: Path) -> Option<f64> {
        let same = |c: &&Clock| c.forced && c.path == path && c.base_id() == clock.base_id();
        self.clocks.iter().filter(same).filter_map(cost).min_by(f64::total_cmp)
    }

    /// The ordinary entries, as a program would call them: no forced ways of reading.
    pub(super) fn ordinary(&self) -> impl Iterator<Item = &'a Clock> + use<'a> {
        self.clocks.iter().filter(|c| !c.forced)
    }

    /// Whether the kernel kept its clocksource: else paths, costs and rates of its clocks are of more than one.
    pub(super) fn is_of_one_source(&self) -> bool {
        self.run.clocksource_changes.is_empty()
    }

    /// The clocksource that the kernel used when the run began.
    pub(super) fn source(&self) -> Option<&'a str> {
        self.machine.clocksource.current.as_deref()
    }

    pub(super) fn offers(&self, source: &str) -> bool {
        self.machine.clocksource.available.iter().any(|s| s == source)
    }

    /// The best of the fast clocksources on offer; the TSC only where its rate can be relied upon.
    pub(super) fn best_source(&self) -> Option<&'static str> {
        let tsc_fits = !matches!(self.tsc_standing(), TscStanding::NotInvariant | TscStanding::Rejected);
        Clocksource::fast().find(|s| self.offers(s) && (*s != TSC || tsc_fits))
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
        if Clocksource::is_tsc(source) {
            TscStanding::Trusted
        } else if self.offers(TSC) {
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
        use TscStanding::{Spare, Trusted, Unseen};
        clock.kind == Kind::Counter
            && (clock.base_id() != TSC || matches!(self.tsc_standing(), Trusted | Spare | Unseen))
    }

    /// Whether a clock that the kernel computes from the CPU's counter went wrong by itself, so that the counter
    /// beneath it is under suspicion although its own reads looked well. What an interposed library did does not
    /// count, nor do steps of clocks that may be set, nor late ticks.
    pub(super) fn is_source_suspect(&self) -> bool {
        self.source().and_then(Clocksource::of).is_some_and(|source| source.counter.is_some())
            && self.clocks.iter().any(|c| {
                matches!(c.kind, Kind::Monotonic | Kind::Boot)
                    && c.interposed_by.is_none()
                    && (c.regressions.count > 0 || c.warps.count > 0)
            })
    }

    /// The cheapest read through the vDSO; of a coarse clock only where there is no other.
    pub(super) fn vdso_read(&self) -> Option<(&'a Clock, f64)> {
        let reads = self.clocks.iter().filter(|c| c.path == Path::Vdso).filter_map(|c| Some((c, cost(c)?)));
        let is_coarse = |clock: &Clock| clock.kind == Kind::Coarse;
        reads.min_by(|a, b| is_coarse(a.0).cmp(&is_coarse(b.0)).then(a.1.total_cmp(&b.1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::made_up::Case;

    #[test]
    fn the_tsc_stands_as_hardware_and_kernel_say() {
        let standing = |case: &Case| case.facts().tsc_standing();
        let mut case = Case::healthy();
        assert_eq!(standing(&case), TscStanding::Trusted);
        for (source, expected) in [("tsc-early", TscStanding::Trusted), ("kvm-clock", TscStanding::Spare)] {
            case.machine.clocksource.current = Some(source.into());
            assert_eq!(standing(&case), expected, "{source}");
        }
        case.machine.clocksource.available.clear();
        assert_eq!(standing(&case), TscStanding::Unseen);
        case.tsc().readable = false;
        assert_eq!(standing(&case), TscStanding::Forbidden);
        case.machine.tsc = None;
        assert_eq!(standing(&case), TscStanding::Unknown);
        assert_eq!(standing(&Case::rejected()), TscStanding::Rejected);
    }

    #[test]
    fn a_faulty_kernel_clock_casts_suspicion_on_whatever_counter_it_is_made_of() {
        for (source, suspect) in [
            ("tsc", true),
            ("tsc-early", true),
            ("kvm-clock", true),
            ("hyperv_clocksource_tsc_page", true),
            ("arch_sys_counter", true),
            ("riscv_clocksource", true),
            ("hpet", false),
            ("sundial", false),
        ] {
            let mut case = Case::healthy().on(source);
            assert!(!case.facts().is_source_suspect());
            case.clock("monotonic").warps.count = 1;
            assert_eq!(case.facts().is_source_suspect(), suspect, "{source}");
            case.clock("monotonic").interposed_by = Some("libfaulty.so".into());
            assert!(!case.facts().is_source_suspect());
        }
    }
}
