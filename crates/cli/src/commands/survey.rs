//! `clockscope`: the survey.

use std::thread::sleep;
use std::time::Duration;

use clockscope_analysis::judge::over_runs;
use clockscope_analysis::{Conclusion, record};
use clockscope_engine::session::{Observer, Options};
use clockscope_engine::survey::SURVEY;

use super::steps;
use crate::args::{Call, Gate};
use crate::failure::{Failure, warn};
use crate::render::{Format, csv};
use crate::sink::Sink;
use crate::watch::Rows;

/// Survey this machine; the same without any command
#[derive(Debug, clap::Args)]
pub struct Survey {
    /// Survey so many times, with pauses, and state what costs are between the runs beside the ± within one
    #[arg(long, value_name = "N", help_heading = None::<&'static str>, value_parser = clap::value_parser!(u32).range(1..=100))]
    runs: Option<u32>,
    /// Costs in cycles of the CPU's counter instead of nanoseconds
    #[arg(long, help_heading = None::<&'static str>)]
    cycles: bool,
    /// Put into the record what its figures were made of, for plots and statistics: cost and differences as histograms, offset and rate over the run, errors by length (JSON only; a trace always has it)
    #[arg(long, help_heading = None::<&'static str>, conflicts_with = "runs")]
    series: bool,
    #[command(flatten)]
    gate: Gate,
}

impl Survey {
    /// Whether anything was asked that is for the survey.
    pub(crate) fn asks(&self) -> bool {
        self.runs.is_some() || self.cycles || self.series || self.gate.is_set()
    }

    /// Surveys the machine and prints the record.
    pub(crate) fn run(&self, cli: &Call) -> Result<(), Failure> {
        let cli = &Call { cycles: self.cycles, series: self.series, gate: self.gate.clone(), ..cli.clone() };
        steps::series_fit(cli)?;
        let options = cli.measure.options(None);
        if let Some(runs) = self.runs.filter(|runs| *runs > 1) {
            return several(cli, runs, &options);
        }
        match cli.output.format()? {
            Format::Csv => {}
            Format::Table => {
                let (sink, watch) = (steps::sink(cli)?, steps::watch(cli)?.with_answer(self.cycles));
                return steps::measured_by(cli, &SURVEY, &options, sink, watch);
            }
            _ => return steps::measured(cli, &SURVEY, &options),
        }
        // Each row is written when its clock is finished.
        let sink = Sink::in_pieces(cli.output.output.as_deref())?;
        let mut watch = steps::watch(cli)?.with_rows(Rows::Clocks(Vec::new()), sink, &csv::header_line());
        let record = record(&steps::machine(&SURVEY, &options, &mut watch)?);
        // What a run cut short has not finished.
        record.clocks.iter().for_each(|clock| watch.clock(clock));
        watch.finish_rows(|| Some(csv::clocks(&record.clocks)))?;
        watch.finish()?;
        steps::gate(cli, &record.findings)
    }
}

/// Rest between two runs: what holds one run up, as a neighbour's burst or a frequency that has yet to rise, is over then.
const PAUSE: Duration = Duration::from_millis(300);

/// Surveys several times and prints one record of all.
fn several(cli: &Call, runs: u32, options: &Options) -> Result<(), Failure> {
    if cli.measure.trace.is_some() {
        return Err(Failure::Usage("--trace keeps one run; leave --runs or --trace out".into()));
    }
    let sink = steps::sink(cli)?;
    let mut watch = steps::watch(cli)?;
    let mut records = Vec::new();
    for run in 0..runs {
        if run > 0 {
            sleep(PAUSE);
        }
        watch.part(run, runs);
        // Each with pauses of its own between the reads.
        let options = Options { seed: options.seed.wrapping_add(run.into()), ..options.clone() };
        match steps::machine(&SURVEY, &options, &mut watch) {
            Ok(analysis) => records.push(record(&analysis)),
            // What was measured before is not lost.
            Err(why) if !records.is_empty() => {
                warn(&format!("run {} of {runs} came to nothing: {why}", run + 1));
                break;
            }
            Err(why) => return Err(why),
        }
        if watch.stop() {
            break;
        }
    }
    steps::ended(cli, sink, watch, &Conclusion::Survey(over_runs(records).ok_or_else(steps::nothing)?))
}
