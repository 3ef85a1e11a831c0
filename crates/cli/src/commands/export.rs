//! `clockscope export`: many records as tables for a data frame or a database.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use ::parquet::errors::ParquetError;
use clockscope_analysis::text::count;
use serde::{Serialize, Serializer};
use serde_json::Value;
use tempfile::NamedTempFile;

use super::steps;
use crate::args::Call;
use crate::failure::{Failure, reason, warn};
use crate::record_file;
use crate::render::{Format, csv};
use crate::sink::{self, Sink};
use crate::tables::{TABLES, Table, parquet, text};

const HELP: &str = "\
Examples:
  clockscope export fleet/ -o tables                     all records and traces in a folder
  clockscope export survey.json -o tables --format csv   as CSV, not Parquet; or jsonl: JSON lines

Four files: clocks (a row a run and clock), findings, skew_pairs and machines (a row a run); each row begins with the record's \
file and the run's id, by which they are joined. docs/export.md tells of the columns.";

/// Write many records as tables: Parquet, CSV or JSON lines, for data frames and databases
#[derive(Debug, clap::Args)]
#[command(after_help = HELP)]
pub struct Export {
    /// Records (JSON) or traces; directories of them; - is standard input
    #[arg(required = true, value_name = "RECORD")]
    records: Vec<PathBuf>,
}

/// Rows that are held until they are written, so that a Parquet file has few and large row groups.
const BATCH: usize = 16_384;

impl Export {
    pub(super) fn run(&self, cli: &Call) -> Result<(), Failure> {
        steps::only_reads(cli)?;
        let format = match cli.output.format {
            None => Format::Parquet,
            Some(format @ (Format::Parquet | Format::Csv | Format::Jsonl)) => format,
            Some(other) => {
                let why = format!("export writes parquet, csv or jsonl, and not {}", other.name());
                return Err(Failure::Usage(why));
            }
        };
        let folder = cli.output.output.as_deref().filter(|folder| folder.as_os_str() != "-").ok_or_else(|| {
            Failure::Usage("export writes several files: name the directory for them by --output DIR".into())
        })?;
        if fs::metadata(folder).is_ok_and(|it| !it.is_dir()) {
            let why = "is a file, and export writes several: name a directory";
            return Err(Failure::Usage(format!("{} {why}", folder.display())));
        }
        let begin = || -> Result<Vec<Out>, Failure> {
            fs::create_dir_all(folder).map_err(|error| Failure::create(folder, &error))?;
            let target = |table: &Table| folder.join(format!("{}.{}", table.name, format.name()));
            TABLES.iter().map(|table| Out::new(*table, target(table), format)).collect()
        };
        let (mut files, mut records) = (Vec::new(), 0);
        let (mut runs, mut again) = (BTreeSet::new(), 0);
        record_file::each(&self.records, |path, record| {
            // Not before there is a record: bad input leaves no empty directory behind.
            if records == 0 {
                files = begin()?;
            }
            records += 1;
            again += u64::from(record.run.id.clone().is_some_and(|id| !runs.insert(id)));
            let place = record_file::place(path);
            files.iter_mut().try_for_each(|file| file.put(file.table.rows(&place, &record)))
        })?;
        if again > 0 {
            let these = count(again, "record");
            warn(&format!(
                "{these} of a run that another one tells of, as a trace and its record do: joins by run_id repeat rows"
            ));
        }
        let mut said = Vec::new();
        for file in files {
            said.push(format!("{}: {}", file.target.display(), count(file.rows, "row")));
            file.finish()?;
        }
        said.push(format!("of {}\n", count(records, "record")));
        Sink::whole(None)?.finish_with(&said.join("\n"))
    }
}

/// A table's file while it is written; it takes its name when it is whole.
struct Out {
    table: Table,
    target: PathBuf,
    to: To,
    waiting: Vec<Vec<Value>>,
    rows: u64,
}

enum To {
    Parquet(parquet::File<NamedTempFile>),
    Csv(BufWriter<NamedTempFile>),
    Jsonl(BufWriter<NamedTempFile>),
}

impl Out {
    fn new(table: Table, target: PathBuf, format: Format) -> Result<Self, Failure> {
        let file = sink::stage(&target).map_err(|error| Failure::create(&target, &error))?;
        let to = match format {
            Format::Csv => {
                let mut file = BufWriter::new(file);
                let head = csv::line(table.columns());
                file.write_all(head.as_bytes()).map_err(|error| unwritable(&target, &error.into()))?;
                To::Csv(file)
            }
            Format::Jsonl => To::Jsonl(BufWriter::new(file)),
            _ => To::Parquet(parquet::File::new(file, &table).map_err(|error| unwritable(&target, &error))?),
        };
        Ok(Self { table, target, to, waiting: Vec::new(), rows: 0 })
    }

    fn put(&mut self, rows: Vec<Vec<Value>>) -> Result<(), Failure> {
        self.rows += rows.len() as u64;
        self.waiting.extend(rows);
        if self.waiting.len() < BATCH { Ok(()) } else { self.write() }
    }

    /// Writes the rows that wait.
    fn write(&mut self) -> Result<(), Failure> {
        let rows = std::mem::take(&mut self.waiting);
        let written = match &mut self.to {
            To::Parquet(file) if rows.is_empty() => Ok(()),
            To::Parquet(file) => file.put(&rows),
            To::Csv(file) => {
                rows.iter().try_for_each(|row| Ok(file.write_all(csv::line(row.iter().map(text)).as_bytes())?))
            }
            To::Jsonl(file) => rows.iter().try_for_each(|row| {
                let line = serde_json::to_string(&Line(&self.table, row)).map_err(std::io::Error::from)?;
                Ok(writeln!(file, "{line}")?)
            }),
        };
        written.map_err(|error| unwritable(&self.target, &error))
    }

    fn finish(mut self) -> Result<(), Failure> {
        self.write()?;
        let Self { target, to, .. } = self;
        let file = match to {
            To::Parquet(file) => file.finish(),
            To::Csv(file) | To::Jsonl(file) => file.into_inner().map_err(|error| error.into_error().into()),
        };
        let kept = file.and_then(|file| file.persist(&target).map_err(|error| error.error.into()));
        kept.map(drop).map_err(|error| unwritable(&target, &error))
    }
}

/// A row as an object, its fields in the columns' order.
struct Line<'a>(&'a Table, &'a [Value]);

impl Serialize for Line<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.columns().zip(self.1))
    }
}

fn unwritable(file: &Path, error: &ParquetError) -> Failure {
    let source = std::error::Error::source(error).and_then(|source| source.downcast_ref::<std::io::Error>());
    let why = source.map_or_else(|| error.to_string(), reason);
    Failure::Machine(format!("can't write {}: {why}", file.display()))
}
