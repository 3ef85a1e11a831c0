//! What the plots are drawn of: as much of a record's series as a screen can show.

use std::collections::BTreeMap;

use clockscope_analysis::analyze::skew::is_apart;
use clockscope_analysis::analyze::stability::Stability;
use clockscope_analysis::record::{Clock, ClockSeries, CostBuckets, Event, OffsetCourse, Record, Skew};
use serde::Serialize;

/// Points of a curve, at most.
const MOST_POINTS: usize = 200;
/// Clocks that can be chosen, at most, beside those of the verdict: a browser takes seconds for a list of 100,000.
const MOST_CLOCKS: usize = 1000;
/// Events of a clock, at most: the largest.
const MOST_EVENTS: usize = 150;
/// An Allan deviation wants a run of so long, s, and so many readings.
const LONG_S: f64 = 10.0;
const MANY: usize = 64;

/// What is drawn of one record.
#[derive(Debug, Serialize)]
pub(super) struct Plots {
    /// The clocks that the verdict names: what is drawn first.
    chosen: Vec<String>,
    reference: String,
    wall_s: f64,
    clocks: Vec<ClockPlots>,
    /// Clocks of the record that are not among them.
    clocks_left_out: usize,
    skew: Vec<Matrix>,
}

#[derive(Debug, Default, Serialize)]
struct ClockPlots {
    id: String,
    quantum_ns: Option<f64>,
    /// Shares of the reads and what none of them costs more than, ns.
    cost: [Vec<f64>; 2],
    /// Differences, ns, and how often.
    differences: [Vec<f64>; 2],
    /// s since the first; no less than, no more than, ns.
    offset: [Vec<f64>; 3],
    rate_ppm: Option<f64>,
    events: Events,
    /// Length; 95 of 100 errors, ns.
    span: [Vec<f64>; 2],
    /// τ, s; deviation and its interval.
    adev: [Vec<f64>; 4],
    missing: BTreeMap<String, String>,
}

/// When, s; size, ns; kind and cause by their places in the lists.
#[derive(Debug, Default, Serialize)]
struct Events {
    at_s: Vec<f64>,
    size_ns: Vec<f64>,
    what: Vec<usize>,
    names: Vec<String>,
    left_out: u64,
}

/// Pairs by the places of their CPUs: no less than, no more than, ns; whether they disagree.
#[derive(Debug, Serialize)]
struct Matrix {
    clock: String,
    cpus: Vec<u32>,
    a: Vec<usize>,
    b: Vec<usize>,
    low_ns: Vec<Option<f64>>,
    high_ns: Vec<Option<f64>>,
    apart: Vec<u8>,
}

/// What is drawn of a record.
pub(super) fn plots(record: &Record) -> Plots {
    let series: BTreeMap<&str, &ClockSeries> = record.series.iter().map(|it| (it.clock.as_str(), it)).collect();
    let verdict = &record.verdict;
    let mut chosen: Vec<String> =
        [&verdict.intervals, &verdict.wall, &verdict.cheap].into_iter().flatten().cloned().collect();
    chosen.dedup();
    let shown = record.clocks.iter().enumerate().filter(|(at, clock)| *at < MOST_CLOCKS || chosen.contains(&clock.id));
    let clocks: Vec<ClockPlots> =
        shown.map(|(_, clock)| of_clock(clock, series.get(clock.id.as_str()).copied())).collect();
    let clocks_left_out = record.clocks.len() - clocks.len();
    let (reference, wall_s) = (record.run.reference.clone(), record.run.wall_s);
    Plots { chosen, reference, wall_s, clocks, clocks_left_out, skew: record.skew.iter().map(matrix).collect() }
}

