//! The whole kHz that the kernel takes the time-stamp counter to have. Its clocks run on a factor made of them, so that its raw
//! clock, measured well enough, or the factor itself gives them back.

use crate::record::Interval;

/// Seconds that the kernel wants to convert without overflow, at most (`__clocksource_update_freq_scale`).
const LONGEST_S: u64 = 600;
/// Most candidates that are tried.
const MOST: u64 = 10_000;

/// Multiplier and shift that the kernel's raw clock turns a counter of so many kHz into nanoseconds by
/// (kernel/time/clocksource.c, `clocks_calc_mult_shift`).
fn factor(khz: u64) -> Option<(u64, u32)> {
    if khz == 0 {
        return None;
    }
    let mut room = (LONGEST_S * 1000 * khz) >> 32;
    let mut bits = 32;
    while room > 0 {
        room >>= 1;
        bits -= 1;
    }
    (1..=32).rev().find_map(|shift| {
        let multiplier = ((1_000_000u64 << shift) + khz / 2) / khz;
        (multiplier >> bits == 0).then_some((multiplier, shift))
    })
}

/// The frequency, Hz, at which the kernel's raw clock runs true if it takes the counter for one of so many kHz: that, but for
/// the rounding of its multiplier.
pub(super) fn raw_hz(khz: u64) -> Option<f64> {
    let (multiplier, shift) = factor(khz)?;
    Some(1e9 * (1u64 << shift) as f64 / multiplier as f64)
}

/// The whole kHz whose raw clock runs at a frequency within the interval, Hz; `None` where there are none, or the interval is
/// too wide to tell anything.
pub(super) fn by_raw(hz: Interval) -> Option<Interval> {
    // The multiplier's rounding moves it by up to half of 1 / 2^22, which is 0.12 ppm.
    let margin = hz.value * 2e-7 + 1e3;
    let [low, high] = [(hz.low - margin) / 1e3, (hz.high + margin) / 1e3];
    if !(low > 1e3 && high < 1e8 && high - low < MOST as f64) {
        return None;
    }
    let is_possible = |khz: &u64| raw_hz(*khz).is_some_and(|raw| (hz.low..=hz.high).contains(&raw));
    let possible: Vec<u64> = (low as u64..=high as u64 + 1).filter(is_possible).collect();
    let (first, last) = (*possible.first()?, *possible.last()?);
    let off = |khz: &&u64| (raw_hz(**khz).unwrap_or(0.0) - hz.value).abs();
    let nearest = possible.iter().min_by(|a, b| off(a).total_cmp(&off(b)))?;
    Some(Interval { value: *nearest as f64, low: first as f64, high: last as f64 })
}

/// The whole kHz that a frequency is, if it is one within its step, Hz.
pub(super) fn whole(hz: f64, step_hz: f64) -> Option<f64> {
    let khz = (hz / 1e3).round();
    ((hz - khz * 1e3).abs() <= step_hz.max(1e-3) && step_hz <= 1e3).then_some(khz)
}
