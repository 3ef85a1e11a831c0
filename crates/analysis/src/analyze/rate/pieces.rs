//! Where a clock stepped, so that no slope is taken across a step.

use super::pair::{Pair, Quanta, at_share, reach, weighted};
use crate::analyze::stats;
use crate::trace::Bracketed;

/// Brackets up to this many times the lower quartile's width count as tight. A read that took longer was made at
/// another place of its bracket, and reads grow shorter while a program warms up: that would look like a rate.
const TIGHT: f64 = 1.25;
/// Parts of the time, of which half at least have to have tight readings.
const PARTS: f64 = 16.0;
/// Median deviations within which the noise of a clock that does not step stays. Six are four standard deviations of
/// normal noise, which one in 16 000 exceeds.
const NOISE: f64 = 6.0;
/// The longest gaps count alike, so many of them: the machine may have slept in one for longer than all others lasted, and
/// one of the clocks with it.
const ALIKE: usize = 8;
/// What a clock that is being slewed may be off its usual rate, relative: 500 ppm by the kernel's frequency
/// (`MAXFREQ`), and as much by adjtime(3) at a time (`MAX_TICKADJ`). Beyond that it was stepped.
const SLEW: f64 = 1000e-6;

/// Readings between which the clock did not step.
pub(super) struct Pieces {
    pub(super) readings: Vec<Vec<Bracketed>>,
    /// Whether their brackets are about equally wide, so that the reads stand at about the same place of each.
    pub(super) alike: bool,
}

/// The readings with tight brackets, cut wherever the clock moved by more, or less, than its rate, its noise, its
/// quantum and the brackets allow.
///
/// A slew has the same sign from one gap to the next, a step is alone.
pub(super) fn pieces(readings: &[Bracketed], quanta: Quanta) -> Pieces {
    let (tight, alike) = tight(readings, quanta.by);
    Pieces { readings: cut(&tight, quanta), alike }
}

fn cut(tight: &[Bracketed], quanta: Quanta) -> Vec<Vec<Bracketed>> {
    let gaps: Vec<Option<Pair>> = tight.windows(2).map(|w| Pair::of(w[0], w[1], quanta.by)).collect();
    let mut sorted = weighted(gaps.iter().flatten());
    let mut weights: Vec<f64> = sorted.iter().map(|(_, weight)| *weight).collect();
    stats::sort(&mut weights);
    let most = weights.get(weights.len().saturating_sub(ALIKE)).copied().unwrap_or(0.0);
    for (_, weight) in &mut sorted {
        *weight = weight.min(most);
    }
    let reach = reach(sorted.iter().map(|(_, weight)| *weight), (1.0, stats::Z95));
    let shares = [0.5, 0.5 - reach, 0.5 + reach].map(|share| at_share(&sorted, share));
    let [Some(rate), Some(low), Some(high)] = shares else { return Vec::new() };
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

/// The readings whose brackets are tight, and whether these are all about equally wide; an interruption beside a reading
/// makes its bracket wide.
///
/// Many reads in a row are the quickest, and so are those of a program that has warmed up: where half of the time would be
/// without readings, brackets are let in that are wider.
fn tight(readings: &[Bracketed], by: f64) -> (Vec<Bracketed>, bool) {
    let width = |a: &Bracketed| a.width() as f64;
    let whole: Vec<Bracketed> = readings.iter().copied().filter(|a| width(a) >= 0.0).collect();
    let Some(quartile) = lower_quartile(&whole) else { return (Vec::new(), true) };
    let alike = (TIGHT * quartile).max(quartile + by);
    let mut of_times: Vec<f64> = spans(&whole).into_iter().filter_map(lower_quartile).collect();
    stats::sort(&mut of_times);
    let half = stats::median(&of_times).unwrap_or(0.0);
    let limit = alike.max(half);
    (whole.into_iter().filter(|a| width(a) <= limit).collect(), limit <= alike)
}

fn lower_quartile(readings: &[Bracketed]) -> Option<f64> {
    let mut widths: Vec<f64> = readings.iter().map(|a| a.width() as f64).collect();
    stats::sort(&mut widths);
    widths.get(widths.len().div_ceil(4).min(widths.len().saturating_sub(1))).copied()
}

/// The readings of each of so many equal parts of the time.
fn spans(readings: &[Bracketed]) -> Vec<&[Bracketed]> {
    let Some((first, last)) = readings.first().zip(readings.last()) else { return Vec::new() };
    let since = |reading: &Bracketed| reading.before.wrapping_sub(first.before) as i64 as f64;
    let part = |reading: &Bracketed| (since(reading) / since(last) * PARTS) as u32;
    readings.chunk_by(|a, b| part(a) == part(b)).collect()
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
            let found: Vec<usize> = pieces(&line(steps), EXACT).readings.iter().map(Vec::len).collect();
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
        let found: Vec<usize> = pieces(&readings, EXACT).readings.iter().map(Vec::len).collect();
        assert_eq!(found, [30, 70]);
    }

    #[test]
    fn interrupted_readings_are_left_out() {
        let mut readings = line(&[]);
        readings[30].after += 2_000_000_000;
        assert_eq!(pieces(&readings, EXACT).readings.iter().map(Vec::len).sum::<usize>(), 99);
    }
    /// Reads grow quicker while a program warms up, and the quickest are many in a row: they alone span no time to speak of.
    #[test]
    fn the_quickest_reads_do_not_take_the_run_away() {
        let mut readings = line(&[]);
        for reading in &mut readings {
            reading.after += 150;
        }
        let last = readings[99];
        readings.extend((1..=400_u64).map(|i| {
            let before = last.before + i * 300;
            Bracketed { before, value: last.value + i * 300, after: before + 110 }
        }));
        let found = pieces(&readings, EXACT);
        assert_eq!((found.readings.iter().map(Vec::len).sum::<usize>(), found.alike), (500, false));
        assert!(pieces(&line(&[]), EXACT).alike);
    }
}
