//! Where a clock stepped, so that no slope is taken across a step.

use super::pair::Pair;
use crate::analyze::stats;
use crate::trace::Bracketed;

/// Brackets up to this many times the lower quartile's width count as tight. A read that took longer was made at
/// another place of its bracket, and reads grow shorter while a program warms up: that would look like a rate.
const TIGHT: f64 = 1.25;
/// Up to this share of the neighbours may disagree with the others for the disagreement to be steps. Where more do,
/// the rate itself changed.
const FEW: f64 = 0.1;
/// What a clock that is being slewed may be off the median rate, relative. Beyond that it was stepped.
const SLEW: f64 = 1000e-6;

/// The readings with tight brackets, cut wherever the clock moved by more, or less, than its rate, its `quantum` and
/// the brackets allow.
pub(super) fn segments(anchors: &[Bracketed], quantum: f64) -> Vec<Vec<Bracketed>> {
    let tight = tight(anchors);
    let pairs: Vec<Option<Pair>> = tight.windows(2).map(|w| Pair::of(w[0], w[1])).collect();
    let mut slopes: Vec<f64> = pairs.iter().flatten().map(Pair::slope).collect();
    stats::sort(&mut slopes);
    let Some((rate, (low, high))) = stats::median(&slopes).zip(stats::median_interval(&slopes)) else {
        return Vec::new();
    };
    let is_off = |pair: &Pair, slew: f64| {
        let bounds = rate.abs() * (pair.half_width + slew * pair.apart) + quantum + (high - low) * pair.apart;
        (pair.advance - rate * pair.apart).abs() > bounds
    };
    let off = |slew: f64| -> Vec<bool> {
        pairs.iter().map(|pair| pair.is_none_or(|pair| is_off(&pair, slew))).collect()
    };
    let mut cuts = off(0.0);
    let count = cuts.iter().filter(|cut| **cut).count();
    if count as f64 > f64::max(2.0, FEW * cuts.len() as f64) {
        cuts = off(SLEW);
    }
    let mut segments = vec![Vec::new()];
    for (index, anchor) in tight.into_iter().enumerate() {
        if index > 0 && cuts[index - 1] {
            segments.push(Vec::new());
        }
        if let Some(segment) = segments.last_mut() {
            segment.push(anchor);
        }
    }
    segments
}

/// The anchors whose brackets are tight; an interruption beside a reading makes its bracket wide.
fn tight(anchors: &[Bracketed]) -> Vec<Bracketed> {
    let mut widths: Vec<f64> = anchors.iter().map(|a| a.width() as f64).filter(|w| *w >= 0.0).collect();
    stats::sort(&mut widths);
    let Some(quartile) = widths.get(widths.len() / 4) else { return Vec::new() };
    let limit = (TIGHT * quartile).max(1.0);
    anchors.iter().copied().filter(|a| (0.0..=limit).contains(&(a.width() as f64))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(steps: &[(usize, i64)]) -> Vec<Bracketed> {
        let mut offset = 0_i64;
        (0..100_usize)
            .map(|i| {
                offset += steps.iter().filter(|(at, _)| *at == i).map(|(_, size)| size).sum::<i64>();
                let t = i as u64 * 10_000_000;
                Bracketed {
                    before: t,
                    value: ((1 << 40) + t + 50 - (i as u64 % 7)).wrapping_add_signed(offset),
                    after: t + 100,
                }
            })
            .collect()
    }

    #[test]
    fn a_clock_is_cut_where_it_stepped_and_nowhere_else() {
        let lengths = |steps: &[(usize, i64)]| -> Vec<usize> {
            segments(&line(steps), 1.0).iter().map(Vec::len).collect()
        };
        assert_eq!(lengths(&[]), [100]);
        assert_eq!(lengths(&[(40, -10_000_000)]), [40, 60]);
        assert_eq!(lengths(&[(1, 1_000_000_000), (99, 500)]), [1, 98, 1]);
    }

    #[test]
    fn interrupted_readings_are_left_out() {
        let mut anchors = line(&[]);
        anchors[30].after += 2_000_000_000;
        assert_eq!(segments(&anchors, 1.0).iter().map(Vec::len).sum::<usize>(), 99);
    }

    #[test]
    fn nothing_gives_nothing() {
        assert!(segments(&[], 1.0).is_empty());
        let wild = Bracketed { before: u64::MAX, value: 3, after: 0 };
        let _ = segments(&[wild; 5], 0.0);
    }
}
