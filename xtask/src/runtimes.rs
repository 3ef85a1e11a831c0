//! `cargo xtask runtimes`: the runtimes' clocks in the lab's guests beside the values published of them, in one table.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use clap::Args;
use serde_json::Value;

use crate::shell;

/// Where the last table stands, between the marks.
const PAGE: &str = "docs/runtimes.md";
const BEGIN: &str = "<!-- guests:begin -->\n";
const END: &str = "<!-- guests:end -->";

/// The scenarios by the clocksource beneath, in the table's order.
const GUESTS: [(&str, &str); 3] = [("TSC", "runtimes-tsc"), ("HPET", "runtimes-hpet"), ("ACPI PM", "runtimes-acpi_pm")];
/// The published values are of this clock.
const STOPWATCH: &str = "Stopwatch.GetTimestamp";

/// What was published of a runtime's Stopwatch on Linux (A. Akinshin: "Stopwatch under the hood", 2016).
struct Published {
    beneath: &'static str,
    runtime: &'static str,
    tick: &'static str,
    latency: &'static str,
    resolution: &'static str,
}

const PUBLISHED: [Published; 6] = [
    Published { beneath: "TSC", runtime: "mono", tick: "100 ns", latency: "22.40 ns", resolution: "97.67 ns" },
    Published { beneath: "TSC", runtime: "dotnet", tick: "1 ns", latency: "31.97 ns", resolution: "≈ latency" },
    Published { beneath: "HPET", runtime: "mono", tick: "100 ns", latency: "526.4 ns", resolution: "" },
    Published { beneath: "HPET", runtime: "dotnet", tick: "1 ns", latency: "536.0 ns", resolution: "" },
    Published { beneath: "ACPI PM", runtime: "mono", tick: "100 ns", latency: "653.4 ns", resolution: "" },
    Published { beneath: "ACPI PM", runtime: "dotnet", tick: "1 ns", latency: "683.2 ns", resolution: "" },
];

/// What to do.
#[derive(Args)]
pub(crate) struct Options {
    /// Write the table into docs/runtimes.md
    #[arg(long)]
    write: bool,
}

/// Makes the table of what the lab's last run left.
pub(crate) fn run(options: &Options) -> Result<()> {
    let folder = shell::target().join("lab");
    let mut text = String::from(
        "| OS clock | runtime | clock | reads | tick | cost | quantum | step | published tick | latency | resolution |\n\
         | --- | --- | --- | --- | --- | ---: | ---: | ---: | --- | --- | --- |\n",
    );
    let mut dates = Vec::new();
    for (beneath, scenario) in GUESTS {
        let report = report(&folder, scenario)?;
        dates.extend(report["started"].as_str().and_then(|started| Some(started.split_once('T')?.0.to_owned())));
        for runtime in report["runtimes"].as_array().into_iter().flatten() {
            text += &rows(beneath, runtime);
        }
    }
    dates.sort();
    let date = dates.last().map_or("an unknown day", String::as_str);
    let text = format!("Printed by `cargo xtask runtimes --write` of guests that ran on {date}.\n\n{text}");
    println!("{text}");
    if options.write {
        let file = shell::root().join(PAGE);
        let page = fs::read_to_string(&file).with_context(|| format!("can't read {}", file.display()))?;
        let page = replaced(&page, &text).with_context(|| format!("in {PAGE}"))?;
        fs::write(&file, page).with_context(|| format!("can't write {}", file.display()))?;
    }
    Ok(())
}

fn report(folder: &Path, scenario: &str) -> Result<Value> {
    let file = folder.join(format!("{scenario}.json"));
    let text = fs::read(&file).with_context(|| {
        let scenarios: Vec<&str> = GUESTS.iter().map(|(_, scenario)| *scenario).collect();
        format!("can't read {}; `cargo xtask lab {}` makes it", file.display(), scenarios.join(" "))
    })?;
    serde_json::from_slice(&text).with_context(|| format!("{} is no JSON", file.display()))
}

