//! What programmers of each language get: finds the runtimes that are installed, runs the probe of each, and makes of its
//! readings what is made of any samples.

mod places;
mod prepare;
mod process;
mod traced;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clockscope_analysis::analyze::beneath::{Sampled, Shown, beneath, counted, placed, printed};
use clockscope_analysis::judge::judge_runtimes;
use clockscope_analysis::record::{
    Beneath, RUNTIMES_SCHEMA, RuntimeClock, RuntimeFound, RuntimesReport, SampledClock, Tool,
};
use clockscope_analysis::samples;
use clockscope_analysis::text::nearest;
use clockscope_analysis::trace::Told;
use clockscope_probes::Runtime;

use crate::machine;
use crate::measure::{Witness, allowed_cpus};
use crate::session::{Error, Observer, pin};
use prepare::Ready;
use traced::{Traced, traced};

/// Readings of each clock while the probe is watched: enough to tell clocks apart, and each costs two stops.
const FEW: u64 = 500;
/// Where their values tell nothing, the probe makes so many in a further run.
const MORE: u64 = 4000;

/// What may be built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Builds {
    /// Nothing: what was built before is run, and its compilers need not be there.
    Kept,
    /// What asks nothing of a package registry.
    Local,
    /// All.
    Fetched,
}

/// What is asked for.
#[derive(Debug, Clone)]
pub struct Options {
    /// Names of runtimes; none: all.
    pub names: Vec<String>,
    /// Readings of each clock.
    pub samples: u64,
    /// Pairs of batches of each clock.
    pub pairs: u64,
    /// The CPU to run them on; `None`: the last one that this process may use.
    pub cpu: Option<u32>,
    /// What may be built.
    pub builds: Builds,
    /// Longest time for one probe.
    pub limit: Duration,
    /// A folder that is there, for what each probe writes: a file a runtime, `<name>.txt`.
    pub save: Option<PathBuf>,
}

/// Finds, builds and runs the probes, one after the other. A runtime that is not there, or whose probe fails, is an entry that
/// says so; what a probe wrote before it failed is in it.
///
/// # Errors
/// [`Error::Usage`] for a name that no runtime has, or a CPU that this process may not use; [`Error::Machine`] where there is no
/// folder to build in.
pub fn run(options: &Options, observer: &mut dyn Observer) -> Result<RuntimesReport, Error> {
    let list = clockscope_probes::runtimes().map_err(|error| Error::Machine(error.to_string()))?;
    let chosen = chosen(&list, &options.names)?;
    let folder = prepare::folder().map_err(Error::Machine)?;
    let mut notes = Vec::new();
    let machine =
        machine::gather(&machine::Options { hostname: false, id: false, cpu: options.cpu, frequencies: false });
    // What is started inherits it.
    let pinned = pin(options.cpu, &allowed_cpus().unwrap_or_default(), &mut notes)?;
    let mut report = RuntimesReport {
        schema: RUNTIMES_SCHEMA.into(),
        tool: Tool { name: "clockscope".into(), version: env!("CARGO_PKG_VERSION").into() },
        started: machine::utc(),
        machine,
        cpu: pinned.as_ref().map(|pinned| pinned.cpu),
        samples: options.samples,
        ..RuntimesReport::default()
    };
    for (at, runtime) in chosen.iter().enumerate() {
        observer.progress(at as f64 / chosen.len() as f64, &runtime.title);
        let mut found =
            RuntimeFound { name: runtime.name.clone(), title: runtime.title.clone(), ..RuntimeFound::default() };
        report.interrupted |= observer.stop();
        if report.interrupted {
            found.missing = Some("the run was stopped before its turn".into());
        } else {
            let clock = Witness::kernel().map(|kernel| (kernel, kernel.stamp()));
            let outcome = probed(&mut found, runtime, &folder, options, &|| observer.stop(), &mut notes);
            found.missing = outcome.err();
            found.took_s = clock.map(|(kernel, start)| kernel.stamp().since(start) as f64 / 1e9);
        }
        report.runtimes.push(found);
    }
    report.interrupted |= observer.stop();
    observer.progress(1.0, "");
    report.notes = notes;
    report.findings = judge_runtimes(&report);
    Ok(report)
}

