//! Shows a stored record as the program would show it: `cargo run -p clockscope --example render -- FILE`,
//! with any of the program's output flags after it, e.g. `--format markdown` or `doctor`.

use std::error::Error;
use std::io::Write;

use clap::Parser;
use clockscope_analysis::record::{Deltas, Record, Sweep};
use clockscope_cli::args::{Cli, Command, Format};
use clockscope_cli::render::{View, csv, deltas, json, markdown, survey, sweep};

fn main() -> Result<(), Box<dyn Error>> {
    let mut words: Vec<String> = std::env::args().collect();
    if words.len() < 2 {
        return Err("usage: render FILE [FLAGS]".into());
    }
    let text = std::fs::read_to_string(words.remove(1))?;
    let cli = Cli::try_parse_from(words)?;
    let view = View::of(&cli.output);
    let shown = if let Ok(histogram) = serde_json::from_str::<Deltas>(&text) {
        deltas::deltas(&histogram, false, view)
    } else if let Ok(stored) = serde_json::from_str::<Sweep>(&text) {
        let asked = !cli.measure.clock.is_empty();
        match cli.output.format() {
            Format::Markdown => sweep::markdown(&stored, asked),
            _ => sweep::sweep(&stored, asked, view),
        }
    } else {
        let record: Record = serde_json::from_str(&text)?;
        match (cli.output.format(), &cli.command) {
            (Format::Json, _) => json::json(&record)?,
            (Format::Csv, _) => csv::clocks(&record.clocks),
            (Format::Markdown, _) => markdown::survey(&record),
            (Format::Table, Some(Command::Doctor)) => survey::doctor(&record, view),
            (Format::Table, _) => survey::survey(&record, cli.all, view),
        }
    };
    std::io::stdout().write_all(shown.as_bytes())?;
    Ok(())
}
