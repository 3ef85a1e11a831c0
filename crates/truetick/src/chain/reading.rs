//! A reading and what it states.

use crate::{
    discipline::{Fit, STEADY},
    hardware::Rules,
};

/// A reading with its uncertainty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reading {
    /// The time, ns of the system's monotonic clock (and [what that was set back by](crate::timeline::Timeline::set_back_ns)).
    pub ns: u64,
    /// The system's clock lay within this of `ns` when it was read, whatever slew the system permits. `None`: nothing
    /// is known, because that clock fails or has just been set back.
    pub uncertainty_ns: Option<u64>,
    /// The same, if the system's clock has kept its rate to within 500 ppm since that was measured from: for the last half a
    /// second, or the last two pauses between readings where those are longer. Whether it did, [`Epoch`](crate::Epoch) tells
    /// afterwards.
    pub uncertainty_if_steady_ns: Option<u64>,
}

/// A reading `ns` by the line of `fit` at `ticks`.
pub(super) fn by_fit(ns: u64, fit: &Fit, ticks: u64, rules: Rules) -> Reading {
    let within = |slew| fit.uncertainty_ns(ticks, rules.step_ns, slew) as u64 + 1;
    Reading { ns, uncertainty_ns: rules.slew.map(within), uncertainty_if_steady_ns: Some(within(STEADY)) }
}

/// A reading `ns` of the system's clock, which showed `kernel`; `None`: it is not known what it shows.
pub(super) fn by_clock(ns: u64, kernel: Option<u64>) -> Reading {
    let off = kernel.map(|kernel| ns.abs_diff(kernel) + 1);
    Reading { ns, uncertainty_ns: off, uncertainty_if_steady_ns: off }
}
