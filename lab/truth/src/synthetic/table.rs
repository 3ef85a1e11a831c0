//! The estimators' table.

use super::case::{Case, Result};
use super::{cost, faults, quantum, rate, skew};
use crate::report::{Part, short};

/// What a 95 % interval should hold, and what one may that is wider for a stated reason.
const WANTED: [f64; 2] = [0.93, 0.97];

/// Runs every case over `seeds` seeds.
pub(crate) fn table(seeds: u64) -> Part {
    let mut part = Part::new(
        "Estimators",
        &[
            "estimator",
            "injected",
            "reported (median)",
            "median error",
            "95 % of errors within",
            "half width",
            "silent",
            "held",
            "",
        ],
    );
    let mut reasons: Vec<&str> = Vec::new();
    let cases = [cost::cases(), quantum::cases(), rate::cases(), skew::cases(), faults::cases()];
    let cases = cases.into_iter().flatten();
    for case in cases {
        let result = case.over(seeds);
        let mut remark = String::new();
        if let Some(reason) = case.wider.filter(|_| result.coverage() > WANTED[1]) {
            let place = reasons.iter().position(|known| *known == reason).unwrap_or_else(|| {
                reasons.push(reason);
                reasons.len() - 1
            });
            remark = format!("wider ({})", place + 1);
        }
        if let Some(wrong) = wrong(&case, &result) {
            part.wrong.push(format!("{}, {}: {wrong}", case.estimator, case.injected));
            remark = wrong;
        }
        part.row(&cells(&case, &result, remark));
    }
    part.notes.push(format!(
        "Each row is {seeds} seeds. *Held* is the share of the 95 % intervals in which the truth lies, *silent* the seeds \
         for which the estimator gave no figure. Errors and widths are relative to the truth."
    ));
    for (place, reason) in reasons.iter().enumerate() {
        part.notes.push(format!("({}) Wider than 95 % by intent: {reason}.", place + 1));
    }
    part
}

fn wrong(case: &Case, result: &Result) -> Option<String> {
    let most = if case.wider.is_some() { 1.0 } else { WANTED[1] };
    if result.silent * 20 > result.seeds {
        return Some(format!("no figure for {} of {} seeds", result.silent, result.seeds));
    }
    (!result.holds_between([WANTED[0], most])).then(|| format!("**{:.1} % held**", 100.0 * result.coverage()))
}

fn cells(case: &Case, result: &Result, remark: String) -> Vec<String> {
    vec![
        case.estimator.into(),
        case.injected.clone(),
        format!("{} {}", short(result.reported()), case.unit),
        ppm(result.bias()),
        ppm(result.error()),
        ppm(result.half_width()),
        if result.silent == 0 { "–".into() } else { format!("{} of {}", result.silent, result.seeds) },
        format!("{:.1} %", 100.0 * result.coverage()),
        remark,
    ]
}

/// A relative figure, in % or ppm.
fn ppm(relative: f64) -> String {
    if relative.abs() >= 1e-3 { format!("{:.2} %", 100.0 * relative) } else { format!("{} ppm", short(1e6 * relative)) }
}
