//! `clockscope doctor`: findings only, with fixes.

use std::path::PathBuf;

use clockscope_analysis::record;
use clockscope_engine::survey::SURVEY;

use super::steps;
use crate::args::{Call, Gate};
use crate::failure::Failure;
use crate::render::{Findings, Format, prose};
use crate::trace_file::Input;
use crate::watch::Watch;

/// What truetick says of itself once it has been read for as long as its first fit takes: some milliseconds, or never
/// where it does not use the counter.
fn truetick_story() -> String {
    for _ in 0..50 {
        if truetick::Clock::frequency_hz().is_some() {
            break;
        }
        truetick::Instant::now();
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    truetick::Clock::explain()
}

/// Survey this machine, or take a trace of another one, and tell only what is wrong, why it matters and how to fix it
#[derive(Debug, clap::Args)]
pub struct Doctor {
    /// A trace to take instead of this machine; - is standard input
    file: Option<PathBuf>,
    #[command(flatten)]
    gate: Gate,
}

impl Doctor {
    /// Of this machine it also tells what the timestamp library makes of it.
    pub(super) fn run(&self, cli: &Call) -> Result<(), Failure> {
        let cli = &Call { gate: self.gate.clone(), ..cli.clone() };
        let sink = steps::sink(cli)?;
        let (record, watch) = if let Some(path) = &self.file {
            (record(&steps::trace(cli, Input::open(path)?, |_| ())?), None)
        } else {
            let mut watch = steps::watch(cli)?;
            let analysis = steps::machine(&SURVEY, &cli.measure.options(None), &mut watch)?;
            (record(&analysis), Some(watch))
        };
        let mut text = steps::text(cli, &Findings(&record))?;
        if cli.all && watch.is_some() && cli.output.format()? == Format::Table {
            text += &prose::story("What truetick makes of this machine", &truetick_story(), cli.output.view());
        }
        sink.finish_with(&text)?;
        watch.map_or(Ok(()), Watch::finish)?;
        steps::gate(cli, &record.findings)
    }
}
