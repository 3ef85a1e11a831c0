//! The discrete Fourier transform of a histogram, by plain arithmetic and libm's sine: the same to the last bit on every
//! machine. (Known libraries take their factors from the platform's own sine.)

use num_complex::Complex;

use super::phase::unit;

/// Σ values[j] exp(−2πi jk/n) for k = 0 … n/2, n a power of two from 4 on. Even and odd values are the two parts of a
/// complex series of half the length.
pub(super) fn spectrum(values: &[f64]) -> Vec<Complex<f64>> {
    let half = values.len() / 2;
    let turns = turns(values.len());
    let mut z: Vec<_> = values.chunks_exact(2).map(|pair| Complex::new(pair[0], pair[1])).collect();
    transform(&mut z, &turns);
    let whole = |k: usize| {
        let (a, b) = (z[k % half], z[(half - k) % half].conj());
        let turn = if k < half { turns[k] } else { -turns[0] };
        (a + b) * 0.5 + (a - b) * turn * Complex::new(0.0, -0.5)
    };
    (0..=half).map(whole).collect()
}

/// exp(−2πi k/n) for k = 0 … n/2 − 1, each the product of a coarse and a fine turn.
fn turns(n: usize) -> Vec<Complex<f64>> {
    let of = |k: usize| unit(-(k as f64) / n as f64);
    let fine: Vec<_> = (0..(n / 2).min(256)).map(of).collect();
    let coarse = (0..n / 2).step_by(256).map(of);
    coarse.flat_map(|coarse| fine.iter().map(move |fine| coarse * fine)).collect()
}

/// In place, n a power of two, with the turns for 2n: radix 2, sorting itself (Stockham; Van Loan, Computational
/// Frameworks for the Fast Fourier Transform, 1.7).
fn transform(z: &mut Vec<Complex<f64>>, turns: &[Complex<f64>]) {
    let half = z.len() / 2;
    let mut out = z.clone();
    let mut stride = 1;
    while stride <= half {
        for (block, pair) in out.chunks_exact_mut(2 * stride).enumerate() {
            let turn = turns[2 * stride * block];
            let (sums, differences) = pair.split_at_mut(stride);
            let a = &z[block * stride..][..stride];
            let b = &z[half + block * stride..][..stride];
            for (i, (a, b)) in a.iter().zip(b).enumerate() {
                sums[i] = a + b;
                differences[i] = (a - b) * turn;
            }
        }
        std::mem::swap(z, &mut out);
        stride *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::super::phase::length;
    use super::*;

    #[test]
    fn it_is_the_sum_that_it_says() {
        for n in [4_usize, 8, 64, 2048] {
            let mut random = fastrand::Rng::with_seed(n as u64);
            let values: Vec<f64> = (0..n).map(|_| random.f64()).collect();
            for (k, found) in spectrum(&values).into_iter().enumerate() {
                let at = |j: usize| unit(-((j * k % n) as f64) / n as f64);
                let sum: Complex<f64> = values.iter().enumerate().map(|(j, v)| at(j) * v).sum();
                assert!(length(sum - found) < 1e-12 * n as f64, "{n}, {k}: {found}, not {sum}");
            }
        }
    }
}