/// Runs one probe; `Err`: what went wrong.
fn probed(
    found: &mut RuntimeFound,
    runtime: &Runtime,
    folder: &Path,
    options: &Options,
    stop: &dyn Fn() -> bool,
    notes: &mut Vec<String>,
) -> Result<(), String> {
    let mut ready = Ready::new(runtime, folder, options.builds, stop)?;
    found.version.clone_from(&ready.version);
    let mut reader =
        samples::Reader::new(samples::Options { format: Some(samples::Format::Text), ..Default::default() });
    let mut bad = None;
    let mut saved = Saved::new(options.save.as_deref(), &runtime.name);
    let mut take = |bytes: &[u8]| {
        saved.put(bytes);
        bad = reader.push(bytes).err();
        bad.is_none()
    };
    let places = places::before();
    let ended = process::run(&mut ready.probe(options.samples, options.pairs)?, options.limit, stop, &mut take);
    let places = places::after(places);
    if bad.is_none() {
        bad = reader.end().err();
    }
    notes.extend(saved.failed());
    let record = reader.record();
    found.absent = record.absent;
    found.runtime = record.runtime;
    let clock = |sampled: SampledClock| {
        let for_intervals = runtime.intervals.contains(&sampled.label);
        RuntimeClock { beneath: None, for_intervals, sampled }
    };
    found.clocks = record.clocks.into_iter().map(clock).collect();
    let ended = ended.map_err(|why| format!("its probe failed: {why}"));
    if let Some(bad) = bad {
        // What ended before it wrote anything wrote no nonsense.
        if found.clocks.is_empty() {
            ended?;
        }
        return Err(format!("its probe wrote nonsense: {bad}"));
    }
    ended?;
    if record.complete != Some(true) {
        return Err("its probe ended before it was done".into());
    }
    let told = look_beneath(&mut found.clocks, traced(ready.probe(FEW, 0)?, options.limit, stop), &places);
    let (known, unknown): (Vec<_>, Vec<_>) = found.clocks.iter_mut().partition(|clock| clock.beneath.is_some());
    // Of several it could not be said which call is whose.
    let Ok([clock]) = <[_; 1]>::try_from(unknown) else { return Ok(()) };
    let known: Vec<&str> = known.iter().filter_map(|clock| clock.beneath.as_ref()?.clock.as_deref()).collect();
    if !told.is_empty()
        && let Ok(more) = traced(ready.probe(MORE, 0)?, options.limit, stop)
    {
        clock.beneath = counted(&told, &more.told, MORE - FEW, &known);
    }
    if clock.beneath.is_some() {
        clock.sampled.missing.remove("beneath");
    }
    Ok(())
}

/// What a probe wrote, in a file, if it is to be saved. A disk that is full takes nothing from what is made of it here.
struct Saved {
    file: Option<io::Result<File>>,
    path: PathBuf,
}

impl Saved {
    fn new(folder: Option<&Path>, name: &str) -> Self {
        let path = folder.map(|folder| folder.join(format!("{name}.txt"))).unwrap_or_default();
        Self { file: folder.map(|_| File::create(&path)), path }
    }

    fn put(&mut self, bytes: &[u8]) {
        if let Some(Ok(file)) = &mut self.file
            && let Err(error) = file.write_all(bytes)
        {
            self.file = Some(Err(error));
        }
    }

    /// Why it was not saved whole.
    fn failed(self) -> Option<String> {
        let error = self.file?.err()?;
        Some(format!("What a probe wrote could not be saved in {}: {error}.", self.path.display()))
    }
}

/// Puts down which of the system's clocks each reads, or why that is not known; what calls told is returned. Where no call could
/// be watched, the places of the readings may tell.
fn look_beneath(clocks: &mut [RuntimeClock], seen: Result<Traced, String>, places: &[Shown]) -> Vec<Told> {
    let seen = match seen {
        Ok(seen) => seen,
        Err(why) => {
            for clock in clocks {
                clock.beneath = by_place(&clock.sampled, places, &why);
                if clock.beneath.is_none() {
                    clock.sampled.missing.insert("beneath".into(), why.clone());
                }
            }
            return Vec::new();
        }
    };
    let readings = printed(&seen.stdout);
    let found = beneath(&readings, &seen.told);
    let found: BTreeMap<_, _> = readings.into_iter().map(|readings| readings.label).zip(found).collect();
    let why = seen.ended.err().map(|why| format!("its probe, watched: {why}"));
    for clock in clocks {
        let mine = found.get(&clock.sampled.label);
        clock.beneath = mine.filter(|beneath| beneath.clock.is_some()).cloned();
        if clock.beneath.is_none() {
            let why = mine.map(|beneath| beneath.evidence.clone()).or_else(|| why.clone());
            let why = why.unwrap_or_else(|| "its probe, watched, did not write it".into());
            clock.sampled.missing.insert("beneath".into(), why);
        }
    }
    seen.told
}

/// The clock that readings may be of by their places alone, as their calls could not be watched (`why`).
fn by_place(clock: &SampledClock, places: &[Shown], why: &str) -> Option<Beneath> {
    let values = clock.values.as_ref()?;
    // Readings that are farther apart than a tick step, too.
    let step_ns = clock.stalls.as_ref().filter(|stalls| stalls.count > 0).and(clock.tick_ns.smallest_step);
    placed(&Sampled { unit_ns: clock.unit_ns, values, step_ns }, places, why)
}

/// The runtimes of these names, in the list's order; all of them for none.
fn chosen<'a>(list: &'a [Runtime], names: &[String]) -> Result<Vec<&'a Runtime>, Error> {
    let ids = || list.iter().map(|runtime| runtime.name.as_str());
    for name in names {
        if !ids().any(|id| id == name) {
            let hint = nearest::hint(name, ids());
            let all: Vec<&str> = ids().collect();
            return Err(Error::Usage(format!("no runtime is called '{name}'{hint}; there are {}", all.join(", "))));
        }
    }
    Ok(list.iter().filter(|runtime| names.is_empty() || names.contains(&runtime.name)).collect())
}