fn of_clock(clock: &Clock, series: Option<&ClockSeries>) -> ClockPlots {
    let mut found = ClockPlots {
        id: clock.id.clone(),
        quantum_ns: clock.tick_ns.quantum,
        rate_ppm: clock.rate.as_ref().map(|rate| rate.ppm),
        events: events(&clock.events, clock.events_omitted),
        ..ClockPlots::default()
    };
    let Some(series) = series else { return found };
    found.missing.clone_from(&series.missing);
    found.cost = percentiles(&series.cost);
    let differences = &series.differences;
    let mut seen: Vec<(i64, u64)> = differences.counts.iter().copied().zip(differences.times.iter().copied()).collect();
    // The rare ones are lost before the frequent ones.
    seen.sort_by_key(|(_, times)| std::cmp::Reverse(*times));
    seen.truncate(MOST_POINTS);
    seen.sort_unstable();
    found.differences = [
        seen.iter().map(|it| four(it.0 as f64 * differences.count_ns)).collect(),
        seen.iter().map(|it| it.1 as f64).collect(),
    ];
    let offset = &series.offset;
    let every = offset.at_ns.len().div_ceil(MOST_POINTS).max(1);
    let thinned = |values: &[f64], scale: f64| values.iter().step_by(every).map(|value| value * scale).collect();
    found.offset = [thinned(&offset.at_ns, 1e-9), thinned(&offset.low_ns, 1.0), thinned(&offset.high_ns, 1.0)];
    // Reads that overlap have a length below 0 between them, which a logarithmic axis has no place for.
    // Nor has an error of 0.
    let span = || series.span.iter().filter(|point| point.length_ns > 0.0 && point.p95_subtracted_ns > 0.0);
    found.span = [
        span().map(|point| four(point.length_ns)).collect(),
        span().map(|point| four(point.p95_subtracted_ns)).collect(),
    ];
    match deviation(offset) {
        Ok(adev) => found.adev = adev,
        Err(why) => drop(found.missing.insert("adev".into(), why)),
    }
    found
}

/// Shares and costs: a step up for each bucket, thinned where they are many, the last one kept.
fn percentiles(cost: &CostBuckets) -> [Vec<f64>; 2] {
    let all: u64 = cost.reads.iter().sum();
    let mut below = 0;
    let steps: Vec<(f64, f64)> = cost
        .high_ns
        .iter()
        .zip(&cost.reads)
        .map(|(high, reads)| {
            below += reads;
            // The share of the last one lies before 1, which a logarithmic tail has no place for.
            (below as f64 / (all + 1) as f64, four(*high))
        })
        .collect();
    let every = steps.len().div_ceil(MOST_POINTS).max(1);
    // From the end on, where the tail is.
    let mut kept: Vec<(f64, f64)> = steps.iter().rev().step_by(every).copied().collect();
    kept.reverse();
    // A read that cost no more than what is subtracted has no place on a logarithmic axis.
    kept.into_iter().filter(|step| step.1 > 0.0).unzip::<f64, f64, Vec<f64>, Vec<f64>>().into()
}

fn events(all: &[Event], omitted: u64) -> Events {
    let mut largest: Vec<&Event> = all.iter().collect();
    largest.sort_by(|a, b| b.size_ns.total_cmp(&a.size_ns));
    let left_out = omitted + largest.len().saturating_sub(MOST_EVENTS) as u64;
    largest.truncate(MOST_EVENTS);
    largest.sort_by(|a, b| a.at_ns.total_cmp(&b.at_ns));
    let mut found = Events { left_out, ..Events::default() };
    for event in largest {
        let name = format!("{}: {}", crate::render::word(event.kind), event.cause);
        let place = found.names.iter().position(|known| *known == name).unwrap_or_else(|| {
            found.names.push(name);
            found.names.len() - 1
        });
        found.at_s.push((event.at_ns / 1e3).round() / 1e6);
        found.size_ns.push(four(event.size_ns));
        found.what.push(place);
    }
    found
}

fn matrix(skew: &Skew) -> Matrix {
    let place: BTreeMap<u32, usize> = skew.cpus.iter().enumerate().map(|(place, cpu)| (*cpu, place)).collect();
    let mut found = Matrix {
        clock: skew.clock.clone(),
        cpus: skew.cpus.clone(),
        a: Vec::new(),
        b: Vec::new(),
        low_ns: Vec::new(),
        high_ns: Vec::new(),
        apart: Vec::new(),
    };
    for pair in &skew.pairs {
        let (Some(a), Some(b)) = (place.get(&pair.cpu_a), place.get(&pair.cpu_b)) else { continue };
        found.a.push(*a);
        found.b.push(*b);
        found.low_ns.push(pair.joint_low_ns.or(pair.low_ns).map(four));
        found.high_ns.push(pair.joint_high_ns.or(pair.high_ns).map(four));
        found.apart.push(u8::from(is_apart(pair)));
    }
    found
}

