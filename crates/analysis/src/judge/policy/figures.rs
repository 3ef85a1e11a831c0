//! A figure with its interval against a limit.

use super::asked::{Few, Limit};
use super::sheet::{Answer, Sheet};
use crate::record::{Decision, Interval};
use crate::text;

/// What a figure is of: how it is written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Unit {
    Ns,
    Ppm,
    Share,
}

impl Unit {
    fn text(self, value: f64) -> String {
        match self {
            _ if !value.is_finite() => "unknown".into(),
            Self::Ns => text::fine_time(value),
            Self::Ppm => format!("{} ppm", text::number(value)),
            Self::Share if value == 0.0 => "0 %".into(),
            Self::Share => text::percent(value),
        }
    }
}

/// A figure and its bounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Bounds {
    /// `None`: only the bounds are known.
    pub(super) value: Option<f64>,
    pub(super) low: f64,
    pub(super) high: f64,
}

impl Bounds {
    /// Of a figure that is known exactly.
    pub(super) fn exactly(value: f64) -> Self {
        Self { value: Some(value), low: value, high: value }
    }

    /// Of the size of a figure that may be negative.
    pub(super) fn size(Interval { value, low, high }: Interval) -> Self {
        let (a, b) = (low.abs(), high.abs());
        let least = if low <= 0.0 && high >= 0.0 { 0.0 } else { a.min(b) };
        Self { value: Some(value.abs()), low: least, high: a.max(b) }
    }

    /// Whether they are bounds: a record may hold anything.
    fn is_sound(&self) -> bool {
        let Self { value, low, high } = self;
        low.is_finite() && !high.is_nan() && low <= high && value.is_none_or(f64::is_finite)
    }
}

impl From<Interval> for Bounds {
    fn from(Interval { value, low, high }: Interval) -> Self {
        Self { value: Some(value), low, high }
    }
}

/// How they stand to the most that is allowed.
pub(super) fn against(bounds: Bounds, at_most: f64, unit: Unit) -> Answer {
    if !bounds.is_sound() {
        return Answer::unknown("the record's figure is no number, or its interval is none");
    }
    let Bounds { value, low, high } = bounds;
    let limit = unit.text(at_most);
    let (outcome, why) = match () {
        () if high <= at_most => (Decision::Met, "all of it within the limit".to_owned()),
        () if low > at_most => (Decision::Violated, "all of it beyond the limit".to_owned()),
        () if high.is_infinite() => (Decision::Undecided, "nothing bounds it above".to_owned()),
        () => (Decision::Undecided, format!("the interval straddles the limit of {limit}")),
    };
    let ends = || format!("{} to {}", unit.text(low), unit.text(high));
    let found = match value {
        Some(value) if low == high => unit.text(value),
        Some(value) => format!("{} ({})", unit.text(value), ends()),
        None if high.is_infinite() => format!("at least {}", unit.text(low)),
        None if low <= 0.0 => format!("at most {}", unit.text(high)),
        None => ends(),
    };
    Answer { outcome, found: Some(found), value, low: Some(low), high: Some(high).filter(|h| h.is_finite()), why }
}

impl Sheet {
    /// Asks whether a figure is within its limit, if the policy does. An absent figure comes with the reason.
    pub(super) fn limit(
        &mut self,
        name: &str,
        asked: Option<&Limit>,
        unit: Unit,
        figure: impl FnOnce() -> Result<Bounds, String>,
    ) {
        let Some(Limit { at_most, undecided }) = asked else { return };
        let answer = figure().map_or_else(Answer::unknown, |bounds| against(bounds, at_most.0, unit));
        self.put(name.into(), format!("at most {}", unit.text(at_most.0)), *undecided, answer);
    }

    /// Asks whether there are few enough, and whether enough was read to say so.
    pub(super) fn few(
        &mut self,
        name: &str,
        asked: Option<&Few>,
        counted: impl FnOnce() -> Result<(u64, u64), String>,
    ) {
        let Some(Few { at_most, reads_at_least, undecided }) = asked else { return };
        let answer = counted().map_or_else(Answer::unknown, |(count, reads)| {
            let (outcome, why) = match () {
                () if count > *at_most => (Decision::Violated, "more than allowed".to_owned()),
                () if reads < *reads_at_least => (Decision::Undecided, "too few reads that could be judged".to_owned()),
                () => (Decision::Met, "within the limit".to_owned()),
            };
            let found = Some(format!("{} in {}", text::grouped(count), text::count(reads, "read")));
            let value = Some(count as f64);
            Answer { outcome, found, value, low: value, high: value, why }
        });
        let limit = format!("at most {} in {} or more", text::grouped(*at_most), text::count(*reads_at_least, "read"));
        self.put(name.into(), limit, *undecided, answer);
    }
}
