//! What a record must say, and whether it does.

use anyhow::{Result, bail, ensure};
use serde::Deserialize;
use serde_json::Value;

use super::checked::{Checked, around};
use super::path::find;
use super::runtimes;
use crate::quantum;

/// What 'exactly' leaves: nanoseconds are those of the kernel's clock, whose own rate is rounded to a millionth or so.
const EXACT: f64 = 0.01;

/// One expectation. `that` is a path into the record ([`find`]), `notes.…` one into the guest's notes. All of its
/// conditions must hold.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Expectation {
    /// What is looked at.
    pub(crate) that: String,
    /// It equals this.
    is: Option<Value>,
    /// It is a number from the first to the second.
    within: Option<[Operand; 2]>,
    /// It is a number no farther from the first than the second.
    near: Option<[Operand; 2]>,
    /// It is a number not below this.
    at_least: Option<Operand>,
    /// It is a number not above this.
    at_most: Option<Operand>,
    /// It is a number above another one by so much, to a hundredth.
    above: Option<Above>,
    /// It is a whole multiple of this, to a hundredth.
    multiple_of: Option<f64>,
    /// It is a text with this in it, or a list with such an element.
    contains: Option<String>,
    /// It is a list of texts, and this stands in one of them.
    mentions: Option<String>,
    /// It is there, or it is not (null is not).
    there: Option<bool>,
    /// It is a clock's `tick_ns`, and what it says of the quantum can be true of a clock on the lattice of that other one.
    on_lattice_of: Option<String>,
    /// All this is expected only where these hold: what the machine that the emulator runs on can't show is not looked for.
    #[serde(default)]
    only_if: Vec<Guard>,
}

/// A number that is not above its most, if it is there; or, without a most, something that is there.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Guard {
    that: String,
    at_most: Option<Operand>,
}

impl Guard {
    /// What keeps it from holding.
    fn broken_by(&self, all: &Value) -> Option<String> {
        let found = find(all, &self.that).filter(|value| !value.is_null());
        match &self.at_most {
            Some(most) => {
                let (guard, most) = found.and_then(Value::as_f64).zip(most.value(all))?;
                (guard > most).then(|| format!("{} is {guard}", self.that))
            }
            None => found.is_none().then(|| format!("there is no {}", self.that)),
        }
    }
}

/// A number, the path to one, or so many times that one.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
enum Operand {
    Number(f64),
    Path(String),
    Times { times: f64, of: String },
}

/// A number and what is added to it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Above {
    this: Operand,
    by: f64,
}

impl Operand {
    fn value(&self, all: &Value) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Path(path) => find(all, path)?.as_f64(),
            Self::Times { times, of } => Some(times * find(all, of)?.as_f64()?),
        }
    }

    fn shown(&self) -> String {
        match self {
            Self::Number(number) => format!("{number}"),
            Self::Path(path) => path.clone(),
            Self::Times { times, of } => format!("{times} × {of}"),
        }
    }
}

impl Expectation {
    /// Whether it says something that can be checked.
    pub(crate) fn check_form(&self) -> Result<()> {
        ensure!(!self.conditions().is_empty(), "no condition");
        if self.there == Some(false) && self.conditions().len() > 1 {
            bail!("what is not there can meet no other condition");
        }
        Ok(())
    }

    fn conditions(&self) -> Vec<String> {
        let mut all = Vec::new();
        if let Some(value) = &self.is {
            all.push(format!("is {value}"));
        }
        if let Some([low, high]) = &self.within {
            all.push(format!("within {} … {}", low.shown(), high.shown()));
        }
        if let Some([value, tolerance]) = &self.near {
            all.push(format!("{} ± {}", value.shown(), tolerance.shown()));
        }
        if let Some(low) = &self.at_least {
            all.push(format!("at least {}", low.shown()));
        }
        if let Some(high) = &self.at_most {
            all.push(format!("at most {}", high.shown()));
        }
        if let Some(Above { this, by }) = &self.above {
            all.push(format!("{} + {by}", this.shown()));
        }
        if let Some(unit) = self.multiple_of {
            all.push(format!("a multiple of {unit}"));
        }
        if let Some(part) = &self.contains {
            all.push(format!("contains '{part}'"));
        }
        if let Some(part) = &self.mentions {
            all.push(format!("mentions '{part}'"));
        }
        if let Some(other) = &self.on_lattice_of {
            all.push(format!("on the lattice of {other}"));
        }
        if let Some(there) = self.there {
            all.push(if there { "there" } else { "not there" }.into());
        }
        all
    }