/// The Allan deviation of the offset, or why there is none.
fn deviation(offset: &OffsetCourse) -> Result<[Vec<f64>; 4], String> {
    if offset.low_ns.len() != offset.at_ns.len() || offset.high_ns.len() != offset.at_ns.len() {
        return Err("the record's series of the offset has columns of different lengths".into());
    }
    let long = offset.at_ns.last().copied().unwrap_or(0.0) / 1e9;
    if long < LONG_S || offset.at_ns.len() < MANY {
        return Err(format!("the run is too short for it: {long:.1} s; --time 60s would do"));
    }
    let step = long * 1e9 / (offset.at_ns.len() - 1) as f64;
    let mut stability = Stability::new(step);
    let middle = |i: usize| f64::midpoint(offset.low_ns[i], offset.high_ns[i]);
    let mut i = 1;
    for place in 0..offset.at_ns.len() {
        // Readings do not come evenly; between two of them the offset is taken to go straight.
        let at = place as f64 * step;
        while i + 1 < offset.at_ns.len() && offset.at_ns[i] < at {
            i += 1;
        }
        let (from, to) = (offset.at_ns[i - 1], offset.at_ns[i]);
        let part = if to > from { (at - from) / (to - from) } else { 0.0 };
        stability.push(middle(i - 1) + part.clamp(0.0, 1.0) * (middle(i) - middle(i - 1)));
    }
    let mut found: [Vec<f64>; 4] = Default::default();
    for point in stability.table() {
        let Some(adev) = point.adev else { continue };
        for (to, value) in
            found.iter_mut().zip([point.tau_s, adev.value, adev.low.unwrap_or(0.0), adev.high.unwrap_or(0.0)])
        {
            to.push(four(value));
        }
    }
    Ok(found)
}

/// To four digits: a plot has no room for more.
fn four(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return 0.0;
    }
    let scale = 10f64.powi(3 - value.abs().log10().floor() as i32);
    (value * scale).round() / scale
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_digits_are_kept() {
        assert_eq!([12_345.678, -0.012_345_6, 0.0, 9999.6].map(four), [12_350.0, -0.01235, 0.0, 10_000.0]);
        assert_eq!([f64::NAN, f64::INFINITY].map(four), [0.0; 2]);
    }

    #[test]
    fn of_very_many_clocks_the_first_and_those_of_the_verdict_are_drawn() {
        let mut record: Record = serde_json::from_str(include_str!("../../../tests/fixtures/record.json")).unwrap();
        let one = record.clocks[0].clone();
        record.clocks = (0..2000).map(|i| Clock { id: format!("c{i}"), ..one.clone() }).collect();
        (record.verdict.wall, record.verdict.cheap) = (None, None);
        record.verdict.intervals = Some("c1999".into());
        let plots = plots(&record);
        assert_eq!((plots.clocks.len(), plots.clocks_left_out), (MOST_CLOCKS + 1, 999));
        assert_eq!(plots.clocks[MOST_CLOCKS].id, "c1999");
    }

    #[test]
    fn shares_rise_to_just_below_one_and_the_tail_is_kept() {
        let n = 1000;
        let cost = CostBuckets {
            low_ns: (0..n).map(f64::from).collect(),
            high_ns: (0..n).map(|i| f64::from(i) + 1.0).collect(),
            reads: vec![2; n as usize],
        };
        let [shares, ns] = percentiles(&cost);
        assert_eq!((shares.len(), ns.len()), (MOST_POINTS, MOST_POINTS));
        assert!(shares.is_sorted() && ns.is_sorted() && shares.iter().all(|share| *share < 1.0));
        assert_eq!((ns.last(), *shares.last().unwrap()), (Some(&1000.0), 2000.0 / 2001.0));
        assert_eq!(percentiles(&CostBuckets::default()), [Vec::<f64>::new(), Vec::new()]);
        let zero = CostBuckets { low_ns: vec![0.0, 8.0], high_ns: vec![0.0, 9.0], reads: vec![1, 8] };
        assert_eq!(percentiles(&zero), [vec![0.9], vec![9.0]]);
    }

    #[test]
    fn a_rate_of_one_second_in_a_million_noise_free_has_no_allan_deviation_to_speak_of() {
        let at_ns: Vec<f64> = (0..400).map(|i| f64::from(i) * 1e8 + f64::from(i % 7) * 1e6).collect();
        let low_ns: Vec<f64> = at_ns.iter().map(|at| at * 1e-6 - 20.0).collect();
        let high_ns = at_ns.iter().map(|at| at * 1e-6 + 20.0).collect();
        let [tau, adev, ..] = deviation(&OffsetCourse { at_ns, low_ns, high_ns }).unwrap();
        assert!(tau.len() > 5 && adev.iter().all(|adev| *adev < 1e-12), "{adev:?}");
        let torn = OffsetCourse { at_ns: vec![1e12; 500], ..OffsetCourse::default() };
        assert!(deviation(&torn).unwrap_err().contains("different lengths"));
        assert!(deviation(&OffsetCourse::default()).unwrap_err().contains("--time 60s"));
    }
}
