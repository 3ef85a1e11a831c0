//! Which of the system's clocks lies beneath another one: its readings beside the values that system calls told the program
//! that made them.
//!
//! * `printed` takes the readings from what a probe wrote.
//! * `scale` says how closely readings can agree with what was told.
//! * `pairing` pairs readings with values, each with one of its own.
//! * `counted` compares how often calls are made in two runs, where values tell nothing.
//! * `placed` goes by where readings lie, where no call could be watched.
//!
//! A reading that is a value that a call told, with as many values as readings, comes from that call. Readings that have the
//! differences of such values alone come from it as well: their clock counts from an origin of its own. Labels are taken in
//! turn, the finest first, and a value that was one label's reading is no other's: that tells calls apart whose values are
//! alike, where seconds or milliseconds are read.

mod counted;
mod pairing;
mod place;
mod printed;
mod scale;
#[cfg(test)]
mod tests;

use crate::record::{Beneath, By};
use crate::text;
use crate::text::date;
use crate::trace::Told;
pub use counted::counted;
use pairing::{Pairs, Values};
pub use place::{Sampled, Shown, placed};
pub use printed::printed;
use scale::Scale;

/// What a program printed of one clock.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Readings {
    /// The clock's name.
    pub label: String,
    /// Nanoseconds a unit of the values; 0 where that is not known.
    pub unit_ns: f64,
    /// The values, as they came.
    pub values: Vec<Value>,
}

/// A decimal number: `digits` / 10^`decimals`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Value {
    /// All its digits.
    pub digits: i128,
    /// How many of them are behind the point.
    pub decimals: u32,
}

/// How readings are compared with values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Way {
    Value,
    Difference,
}

/// Share of the readings that must agree, in tenths: something else may have been read in between.
const ENOUGH: usize = 9;
/// Fewest distinct readings whose differences tell anything.
const DISTINCT: usize = 3;
const DAY_NS: i128 = 86_400_000_000_000;

/// Finds the system's clock beneath each label, in the labels' order. Some milliseconds for hundreds of readings and
/// thousands of values.
pub fn beneath(readings: &[Readings], told: &[Told]) -> Vec<Beneath> {
    let scales: Vec<Scale> = readings.iter().map(Scale::new).collect();
    let mut left: Vec<Values> = told.iter().map(|told| Values::new(&told.ns)).collect();
    let mut found: Vec<Option<Beneath>> = vec![None; readings.len()];
    // What is compared to the nanosecond leaves no doubt, by differences either.
    let mut order: Vec<(i128, Way, usize)> = Vec::new();
    for (at, scale) in scales.iter().enumerate() {
        order.extend([Way::Value, Way::Difference].map(|by| (scale.within_ns, by, at)));
    }
    order.sort_unstable();
    for (_, by, at) in order {
        if found[at].is_none() {
            found[at] = search(&scales[at], readings[at].values.len(), by, told, &mut left);
        }
    }
    let none = |at: usize| nothing(&readings[at], &scales[at], told, &left);
    found.into_iter().enumerate().map(|(at, found)| found.unwrap_or_else(|| none(at))).collect()
}

/// A call that told what a label read.
struct Match {
    of: usize,
    pairs: Pairs,
    within_ns: i128,
}

