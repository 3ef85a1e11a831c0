//! The estimators' tables.

use super::case::{Case, Result};
use super::{changes, cost, faults, frequency, interruptions, quantum, rate, skew, sleeps, span, threads};
use crate::report::{Part, rough};

/// What a 95 % interval should hold, and what one may that is wider for a stated reason.
const WANTED: [f64; 2] = [0.93, 0.97];

/// Cases whose errors are told in one unit.
struct Group {
    title: &'static str,
    /// What all its traces have in common; may be empty.
    common: &'static str,
    unit: &'static str,
    /// That unit, of a relative figure.
    scale: f64,
    /// What 95 % of the relative errors have to lie within, where that is demanded.
    within: Option<f64>,
    cases: Vec<Case>,
}

fn groups() -> [Group; 5] {
    let group = |title, common, (unit, scale), cases| Group { title, common, unit, scale, within: None, cases };
    let (percent, ppb) = (("%", 1e2), ("ppb", 1e9));
    let others = [
        rate::drift(),
        skew::cases(),
        skew::drift(),
        changes::cases(),
        faults::cases(),
        interruptions::cases(),
        threads::cases(),
        sleeps::cases(),
    ];
    let rates = [rate::cases(), frequency::cases()].into_iter().flatten().collect();
    let others = others.into_iter().flatten().collect();
    [
        group("Estimators: cost", cost::COMMON, percent, cost::cases()),
        group("Estimators: resolution", "", ppb, quantum::cases()),
        group("Estimators: rate", rate::COMMON, ppb, rates),
        group("Estimators: drift, skew, faults, interruptions, threads, timers", faults::COMMON, percent, others),
        Group { within: Some(span::WITHIN), ..group("Estimators: span", span::COMMON, percent, span::cases()) },
    ]
}

/// Runs every case over `seeds` seeds.
pub(crate) fn tables(seeds: u64) -> Vec<Part> {
    let mut parts: Vec<Part> = groups().iter().map(|group| table(group, seeds)).collect();
    let lead = format!(
        "Each row is {seeds} seeds; errors and widths are relative to the truth. *Error*: what 95 % of the errors lie within. \
         *±*: the median half width. *Held*: the share of the 95 % intervals that hold the truth; *silent*: seeds without a \
         figure."
    );
    if let Some(first) = parts.first_mut() {
        first.lead = format!("{lead}\n\n{}", first.lead);
    }
    parts
}

fn table(group: &Group, seeds: u64) -> Part {
    let unit = group.unit;
    let head = ["injected", &format!("error, {unit}"), &format!("±, {unit}"), "held, %"];
    let mut part = Part::new(group.title, &head);
    part.lead = group.common.into();
    // The reasons, each with the estimators that have it.
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    let mut bias = 0.0;
    for case in &group.cases {
        let result = case.over(seeds);
        if let Some(reason) = case.wider.filter(|_| result.coverage() > WANTED[1]) {
            match reasons.iter_mut().find(|(known, _)| *known == reason) {
                Some((_, of)) if of.contains(&case.estimator) => {}
                Some((_, of)) => of.push(case.estimator),
                None => reasons.push((reason, vec![case.estimator])),
            }
        }
        if result.half_width() > 0.0 {
            bias = f64::max(bias, result.bias().abs() / result.half_width());
        }
        let wrong = wrong(case, &result, group.within);
        part.row(&cells(case, &result, group.scale, wrong.as_deref()));
        part.wrong.extend(wrong.map(|wrong| format!("{}, {}: {wrong}", group.title, name(case))));
    }
    let only = reasons.len() == 1;
    let reasons: Vec<String> = reasons
        .into_iter()
        .map(|(reason, mut of)| {
            of.sort_by_key(|estimator| estimator.is_empty());
            let of: Vec<&str> = of.into_iter().map(|of| if of.is_empty() { "the others" } else { of }).collect();
            if only { reason.to_owned() } else { format!("{}: {reason}", of.join(", ")) }
        })
        .collect();
    let mut note = format!("Median errors are at most {} of ±.", rough(bias));
    if !reasons.is_empty() {
        note.extend([" Above 97 % by intent: ", &reasons.join("; "), "."]);
    }
    part.notes.push(note);
    part
}

fn wrong(case: &Case, result: &Result, within: Option<f64>) -> Option<String> {
    let most = if case.wider.is_some() { 1.0 } else { WANTED[1] };
    if result.silent * 20 > result.seeds {
        return Some(format!("no figure for {} of {} seeds", result.silent, result.seeds));
    }
    if let Some(most) = within.filter(|most| result.error() > *most) {
        return Some(format!("errors of {:.1} % where {:.1} % are allowed", 100.0 * result.error(), 100.0 * most));
    }
    (!result.holds_between([WANTED[0], most])).then(|| format!("{:.1} % held", 100.0 * result.coverage()))
}

/// Estimator and trace; of a group's plain estimator the trace alone.
fn name(case: &Case) -> String {
    if case.estimator.is_empty() { case.injected.clone() } else { format!("{}: {}", case.estimator, case.injected) }
}

fn cells(case: &Case, result: &Result, scale: f64, wrong: Option<&str>) -> Vec<String> {
    let mut held = match 100.0 * result.coverage() {
        100.0 => "100".to_owned(),
        share => format!("{share:.1}"),
    };
    if result.silent > 0 {
        held.extend(["; silent ", &result.silent.to_string()]);
    }
    if let Some(wrong) = wrong {
        held.extend(["; NOT AS IT SHOULD BE: ", wrong]);
    }
    let told = |relative: f64| rough(scale * relative);
    vec![name(case), told(result.error()), told(result.half_width()), held]
}
