//! `clockscope`: the survey.

use clockscope_analysis::record;
use clockscope_engine::survey::SURVEY;

use super::{output, source};
use crate::args::Call;
use crate::failure::Failure;
use crate::render::{Format, Shown, csv};
use crate::sink::{Destination, Stream};

/// Surveys the machine and prints the record.
pub fn run(cli: &Call) -> Result<(), Failure> {
    let options = cli.measure.options(None);
    if cli.output.format() == Format::Csv {
        // Each row is written when its clock is finished.
        let stream = Stream::open(cli.output.output.as_deref())?;
        let mut watch = source::watch(cli)?.with_rows(stream);
        let record = record(&source::machine(&SURVEY, &options, &mut watch)?);
        if let Some(stream) = watch.take_rows(&record.clocks) {
            stream.finish(|| Some(csv::clocks(&record.clocks)))?;
        }
        return output::ended(watch);
    }
    let destination = Destination::open(cli.output.output.as_deref())?;
    let mut watch = source::watch(cli)?;
    let record = record(&source::machine(&SURVEY, &options, &mut watch)?);
    destination.put(&output::text(cli, Shown::Record(&record))?)?;
    output::ended(watch)
}
