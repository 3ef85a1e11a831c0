//! When a look was made: by the reference, unless that was set meanwhile; then by the plan, which the kernel's clock keeps.

use crate::trace::{Bracketed, Polled};

/// The reference may run this much faster or slower than the kernel's clock between two looks, as a share and in ns; else
/// it was set.
const SHARE: f64 = 0.1;
const SLACK_NS: f64 = 2e6;

/// Time since the first look.
#[derive(Debug, Clone, Default)]
pub(super) struct Axis {
    /// Number of the look under way, and when it was to begin plus how late it did, ns.
    look: Option<(u64, f64)>,
    looks: u64,
    /// The kernel's clock at the first look, ns since the run's start.
    kernel_ns: Option<f64>,
    /// The last reading of the reference: its count, and when it was made, ns since the first look.
    last: Option<(u64, f64)>,
    /// The plan's time of that.
    planned_ns: f64,
}

impl Axis {
    /// A look begins; says how many were missed before it.
    pub(super) fn begin(&mut self, polled: &Polled) -> u64 {
        let planned = polled.number as f64 * polled.every_ns as f64 + polled.late_ns as f64;
        let last = self.look.replace((polled.number, planned));
        self.looks += 1;
        last.map_or(0, |(number, _)| polled.number.saturating_sub(number).saturating_sub(1))
    }

    /// The kernel's clock at this look.
    pub(super) fn looked(&mut self, kernel_ns: f64) {
        let planned = self.look.map_or(0.0, |(_, planned)| planned);
        self.kernel_ns.get_or_insert(kernel_ns - planned);
    }

    pub(super) fn begun(&self) -> bool {
        self.look.is_some()
    }

    pub(super) fn looks(&self) -> u64 {
        self.looks
    }

    /// When the look under way began.
    pub(super) fn now_ns(&self) -> f64 {
        self.look.map_or(0.0, |(_, planned)| planned)
    }

    /// A moment of the kernel's clock, ns since the run's start.
    pub(super) fn of(&self, kernel_ns: f64) -> f64 {
        kernel_ns - self.kernel_ns.unwrap_or(0.0)
    }

    /// The reference was read, at that moment of the kernel's clock where it is the same one. The first reading may come long
    /// after the look at the kernel's clocks: a look is slow on a slow machine, and the first one slower.
    pub(super) fn reference(&mut self, reading: Bracketed, reference_ns: f64, kernel_ns: Option<f64>) {
        let first = kernel_ns.filter(|_| self.last.is_none() && self.kernel_ns.is_some());
        let at = first.map_or_else(|| self.at_ns(reading, reference_ns), |kernel_ns| self.of(kernel_ns));
        self.last = Some((reading.before, at));
        self.planned_ns = self.now_ns();
    }

    /// When a reading between two of the reference was made.
    pub(super) fn at_ns(&self, reading: Bracketed, reference_ns: f64) -> f64 {
        let now = self.now_ns();
        let Some((count, at)) = self.last else { return now };
        let advance = reading.before.wrapping_sub(count) as i64 as f64 * reference_ns;
        let planned = now - self.planned_ns;
        if (advance - planned).abs() <= SHARE * planned + SLACK_NS { at + advance } else { at + planned }
    }
}
