//! `clockscope check --policy FILE`: whether this machine, or what records tell of others, is as a policy wants it.

use std::path::{Path, PathBuf};

use clockscope_analysis::judge::policy::{Date, check, init, report};
use clockscope_analysis::record;
use clockscope_analysis::record::{CheckReport, Record, Tool};
use clockscope_analysis::text::count;
use clockscope_engine::machine::utc;
use clockscope_engine::survey::SURVEY;

use super::steps;
use crate::args::Call;
use crate::failure::Failure;
use crate::sink::Sink;
use crate::{policy_file, record_file};

const CHECK: &str = "\
Examples:
  clockscope check --policy low-latency                     measure here, and check
  clockscope check --policy ci-runner --format github       as annotations of a workflow
  clockscope check --policy ci-runner --format junit        as JUnit XML, for CI
  clockscope check --init --output my.toml                  a policy that this machine meets
  clockscope check --policy my.toml fleet/                  all records and traces in a folder
  clockscope check --policy database survey.json --all      every requirement, also those met

Policies that come with the program: low-latency, database, ci-runner, vm-image; ./low-latency is a file. docs/check.md tells \
how to write one.

Exit codes: 0 each requirement is met, 1 one is violated, or undecided where the policy does not let that pass, 2 bad input.";

/// Check this machine, or records and traces of others, against a policy; for CI, images and the admission to a fleet
#[derive(Debug, clap::Args)]
#[command(after_help = CHECK)]
pub struct Check {
    /// Records (JSON) or traces to check instead of this machine; directories of them; - is standard input
    #[arg(value_name = "RECORD")]
    records: Vec<PathBuf>,
    /// The policy: a file (TOML), or low-latency, database, ci-runner or vm-image
    #[arg(long, value_name = "FILE", required_unless_present = "init")]
    policy: Option<PathBuf>,
    /// Write a policy that this machine, or the record, meets with margins
    #[arg(long, conflicts_with_all = ["policy", "format"])]
    init: bool,
}

impl Check {
    pub(super) fn run(&self, cli: &Call) -> Result<(), Failure> {
        match &self.policy {
            Some(policy) if !self.init => self.check(cli, policy),
            _ => self.write(cli),
        }
    }

    fn check(&self, cli: &Call, policy: &Path) -> Result<(), Failure> {
        let name = record_file::place(policy);
        if policy.as_os_str() == "-" && self.records.iter().any(|record| record.as_os_str() == "-") {
            return Err(Failure::Usage("standard input can't be both the policy and a record".into()));
        }
        let policy = policy_file::read(policy)?;
        let sink = steps::sink(cli)?;
        let today = today()?;
        let mut checked = Vec::new();
        let mut watch = None;
        if self.records.is_empty() {
            let mut options = cli.measure.options(None);
            if !options.clocks.is_empty() {
                options.beside.extend(policy.clocks().map(str::to_owned));
            }
            let here = watch.insert(steps::watch(cli)?);
            let record = record(&steps::machine(&SURVEY, &options, here)?);
            checked.push(check(&policy, "this machine", &record, today));
        } else {
            only_reads(cli)?;
            let records = record_file::read_all(&self.records)?;
            let mut before: (Option<&Path>, u32) = (None, 1);
            for (path, record) in &records {
                // Several records in one file are told apart by their place in it.
                before = if before.0 == Some(path) { (before.0, before.1 + 1) } else { (Some(path), 1) };
                let place = record_file::place(path);
                let name = if before.1 > 1 { format!("{place} #{}", before.1) } else { place };
                checked.push(check(&policy, &name, record, today));
            }
        }
        let tool = Tool { name: env!("CARGO_PKG_NAME").into(), version: env!("CARGO_PKG_VERSION").into() };
        let report = report(&policy, &name, tool, checked, today);
        sink.finish_with(&steps::text(cli, &report)?)?;
        watch.map_or(Ok(()), crate::watch::Watch::finish)?;
        if report.passed { Ok(()) } else { Err(Failure::Found(failed(&report))) }
    }

    /// Writes a policy.
    fn write(&self, cli: &Call) -> Result<(), Failure> {
        let sink = Sink::whole(cli.output.output.as_deref())?;
        match &self.records[..] {
            [] => {
                let mut watch = steps::watch(cli)?;
                let record: Record = record(&steps::machine(&SURVEY, &cli.measure.options(None), &mut watch)?);
                sink.finish_with(&init(&record))?;
                watch.finish()
            }
            [file] => {
                only_reads(cli)?;
                sink.finish_with(&init(&record_file::read(file)?))
            }
            _ => Err(Failure::Usage("--init makes a policy of one record; name one".into())),
        }
    }
}

/// Refuses what is for measuring, where records are read.
fn only_reads(cli: &Call) -> Result<(), Failure> {
    cli.measure.given().next().map_or(Ok(()), |option| {
        Err(Failure::Usage(format!("{option} is for measuring this machine, and here records are read; leave it out")))
    })
}

/// The day, by which waivers end.
fn today() -> Result<Date, Failure> {
    let day = utc().and_then(|now| Date::of(&now));
    day.ok_or_else(|| Failure::Machine("the system does not say which day it is, by which waivers end".into()))
}

/// Why the check failed, in one line.
fn failed(report: &CheckReport) -> String {
    let counts = report.counts;
    let undecided = counts.undecided - counts.undecided_passed;
    let of = match report.records.len() {
        1 => String::new(),
        all => format!(" on {} of {}", counts.records_failed, count(all as u64, "record")),
    };
    format!("{}: {} violated, {undecided} undecided{of}", report.policy, count(counts.violated, "requirement"))
}
