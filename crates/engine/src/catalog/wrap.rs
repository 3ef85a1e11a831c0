//! Counters narrower than 64 bits: how many times one came round is reckoned when its reads are counted, outside
//! every timed loop.

use std::sync::{Mutex, OnceLock, PoisonError};

use super::{Clock, Gettime, posix};

/// What one read of a narrow counter leaves: its bits, and who knows how often they came round.
#[derive(Clone, Copy)]
pub(super) struct Narrow {
    pub(super) bits: u32,
    pub(super) wrap: Option<&'static Wrap>,
}

impl Narrow {
    pub(super) const EMPTY: Self = Self { bits: 0, wrap: None };

    pub(super) fn extended(&self) -> u64 {
        self.wrap.map_or(u64::from(self.bits), |wrap| wrap.extend(self.bits, now_ns()))
    }
}

pub(super) struct Wrap {
    width: u32,
    count_ns: f64,
    /// The last value, extended, and when it was counted, ns.
    last: Mutex<Option<(u64, Option<u64>)>>,
}

impl Wrap {
    /// For a counter of `width` bits (32 at most) whose count takes `count_ns`. `base` is its value if more of
    /// it is known than its lower bits. Lasts as long as the mapping or the port: to the end.
    pub(super) fn new(width: u32, count_ns: f64, base: Option<u64>) -> &'static Self {
        let last = Mutex::new(base.map(|base| (base, now_ns())));
        Box::leak(Box::new(Self { width: width.clamp(1, 32), count_ns, last }))
    }

    /// The counter's value as 64 bits, from its lower bits as read at `now`, ns.
    fn extend(&self, bits: u32, now: Option<u64>) -> u64 {
        // Threads may share a counter; what is kept between them is one value and its time.
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let value = match *last {
            None => u64::from(bits) & (self.span() - 1),
            Some((value, then)) => {
                let elapsed_ns = now.zip(then).map(|(now, then)| now.saturating_sub(then) as f64);
                value.wrapping_add_signed(self.advance(value, bits, elapsed_ns))
            }
        };
        *last = Some((value, now));
        value
    }

    /// Counts after which it comes round.
    fn span(&self) -> u64 {
        1 << self.width
    }

    /// How far the counter has moved from `last` to `bits`, if `elapsed_ns` passed: by the number of rounds that the
    /// time tells, or, where time and counter give no whole number, by less than one (docs/method/devices.md, 'Counters
    /// that come round').
    fn advance(&self, last: u64, bits: u32, elapsed_ns: Option<f64>) -> i64 {
        let span = self.span();
        let forward = u64::from(bits).wrapping_sub(last) & (span - 1);
        let near = span / 16;
        let nearest = if forward >= span - near { forward as i64 - span as i64 } else { forward as i64 };
        let Some(elapsed_ns) = elapsed_ns else { return nearest };
        let expected = elapsed_ns / self.count_ns;
        let rounds = ((expected - forward as f64) / span as f64).round();
        let advance = forward as f64 + rounds * span as f64;
        // Beyond 2^53 counts a float would not be exact, and no elapsed time is that long.
        if (advance - expected).abs() <= near as f64 && advance.abs() < 9e15 { advance as i64 } else { nearest }
    }
}

/// The kernel's coarse clock, ns: 4 ns to read, and true to a tick of the timer. `None` where it can't be read.
fn now_ns() -> Option<u64> {
    static CLOCK: OnceLock<Option<Gettime>> = OnceLock::new();
    (*CLOCK.get_or_init(|| posix::kernel_clock(libc::CLOCK_MONOTONIC_COARSE)))?.read().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ACPI timer's count, ns.
    const COUNT_NS: f64 = 1e9 / 3_579_545.0;
    const MASK: u64 = (1 << 24) - 1;
    const MS: u64 = 1_000_000;

    fn counts(seconds: f64) -> u64 {
        (seconds * 1e9 / COUNT_NS) as u64
    }

    /// What a counter of that width and count is taken for, read so: bits, and the time in ns.
    fn extended(width: u32, count_ns: f64, reads: impl IntoIterator<Item = (u64, Option<u64>)>) -> Vec<u64> {
        let wrap = Wrap::new(width, count_ns, None);
        reads.into_iter().map(|(bits, now)| wrap.extend(bits as u32, now)).collect()
    }

    /// Checks that an ACPI timer of 24 bits, a round of which is 4.69 s, is taken for what it is.
    #[track_caller]
    fn follows<const N: usize>(truth: [u64; N], times: [Option<u64>; N]) {
        assert_eq!(extended(24, COUNT_NS, truth.into_iter().zip(times)), truth);
    }

    #[test]
    fn twenty_four_bits_come_round_within_a_row_and_over_long_gaps() {
        let seconds = [0.0, 0.001, 0.0011, 1.0, 3.0, 4.6, 4.7, 9.3, 9.4, 60.0, 3600.0, 3600.001];
        let times = seconds.map(|s| Some(7_000 * MS + (s * 1e9) as u64));
        follows(seconds.map(|s| MASK - 100 + counts(s)), times);
    }

    #[test]
    fn thirty_two_bits_come_round() {
        let first = u64::from(u32::MAX) - 5;
        // 100 s of 10 ns are 2.3 rounds.
        let truth = [first, first + 9, first + 10_000_000_000];
        let times = [0, 90, 100_000 * MS].map(Some);
        assert_eq!(extended(32, 10.0, truth.into_iter().zip(times)), truth);
        let wide = Wrap::new(32, 10.0, Some(0x12_ffff_fff0));
        assert_eq!(wide.extend(0x10, now_ns()), 0x13_0000_0010, "a wider counter keeps its upper half");
    }

    #[test]
    fn upper_bits_that_the_counter_lacks_do_not_count() {
        let reads = [(0xab00_0010, Some(0)), (0xcd00_0030, Some(10_000))];
        assert_eq!(extended(24, COUNT_NS, reads), [0x10, 0x30]);
    }

    #[test]
    fn a_step_back_stays_a_step_back() {
        // Behind zero it wraps like any 64-bit counter would.
        follows([5000, 4990, 0, u64::MAX], [0, 2000, 4000, 6000].map(Some));
        // Nor without help from the time.
        follows([5000, 4990], [None; 2]);
        follows([5000, 4990], [0, 2_000 * MS].map(Some));
    }

    /// The coarse clock lags by up to a tick of the timer, and a read is counted a little after it was made.
    #[test]
    fn the_time_beside_it_need_not_be_exact() {
        for late_ns in [-9_000_000i64, -1000, 1000, 9_000_000] {
            let later = (70_000 * MS).wrapping_add_signed(late_ns);
            follows([1000, 1000 + counts(60.0)], [10_000 * MS, later].map(Some));
        }
    }

    #[test]
    fn a_counter_that_stands_still_makes_no_rounds() {
        follows([77; 20], std::array::from_fn(|i| Some(i as u64 * 3_000 * MS)));
    }

    /// A row is counted after it was read: where the reader stood still in the middle of one, the time belongs
    /// to a later read than it seems to.
    #[test]
    fn a_pause_within_a_row_is_no_step_back() {
        let truth = [1000, 1004, 1004 + counts(3.0), 1008 + counts(3.0)];
        follows(truth, [0, 3_000 * MS, 3_000 * MS, 3_000 * MS].map(Some));
    }

    #[test]
    fn without_a_clock_beside_it_rounds_are_counted_one_by_one() {
        follows([MASK, MASK + 4, MASK + 1 + 0x80_0000, 2 * (MASK + 1) + 2], [None; 4]);
    }
}
