//! What a watch has to know of the clock and its witness, and how far off that a reading is; a row of reads.

/// What a watch has to know of the clock and its witness.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Terms {
    /// Nanoseconds a count of the clock.
    pub count_ns: f64,
    /// Nanoseconds a count of the witness.
    pub witness_ns: f64,
    /// Least and greatest rate that the clock may run at by the witness, ns per ns. Where it is measured it holds as
    /// long as nobody slews one of the two away from it: a clock whose rate changes by more shows a warp after an
    /// interruption so long that the difference exceeds the quanta.
    pub rate: [f64; 2],
    /// How far a difference of two readings may be off by the quanta of clock and witness alone, ns.
    pub slack_ns: f64,
    /// How long the clock may stand still without a fault, ns.
    pub standstill_ns: f64,
    /// What a read took at the first look, the stamps around it included, ns: how long a clock stood still within a row is
    /// reckoned by that, or by the quickest row.
    pub read_ns: f64,
    /// A bracket this wide has an interruption in it, ns.
    pub wide_ns: f64,
    /// Whether the clock may stand still while time passes (it counts CPU time): no lower bound then.
    pub may_pause: bool,
}

/// How far off the bounds, ns.
#[derive(Debug, Clone, Copy)]
pub(super) struct Excess {
    pub(super) size: f64,
    /// Half width of the bounds.
    pub(super) uncertainty: f64,
}

impl Terms {
    /// Nothing is known: a count is taken for a nanosecond, and no difference of readings is too large.
    pub(in crate::analyze) const UNKNOWN: Self = Self {
        count_ns: 1.0,
        witness_ns: 1.0,
        rate: [1.0, 1.0],
        slack_ns: f64::INFINITY,
        standstill_ns: f64::INFINITY,
        read_ns: 0.0,
        wide_ns: f64::INFINITY,
        may_pause: false,
    };

    /// Time from one stamp of the witness to another, ns.
    pub(super) fn passed(&self, from: u64, to: u64) -> f64 {
        to.wrapping_sub(from) as i64 as f64 * self.witness_ns
    }

    /// What the clock advanced from one value to another, ns.
    pub(super) fn advance(&self, from: u64, to: u64) -> f64 {
        to.wrapping_sub(from) as i64 as f64 * self.count_ns
    }
}

/// A row of reads between two stamps of the witness.
#[derive(Debug, Clone, Copy)]
pub struct Reads<'a> {
    /// The witness before the first.
    pub before: u64,
    /// What was read.
    pub values: &'a [u64],
    /// The witness after the last.
    pub after: u64,
    /// The CPU.
    pub cpu: Option<u32>,
    /// False where a third clock contradicts the witness over this row: its bounds are void then, and only the
    /// order of the values is judged.
    pub trusted: bool,
}
