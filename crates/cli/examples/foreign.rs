//! Makes a trace of readings that another program wrote, so that `clockscope analyze` takes them: what they tell of quantum
//! and order is known then, and what they don't (cost, faults: nothing stands around them) is absent with the reason.
//!
//! `cargo run --example foreign -- RECORD.json OUT.trace ID=FILE…`, each file holding a clock's readings as 64-bit
//! little-endian numbers; the record says of what machine they are, and what clocks these are.

use std::borrow::Cow;
use std::path::Path;
use std::{env, fs, process};

use clockscope_analysis::record::Record;
use clockscope_analysis::trace::{Description, Header, Kind, Observation, Role, Row, TRACE_SCHEMA, Task, Unit};
use clockscope_cli::trace_file::Writer;

fn main() {
    if let Err(why) = run() {
        eprintln!("foreign: {why}");
        process::exit(2);
    }
}

fn run() -> Result<(), String> {
    let args: Vec<String> = env::args().skip(1).collect();
    let [record, out, files @ ..] = &args[..] else {
        return Err("give a record, the trace to write, and ID=FILE for each clock".into());
    };
    let text = fs::read_to_string(record).map_err(|error| format!("{record}: {error}"))?;
    let record: Record = serde_json::from_str(&text).map_err(|error| format!("{record}: {error}"))?;
    let files: Vec<(&str, &str)> = files.iter().filter_map(|file| file.split_once('=')).collect();
    let clocks = files.iter().map(|(id, _)| describe(&record, id)).collect::<Result<Vec<_>, _>>()?;
    let place = |kind: Kind| clocks.iter().position(|clock| clock.kind == kind).unwrap_or(0);
    let header = Header {
        schema: TRACE_SCHEMA.into(),
        tool: record.tool.clone(),
        task: Task::Survey,
        machine: record.machine.clone(),
        surveyed: (0..clocks.len()).collect(),
        unavailable: Vec::new(),
        witness: place(Kind::Counter),
        kernel: None,
        reference: place(Kind::Monotonic),
        cpu: record.run.cpu,
        started: record.run.started.clone(),
        started_at: record.run.started_at.clone(),
        id: record.run.id.clone(),
        seed: 0,
        start: 0,
        kernel_start: None,
        clocks,
    };
    let mut writer = Writer::create(Path::new(out)).map_err(|failure| failure.to_string())?;
    writer.put(&header);
    for (clock, (_, file)) in files.iter().enumerate() {
        let bytes = fs::read(file).map_err(|error| format!("{file}: {error}"))?;
        for bytes in bytes.chunks(8 << 16) {
            let values = bytes.chunks_exact(8).map(|eight| u64::from_le_bytes(eight.try_into().unwrap_or_default()));
            let row = Row { clock, role: Role::Foreign, values: values.collect(), ..Row::default() };
            writer.put(&Observation::Row(Cow::Borrowed(&row)));
        }
        writer.put(&Observation::Turn(clock));
    }
    writer.finish().map(drop).map_err(|failure| failure.to_string())
}

/// The clock as the record has it.
fn describe(record: &Record, id: &str) -> Result<Description, String> {
    let known = record.clocks.iter().find(|clock| clock.id == id);
    let clock = known.ok_or_else(|| format!("the record has no clock '{id}'"))?;
    let unit = match (clock.kind, clock.tick_ns.nominal) {
        (Kind::Counter, _) | (_, None) => Unit::Ticks,
        (_, Some(ns)) => Unit::Ns(ns),
    };
    Ok(Description {
        path: clock.path,
        path_evidence: clock.path_evidence.clone(),
        promises: clock.promises,
        reported_ns: clock.tick_ns.reported,
        ..Description::new(id, &clock.api, clock.kind, unit)
    })
}
