//! A scenario: one file in lab/scenarios that says what machine, what happens in it, and what the record must say.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};
use lab_guest::plan::Guest;
use serde::Deserialize;

use super::expect::Expectation;
use super::machine::{Arch, Machine};
use crate::shell;

/// One scenario, as its file says it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Scenario {
    /// The file's name without its ending.
    #[serde(skip)]
    pub(crate) name: String,
    /// One line: what is wrong with the clocks here.
    pub(crate) title: String,
    /// When it is run.
    pub(crate) tier: Tier,
    /// The emulator is ended after this much CPU time, s.
    pub(crate) limit_s: f64,
    /// The machine.
    #[serde(default)]
    pub(crate) machine: Machine,
    /// What happens in it.
    #[serde(default)]
    pub(crate) guest: Guest,
    /// What is done to the emulator from without.
    #[serde(default)]
    pub(crate) host: Vec<HostFault>,
    /// What must come out.
    #[serde(default)]
    pub(crate) expect: Vec<Expectation>,
}

/// When a scenario is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Tier {
    /// With every test run.
    Quick,
    /// In the second stage.
    Full,
    /// When it is named: it takes many minutes.
    Long,
}

/// Something that is done to the emulator.
#[derive(Debug, Clone, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum HostFault {
    /// The emulator gets SIGSTOP, and later SIGCONT.
    Stop {
        /// When, s after the guest has said that its program starts.
        at_s: f64,
        /// For how long, s.
        for_s: f64,
    },
}

/// Where they lie.
pub(crate) fn folder() -> PathBuf {
    shell::root().join("lab/scenarios")
}

/// All of them, by name.
pub(crate) fn all() -> Result<Vec<Scenario>> {
    let folder = folder();
    let entries = fs::read_dir(&folder).with_context(|| format!("can't read {}", folder.display()))?;
    let mut scenarios = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "toml") {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let text = fs::read_to_string(&path).with_context(|| format!("can't read {}", path.display()))?;
            scenarios.push(parse(name, &text).with_context(|| format!("{}", path.display()))?);
        }
    }
    scenarios.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(scenarios)
}

/// Those named, or all but the long ones where none is.
pub(crate) fn named(names: &[String]) -> Result<Vec<Scenario>> {
    let mut scenarios = all()?;
    for name in names {
        if !scenarios.iter().any(|scenario| scenario.name == *name) {
            let known: Vec<&str> = scenarios.iter().map(|scenario| scenario.name.as_str()).collect();
            bail!("no scenario is called '{name}'; there are {}", known.join(", "));
        }
    }
    scenarios.retain(|scenario| match names {
        [] => scenario.tier != Tier::Long,
        names => names.contains(&scenario.name),
    });
    Ok(scenarios)
}

fn parse(name: String, text: &str) -> Result<Scenario> {
    let mut scenario: Scenario = toml::from_str(text)?;
    scenario.name = name;
    ensure!(!scenario.expect.is_empty(), "a scenario that expects nothing shows nothing");
    for expectation in &scenario.expect {
        expectation.check_form().with_context(|| format!("expect '{}'", expectation.that))?;
    }
    ensure!(
        scenario.guest.chronyd.is_none() || scenario.guest.utc_ahead_ns.is_some(),
        "chronyd needs a UTC to keep the clock by: utc_ahead_ns"
    );
    ensure!(
        !scenario.machine.told_rate || scenario.machine.arch == Arch::X86_64 && !scenario.machine.icount,
        "told_rate: the counter is the host's on an x86-64 guest without icount only"
    );
    ensure!(
        scenario.host.is_empty() || !scenario.machine.nested,
        "a nested guest can't be stopped from without: its emulator is a guest's process"
    );
    Ok(scenario)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scenario_of_the_tree_is_well_formed() {
        let scenarios = all().unwrap();
        assert!(scenarios.iter().any(|scenario| scenario.tier == Tier::Quick));
    }

    const LEAST: &str = "title = 'x'\ntier = 'quick'\nlimit_s = 9.0\n";

    #[test]
    fn a_scenario_says_what_must_come_out() {
        let error = parse("x".into(), LEAST).unwrap_err();
        assert!(error.to_string().contains("expects nothing"), "{error}");
        assert!(parse("x".into(), &format!("{LEAST}[[expect]]\nthat = 'a'\nis = 1\n")).is_ok());
    }

    #[test]
    fn a_word_that_means_nothing_is_an_error() {
        for part in ["[machine]\nram = 3\n", "[guest]\nfault = []\n", "[[host]]\ndo = 'burn'\nat_s = 1.0\n"] {
            let text = format!("{LEAST}{part}[[expect]]\nthat = 'a'\nis = 1\n");
            assert!(parse("x".into(), &text).is_err(), "{part}");
        }
    }
}
