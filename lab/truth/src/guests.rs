//! The guests' part: what the lab's last run expected and found, a row a scenario. What held is counted, what did not is
//! shown in full.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::report::{Part, rough, short};

/// The file that a run of the lab leaves beside its records: its table in Markdown, a row an expectation.
const SUMMARY: &str = "summary.md";
/// What the lab says of an expectation for which the guest or its host was not good enough.
const NOT_LOOKED_FOR: &str = "not looked for: ";

/// The lab's results; without any, a line that says so.
pub(crate) fn table(folder: &Path) -> Result<Vec<Part>> {
    let file = folder.join(SUMMARY);
    if !file.is_file() {
        let mut part = Part::new("Guests", &[]);
        part.notes.push("No guests were run.".into());
        return Ok(vec![part]);
    }
    let text = fs::read_to_string(&file).with_context(|| format!("can't read {}", file.display()))?;
    Ok(vec![part(&scenarios(&text))])
}

/// A scenario's rows of the lab's table.
#[derive(Debug, Default)]
struct Scenario {
    name: String,
    seconds: f64,
    checked: Vec<Checked>,
}

/// One expectation, as the lab wrote it.
#[derive(Debug)]
struct Checked {
    expected: String,
    found: String,
    holds: bool,
}

fn scenarios(text: &str) -> Vec<Scenario> {
    let mut all: Vec<Scenario> = Vec::new();
    for line in text.lines().skip(2) {
        let Some(cells) = line.strip_prefix("| ").and_then(|line| line.strip_suffix(" |")) else { continue };
        // A bar within a cell has a backslash before it.
        let cells: Vec<&str> = cells.split(" | ").map(str::trim).collect();
        let [name, expected, found, ok, seconds] = cells[..] else { continue };
        if !name.is_empty() {
            all.push(Scenario { name: name.into(), seconds: seconds.parse().unwrap_or(0.0), checked: Vec::new() });
        }
        let Some(scenario) = all.last_mut() else { continue };
        scenario.checked.push(Checked { expected: expected.into(), found: found.into(), holds: ok == "yes" });
    }
    all
}

fn part(scenarios: &[Scenario]) -> Part {
    let mut part = Part::new("Guests", &[]);
    for scenario in scenarios {
        let broken: Vec<String> = scenario.checked.iter().filter(|one| !one.holds).map(Checked::told).collect();
        let missing: Vec<String> = scenario.checked.iter().filter_map(Checked::missing).collect();
        let of = scenario.checked.len() - missing.len();
        let held = of - broken.len();
        let shown: Vec<String> = broken.iter().map(|told| format!("**not held: {told}**")).collect();
        let count = if broken.is_empty() { held.to_string() } else { format!("**{held} of {of}**") };
        let figures = [shown, scenario.figures(), missing].concat();
        let colon = if figures.is_empty() { "" } else { ": " };
        part.item(format!("**{}** {count}{colon}{}", scenario.name, figures.join("; ")));
        part.wrong.extend(broken.iter().map(|told| format!("{}: {told}", scenario.name)));
    }
    let seconds: f64 = scenarios.iter().map(|scenario| scenario.seconds).sum();
    part.lead = format!(
        "Each scenario with the number of its expectations (`lab/scenarios/NAME.toml`) that held; one that did not is \
         shown. Then the numbers found where one was expected, by their path in the record (a clock's begins with its id), \
         without the emulator's costs. *Replay equal*: the [trace](../trace.md) gave the same record on the host. `cargo xtask lab list` tells \
         what is wrong with each. All guests together took {seconds:.0} s."
    );
    part
}

impl Scenario {
    /// What is worth reading of what held.
    fn figures(&self) -> Vec<String> {
        let mut figures: Vec<String> = Vec::new();
        let held = self.checked.iter().filter(|one| one.holds);
        for figure in held.filter_map(Checked::figure) {
            if !figures.contains(&figure) {
                figures.push(figure);
            }
        }
        figures
    }
}

impl Checked {
    /// All of it.
    fn told(&self) -> String {
        format!("{}, found {}", self.expected, self.found)
    }

    /// What was not looked for, and why.
    fn missing(&self) -> Option<String> {
        let why = self.found.strip_prefix(NOT_LOOKED_FOR)?;
        let (path, _) = self.expected.split_once(": ")?;
        let why = match why.rsplit_once(' ') {
            Some((of, number)) => format!("{of} {}", number.parse().map_or(number.to_owned(), rough)),
            None => why.to_owned(),
        };
        Some(format!("not looked for: {} ({why})", place(path)))
    }

    /// A number that could have been another one.
    fn figure(&self) -> Option<String> {
        if self.expected.contains("made anew from the trace: equal") {
            return Some("replay equal".into());
        }
        let (path, wanted) = self.expected.split_once(": ")?;
        let a_cost_of_the_emulator = path.contains("cost_ns") && wanted.starts_with("at ");
        if wanted.starts_with("is ") || a_cost_of_the_emulator {
            return None;
        }
        let number = self.found.strip_prefix("Some(Is(").map_or(self.found.as_str(), |rest| rest.trim_end_matches(')'));
        let value: f64 = number.parse().ok()?;
        let value = if value.abs() >= 1e5 { format!("{value:.0}") } else { short(value) };
        Some(format!("{} {value}", place(path)))
    }
}

/// The path in fewer signs: `clocks[tsc].cost_ns.median` is `tsc.cost_ns.median`.
fn place(path: &str) -> String {
    let path = match path.strip_prefix("clocks[").and_then(|rest| rest.split_once(']')) {
        Some((clock, rest)) => format!("{clock}{rest}"),
        None => path.to_owned(),
    };
    format!("`{}`", path.trim_end_matches(".value"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "\
| scenario | expected | found | ok | seconds |
| --- | --- | --- | --- | ---: |
| hpet | machine.clocksource.current: is \"hpet\" | hpet | yes | 9.1 |
|  | clocks[hpet].tick_ns.quantum: 10 ± 0.001 | 10.000_00 | yes |  |
|  | clocks[hpet].tick_ns.quantum_low: 10 ± 0.001 | 9.99912345678 | yes |  |
|  | clocks[hpet].cost_ns.median: at least 1 | 77.3 | yes |  |
|  | clocks, made anew from the trace: equal | equal; the trace has 7 bytes | yes |  |
|  | verdict, made anew from the trace: equal | equal; the trace has 7 bytes | yes |  |
| slow | run.wall_steps_ns[0].size_ns.value: -1000000000 ± 100000 | -999999995.4 | yes | 2.0 |
|  | clocks[realtime].rate.ppm: 0 ± 2 | not looked for: run.standstill_share is 0.84 | yes |  |
|  | findings[CS019]: there | a\\|b | NO |  |
";

    #[test]
    fn a_scenario_is_a_row_and_what_did_not_hold_is_shown_in_full() {
        let part = part(&scenarios(TABLE));
        let text = part.markdown();
        let rows: Vec<&str> = text.lines().filter(|line| line.starts_with("- ")).collect();
        assert_eq!(
            rows,
            [
                "- **hpet** 6: `hpet.tick_ns.quantum_low` 9.99912; replay equal",
                "- **slow** **1 of 2**: **not held: findings[CS019]: there, found a\\|b**; \
                 `run.wall_steps_ns[0].size_ns` -999999995; not looked for: `realtime.rate.ppm` \
                 (run.standstill_share is 0.84)",
            ]
        );
        assert_eq!(part.wrong, ["slow: findings[CS019]: there, found a\\|b"]);
        assert!(text.contains("took 11 s"));
    }
}
