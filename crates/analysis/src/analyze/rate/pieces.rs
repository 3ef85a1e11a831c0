//! Where a clock stepped, so that no slope is taken across a step.

use super::pair::{Pair, Quanta, at_share, weighted};
use crate::analyze::stats;
use crate::trace::Bracketed;

/// Brackets up to this many times the lower quartile's width count as tight. A read that took longer was made at
/// another place of its bracket, and reads grow shorter while a program warms up: that would look like a rate.
const TIGHT: f64 = 1.25;
/// Median deviations within which the noise of a clock that does not step stays. Six are four standard deviations of
/// normal noise, which one in 16 000 exceeds.
const NOISE: f64 = 6.0;
/// The longest gaps count alike, so many of them: the machine may have slept in one for longer than all others lasted, and
/// one of the clocks with it.
const ALIKE: usize = 8;
/// What a clock that is being slewed may be off its usual rate, relative: 500 ppm by the kernel's frequency
/// (`MAXFREQ`), and as much by adjtime(3) at a time (`MAX_TICKADJ`). Beyond that it was stepped.
const SLEW: f64 = 1000e-6;

/// The readings with tight brackets, cut wherever the clock moved by more, or less, than its rate, its noise, its
/// quantum and the brackets allow.
///
/// A slew has the same sign from one gap to the next, a step is alone.
pub(super) fn pieces(readings: &[Bracketed], quanta: Quanta) -> Vec<Vec<Bracketed>> {
    let tight = tight(readings, quanta.by);
    let gaps: Vec<Option<Pair>> = tight.windows(2).map(|w| Pair::of(w[0], w[1], quanta.by)).collect();
    let mut sorted = weighted(gaps.iter().flatten());
    let mut weights: Vec<f64> = sorted.iter().map(|(_, weight)| *weight).collect();
    stats::sort(&mut weights);
    let most = weights.get(weights.len().saturating_sub(ALIKE)).copied().unwrap_or(0.0);
    for (_, weight) in &mut sorted {
        *weight = weight.min(most);
    }
    let slopes: Vec<f64> = sorted.iter().map(|(slope, _)| *slope).collect();
    let Some((rate, (low, high))) = at_share(&sorted, 0.5).zip(stats::median_interval(&slopes)) else {
        return Vec::new();
    };
    let mut noise: Vec<f64> = gaps.iter().flatten().map(|gap| gap.excess(rate).abs()).collect();
    stats::sort(&mut noise);
    let noise = stats::median(&noise).unwrap_or(0.0);
    // How far off each gap is, beyond what may be; NaN where the other clock went back.
    let off = |gap: &Option<Pair>| {
        let Some(gap) = gap else { return f64::NAN };
        let bounds = rate.abs() * gap.half_width + quanta.clock + (high - low) * gap.apart + NOISE * noise;
        let excess = gap.excess(rate);
        excess.signum() * f64::max(0.0, excess.abs() - bounds)
    };
    let off: Vec<f64> = gaps.iter().map(off).collect();
    let slewed = |at: usize| {
        let slew = |at: usize| gaps[at].map_or(0.0, |gap| SLEW * rate.abs() * gap.apart);
        let like = |other: usize| off[other] * off[at] > 0.0 && off[other].abs() <= slew(other);
        off[at].abs() <= slew(at) && (at > 0 && like(at - 1) || at + 1 < off.len() && like(at + 1))
    };
    let mut pieces = vec![Vec::new()];
    for (index, reading) in tight.iter().enumerate() {
        if index > 0 && off[index - 1] != 0.0 && !slewed(index - 1) {
            pieces.push(Vec::new());
        }
        if let Some(piece) = pieces.last_mut() {
            piece.push(*reading);
        }
    }
    pieces
}

/// The readings whose brackets are tight; an interruption beside a reading makes its bracket wide.
fn tight(readings: &[Bracketed], by: f64) -> Vec<Bracketed> {
    let mut widths: Vec<f64> = readings.iter().map(|a| a.width() as f64).filter(|w| *w >= 0.0).collect();
    stats::sort(&mut widths);
    let last = widths.len().saturating_sub(1);
    let Some(quartile) = widths.get(widths.len().div_ceil(4).min(last)) else { return Vec::new() };
    let limit = (TIGHT * quartile).max(quartile + by);
    readings.iter().copied().filter(|a| (0.0..=limit).contains(&(a.width() as f64))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXACT: Quanta = Quanta { clock: 1.0, by: 1.0 };

    fn line(steps: &[(usize, i64)]) -> Vec<Bracketed> {
        let mut offset = 0_i64;
        (0..100_usize)
            .map(|i| {
                offset += steps.iter().filter(|(at, _)| *at == i).map(|(_, size)| size).sum::<i64>();
                let t = i as u64 * 10_000_000;
                let value = ((1 << 40) + t + 50 - (i as u64 % 7)).wrapping_add_signed(offset);
                Bracketed { before: t, value, after: t + 100 }
            })
            .collect()
    }

    #[test]
    fn a_clock_is_cut_where_it_stepped_and_nowhere_else() {
        let slew: Vec<(usize, i64)> = (70..100).map(|at| (at, 5000)).collect();
        for (steps, lengths) in [
            (&[][..], &[100][..]),
            (&[(40, -10_000_000)], &[40, 60]),
            (&[(1, 1_000_000_000), (99, 500)], &[1, 98, 1]),
            (&slew, &[100]),
        ] {
            let found: Vec<usize> = pieces(&line(steps), EXACT).iter().map(Vec::len).collect();
            assert_eq!(found, lengths);
        }
    }

    /// One clock sleeps with the machine, and the other one goes on, for longer than the rest of the run.
    #[test]
    fn a_sleep_longer_than_the_run_is_cut_out() {
        let mut readings = line(&[]);
        for reading in &mut readings[30..] {
            (reading.before, reading.after) = (reading.before + 5_000_000_000, reading.after + 5_000_000_000);
        }
        let found: Vec<usize> = pieces(&readings, EXACT).iter().map(Vec::len).collect();
        assert_eq!(found, [30, 70]);
    }

    #[test]
    fn interrupted_readings_are_left_out() {
        let mut readings = line(&[]);
        readings[30].after += 2_000_000_000;
        assert_eq!(pieces(&readings, EXACT).iter().map(Vec::len).sum::<usize>(), 99);
    }
}
