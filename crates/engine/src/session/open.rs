//! Chooses a run's clocks and writes the head of its trace.

use clockscope_analysis::analyze::Analysis;
use clockscope_analysis::trace::{
    Description, Header, Kind, Path, Row, Singles, Stamp, TRACE_SCHEMA, Task, Tool, Unit,
};

use super::error::Error;
use super::list::Readable;
use super::looks::Looks;
use super::observer::Observer;
use super::options::Options;
use super::reader::{Reader, chosen, watched};
use super::reads::Session;
use crate::machine;
use crate::measure::{Causes, Witness};

/// How a command chooses the clocks that it is about, by their places; `kernel` is that of the kernel's clock.
pub(crate) type Choice = fn(&Readable, &[String], kernel: Option<usize>) -> Result<Vec<usize>, Error>;

/// A session with those clocks, its header shown to the observer.
pub(crate) fn open<'a>(
    task: Task,
    choice: Choice,
    mut readable: Readable,
    options: &'a Options,
    observer: &'a mut dyn Observer,
) -> Result<Session<'a>, Error> {
    let usage = machine::Usage::now(&machine::Root::default());
    // Before the reader is pinned: the CPUs that the process may use are those of now.
    let machine = machine::gather(&machine::Options {
        hostname: options.hostname,
        id: options.machine_id,
        cpu: options.cpu,
        frequencies: task == Task::Frequency,
    });
    let place = |witness: &Witness| readable.meters.iter().position(|m| m.description().id == witness.id());
    let witnesses = [Witness::counter(), Witness::kernel()];
    let kernel = witnesses[1].as_ref().and_then(place);
    let mut surveyed = choice(&readable, &options.clocks, kernel)?;
    if !options.clocks.is_empty() && !options.beside.is_empty() {
        surveyed.extend(options.beside.iter().filter_map(|id| readable.find(id).ok()));
        surveyed.sort_unstable();
        surveyed.dedup();
    }
    let reader = Reader::new(options.cpu)?;
    match task {
        Task::Skew => drop(chosen(options.cpus.as_deref(), &reader.allowed)?),
        Task::Interruptions => drop(watched(options.cpus.as_deref(), &reader)?),
        _ => {}
    }
    let unlisted = || Error::no_witness("the catalog has no entry for the clock that would bracket the reads");
    let witness = place(&reader.witness).ok_or_else(unlisted)?;
    let reference = reference(options.reference.as_deref(), &readable, kernel)?;
    let started_at = machine::now(machine.ntp.as_ref());
    let header = Header {
        schema: TRACE_SCHEMA.into(),
        tool: Tool { name: "clockscope".into(), version: env!("CARGO_PKG_VERSION").into() },
        task,
        machine,
        clocks: readable.meters.iter().map(|meter| meter.description().clone()).collect(),
        surveyed,
        unavailable: if options.clocks.is_empty() { std::mem::take(&mut readable.unavailable) } else { Vec::new() },
        witness,
        kernel: kernel.filter(|_| reader.kernel.is_some()),
        reference,
        cpu: reader.cpu(),
        started: machine::utc(),
        started_at,
        id: run_id(),
        seed: options.seed,
        start: reader.witness.stamp().count,
        kernel_start: reader.kernel.map(|kernel| kernel.stamp().count),
    };
    observer.begin(&header);
    let analysis = Analysis::new(header).map_err(Error::no_witness)?;
    let stamp = |count| Stamp { count, cpu: None };
    let header = analysis.header();
    let mut session = Session {
        causes: Causes::new(reader.cpu()),
        looks: Looks::new(options.time_ns(), reader.kernel, &header.machine, header.start),
        start: stamp(header.start),
        kernel_start: header.kernel_start.map(stamp),
        ntp: None,
        random: options.seed,
        row: Row::default(),
        lot: Singles::default(),
        alone: Singles::default(),
        stopped: false,
        source_changed: false,
        usage,
        reader,
        options,
        analysis,
        meters: readable.meters,
        observer,
    };
    for text in std::mem::take(&mut session.reader.notes) {
        session.remark(&text);
    }
    session.look_at_kernel();
    Ok(session)
}

/// A number that no other run has; `None` where the system has nothing random to give.
fn run_id() -> Option<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).ok()?;
    Some(uuid::Builder::from_random_bytes(bytes).into_uuid().to_string())
}

/// The place of the reference: the clock asked for, or the kernel's monotonic clock by its straightest way. Where that
/// can't be read (a sandbox may forbid `clock_gettime` and forget the older calls): the finest clock of the wall, one
/// that no library can interpose if there is one.
fn reference(wanted: Option<&str>, readable: &Readable, kernel: Option<usize>) -> Result<usize, Error> {
    let describe = |place: usize| readable.meters[place].description();
    let place = match (wanted, kernel) {
        (Some(id), _) => readable.find(id)?,
        (None, Some(kernel)) => kernel,
        (None, None) => {
            let key = |place: &usize| {
                let d = describe(*place);
                (count_ns(d).unwrap_or(f64::MAX) as u64, !d.forced, d.path != Path::Vdso)
            };
            let walls = (0..readable.meters.len()).filter(|place| describe(*place).kind == Kind::Wall);
            let none = "CLOCK_MONOTONIC can't be read, nor any clock of the wall, so that nothing says what a tick of the \
                        counter is worth";
            let best = walls.clone().min_by_key(key).ok_or_else(|| Error::no_witness(none))?;
            // Where the vDSO only passes the call on, the system call itself, which stands behind it in the catalog.
            let same = |place: &usize| key(place) == key(&best) && describe(*place).is_same_clock(describe(best));
            walls.rev().find(same).unwrap_or(best)
        }
    };
    let description = describe(place);
    let reason = match count_ns(description) {
        None => "what its ticks are worth has to be measured against a clock that has nanoseconds",
        Some(ns) if ns > COARSEST_NS || matches!(description.kind, Kind::Coarse | Kind::CpuTime) => {
            "it is too coarse, or does not tell the time of day; take one that moves in 1 µs or less"
        }
        Some(_) => return Ok(place),
    };
    Err(Error::Usage(format!("clock '{}' can't be the reference: {reason}", description.id)))
}

/// The coarsest unit that a reference may have, ns.
const COARSEST_NS: f64 = 1000.0;

fn count_ns(description: &Description) -> Option<f64> {
    match description.unit {
        Unit::Ns(ns) => Some(ns),
        Unit::Ticks => None,
    }
}
