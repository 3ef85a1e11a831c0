//! Sums in whole numbers: no digit is lost, however many values there are and however far from nought they lie.

/// Of values of 64 bits.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sums {
    pub(super) count: u64,
    sum: i128,
    /// The sum of squares: what is above 128 bits, and the lower ones.
    squares: (u64, u128),
}

impl Sums {
    pub(super) fn take(&mut self, value: i64) {
        self.count += 1;
        self.sum += i128::from(value);
        let size = u128::from(value.unsigned_abs());
        let (low, is_over) = self.squares.1.overflowing_add(size * size);
        self.squares = (self.squares.0 + u64::from(is_over), low);
    }

    /// The mean: whole counts, and the part of one beyond. Of nothing it is nothing.
    pub(super) fn mean(&self) -> (i128, f64) {
        let n = i128::from(self.count.max(1));
        (self.sum.div_euclid(n), self.sum.rem_euclid(n) as f64 / n as f64)
    }

    /// The standard deviation by n − 1; `None` of fewer than two.
    ///
    /// n Σx² − (Σx)² in 256 bits: only its result is rounded.
    pub(super) fn deviation(&self) -> Option<f64> {
        let below = self.count.checked_sub(1).filter(|below| *below > 0)?;
        let n = u128::from(self.count);
        let (high, low) = wide(n, self.squares.1);
        let all = (high.saturating_add(n * u128::from(self.squares.0)), low);
        let size = self.sum.unsigned_abs();
        let of_mean = wide(size, size);
        let (low, is_under) = all.1.overflowing_sub(of_mean.1);
        let high = all.0.saturating_sub(of_mean.0).saturating_sub(u128::from(is_under));
        let spread = high as f64 * 2f64.powi(128) + low as f64;
        Some((spread / n as f64 / below as f64).sqrt())
    }
}

/// The product: what is above 128 bits, and the lower ones.
fn wide(a: u128, b: u128) -> (u128, u128) {
    let halves = |x: u128| (x >> 64, x & u128::from(u64::MAX));
    let ((a1, a0), (b1, b0)) = (halves(a), halves(b));
    let (low, cross, other) = (a0 * b0, a1 * b0, a0 * b1);
    let middle = halves(cross).1 + halves(other).1 + halves(low).0;
    let high = a1 * b1 + halves(cross).0 + halves(other).0 + halves(middle).0;
    (high, middle << 64 | halves(low).1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_far_from_nought_keeps_its_digits() {
        let sums = |values: &[i64]| {
            let mut sums = Sums::default();
            for value in values {
                sums.take(*value);
            }
            sums
        };
        assert_eq!((Sums::default().mean(), Sums::default().deviation()), ((0, 0.0), None));
        assert_eq!((sums(&[-7]).mean(), sums(&[-7]).deviation()), ((-7, 0.0), None));
        let far = i64::MAX - 3;
        let found = sums(&[far, far + 1, far + 2, far + 3]);
        assert_eq!((found.mean(), found.deviation()), ((i128::from(far) + 1, 0.5), Some((5.0_f64 / 3.0).sqrt())));
        // Their squares are more than 128 bits hold.
        let wide = sums(&[i64::MIN, i64::MAX].repeat(4));
        assert_eq!(wide.mean(), (-1, 0.5));
        assert!((wide.deviation().unwrap() / (2f64.powi(63) * (8.0_f64 / 7.0).sqrt()) - 1.0).abs() < 1e-15);
    }

    #[test]
    fn products_are_whole() {
        assert_eq!(super::wide(u128::MAX, u128::MAX), (u128::MAX - 1, 1));
        assert_eq!(super::wide(1 << 100, 1 << 90), (1 << 62, 0));
        assert_eq!(super::wide(7, 9), (0, 63));
    }
}
