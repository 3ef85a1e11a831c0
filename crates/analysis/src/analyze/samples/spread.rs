//! What pandas' `describe` says, without losing a digit.

use super::order::Order;
use super::sums::Sums;
use crate::record::{Described, Interval};

/// Numbers as they come, each so far from an origin.
#[derive(Debug, Clone, Default)]
pub(super) struct Spread {
    sums: Sums,
    ends: Option<(i64, i64)>,
    order: Order,
}

impl Spread {
    pub(super) fn take(&mut self, value: i64) {
        self.sums.take(value);
        self.ends = Some(self.ends.map_or((value, value), |(least, most)| (least.min(value), most.max(value))));
        self.order.take(value);
    }

    /// The same number once more, in a further look at all of them.
    pub(super) fn look(&mut self, value: i64) {
        self.order.look(value);
    }

    /// Prepares for a further look, where one would narrow the quartiles.
    pub(super) fn again(&mut self) -> bool {
        let ranks = self.ranks();
        self.order.again(&ranks)
    }

    /// The least and the greatest.
    pub(super) fn ends(&self) -> Option<[i64; 2]> {
        self.ends.map(|(least, greatest)| [least, greatest])
    }

    /// The greatest.
    pub(super) fn greatest(&self) -> Option<i64> {
        self.ends.map(|(_, greatest)| greatest)
    }

    /// The neighbours of each quartile.
    fn ranks(&self) -> Vec<u64> {
        let last = self.sums.count.saturating_sub(1);
        QUARTERS.iter().flat_map(|quarters| [quarter(last, *quarters).0, quarter(last, *quarters).1]).collect()
    }

    /// All of it; `number` is what a whole number and a part of one come to. `None` where nothing came.
    pub(super) fn described(&mut self, origin: i128, number: impl Fn(i128, f64) -> f64) -> Option<Described> {
        let (least, greatest) = self.ends?;
        let count = self.sums.count;
        let places = self.order.places(&self.ranks());
        let at = |at: usize| {
            let (_, _, part) = quarter(count - 1, QUARTERS[at]);
            let (first, second) = ((*places.get(2 * at)?)?, (*places.get(2 * at + 1)?)?);
            let between =
                |from: i64, to: i64| number(origin + i128::from(from), to.wrapping_sub(from) as u64 as f64 * part);
            let within = |value: i64| value.clamp(least, greatest);
            let low = between(within(first.low), within(second.low));
            let high = between(within(first.high), within(second.high));
            Some(Interval { value: if low == high { low } else { f64::midpoint(low, high) }, low, high })
        };
        let (whole, part) = self.sums.mean();
        Some(Described {
            count,
            mean: number(origin + whole, part),
            std: self.sums.deviation().map(|deviation| number(0, deviation)),
            min: number(origin + i128::from(least), 0.0),
            q25: at(0)?,
            q50: at(1)?,
            q75: at(2)?,
            max: number(origin + i128::from(greatest), 0.0),
        })
    }
}

/// Which quarters the quartiles are.
const QUARTERS: [u64; 3] = [1, 2, 3];

/// The ranks on both sides of so many quarters of the way to the last, and which part of the way from the one to the other it is.
fn quarter(last: u64, quarters: u64) -> (u64, u64, f64) {
    let all = u128::from(last) * u128::from(quarters);
    let (rank, part) = ((all / 4) as u64, (all % 4) as f64 / 4.0);
    (rank, if part > 0.0 { rank + 1 } else { rank }, part)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By the definitions of pandas' `describe`: n − 1 under the deviation, quartiles interpolated on (n − 1) q.
    #[test]
    fn all_is_as_pandas_defines_it() {
        for (values, right) in [
            (&[8, 1, 100, 4, 2][..], [5.0, 23.0, 43.127_717_305_695_65, 1.0, 2.0, 4.0, 8.0, 100.0]),
            (&[8, 1, 4, 2], [4.0, 3.75, 3.095_695_936_834_452, 1.0, 1.75, 3.0, 5.0, 8.0]),
        ] {
            let mut spread = Spread::default();
            for value in values {
                spread.take(*value);
            }
            let of = spread.described(0, |whole, part| whole as f64 + part).unwrap();
            let said =
                [of.count as f64, of.mean, of.std.unwrap(), of.min, of.q25.value, of.q50.value, of.q75.value, of.max];
            for (said, right) in said.into_iter().zip(right) {
                assert!((said - right).abs() <= 1e-12 * right, "{of:?}");
            }
            assert_eq!((of.q25.low, of.q25.high), (of.q25.value, of.q25.value));
        }
        assert_eq!(Spread::default().described(0, |_, part| part), None);
    }
}
