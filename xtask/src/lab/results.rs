//! What a guest handed out, kept under target/lab and made ready for the expectations.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use lab_guest::frame::{Frame, NOTES, RECORD, THEN, TRACE};
use serde_json::{Value, json};

use super::checked::Checked;
use super::path::find;
use super::replay;
use super::scenario::Scenario;

/// Endings of the files that a scenario leaves: record, what the second run wrote, notes, trace, and the record that the trace
/// gave.
const ENDINGS: [&str; 5] = ["json", "then.json", "notes.json", "trace", "replayed.json"];

fn file(folder: &Path, scenario: &Scenario, ending: &str) -> PathBuf {
    folder.join(format!("{}.{ending}", scenario.name))
}

/// Removes a file, if it is there.
pub(crate) fn remove(path: &Path) -> Result<()> {
    if path.exists() {
        fs::remove_file(path).with_context(|| format!("can't remove {}", path.display()))?;
    }
    Ok(())
}

/// Removes what an earlier run left.
pub(crate) fn clear(folder: &Path, scenario: &Scenario) -> Result<()> {
    ENDINGS.iter().try_for_each(|ending| remove(&file(folder, scenario, ending)))
}

/// Keeps the frames, and joins what is JSON: the record with `then`, `notes`, `totals` and `host`. Beside it, how the replay of
/// the trace came out where the scenario wants one. `missing`: runtimes that the host lacks, and why.
pub(crate) fn collect(
    folder: &Path,
    scenario: &Scenario,
    frames: &[Frame],
    missing: &BTreeMap<String, String>,
) -> Result<(Value, Vec<Checked>)> {
    let bytes = |name: &str| Some(&frames.iter().find(|frame| frame.name == name)?.bytes[..]);
    let keep = |ending: &str, bytes: &[u8]| -> Result<PathBuf> {
        let path = file(folder, scenario, ending);
        fs::write(&path, bytes).with_context(|| format!("can't write {}", path.display()))?;
        Ok(path)
    };
    let parse = |name: &str, bytes: &[u8]| -> Result<Value> {
        serde_json::from_slice(bytes).with_context(|| format!("the {name} is no JSON"))
    };
    let Some(notes) = bytes(NOTES) else { bail!("the guest ended without its notes") };
    let notes = parse(NOTES, notes)?;
    keep("notes.json", serde_json::to_string_pretty(&notes)?.as_bytes())?;
    let record = bytes(RECORD);
    record.map(|record| keep("json", record)).transpose()?;
    let then = bytes(THEN);
    then.map(|then| keep("then.json", then)).transpose()?;
    let trace = bytes(TRACE).map(|trace| keep("trace", trace)).transpose()?;
    let errors: Vec<&str> = notes["errors"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    if !errors.is_empty() {
        bail!("in the guest: {}", errors.join("; "));
    }
    let replayed = match (scenario.guest.replay, record, trace) {
        (false, ..) => Vec::new(),
        (true, Some(record), Some(trace)) => replay::check(record, &trace, &file(folder, scenario, "replayed.json"))?,
        (true, record, _) => {
            let missing = if record.is_some() { "trace" } else { "record" };
            bail!("the program left no {missing}: {}", notes["program"]["stderr"])
        }
    };
    let mut all = record.map_or_else(|| Ok(json!({})), |record| parse(RECORD, record))?;
    all["totals"] = totals(&all);
    all["then"] = then.map(|then| parse(THEN, then)).transpose()?.unwrap_or_default();
    all["notes"] = notes;
    all["host"] = json!({ "step_ns": host_step_ns(), "missing": missing });
    Ok((all, replayed))
}

/// The smallest step of this machine's own clock, from which the emulator makes the timers of its guests: they can't be
/// finer.
fn host_step_ns() -> Option<f64> {
    let steps = (0..10_000).map(|_| {
        let first = Instant::now();
        first.elapsed()
    });
    steps.filter(|step| !step.is_zero()).min().map(|step| step.as_nanos() as f64)
}

/// Sums and maxima over all clocks.
fn totals(record: &Value) -> Value {
    let each = |path: &str| -> Vec<f64> {
        let clocks = record["clocks"].as_array().into_iter().flatten();
        clocks.filter_map(|clock| find(clock, path)?.as_f64()).collect()
    };
    json!({
        "regressions": each("regressions.count").iter().sum::<f64>(),
        "warps": each("warps.count").iter().sum::<f64>(),
        "longest_interruption_ns": each("interruptions.longest_ns").iter().copied().fold(0.0, f64::max),
    })
}
