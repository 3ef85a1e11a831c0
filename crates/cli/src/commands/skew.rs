//! `clockscope skew`: by how much the CPUs disagree.

use std::time::Duration;

use clockscope_analysis::{Conclusion, skew_report};
use clockscope_engine::session::Options;
use clockscope_engine::survey::SKEW;

use super::{output, source};
use crate::args::{Cli, CpuList};
use crate::failure::Failure;
use crate::sink::Destination;

/// How long to compare unless asked otherwise.
const TIME: Duration = Duration::from_secs(1);

/// Compares the clocks between the CPUs and prints what came of it.
pub(super) fn run(cli: &Cli, cpus: Option<&CpuList>) -> Result<(), Failure> {
    if cli.measure.reads.is_some() {
        return Err(Failure::Usage(
            "skew compares for a time, not for a number of reads; take --time, as in `clockscope skew --time 5s`"
                .into(),
        ));
    }
    let destination = Destination::open(cli.output.output.as_deref())?;
    let mut watch = source::watch(cli)?;
    let options = Options { cpus: cpus.map(|list| list.0.clone()), ..cli.measure.options(Some(TIME)) };
    let report = skew_report(&source::machine(&SKEW, &options, &mut watch)?);
    destination.put(&output::text(cli, &Conclusion::Skew(report), false)?)?;
    output::ended(watch)
}
