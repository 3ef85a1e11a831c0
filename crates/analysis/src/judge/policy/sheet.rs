//! What each requirement came to.

use super::asked::{Flag, OneOf, Undecided};
use crate::record::{Decision, Requirement};
use crate::text;

/// The rows as they come.
pub(super) struct Sheet {
    pub(super) rows: Vec<Requirement>,
    undecided: Undecided,
}

/// How a requirement came out.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Answer {
    pub(super) outcome: Decision,
    pub(super) found: Option<String>,
    pub(super) value: Option<f64>,
    pub(super) low: Option<f64>,
    pub(super) high: Option<f64>,
    pub(super) why: String,
}

impl Answer {
    /// Nothing was found that would decide it.
    pub(super) fn unknown(why: impl Into<String>) -> Self {
        let (value, low, high) = (None, None, None);
        Self { outcome: Decision::Undecided, found: None, value, low, high, why: why.into() }
    }

    /// Whether it holds is plain.
    pub(super) fn plain(holds: bool, found: impl Into<String>, why: impl Into<String>) -> Self {
        let outcome = if holds { Decision::Met } else { Decision::Violated };
        Self { outcome, found: Some(found.into()), ..Self::unknown(why) }
    }
}

impl Sheet {
    pub(super) fn new(undecided: Undecided) -> Self {
        Self { rows: Vec::new(), undecided }
    }

    /// Puts a row down. `own`: the requirement's word on what undecided comes to.
    pub(super) fn put(&mut self, requirement: String, limit: String, own: Option<Undecided>, answer: Answer) {
        let passes = own.unwrap_or(self.undecided) == Undecided::Pass;
        let Answer { outcome, found, value, low, high, why } = answer;
        let fails = match outcome {
            Decision::Met => false,
            Decision::Violated => true,
            Decision::Undecided => !passes,
        };
        self.rows.push(Requirement { requirement, found, value, low, high, limit, outcome, fails, why });
    }

    /// Asks whether a fact holds, if the policy does. An absent fact comes with the reason.
    pub(super) fn flag(&mut self, name: &str, asked: Option<&Flag>, fact: impl FnOnce() -> Result<bool, String>) {
        let Some(Flag { is, undecided }) = asked else { return };
        let answer = fact().map_or_else(Answer::unknown, |found| {
            Answer::plain(found == *is, yes(found), if found == *is { "as asked" } else { "not as asked" })
        });
        self.put(name.into(), yes(*is).into(), *undecided, answer);
    }

    /// Asks whether a word is one of those that the policy allows.
    pub(super) fn word<V>(
        &mut self,
        name: &str,
        asked: Option<&OneOf<V>>,
        fact: impl FnOnce() -> Result<String, String>,
    ) {
        let Some(OneOf { is, undecided, .. }) = asked else { return };
        let answer = fact().map_or_else(Answer::unknown, |found| {
            let is_one = is.contains(&found);
            Answer::plain(is_one, found, if is_one { "as asked" } else { "not among those asked for" })
        });
        self.put(name.into(), one_of(is), *undecided, answer);
    }
}

fn yes(is: bool) -> &'static str {
    if is { "yes" } else { "no" }
}

/// `tsc`, or `one of tsc and kvm-clock`.
fn one_of(words: &[String]) -> String {
    match words {
        [one] => one.clone(),
        all => format!("one of {}", text::list(all)),
    }
}
