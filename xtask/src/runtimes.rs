//! `cargo xtask runtimes`: the runtimes' clocks in the lab's guests beside the values published of them, in one table.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use clap::Args;
use clockscope_analysis::text::{trimmed, unit};
use serde_json::Value;

use crate::shell;

/// Where the last tables stand, each between its marks.
const PAGE: &str = "docs/runtimes.md";

/// The scenarios by the clocksource beneath, in the table's order.
const GUESTS: [(&str, &str); 3] = [("TSC", "runtimes-tsc"), ("HPET", "runtimes-hpet"), ("ACPI PM", "runtimes-acpi_pm")];
const STOPWATCH: &str = "Stopwatch.GetTimestamp";
const UTC_NOW: &str = "DateTime.UtcNow";

/// What was published of a clock on Linux (A. Akinshin: "Stopwatch under the hood" and "DateTime under the hood", 2016).
struct Published {
    beneath: &'static str,
    runtime: &'static str,
    label: &'static str,
    tick: &'static str,
    latency: &'static str,
    resolution: &'static str,
}

const PUBLISHED: [Published; 8] = [
    Published {
        beneath: "TSC",
        runtime: "mono",
        label: STOPWATCH,
        tick: "100 ns",
        latency: "22.40 ns",
        resolution: "97.67 ns",
    },
    Published {
        beneath: "TSC",
        runtime: "dotnet",
        label: STOPWATCH,
        tick: "1 ns",
        latency: "31.97 ns",
        resolution: "≈ latency",
    },
    Published {
        beneath: "HPET",
        runtime: "mono",
        label: STOPWATCH,
        tick: "100 ns",
        latency: "526.4 ns",
        resolution: "≈ latency",
    },
    Published {
        beneath: "HPET",
        runtime: "dotnet",
        label: STOPWATCH,
        tick: "1 ns",
        latency: "536.0 ns",
        resolution: "≈ latency",
    },
    Published {
        beneath: "ACPI PM",
        runtime: "mono",
        label: STOPWATCH,
        tick: "100 ns",
        latency: "653.4 ns",
        resolution: "≈ latency",
    },
    Published {
        beneath: "ACPI PM",
        runtime: "dotnet",
        label: STOPWATCH,
        tick: "1 ns",
        latency: "683.2 ns",
        resolution: "≈ latency",
    },
    Published {
        beneath: "TSC",
        runtime: "mono",
        label: UTC_NOW,
        tick: "100 ns",
        latency: "26.62 ns",
        resolution: "998.3 ns",
    },
    Published {
        beneath: "TSC",
        runtime: "dotnet",
        label: UTC_NOW,
        tick: "100 ns",
        latency: "27.29 ns",
        resolution: "1000.7 ns",
    },
];

/// What to do.
#[derive(Args)]
pub(crate) struct Options {
    /// Write the table into docs/runtimes.md
    #[arg(long)]
    write: bool,
}

