//! The table: a row a clock and figure.

use std::collections::{BTreeMap, BTreeSet};

use super::chance::holm;
use super::figures::{FIGURES, faults_of, is_count, told};
use super::own::{self, Known};
use super::{ERROR_SHARE, Effect, LEAST_PPM, Least, Options, runs};
use crate::record::{Clock, Compared, ComparedBy, Figure, Interval, Outcome, Ratio, Told};

/// A clock that both sides have, as each of their records tells of it.
pub(super) struct Pair<'a> {
    pub(super) id: &'a str,
    pub(super) before: Vec<&'a Clock>,
    pub(super) after: Vec<&'a Clock>,
}

/// The clocks of two sides.
pub(super) struct Clocks<'a> {
    pub(super) both: Vec<Pair<'a>>,
    pub(super) only_before: Vec<String>,
    pub(super) only_after: Vec<String>,
}

/// The clocks to compare, in the order in which they come first.
pub(super) fn clocks<'a>(before: &[&'a [Clock]], after: &[&'a [Clock]], options: &Options) -> Clocks<'a> {
    let wanted: BTreeSet<&str> = options.clocks.iter().map(String::as_str).collect();
    let is_wanted = |clock: &Clock| {
        if wanted.is_empty() { options.forced || !clock.forced } else { wanted.contains(clock.id.as_str()) }
    };
    let mut order: Vec<&str> = Vec::new();
    let mut all: BTreeMap<&str, [Vec<&Clock>; 2]> = BTreeMap::new();
    for (side, records) in [before, after].into_iter().enumerate() {
        for record in records {
            let mut once = BTreeSet::new();
            for clock in record.iter().filter(|clock| is_wanted(clock)) {
                // Of a clock that stands there twice the first counts.
                if once.insert(clock.id.as_str()) {
                    let entry = all.entry(&clock.id).or_insert_with(|| {
                        order.push(&clock.id);
                        [Vec::new(), Vec::new()]
                    });
                    entry[side].push(clock);
                }
            }
        }
    }
    let mut clocks = Clocks { both: Vec::new(), only_before: Vec::new(), only_after: Vec::new() };
    for id in order {
        match all.remove(id) {
            Some([before, after]) if !before.is_empty() && !after.is_empty() => {
                clocks.both.push(Pair { id, before, after });
            }
            Some([before, _]) if !before.is_empty() => clocks.only_before.push(id.to_owned()),
            Some(_) => clocks.only_after.push(id.to_owned()),
            None => {}
        }
    }
    clocks
}

/// The clocks without any fault.
pub(super) fn faultless(clocks: &[Pair<'_>]) -> Vec<String> {
    let is_faultless = |pair: &&Pair| {
        let mut all = pair.before.iter().chain(&pair.after);
        all.all(|clock| FIGURES.iter().all(|figure| faults_of(clock, *figure) == 0))
    };
    clocks.iter().filter(is_faultless).map(|pair| pair.id.to_owned()).collect()
}

/// The rows, each with what is to be made of it among the others.
pub(super) fn rows(clocks: &[Pair<'_>], by: ComparedBy, least: Least, different: bool) -> Vec<Compared> {
    let of = |pair| FIGURES.iter().filter_map(move |figure| row(pair, *figure, by, least));
    let mut rows: Vec<Compared> = clocks.iter().flat_map(of).collect();
    let tested: Vec<usize> = (0..rows.len()).filter(|at| rows[*at].p.is_some()).collect();
    let p: Vec<f64> = tested.iter().filter_map(|at| rows[*at].p).collect();
    for (at, p) in tested.into_iter().zip(holm(&p)) {
        rows[at].p_holm = Some(p);
        if p <= ERROR_SHARE {
            rows[at].result = Outcome::Changed;
        }
    }
    for row in &mut rows {
        let has_sense = row.result == Outcome::Changed && row.figure != Figure::Rate && !different;
        row.worse = row.worse.filter(|_| has_sense);
    }
    rows
}

/// A figure on both sides, without regard to the other rows; `None` where neither has it, or no fault.
fn row(pair: &Pair<'_>, figure: Figure, by: ComparedBy, least: Least) -> Option<Compared> {
    let of =
        |clocks: &[&Clock]| -> Vec<Result<Told, String>> { clocks.iter().map(|clock| told(clock, figure)).collect() };
    let [before, after] = [of(&pair.before), of(&pair.after)];
    let known =
        |side: &[Result<Told, String>]| side.iter().filter_map(|told| told.as_ref().ok().copied()).collect::<Vec<_>>();
    let [first, second] = [known(&before), known(&after)];
    if (first.is_empty() && second.is_empty())
        || (is_count(figure) && first.iter().chain(&second).all(|told| told.value == Some(0.0)))
    {
        return None;
    }
    let mut row = Compared {
        clock: pair.id.to_owned(),
        figure,
        before: joined(&first, figure),
        after: joined(&second, figure),
        ratio: None,
        difference_ppm: None,
        p: None,
        p_holm: None,
        result: Outcome::Undecided,
        worse: None,
        missing: None,
    };
    let reason = |side: &[Result<Told, String>]| side.iter().find_map(|told| told.as_ref().err().cloned());
    if let Some(why) =
        [(&first, &before, "before"), (&second, &after, "after")].into_iter().find_map(|(known, all, when)| {
            known.is_empty().then(|| format!("none {when}: {}", reason(all).unwrap_or_default()))
        })
    {
        row.missing = Some(why);
    } else if figure == Figure::Rate && against(&pair.before) != against(&pair.after) {
        row.missing = Some("the rates are by different references".into());
    } else if is_count(figure) && pair.before.iter().chain(&pair.after).any(|clock| is_of_several_runs(clock)) {
        row.missing =
            Some("a record of --runs has the faults of the run with the most, which no other compares with".into());
    } else if is_count(figure) {
        match faulty(&first, &second, by, least) {
            Some(effect) => take(&mut row, effect, least.log),
            None => row.missing = Some("no reads on a side".into()),
        }
    } else {
        measured(&mut row, &first, &second, by, least);
    }
    Some(row)
}

/// Whether the record is made of several runs, as by `--runs`.
fn is_of_several_runs(clock: &Clock) -> bool {
    clock.cost_ns.and_then(|cost| cost.runs).is_some_and(|spread| spread.runs > 1)
}

fn against<'a>(clocks: &[&'a Clock]) -> BTreeSet<&'a str> {
    clocks.iter().filter_map(|clock| clock.rate.as_ref()).map(|rate| rate.against.as_str()).collect()
}

