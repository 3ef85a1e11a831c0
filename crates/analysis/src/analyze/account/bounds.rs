//! Between what a clock may move by its witness, without a fault.

use crate::analyze::faults::{KERNEL_SLEW, Terms};
use crate::analyze::rate::{Quanta, possible};
use crate::record::{Interval, Kind};
use crate::trace::{Bracketed, Description};

/// The slowest timer that a system's clock follows: 100 Hz, ns.
pub(in crate::analyze) const SLOWEST_TIMER_NS: f64 = 10e6;
/// The fastest one: 1000 Hz, and a tenth for its uncertainty.
const FASTEST_TIMER_NS: f64 = 0.9e6;
/// Readings that a rate is taken from at least: of two or three a step between them can't be told from a rate, and a
/// clock judged by a wrong rate has a fault in every row.
const FEWEST: usize = 16;
/// What a measured rate is widened by: the kernel trims its rate at every tick, by up to about this much, relative.
const TRIM: f64 = 1e-6;

/// What an account has to know of the clocks that it is kept by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::analyze) struct Scale {
    /// Nanoseconds a count of the run's witness.
    pub(in crate::analyze) tick: Interval,
    /// Nanoseconds a tick of a counter, as far as the run's witness, or what is stated, tells.
    pub(in crate::analyze) tick_of_counters: Interval,
    /// Whether the run's witness counts those ticks itself.
    pub(in crate::analyze) is_by_ticks: bool,
    /// Whether the kernel's clock is this clock's witness.
    pub(in crate::analyze) by_kernel: bool,
    /// The quantum of this clock's witness at most, ns.
    pub(in crate::analyze) witness_quantum_ns: f64,
}

impl Scale {
    /// Nanoseconds a count of the clock's own witness.
    pub(super) fn witness_ns(&self) -> f64 {
        if self.by_kernel { 1.0 } else { self.tick.value }
    }
}

/// A gap between two stamps from which on the reader stood still, ns: three times what bracket and read take, the
/// stamps being good for some 100 ns, and a microsecond at least.
pub(super) fn gap_ns(read_ns: f64) -> f64 {
    f64::max(1000.0, 3.0 * (read_ns + 100.0))
}

/// The terms that the clock's reads are judged by.
pub(super) fn terms(
    description: &Description,
    count: Interval,
    scale: Scale,
    quantum_ns: f64,
    read_ns: f64,
    anchors: &[Bracketed],
) -> Terms {
    let (count_ns, witness_ns) = (count.value, scale.witness_ns());
    let may_pause = description.kind == Kind::CpuTime;
    // Before it was measured: the kernel may be slewing one of the two, and what their counts are worth is not known better.
    let witness =
        if scale.by_kernel { [1.0, 1.0] } else { [scale.tick.low, scale.tick.high].map(|ns| ns / witness_ns) };
    let mut bounds = [
        (1.0 - KERNEL_SLEW) * witness[0] * count_ns / count.high,
        (1.0 + KERNEL_SLEW) * witness[1] * count_ns / count.low,
    ];
    let quanta = Quanta { clock: quantum_ns / count_ns, by: scale.witness_quantum_ns / witness_ns };
    if !may_pause
        && anchors.len() >= FEWEST
        && let Some(possible) = possible(anchors, quanta)
    {
        let ns = count_ns / witness_ns;
        let widened = [possible.low * ns - TRIM, possible.high * ns + TRIM];
        if widened[1] - widened[0] < bounds[1] - bounds[0] {
            bounds = widened;
        }
    }
    let late_ns = late(description, quantum_ns) * quantum_ns;
    Terms {
        count_ns,
        witness_ns,
        rate: bounds,
        slack_ns: quantum_ns + late_ns + count_ns.min(quantum_ns) + scale.witness_quantum_ns,
        standstill_ns: if may_pause { f64::INFINITY } else { MEASURED * quantum_ns + late_ns },
        read_ns,
        wide_ns: gap_ns(read_ns),
        may_pause,
    }
}

/// How long a clock may stand still without a fault, in quanta: a fifth is for the uncertainty of quantum and witness. CPU
/// time may stand for any time: the kernel takes what interrupts and the hypervisor took off it, and the latter late
/// (kernel/sched/core.c, update_rq_clock_task).
const MEASURED: f64 = 1.2;

/// How many quanta a clock may be late. One that follows the timer tick (a coarse one, all where the clocksource is
/// jiffies) waits for a tick that comes late; the kernel bears with five in a row before another CPU makes up for them
/// (kernel/time/tick-sched.c, MAX_STALLED_JIFFIES).
fn late(description: &Description, quantum_ns: f64) -> f64 {
    let is_of_jiffies = description.is_computed() && quantum_ns >= FASTEST_TIMER_NS;
    if description.kind == Kind::Coarse || is_of_jiffies { 5.0 } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::Unit;

    fn scale(witness_quantum_ns: f64, by_kernel: bool) -> Scale {
        let tick = Interval::exactly(0.4);
        Scale { tick, tick_of_counters: tick, is_by_ticks: true, by_kernel, witness_quantum_ns }
    }

    /// A counter is judged by the kernel's clock, which may move in steps of a slow device's.
    #[test]
    fn the_quantum_of_the_own_witness_counts() {
        let counter = Description::new("odd", "odd", Kind::Counter, Unit::Ticks);
        let slack_ns =
            |witness_ns| terms(&counter, Interval::exactly(0.4), scale(witness_ns, true), 10.0, 20.0, &[]).slack_ns;
        assert_eq!(slack_ns(279.365), slack_ns(0.0) + 279.365);
    }

    /// Where the clocksource is jiffies, all clocks of the kernel wait for the tick.
    #[test]
    fn a_clock_of_the_timers_tick_may_wait_for_a_late_one() {
        let clock = Description::new("odd", "odd", Kind::Monotonic, Unit::Ns(1.0));
        let stands = |quantum_ns| {
            terms(&clock, Interval::exactly(1.0), scale(1.0, false), quantum_ns, 20.0, &[]).standstill_ns / quantum_ns
        };
        assert_eq!((stands(279.365), stands(4e6)), (1.2, 6.2));
    }

    #[test]
    fn what_was_measured_counts_where_it_is_narrower_than_what_is_allowed_for() {
        let clock = Description::new("odd", "odd", Kind::Monotonic, Unit::Ns(1.0));
        let fast = |n: u64| -> Vec<Bracketed> {
            (0..n)
                .map(|i| i * 1_000_000)
                .map(|t| Bracketed { before: t, value: t * 2 / 5 + 20_000, after: t + 100 })
                .collect()
        };
        let rate = |n| terms(&clock, Interval::exactly(1.0), scale(1.0, false), 1.0, 20.0, &fast(n)).rate;
        assert_eq!(rate(0), [1.0 - KERNEL_SLEW, 1.0 + KERNEL_SLEW]);
        let mut unsure = scale(1.0, false);
        (unsure.tick.low, unsure.tick.high) = (0.39, 0.42);
        let [low, high] = terms(&clock, Interval::exactly(1.0), unsure, 1.0, 20.0, &[]).rate;
        assert!(low < 0.975 && high > 1.05, "{low} {high}");
        let [low, high] = rate(1000);
        assert!(low <= 1.0 && 1.0 <= high && high - low < 1e-4, "{low} {high}");
    }
}
