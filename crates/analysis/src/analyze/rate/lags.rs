//! The rate over whatever time there was so far, for the witness's bounds.

use super::pair::Pair;
use crate::analyze::stats;
use crate::record::Interval;
use crate::trace::Bracketed;

/// Clock counts a witness count, with an interval; `None` without two anchors apart.
///
/// Theil–Sen: the median of the slopes between pairs of anchors (Sen 1968), here of all pairs that lie a given
/// number of anchors apart, for lags of 1, 2, 4 …. Long lags are precise; short ones stay right when the clock
/// steps between anchors, for a step spoils every pair that spans it. So the lag grows for as long as what it
/// gives agrees with the shorter ones, and a slope that the brackets can't explain at the rate of the shorter lags
/// is left out. The interval is the median's distribution-free one for slopes that share anchors, widened by the
/// brackets and by `quantum`, the clock's own, in its counts: readings closer together than that say nothing.
pub fn rate(anchors: &[Bracketed], quantum: f64) -> Option<Interval> {
    let mut best = at_lag(anchors, 1, quantum, None)?;
    let mut lag = 2;
    while lag * LEAST_STRETCHES <= anchors.len() {
        let Some(longer) = at_lag(anchors, lag, quantum, Some(best)) else { break };
        if longer.low > best.high || longer.high < best.low {
            break;
        }
        if longer.high - longer.low < best.high - best.low {
            best = longer;
        }
        lag *= 2;
    }
    Some(best)
}

/// Stretches of the longest lag that the anchors are long, at least: fewer say nothing of how the rate wanders.
const LEAST_STRETCHES: usize = 8;

fn at_lag(anchors: &[Bracketed], lag: usize, quantum: f64, known: Option<Interval>) -> Option<Interval> {
    let mut slopes = Vec::with_capacity(anchors.len());
    let mut bounds = Vec::with_capacity(anchors.len());
    let mut grains = Vec::with_capacity(anchors.len());
    let mut spoiled = 0;
    for (a, b) in anchors.iter().zip(anchors.get(lag..)?) {
        if let Some(pair) = Pair::of(*a, *b) {
            let (slope, bound, grain) = (pair.slope(), pair.half_width / pair.apart, quantum / pair.apart);
            let explained = |known: Interval| {
                let reach = bound * known.value.abs() + grain;
                slope >= known.low - reach && slope <= known.high + reach
            };
            if known.is_none_or(explained) {
                slopes.push(slope);
                bounds.push(bound);
                grains.push(grain);
            } else {
                spoiled += 1;
            }
        }
    }
    if spoiled > slopes.len() {
        return None;
    }
    stats::sort(&mut bounds);
    stats::sort(&mut grains);
    let (value, low, high) = stats::median_in_time(&slopes)?;
    // Where a few slopes vary less than their brackets allow, the brackets are the honest width.
    let least =
        stats::median(&bounds)? * value.abs() / (slopes.len() as f64).sqrt() + stats::median(&grains)?;
    Some(Interval { value, low: low.min(value - least), high: high.max(value + least) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn anchors(rate: f64, step_every: usize, step: u64) -> Vec<Bracketed> {
        let mut stepped = 0;
        (0..60_u64)
            .map(|i| {
                let t = i * 3_000_000;
                if step_every > 0 && i as usize % step_every == step_every - 1 {
                    stepped += step;
                }
                let late = (i.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) % 40;
                Bracketed { before: t, value: ((t + late) as f64 * rate) as u64 + stepped, after: t + 50 }
            })
            .collect()
    }

    #[test]
    fn a_line_is_found() {
        let r = rate(&anchors(0.385_186, 0, 0), 0.0).unwrap();
        assert!((r.value / 0.385_186 - 1.0).abs() < 1e-6, "{r:?}");
        assert!(r.low <= 0.385_186 && 0.385_186 <= r.high, "{r:?}");
    }

    #[test]
    fn steps_between_a_third_of_the_anchors_do_not_spoil_it() {
        let r = rate(&anchors(1.0, 3, 2_000_000), 0.0).unwrap();
        assert!((r.value - 1.0).abs() < 1e-4, "{r:?}");
    }

    #[test]
    fn a_clock_coarser_than_the_anchors_gives_no_false_rate() {
        let mut coarse = anchors(1.0, 0, 0);
        for anchor in &mut coarse {
            anchor.value = anchor.value / 10_000_000 * 10_000_000;
        }
        let r = rate(&coarse, 1e7).unwrap();
        assert!(r.low <= 1.0 && 1.0 <= r.high, "{r:?}");
    }

    #[test]
    fn too_little_gives_nothing() {
        assert_eq!(rate(&[], 0.0), None);
        let same = Bracketed { before: 1, value: 1, after: 1 };
        assert_eq!(rate(&[same, same], 0.0), None);
        let wild = Bracketed { before: u64::MAX, value: 0, after: 0 };
        let _ = rate(&[wild, same, wild], 1.0);
    }
}