/// A side's figure: the only one, or the median of several.
fn joined(told: &[Told], figure: Figure) -> Told {
    if let [one] = told {
        return *one;
    }
    let runs = told.len() as u64;
    let mut values: Vec<f64> = told.iter().filter_map(|told| told.value).collect();
    values.sort_unstable_by(f64::total_cmp);
    if is_count(figure) {
        let reads = told.iter().filter_map(|told| told.reads).fold(0, u64::saturating_add);
        return Told { value: Some(values.iter().sum()), reads: Some(reads), runs, ..Told::default() };
    }
    Told { value: median(&values), low: values.first().copied(), high: values.last().copied(), reads: None, runs }
}

fn median(sorted: &[f64]) -> Option<f64> {
    let upper = *sorted.get(sorted.len() / 2)?;
    Some(if sorted.len() % 2 == 1 { upper } else { f64::midpoint(sorted[sorted.len() / 2 - 1], upper) })
}

fn faulty(before: &[Told], after: &[Told], by: ComparedBy, least: Least) -> Option<Effect> {
    let counts = |side: &[Told]| -> Vec<(u64, u64)> {
        side.iter().filter_map(|told| Some((told.value? as u64, told.reads?))).collect()
    };
    let [before, after] = [counts(before), counts(after)];
    match by {
        ComparedBy::OwnIntervals => own::counts(*before.first()?, *after.first()?, least),
        ComparedBy::Runs => runs::faults(&before, &after, least),
    }
}

/// Compares what has intervals.
fn measured(row: &mut Compared, before: &[Told], after: &[Told], by: ComparedBy, least: Least) {
    let is_rate = row.figure == Figure::Rate;
    let least = if is_rate { LEAST_PPM } else { least.log };
    let scaled = |value: f64| if is_rate { value } else { libm::log(value) };
    let is_exact = before.iter().chain(after).all(|told| told.value.is_some() && told.low == told.high);
    if by == ComparedBy::Runs && !is_exact {
        // A limit has no rank among figures: leaving it out would leave out just the runs that are lower.
        let limits = before.iter().chain(after).filter(|told| told.value.is_none()).count();
        if limits > 0 {
            row.missing = Some(format!("only a limit is known in {limits} of {} runs", before.len() + after.len()));
            return;
        }
        let values = |side: &[Told]| -> Vec<f64> { side.iter().filter_map(|told| told.value).map(scaled).collect() };
        match runs::shift(&values(before), &values(after), least) {
            Some(effect) => take(row, effect, least),
            None => row.missing = Some("no run is known on a side".into()),
        }
        return;
    }
    let known =
        |told: &Told| Some(Known { value: scaled(told.value?), low: scaled(told.low?), high: scaled(told.high?) });
    match (known(&row.before), known(&row.after)) {
        (Some(before), Some(after)) if is_exact => {
            let value = after.value - before.value;
            take(row, Effect { value, low: value, high: value, p: None }, least);
            if value.abs() > least {
                row.result = Outcome::Changed;
            }
            row.missing = Some("exact on both sides".into());
        }
        (Some(before), Some(after)) => take(row, own::difference(before, after, least), least),
        _ => limits(row, least),
    }
}

/// Where a side is a limit, bounds decide or nothing does.
fn limits(row: &mut Compared, least: f64) {
    let ends = |told: &Told| (told.low.unwrap_or(0.0), told.high.unwrap_or(f64::INFINITY));
    let ((low1, high1), (low2, high2)) = (ends(&row.before), ends(&row.after));
    let (low, high) = (libm::log(low2 / high1), libm::log(high2 / low1));
    take(row, Effect { value: f64::NAN, low, high, p: None }, least);
    row.missing = Some("a side is an upper limit".into());
    if low > least || high < -least {
        row.result = Outcome::Changed;
    }
}

/// Puts a difference into its row; what the other rows make of it comes later.
fn take(row: &mut Compared, effect: Effect, least: f64) {
    let Effect { value, low, high, p } = effect;
    row.p = p;
    // By the effect itself: a ratio to 0 has no number.
    row.worse = Some(if value.is_nan() { low > 0.0 } else { value > 0.0 });
    if low >= -least && high <= least {
        row.result = Outcome::Same;
    }
    let finite = |value: f64| Some(value).filter(|value| value.is_finite());
    if row.figure == Figure::Rate {
        row.difference_ppm = finite(low).zip(finite(high)).map(|(low, high)| Interval { value, low, high });
        return;
    }
    let low = if low.is_nan() { 0.0 } else { libm::exp(low).min(f64::MAX) };
    row.ratio = Some(Ratio { value: finite(libm::exp(value)), low, high: finite(libm::exp(high)) });
}
