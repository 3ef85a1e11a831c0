//! `clockscope sweep`: the survey under each of the kernel's clocksources.

use std::fs::File;
use std::path::Path;

use clockscope_analysis::record;
use clockscope_analysis::record::{Record, Sweep as Swept, SweepSource};
use clockscope_engine::session::{Error as SurveyError, Observer, Options};
use clockscope_engine::survey::{self, SURVEY};
use clockscope_engine::sweep::{self, Error, Plan, Surveyor, Sysfs};

use super::{Refused, steps};
use crate::args::Call;
use crate::clocksource::{folder, guard, lock, unreadable};
use crate::failure::{Failure, reason, warn};
use crate::render::{Format, csv, number};
use crate::sink::Sink;
use crate::watch::{Rows, Watch};

const SWEEP_HELP: &str = "\
Examples:
  clockscope sweep                                  say what would be done, and change nothing
  sudo clockscope sweep --change-clocksource
  sudo clockscope sweep --change-clocksource --clock monotonic --format csv

While it runs, every program here reads the clocksource being measured. The old one is written back at the end, on an \
error, a panic, Ctrl-C, SIGTERM and SIGHUP; a second process does it should this one be killed.

The table shows monotonic, realtime and monotonic-raw, or the clocks of --clock. JSON and CSV have every clock that was read.";

pub(super) const REFUSED: &[Refused] =
    &[("--trace", "a trace is of one survey, and a sweep makes several; leave out --trace")];

/// Survey under each of the kernel's clocksources in turn; the old one comes back (needs root)
#[derive(Debug, clap::Args)]
#[command(after_help = SWEEP_HELP)]
pub struct Sweep {
    /// Change this machine's clocksource for the time of the sweep; without this it only says what it would do
    #[arg(long)]
    change_clocksource: bool,
}

impl Sweep {
    pub(super) fn run(&self, cli: &Call) -> Result<(), Failure> {
        steps::refuse(cli, REFUSED)?;
        let format = cli.output.format()?;
        let folder = folder()?;
        let sysfs = Sysfs::new(&folder);
        let mut plan = Plan::of(&sysfs).map_err(unreadable)?;
        let mut guarded = None;
        // Where there is nothing to change there is nothing to allow.
        if !plan.others.is_empty() {
            if !self.change_clocksource {
                return Err(Failure::Usage(intention(&plan, &sysfs, &cli.measure.options(None))));
            }
            guarded = Some(lock(&sysfs)?);
            // Asked again: another sweep may just have ended.
            plan = Plan::of(&sysfs).map_err(unreadable)?;
        }
        let mut watch = Watch::new(&cli.output, steps::signals(), None);
        if format != Format::Csv {
            let sink = Sink::whole(cli.output.output.as_deref())?;
            let sweep = measure(cli, &folder, &plan, guarded, &mut watch)?;
            sink.finish_with(&steps::text(cli, &sweep)?)?;
            return ended(&sweep, watch);
        }
        // The rows of each clocksource are written when it is done.
        watch = watch.with_rows(
            Rows::Clocks(Vec::new()),
            Sink::in_pieces(cli.output.output.as_deref())?,
            &csv::sweep_header_line(),
        );
        let sweep = measure(cli, &folder, &plan, guarded, &mut watch)?;
        watch.finish_rows(|| Some(csv::sweep(&sweep)))?;
        let end = ended(&sweep, watch);
        let told = end.as_ref().err().map(Failure::to_string);
        sweep.notes.iter().filter(|note| Some(*note) != told.as_ref()).for_each(|note| warn(note));
        end
    }
}

/// Sweeps, under a guard where there is something to restore.
fn measure(cli: &Call, folder: &Path, plan: &Plan, lock: Option<File>, watch: &mut Watch) -> Result<Swept, Failure> {
    let guard = lock.map(|lock| guard(folder, &plan.before, lock)).transpose()?;
    let (options, of) = (&cli.measure.options(None), plan.sources().count());
    steps::tell_names(options);
    let mut under = Under { options, watch, of, place: 0, clocksource: String::new() };
    let sweep = sweep::run(&Sysfs::new(folder), plan, &mut under);
    if let Some(guard) = guard {
        guard.dismiss();
    }
    watch.clear();
    sweep.map_err(|error| match error {
        Error::Survey(error) => error.into(),
        other => unreadable(other),
    })
}

/// How the run ended; what there was has been printed.
fn ended(sweep: &Swept, watch: Watch) -> Result<(), Failure> {
    if sweep.after.as_deref() != Some(&sweep.before) {
        let why = sweep.notes.last().map_or("the clocksource is not what it was", String::as_str);
        return Err(Failure::Machine(why.to_owned()));
    }
    watch.finish()
}

/// Makes the surveys and shows how far all of them together are.
struct Under<'a> {
    options: &'a Options,
    watch: &'a mut Watch,
    of: usize,
    place: usize,
    clocksource: String,
}

impl Surveyor for Under<'_> {
    fn survey(&mut self, place: usize, clocksource: &str) -> Result<Record, SurveyError> {
        (self.place, self.clocksource) = (place, clocksource.to_owned());
        survey::run(&SURVEY, self.options, self).map(|analysis| record(&analysis))
    }

    fn stopped(&self) -> bool {
        self.watch.stop()
    }

    fn done(&mut self, source: &SweepSource) {
        self.watch.put(&csv::sweep_lines(source));
    }
}

impl Observer for Under<'_> {
    fn progress(&mut self, done: f64, phase: &str) {
        let done = (self.place as f64 + done.clamp(0.0, 1.0)) / self.of as f64;
        self.watch.progress(done, &format!("{}: {phase}", self.clocksource));
    }

    fn stop(&self) -> bool {
        self.watch.stop()
    }
}

/// What would be done, for one who has not allowed it yet.
fn intention(plan: &Plan, sysfs: &Sysfs, options: &Options) -> String {
    let ns = options.time.as_nanos() as f64;
    let (each, all) = (number::duration(ns), number::duration(ns * plan.sources().count() as f64));
    let before = &plan.before;
    let path = sysfs.current_path();
    let path = path.display();
    let write = |name| format!("write '{name}' to {path} and survey under it for about {each}");
    let mut steps = vec![format!("survey under {before}, the current clocksource, for about {each}")];
    steps.extend(plan.others.iter().map(write));
    steps.push(format!(
        "write '{before}' there again, also on an error, a panic, Ctrl-C, SIGTERM and SIGHUP; a second process does so \
         should this one be killed"
    ));
    let numbered: Vec<String> = (1..).zip(steps).map(|(i, step)| format!("  {i}. {step}")).collect();
    let may = match sysfs.check_writable() {
        Ok(()) => " This process may write that file.".to_owned(),
        Err(error) => format!(" This process may not write that file ({}): run it as root.", reason(&error)),
    };
    format!(
        "a sweep changes the clocksource of this machine for a while, and with it what every program here reads; allow \
         that with --change-clocksource. It would\n{}\nin about {all}.{may} Nothing was changed.",
        numbered.join("\n")
    )
}
