//! Decimal fractions as whole counts of their last digit.

use crate::text::trimmed;

/// Most decimals that are told apart.
pub const MOST_DECIMALS: u32 = 18;

/// A decimal fraction, exactly: `digits` / 10^`decimals`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Number {
    /// Its digits, as a whole number.
    pub digits: i128,
    /// How many of them stand behind the point.
    pub decimals: u32,
}

impl Number {
    /// The whole counts of 10^−`decimals` that it is, and whether that took no rounding; `None` beyond what 128 bits hold.
    pub(super) fn counts(self, decimals: u32) -> Option<(i128, bool)> {
        match self.decimals.checked_sub(decimals) {
            None | Some(0) => Some((self.digits.checked_mul(power(decimals - self.decimals)?)?, true)),
            Some(beyond) => {
                // What is finer by more digits than there are is nothing.
                let Some(unit) = power(beyond) else { return Some((0, self.digits == 0)) };
                let rest = self.digits.rem_euclid(unit);
                let whole = self.digits.div_euclid(unit) + i128::from(rest >= unit - rest);
                Some((whole, rest == 0))
            }
        }
    }
}

/// 10^n, where 128 bits hold it.
pub(super) fn power(n: u32) -> Option<i128> {
    10_i128.checked_pow(n)
}

/// What readings are counted in: so many decimals, from an origin.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scale {
    pub(super) origin: i128,
    pub(super) decimals: u32,
    /// More than these the readings have no room for.
    pub(super) finest: u32,
}

impl Scale {
    pub(super) fn from(first: Number, is_origin: bool) -> Option<Self> {
        let decimals = first.decimals.min(MOST_DECIMALS);
        let (counts, _) = first.counts(decimals)?;
        Some(Self { origin: if is_origin { counts } else { 0 }, decimals, finest: MOST_DECIMALS })
    }

    /// So many counts as a decimal number, every digit of it.
    pub(super) fn written(self, counts: i128) -> String {
        let sign = if counts < 0 { "-" } else { "" };
        let unit = power(self.decimals).unwrap_or(1).unsigned_abs();
        let (whole, part) = (counts.unsigned_abs() / unit, counts.unsigned_abs() % unit);
        let width = self.decimals as usize;
        let text = if width > 0 { format!("{sign}{whole}.{part:0width$}") } else { format!("{sign}{whole}") };
        trimmed(&text).into()
    }

    /// Makes room for a number's decimals, as far as there is any; `counts` come from the origin.
    pub(super) fn refine(&mut self, number: Number, counts: &mut [(i64, u64)]) {
        while number.decimals.min(self.finest) > self.decimals {
            let to = number.decimals.min(self.finest);
            let by = power(to - self.decimals);
            let farthest = counts.iter().map(|(at, _)| at.unsigned_abs()).max().unwrap_or(0);
            // With room for what comes, as far away again.
            let fits = |by: i128| i128::from(farthest).checked_mul(by).is_some_and(|far| far < 1 << 62);
            match by.filter(|by| fits(*by)).zip(by.and_then(|by| self.origin.checked_mul(by))) {
                Some((by, origin)) => {
                    for (at, _) in counts.iter_mut() {
                        *at *= by as i64;
                    }
                    (self.origin, self.decimals) = (origin, to);
                }
                None => self.finest = to - 1,
            }
        }
    }
}