/// Makes the tables of what the tests left: the stage `language runtimes`, and the lab.
pub(crate) fn run(options: &Options) -> Result<()> {
    let here = report(&shell::target().join("runtimes.json"), "cargo xtask test")?;
    let words = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let machine = &here["machine"];
    let beneath = match words(&machine["clocksource"]["current"]) {
        tsc if tsc == "tsc" => "TSC".to_owned(),
        other => other,
    };
    let about = [&machine["cpu"]["model"], &machine["virtualization"]["hypervisor"], &machine["kernel"]].map(words);
    let about = about.iter().filter(|part| !part.is_empty()).map(String::as_str).collect::<Vec<_>>().join(", ");
    let host = format!(
        "Printed by `cargo xtask runtimes --write` of this machine: {about}, on {}.\n\n{HEAD}{}",
        day(&here),
        table(&beneath, &here, |_| true)
    );
    let (mut guests, mut days) = (String::from(HEAD), Vec::new());
    for (beneath, scenario) in GUESTS {
        let file = shell::target().join("lab").join(format!("{scenario}.json"));
        let report = report(&file, &format!("cargo xtask lab {scenario}"))?;
        days.push(day(&report));
        // The clocks that the clocksource matters to.
        guests += &table(beneath, &report, |reads| ["monotonic", "realtime", "gettimeofday"].contains(&reads));
    }
    let last = days.into_iter().max().unwrap_or_default();
    let guests = format!("Printed by `cargo xtask runtimes --write` of guests that ran on {last}.\n\n{guests}");
    println!("{host}\n{guests}");
    if options.write {
        let file = shell::root().join(PAGE);
        let page = fs::read_to_string(&file).with_context(|| format!("can't read {}", file.display()))?;
        let page = replaced(&page, "here", &host).and_then(|page| replaced(&page, "guests", &guests));
        fs::write(&file, page.with_context(|| format!("in {PAGE}"))?)
            .with_context(|| format!("can't write {}", file.display()))?;
    }
    Ok(())
}

const HEAD: &str = "\
| OS clock | runtime | clock | reads | tick | cost | quantum | step | published tick | latency | resolution |
| --- | --- | --- | --- | --- | ---: | ---: | ---: | --- | --- | --- |
";

fn report(file: &Path, made_by: &str) -> Result<Value> {
    let text = fs::read(file).with_context(|| format!("can't read {}; `{made_by}` makes it", file.display()))?;
    serde_json::from_slice(&text).with_context(|| format!("{} is no JSON", file.display()))
}

fn day(report: &Value) -> String {
    let started = report["started"].as_str().and_then(|started| started.split_once('T'));
    started.map_or("an unknown day", |(day, _)| day).to_owned()
}

/// The rows of a report, of clocks that read what is wanted.
fn table(beneath: &str, report: &Value, wanted: fn(&str) -> bool) -> String {
    report["runtimes"].as_array().into_iter().flatten().map(|runtime| rows(beneath, runtime, wanted)).collect()
}

/// A runtime's rows.
fn rows(beneath: &str, runtime: &Value, wanted: fn(&str) -> bool) -> String {
    let words = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let (name, title) = (words(&runtime["name"]), words(&runtime["title"]));
    // Once for all its clocks.
    let mut version = version(runtime, &title).into_iter();
    let mut text = String::new();
    if let Some(why) = runtime["missing"].as_str() {
        // Writing to a String can't fail.
        let _ = writeln!(text, "| {beneath} | {title} | skipped: {} | | | | | | | | |", why.replace('|', "\\|"));
    }
    for clock in runtime["clocks"].as_array().into_iter().flatten() {
        let (label, reads) = (words(&clock["label"]), words(&clock["beneath"]["clock"]));
        if !wanted(&reads) {
            continue;
        }
        let read = if reads.is_empty() { String::new() } else { format!("`{reads}`") };
        let tick = &clock["tick_ns"];
        let quantum = match (tick["quantum"].as_f64(), tick["quantum_high"].as_f64()) {
            (Some(ns), _) => time(ns),
            (None, Some(ns)) => format!("≤ {}", time(ns)),
            (None, None) => String::new(),
        };
        let number = |value: &Value| value.as_f64().map_or_else(String::new, time);
        let published = PUBLISHED.iter().filter(|row| label == row.label && row.runtime == name);
        let mut published =
            published.filter(|row| row.beneath == beneath).map(|row| [row.tick, row.latency, row.resolution]);
        let [p_tick, latency, resolution] = published.next().unwrap_or_default();
        let (unit, cost) = (number(&clock["unit_ns"]), number(&clock["cost_ns"]["median"]));
        let step = number(&tick["smallest_step"]);
        let who = version.next().map_or_else(|| title.clone(), |version| format!("{title} {version}"));
        let _ = writeln!(
            text,
            "| {beneath} | {who} | `{label}` | {read} | {unit} | {cost} | {quantum} | {step} | {p_tick} | {latency} \
             | {resolution} |"
        );
    }
    text
}