/// A runtime's rows: its clocks that read one of the clocks for which the clocksource matters.
fn rows(beneath: &str, runtime: &Value) -> String {
    let words = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let (name, title) = (words(&runtime["name"]), words(&runtime["title"]));
    let mut text = String::new();
    if let Some(why) = runtime["missing"].as_str() {
        // Writing to a String can't fail.
        let _ = writeln!(text, "| {beneath} | {title} | skipped: {} | | | | | | | | |", why.replace('|', "\\|"));
    }
    for clock in runtime["clocks"].as_array().into_iter().flatten() {
        let (label, reads) = (words(&clock["label"]), words(&clock["beneath"]["clock"]));
        if !["monotonic", "realtime", "gettimeofday"].contains(&reads.as_str()) {
            continue;
        }
        let tick = &clock["tick_ns"];
        let quantum = match (tick["quantum"].as_f64(), tick["quantum_high"].as_f64()) {
            (Some(ns), _) => nanoseconds(ns),
            (None, Some(ns)) => format!("≤ {}", nanoseconds(ns)),
            (None, None) => String::new(),
        };
        let number = |value: &Value| value.as_f64().map_or_else(String::new, nanoseconds);
        let published = PUBLISHED.iter().filter(|row| label == STOPWATCH && row.runtime == name);
        let mut published =
            published.filter(|row| row.beneath == beneath).map(|row| [row.tick, row.latency, row.resolution]);
        let [p_tick, latency, resolution] = published.next().unwrap_or_default();
        let (unit, cost) = (number(&clock["unit_ns"]), number(&clock["cost_ns"]["median"]));
        let step = number(&tick["smallest_step"]);
        let _ = writeln!(
            text,
            "| {beneath} | {title} | `{label}` | `{reads}` | {unit} | {cost} | {quantum} | {step} | {p_tick} | {latency} \
             | {resolution} |"
        );
    }
    text
}

/// With four figures.
fn nanoseconds(ns: f64) -> String {
    let decimals = match ns {
        1000.0.. => 0,
        100.0.. => 1,
        10.0.. => 2,
        _ => 3,
    };
    let text = format!("{ns:.decimals$}");
    let text = if decimals == 0 { &text } else { text.trim_end_matches('0').trim_end_matches('.') };
    format!("{text} ns")
}

fn replaced(page: &str, table: &str) -> Result<String> {
    let (before, rest) = page.split_once(BEGIN).with_context(|| format!("there is no '{}'", BEGIN.trim()))?;
    let (_, after) = rest.split_once(END).with_context(|| format!("there is no '{END}'"))?;
    ensure!(!table.contains(END), "the table has the page's mark in it");
    Ok(format!("{before}{BEGIN}\n{}\n\n{END}{after}", table.trim_end()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_clock_is_a_row_with_what_was_published() {
        let clock = |label: &str, beneath: &str| {
            json!({ "label": label, "unit_ns": 100.0, "beneath": { "clock": beneath }, "cost_ns": { "median": 1945.0 },
                    "tick_ns": { "quantum": 279.36511, "smallest_step": 1300.0 } })
        };
        let clocks = [clock(STOPWATCH, "monotonic"), clock("Environment.TickCount", "monotonic-coarse")];
        let runtime = json!({ "name": "mono", "title": "Mono", "clocks": clocks });
        assert_eq!(
            rows("ACPI PM", &runtime),
            "| ACPI PM | Mono | `Stopwatch.GetTimestamp` | `monotonic` | 100 ns | 1945 ns | 279.4 ns | 1300 ns | 100 ns \
             | 653.4 ns |  |\n"
        );
        let missing = json!({ "name": "go", "title": "Go", "clocks": [], "missing": "go is not there" });
        assert!(rows("TSC", &missing).starts_with("| TSC | Go | skipped: go is not there |"));
    }

    #[test]
    fn only_what_stands_between_the_marks_is_replaced() {
        let page = format!("a\n{BEGIN}old\n{END}\nb\n");
        assert_eq!(replaced(&page, "new\n").unwrap(), format!("a\n{BEGIN}\nnew\n\n{END}\nb\n"));
        assert!(replaced("a\n", "new").is_err());
    }
}