    /// Looks at the record, with the notes in it.
    pub(crate) fn check(&self, all: &Value) -> Checked {
        let found = find(all, &self.that).filter(|value| !value.is_null());
        let expected = format!("{}: {}", self.that, self.conditions().join(", "));
        if let Some(why) = runtimes::missing(all, &self.that) {
            return Checked { expected, found: format!("not looked for: {why}"), holds: true };
        }
        if let Some(why) = self.only_if.iter().find_map(|guard| guard.broken_by(all)) {
            return Checked { expected, found: format!("not looked for: {why}"), holds: true };
        }
        Checked {
            expected,
            found: found.map_or_else(|| "nothing there".into(), |value| self.shown(value)),
            holds: self.holds(found, all),
        }
    }

    /// What was found, in one line: of a text or a list the part that was looked for, if it is there.
    fn shown(&self, found: &Value) -> String {
        if self.on_lattice_of.is_some() {
            return format!("{:?}", quantum::Quantum::of(found));
        }
        let text = found.as_str().map_or_else(|| found.to_string(), str::to_owned);
        let part = self.contains.as_deref().or(self.mentions.as_deref());
        match part.and_then(|part| text.find(part)) {
            Some(at) => around(&text, at),
            None => around(&text, 0),
        }
    }

    fn holds(&self, found: Option<&Value>, all: &Value) -> bool {
        let number = || found.and_then(Value::as_f64);
        // A comparison with what is not there does not hold.
        let compares = |operand: &Operand, holds: &dyn Fn(f64, f64) -> bool| {
            number().zip(operand.value(all)).is_some_and(|(found, wanted)| holds(found, wanted))
        };
        let at_least = |operand: &Operand| compares(operand, &|found, low| found >= low);
        let at_most = |operand: &Operand| compares(operand, &|found, high| found <= high);
        self.there.is_none_or(|there| there == found.is_some())
            && self.is.as_ref().is_none_or(|wanted| found.is_some_and(|found| equal(found, wanted)))
            && self.within.as_ref().is_none_or(|[low, high]| at_least(low) && at_most(high))
            && self.near.as_ref().is_none_or(|[value, tolerance]| {
                let tolerance = tolerance.value(all);
                compares(value, &|found, wanted| tolerance.is_some_and(|most| (found - wanted).abs() <= most))
            })
            && self.at_least.as_ref().is_none_or(at_least)
            && self.at_most.as_ref().is_none_or(at_most)
            && self
                .above
                .as_ref()
                .is_none_or(|Above { this, by }| compares(this, &|found, base| (found - base - by).abs() <= EXACT))
            && self
                .multiple_of
                .is_none_or(|unit| number().is_some_and(|found| (found - unit * (found / unit).round()).abs() <= EXACT))
            && self.contains.as_ref().is_none_or(|part| found.is_some_and(|found| contains(found, part)))
            && self
                .on_lattice_of
                .as_ref()
                .is_none_or(|other| found.zip(find(all, other)).is_some_and(|(one, other)| quantum::agree(one, other)))
            && self.mentions.as_ref().is_none_or(|part| found.is_some_and(|found| mentions(found, part)))
    }
}

/// Numbers are equal by value, whatever their form.
fn equal(found: &Value, wanted: &Value) -> bool {
    match (found.as_f64(), wanted.as_f64()) {
        (Some(found), Some(wanted)) => found == wanted,
        _ => found == wanted,
    }
}