/// The version of a runtime by its own words, else by the program's, as far as it is one word.
fn version(runtime: &Value, title: &str) -> Option<String> {
    let said = [&runtime["runtime"]["version"], &runtime["version"]];
    let text = said.into_iter().filter_map(Value::as_str).find(|text| !text.is_empty())?;
    let text = text.strip_prefix(title).unwrap_or(text);
    let is_version = |word: &&str| word.contains(|c: char| c.is_ascii_digit());
    text.split([' ', ',', '(']).find(is_version).map(|word| word.replace('|', "\\|"))
}

/// With four figures, in the unit that suits it.
fn time(ns: f64) -> String {
    let (scale, unit) = unit(ns);
    let value = ns / scale;
    let decimals = match value {
        1000.0.. => 0,
        100.0.. => 1,
        10.0.. => 2,
        _ => 3,
    };
    format!("{} {unit}", trimmed(&format!("{value:.decimals$}")))
}

/// The page with another table between the marks of this name.
fn replaced(page: &str, name: &str, table: &str) -> Result<String> {
    let (begin, end) = (format!("<!-- {name}:begin -->\n"), format!("<!-- {name}:end -->"));
    let (before, rest) = page.split_once(&begin).with_context(|| format!("there is no '{}'", begin.trim()))?;
    let (_, after) = rest.split_once(&end).with_context(|| format!("there is no '{end}'"))?;
    ensure!(!table.contains(&end), "the table has the page's mark in it");
    Ok(format!("{before}{begin}\n{}\n\n{end}{after}", table.trim_end()))
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
        let own = json!({ "name": "Mono", "version": "6.8.0.105 (Debian 6.8.0.105+dfsg-3.3)" });
        let runtime = json!({ "name": "mono", "title": "Mono", "runtime": own, "clocks": clocks });
        assert_eq!(
            rows("ACPI PM", &runtime, |reads| reads == "monotonic"),
            "| ACPI PM | Mono 6.8.0.105 | `Stopwatch.GetTimestamp` | `monotonic` | 100 ns | 1.945 µs | 279.4 ns | 1.3 µs \
             | 100 ns | 653.4 ns | ≈ latency |\n"
        );
        let both = rows("ACPI PM", &runtime, |_| true);
        assert!(both.lines().nth(1).is_some_and(|row| row.starts_with("| ACPI PM | Mono | `Env")), "{both}");
        let missing = json!({ "name": "go", "title": "Go", "clocks": [], "missing": "go is not there" });
        assert!(rows("TSC", &missing, |_| true).starts_with("| TSC | Go | skipped: go is not there |"));
    }

    #[test]
    fn times_have_the_unit_that_suits_them() {
        for (ns, text) in [
            (0.001, "0.001 ns"),
            (10.0123, "10.01 ns"),
            (999.94, "999.9 ns"),
            (1000.0, "1 µs"),
            (1_142_857.0, "1.143 ms"),
            (1e9, "1 s"),
        ] {
            assert_eq!(time(ns), text);
        }
        let of = |text: &str| version(&json!({ "version": text }), "Go");
        for text in ["go version go1.19.8 linux/amd64", "Go go1.19.8"] {
            assert_eq!(of(text).as_deref(), Some("go1.19.8"));
        }
        assert_eq!((of(""), of("unknown")), (None, None));
    }

    #[test]
    fn only_what_stands_between_the_marks_is_replaced() {
        let page = |table| format!("a\n<!-- x:begin -->\n{table}<!-- x:end -->\nb\n");
        assert_eq!(replaced(&page("old\n"), "x", "new\n").unwrap(), page("\nnew\n\n"));
        assert!(replaced(&page(""), "y", "new").is_err());
    }
}
