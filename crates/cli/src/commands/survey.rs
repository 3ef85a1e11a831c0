//! `clockscope`: the survey.

use clockscope_analysis::record;
use clockscope_engine::session::Observer;
use clockscope_engine::survey::SURVEY;

use super::steps;
use crate::args::Call;
use crate::failure::Failure;
use crate::render::{Format, csv};
use crate::sink::Sink;
use crate::watch::Rows;

/// Surveys the machine and prints the record.
pub fn run(cli: &Call) -> Result<(), Failure> {
    let options = cli.measure.options(None);
    if cli.output.format()? != Format::Csv {
        return steps::measured(cli, &SURVEY, &options);
    }
    // Each row is written when its clock is finished.
    let sink = Sink::in_pieces(cli.output.output.as_deref())?;
    let mut watch = steps::watch(cli)?.with_rows(Rows::Clocks(Vec::new()), sink, &csv::header_line());
    let record = record(&steps::machine(&SURVEY, &options, &mut watch)?);
    // What a run cut short has not finished.
    record.clocks.iter().for_each(|clock| watch.clock(clock));
    watch.finish_rows(|| Some(csv::clocks(&record.clocks)))?;
    watch.finish()?;
    steps::gate_findings(cli, &record.findings)
}