fn contains(found: &Value, part: &str) -> bool {
    match found {
        Value::String(text) => text.contains(part),
        Value::Array(elements) => elements.iter().any(|element| element.as_str() == Some(part)),
        _ => false,
    }
}

fn mentions(found: &Value, part: &str) -> bool {
    found.as_array().into_iter().flatten().filter_map(Value::as_str).any(|text| text.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn holds(expectation: &str) -> bool {
        let all = json!({
            "clock": { "quantum": 10.0, "nominal": 1.0, "path": "vdso", "flags": ["a", "b"], "span": null, "count": 3,
                       "notes": ["no /sys/x", "y"] },
            "notes": { "injected": 9.5 },
            "other": { "quantum": 10.0001 },
        });
        let expectation: Expectation = toml::from_str(expectation).unwrap();
        expectation.check_form().unwrap();
        expectation.check(&all).holds
    }

    #[test]
    fn each_condition_holds_or_not() {
        for (condition, wanted) in [
            ("that='clock.count'\nis=3", true),
            ("that='clock.count'\nis=3.0", true),
            ("that='clock.count'\nis='3'", false),
            ("that='clock.path'\nis='vdso'", true),
            ("that='clock.quantum'\nwithin=[9.9,10.1]", true),
            ("that='clock.quantum'\nwithin=[10.1,11.0]", false),
            ("that='clock.quantum'\nnear=['notes.injected',0.5]", true),
            ("that='clock.quantum'\nnear=['notes.injected',0.4]", false),
            ("that='clock.quantum'\nat_least='notes.injected'", true),
            ("that='clock.quantum'\nat_most='notes.injected'", false),
            ("that='clock.quantum'\nat_most={times=1.1,of='notes.injected'}", true),
            ("that='clock.quantum'\nabove={this='notes.injected',by=0.5}", true),
            ("that='clock.quantum'\nabove={this='notes.injected',by=0.6}", false),
            ("that='clock.quantum'\nmultiple_of=2.5", true),
            ("that='clock.quantum'\nmultiple_of=3.0", false),
            ("that='clock.flags'\ncontains='b'", true),
            ("that='clock.flags'\ncontains='c'", false),
            ("that='clock.path'\ncontains='ds'", true),
            ("that='clock.notes'\nmentions='/sys'", true),
            ("that='clock.notes'\nmentions='/proc'", false),
            ("that='clock.notes'\ncontains='/sys'", false),
            ("that='clock.span'\nthere=false", true),
            ("that='clock.path'\nthere=false", false),
            ("that='clock.path'\nthere=true", true),
            ("that='clock'\non_lattice_of='other'", true),
            ("that='clock'\non_lattice_of='notes'", false),
            ("that='clock.count'\nis=4\nonly_if=[{that='clock.quantum',at_most=9}]", true),
            ("that='clock.count'\nis=4\nonly_if=[{that='clock.quantum',at_most=10}]", false),
            ("that='clock.count'\nis=4\nonly_if=[{that='clock.none',at_most=10}]", false),
            ("that='clock.count'\nis=4\nonly_if=[{that='clock.none'}]", true),
            ("that='clock.count'\nis=4\nonly_if=[{that='clock.path'}]", false),
        ] {
            assert_eq!(holds(condition), wanted, "{condition}");
        }
    }

    #[test]
    fn nothing_holds_of_what_is_not_there() {
        for condition in ["is=0", "within=[-1e9,1e9]", "near=[0,1e9]", "at_least=0", "at_most=0", "contains=''"] {
            assert!(!holds(&format!("that='clock.none'\n{condition}")), "{condition}");
        }
        assert!(!holds("that='clock.quantum'\nat_least='notes.none'"));
    }

    #[test]
    fn a_form_that_says_nothing_is_refused() {
        let form = |text: &str| toml::from_str::<Expectation>(text).unwrap().check_form();
        assert!(form("that='a'").is_err());
        assert!(form("that='a'\nthere=false\nis=3").is_err());
    }
}
