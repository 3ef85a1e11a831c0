//! `clockscope doctor`: findings only, with fixes.

use crate::args::{Cli, Format};
use crate::failure::Failure;
use crate::render::{View, csv, markdown, survey};
use crate::sink::Destination;
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

/// Each line two columns to the right, with a newline at the end.
fn indented(text: &str) -> String {
    textwrap::indent(text, "  ") + "\n"
}

/// Surveys the machine and prints what is wrong, and what the timestamp library would make of it.
pub(super) fn run(cli: &Cli) -> Result<(), Failure> {
    let destination = Destination::open(cli.output.output.as_deref())?;
    let mut watch = Watch::new(&cli.output, super::signals());
    let record = super::measure(cli, &mut watch)?;
    let text = match cli.output.format() {
        Format::Json => super::to_json(&record.findings)?,
        Format::Csv => csv::findings(&record.findings),
        Format::Markdown => markdown::findings(&record.findings),
        Format::Table => {
            let findings = survey::doctor(&record, View::of(&cli.output));
            format!("{findings}\nWhat truetick makes of this machine\n{}", indented(&truetick_story()))
        }
    };
    destination.put(&text)?;
    super::ended(watch.signal())
}