/// The call that told a label's readings, if there is one, or word that several may have; its values are no other label's.
fn search(scale: &Scale, count: usize, by: Way, told: &[Told], left: &mut [Values]) -> Option<Beneath> {
    let enough = (count * ENOUGH).div_ceil(10).max(1);
    if by == Way::Difference && scale.distinct < DISTINCT {
        return None;
    }
    let tried = |within_ns| {
        let pairs = |(of, values): (usize, &Values)| match by {
            Way::Value => {
                let days = is_wall(&told[of].clock).then(|| days_between(scale, values)).flatten();
                let offsets = [Some(0), days.map(|days| days * DAY_NS)].into_iter().flatten();
                offsets
                    .filter_map(|offset| values.pairs(scale, offset, within_ns, enough))
                    .max_by_key(|pairs| pairs.count)
            }
            .map(|pairs| Match { of, pairs, within_ns }),
            Way::Difference => values.shifted(scale, within_ns, enough).map(|pairs| Match { of, pairs, within_ns }),
        };
        left.iter().enumerate().filter_map(pairs).collect::<Vec<_>>()
    };
    let mut matches = scale.tolerances_ns().map(tried).find(|matches| !matches.is_empty())?;
    let most = matches.iter().map(|found| found.pairs.count).max()?;
    matches.retain(|found| found.pairs.count == most);
    if matches.len() > 1 {
        // The right one leaves no more room than a tick.
        let closely = |found: &Match| left[found.of].is_close(scale, found.pairs.offset, found.within_ns, enough);
        let close: Vec<usize> = matches.iter().filter(|found| closely(found)).map(|found| found.of).collect();
        if close.len() == 1 {
            matches.retain(|found| close.contains(&found.of));
        }
    }
    // Fields of one call may be alike, as where all of a time was the system's; the first is their sum.
    matches.dedup_by_key(|found| &told[found.of].clock);
    if let [_, _, ..] = matches[..] {
        let calls: Vec<&str> = matches.iter().map(|found| told[found.of].call.as_str()).collect();
        return Some(Beneath {
            matched: most as u64,
            of: count as u64,
            evidence: format!("{} told values that agree with its readings equally well", text::list(&calls)),
            ..Beneath::default()
        });
    }
    let found = matches.pop()?;
    left[found.of].take(&found.pairs);
    let told = &told[found.of];
    Some(Beneath {
        clock: Some(told.clock.clone()),
        call: Some(told.call.clone()),
        by: Some(match by {
            Way::Value => By::Value,
            Way::Difference => By::Difference,
        }),
        matched: most as u64,
        of: count as u64,
        evidence: said(&found, by, count, &told.call),
    })
}

/// Whole days that the label's days are numbered away from 1970's, if they are.
fn days_between(scale: &Scale, values: &Values) -> Option<i128> {
    let apart = values.first()? - scale.sorted_ns.first()?;
    let days = (apart + DAY_NS / 2).div_euclid(DAY_NS);
    (days != 0).then_some(days)
}

/// Whether the clock counts from 1970.
fn is_wall(clock: &str) -> bool {
    clock.starts_with("realtime") || ["gettimeofday", "time", "tai"].contains(&clock)
}

fn said(found: &Match, by: Way, count: usize, call: &str) -> String {
    let Match { pairs, within_ns, .. } = found;
    let to = if *within_ns == 0 { "to the nanosecond".into() } else { format!("to {}", text::time(*within_ns as f64)) };
    let share = format!("{} of {count} readings", pairs.count);
    match by {
        Way::Value if pairs.offset == 0 => format!("{share} are values that {call} told, {to}"),
        Way::Value => {
            let day = i32::try_from(pairs.offset / DAY_NS).unwrap_or(0);
            format!("{share} are values that {call} told, {to}, counted from {}", date::day(day))
        }
        Way::Difference => {
            let zero = text::signed_time(pairs.offset as f64);
            format!("{share} have the differences of values that {call} told, {to}; its zero is that clock's {zero}")
        }
    }
}

/// What is said where no call told the readings.
fn nothing(readings: &Readings, scale: &Scale, told: &[Told], left: &[Values]) -> Beneath {
    let of = readings.values.len() as u64;
    let nearest = told.iter().map(|told| (Values::new(&told.ns).pairs(scale, 0, scale.within_ns, 1), &told.call));
    let nearest = nearest.filter_map(|(pairs, call)| Some((pairs?.count, call))).max_by_key(|(count, _)| *count);
    let matched = nearest.map_or(0, |(count, _)| count as u64);
    let evidence = if scale.sorted_ns.is_empty() {
        if of == 0 {
            "there are no readings of it".into()
        } else {
            "it is not known what a unit of its readings is".into()
        }
    } else if told.is_empty() {
        "the program asked the kernel for no time: it reads the counter itself".into()
    } else {
        let few = format!("; too few of its readings differ ({}) to compare differences", scale.distinct);
        let few = if scale.distinct < DISTINCT { few } else { String::new() };
        let near =
            nearest.map_or(String::new(), |(count, call)| format!("; {count} of {of} are values that {call} told"));
        // As many values as it has readings, and no other clock's: it may be made of them in a way of its own.
        let unclaimed = told.iter().zip(left).find(|(_, left)| left.count() * 10 >= readings.values.len() * ENOUGH);
        let itself = match unclaimed {
            Some((told, left)) => format!(
                "it reads the counter itself, keeps its own time, or makes it of the {} values that {} told and no clock here \
                 prints",
                left.count(),
                told.call
            ),
            None => "it reads the counter itself, or keeps its own time".into(),
        };
        format!("no system call told these values: {itself}{near}{few}")
    };
    Beneath { matched, of, evidence, ..Beneath::default() }
}
