//! Skew: the survey's short phase, and the command's run over all pairs of CPUs.

use std::time::Duration;

use super::list::Readable;
use super::phases::Survey;
use super::reader::{Reader, ranges};
use super::skews::{Plan, compare, terms};
use super::timebase::Timebase;
use super::{Error, Observer, Options};
use crate::catalog::{Description, Unit};
use crate::machine::{Root, Topology};
use crate::measure::{MOST_READS, Meter, Run, Singles};
use clockscope_analysis::analyze::quantum::{Counts, Quantum, quantum};
use clockscope_analysis::analyze::skew::is_about;
use clockscope_analysis::record::{Kind, Path, SkewReport};

/// Share of a survey's time that skew takes, and its limit, ns.
const SHARE: f64 = 0.1;
const LONGEST_NS: f64 = 270e6;
/// Most CPUs, and rounds of them, in a survey; each CPU is compared with as many others as there are rounds.
const MOST_CPUS: usize = 16;
const MOST_ROUNDS: usize = 4;
/// Counters that are read in order, best first.
const COUNTERS: [&str; 5] = ["tscp", "tsc-fenced", "tsc-fenced-both", "cntvctss", "cntvct-fenced"];
/// The kernel's clock by the ways that no library can interpose, best first.
const KERNELS: [&str; 3] = ["monotonic@vdso", "monotonic@syscall", "monotonic"];
/// What finding a clock's quantum may take, about, ns.
const QUICK_NS: f64 = 30e6;
/// Anchors of the timebase before the rounds, and as many after them.
const ANCHORS: usize = 48;

impl Survey {
    /// Compares the counter and the kernel's clock between CPUs, and, where one of them disagrees, the other clocks
    /// that the kernel makes of the same source.
    pub(super) fn find_skew(&mut self, time: f64, observer: &mut dyn Observer) {
        if self.stop(observer) {
            return;
        }
        let cpus = spread(&self.reader.allowed, MOST_CPUS);
        if cpus.len() < 2 {
            let only = ranges(&self.reader.allowed);
            let reason = if only.is_empty() {
                "the CPUs are not known".into()
            } else {
                format!("only CPU {only} may be used")
            };
            self.reader.notes.push(format!("skew between CPUs not measured: {reason}"));
            return;
        }
        if cpus.len() < self.reader.allowed.len() {
            let all = self.reader.allowed.len();
            self.reader.notes.push(format!(
                "skew measured between {} of {all} CPUs; `clockscope skew` compares all of them",
                cpus.len()
            ));
        }
        let topology = Topology::read(&Root::default(), &cpus);
        let budget = (time * SHARE).min(LONGEST_NS);
        let first: Vec<usize> = [self.best(&COUNTERS, is_counter), self.best(&KERNELS, is_precise)]
            .into_iter()
            .flatten()
            .collect();
        if first.is_empty() {
            self.reader
                .notes
                .push("skew between CPUs not measured: none of these clocks is fit for it".into());
        }
        let each = budget / 3.0;
        for at in first {
            self.compare(at, &cpus, each, &topology, time, observer);
        }
        for subject in &mut self.subjects {
            // A process has had the CPU time of all its threads.
            if subject.meter.description().kind == Kind::CpuTime {
                subject.watch.apart();
            }
        }
        if self.skew.iter().all(|skew| skew.agree != Some(false)) {
            return;
        }
        let others = self.others();
        let each = budget / 3.0 / others.len().max(1) as f64;
        for at in others {
            self.compare(at, &cpus, each, &topology, time, observer);
        }
    }

    /// The subject of the first of these ids that can be used, else the first one that is fit.
    fn best(&self, ids: &[&str], fit: fn(&Description) -> bool) -> Option<usize> {
        let usable = |at: &usize| {
            let description = self.subjects[*at].meter.description();
            description.interposed_by.is_none() && fit(description)
        };
        let at =
            |id: &&str| self.subjects.iter().position(|s| s.meter.description().id == *id).filter(usable);
        ids.iter().find_map(at).or_else(|| (0..self.subjects.len()).find(usable))
    }

    /// One subject for each further clock that the kernel computes.
    fn others(&self) -> Vec<usize> {
        let mut others: Vec<usize> = Vec::new();
        for (at, subject) in self.subjects.iter().enumerate() {
            let description = subject.meter.description();
            let known = self.skew.iter().map(|skew| skew.clock.as_str());
            let mut known =
                known.chain(others.iter().map(|other| self.subjects[*other].meter.description().id.as_str()));
            if is_precise(description)
                && description.interposed_by.is_none()
                && !known.any(|known| is_about(known, &description.id))
            {
                others.push(at);
            }
        }
        others
    }

    fn compare(
        &mut self,
        at: usize,
        cpus: &[u32],
        budget_ns: f64,
        topology: &Topology,
        time: f64,
        observer: &mut dyn Observer,
    ) {
        if self.stop(observer) {
            return;
        }
        let done = self.elapsed_ns() / time;
        let subject = &self.subjects[at];
        let terms = terms(subject.meter.description(), self.timebase.tick(), subject.quantum.as_ref());
        let time = Duration::from_nanos(budget_ns as u64);
        let plan = Plan { cpus, rounds: MOST_ROUNDS, time, topology };
        let skew = compare(&*subject.meter, &plan, &mut |_| {
            observer.progress(done, "skew");
            !observer.stop()
        })
        .skew(&terms);
        if skew.backward.count > 0 {
            for subject in &mut self.subjects {
                subject.went_back_across |= is_about(&skew.clock, &subject.meter.description().id);
            }
        }
        self.skew.push(skew);
    }
}

fn is_counter(description: &Description) -> bool {
    description.kind == Kind::Counter && description.path == Path::Instruction
}

/// Whether it is a clock that the kernel computes at each read, in ns.
fn is_precise(description: &Description) -> bool {
    matches!(description.kind, Kind::Monotonic | Kind::Boot | Kind::Wall) && description.unit == Unit::Ns(1.0)
}

/// At most so many of the CPUs, spread over all of them, so that every package takes part: whether packages hold
/// neighbouring numbers or, as on many servers, every second or fourth one.
fn spread(cpus: &[u32], most: usize) -> Vec<u32> {
    let taken = cpus.len().min(most).max(1);
    let stride = cpus.len() / taken;
    (0..taken).filter_map(|i| cpus.get(i * cpus.len() / taken + (i / 2) % stride.max(1))).copied().collect()
}

/// Compares clocks between all pairs of `cpus`, or of the allowed ones: those with these ids, or the counter and
/// `monotonic` where none is named. Takes `options.time` for all of them together, or 1 ms a round where that is more.
pub fn skew(
    ids: &[String],
    cpus: Option<&[u32]>,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<SkewReport, Error> {
    let mut readable = Readable::new();
    let places = chosen(&readable, ids)?;
    let mut reader = Reader::new(options)?;
    let cpus = usable(cpus, &reader.allowed)?;
    let (mut timebase, reference) =
        Timebase::new(options.reference.as_deref(), &readable, reader.witness, reader.kernel)?;
    let mut reference = reference.map(|place| readable.meters[place].twin());
    let mut singles = Singles::default();
    let mut anchors = |timebase: &mut Timebase, reader: &Reader| {
        for _ in 0..ANCHORS {
            if let Some(reference) = &mut reference {
                timebase.anchor(&mut **reference, &reader.witness, &mut singles);
                std::thread::sleep(Duration::from_micros(200));
            }
        }
        timebase.settle();
    };
    anchors(&mut timebase, &reader);
    let topology = Topology::read(&Root::default(), &cpus);
    let time = options.time / u32::try_from(places.len().max(1)).unwrap_or(u32::MAX);
    let plan = Plan { cpus: &cpus, rounds: usize::MAX, time, topology: &topology };
    let mut random = options.seed;
    let mut outcomes = Vec::new();
    for (at, place) in places.iter().enumerate() {
        let meter = &mut readable.meters[*place];
        let quantum = quick_quantum(&mut **meter, &reader, &mut random, timebase.tick().value, observer);
        let share = |done: f64| (at as f64 + done) / places.len() as f64;
        let outcome = compare(&**meter, &plan, &mut |done| {
            observer.progress(share(done), &meter.description().id);
            !observer.stop()
        });
        outcomes.push((meter.description().clone(), quantum, outcome));
        if observer.stop() {
            break;
        }
    }
    anchors(&mut timebase, &reader);
    if !timebase.is_settled() {
        return Err(Error::NoTimebase {
            reference: timebase.id().into(),
            witness: reader.witness.id().into(),
        });
    }
    let tick = timebase.tick();
    let clocks = outcomes
        .iter()
        .map(|(description, quantum, outcome)| outcome.skew(&terms(description, tick, Some(quantum))))
        .collect();
    Ok(SkewReport {
        schema: "clockscope-skew/1".into(),
        reference: timebase.id().into(),
        clocks,
        interrupted: observer.stop(),
        notes: std::mem::take(&mut reader.notes),
    })
}

/// The places of the clocks asked for; of the counter and `monotonic` where none was.
fn chosen(readable: &Readable, ids: &[String]) -> Result<Vec<usize>, Error> {
    let describe = |place: usize| readable.meters[place].description();
    let counter = || {
        let known = COUNTERS.iter().find_map(|id| readable.find(id).ok());
        known.or_else(|| (0..readable.meters.len()).find(|place| is_counter(describe(*place))))
    };
    if ids.is_empty() {
        let monotonic =
            readable.find("monotonic").or_else(|error| readable.find(KERNELS[1]).map_err(|_| error));
        return match (counter(), monotonic) {
            (Some(counter), Ok(monotonic)) => Ok(vec![counter, monotonic]),
            (Some(one), Err(_)) | (None, Ok(one)) => Ok(vec![one]),
            (None, Err(error)) => Err(error),
        };
    }
    let mut places: Vec<usize> = Vec::new();
    for id in ids {
        let place = readable.find(id)?;
        if describe(place).kind == Kind::CpuTime {
            let instead = counter().map_or_else(|| "realtime".into(), |place| describe(place).id.clone());
            return Err(Error::CpuTime { id: id.clone(), instead });
        }
        if !places.contains(&place) {
            places.push(place);
        }
    }
    Ok(places)
}

/// The CPUs asked for, or all allowed ones.
fn usable(wanted: Option<&[u32]>, allowed: &[u32]) -> Result<Vec<u32>, Error> {
    if allowed.len() < 2 {
        let only = ranges(allowed);
        return Err(Error::OneCpu(if only.is_empty() {
            "CPUs that can't be told".into()
        } else {
            format!("CPU {only}")
        }));
    }
    let Some(wanted) = wanted else { return Ok(allowed.to_vec()) };
    let mut cpus: Vec<u32> = wanted.to_vec();
    cpus.sort_unstable();
    cpus.dedup();
    if let Some(&cpu) = cpus.iter().find(|cpu| !allowed.contains(cpu)) {
        return Err(Error::Cpu { cpu, allowed: ranges(allowed) });
    }
    if cpus.len() < 2 {
        return Err(Error::TooFewCpus { allowed: ranges(allowed) });
    }
    Ok(cpus)
}

/// The clock's quantum from some thousand reads, or from as many as fit into [`QUICK_NS`].
fn quick_quantum(
    meter: &mut dyn Meter,
    reader: &Reader,
    random: &mut u64,
    tick_ns: f64,
    observer: &dyn Observer,
) -> Quantum {
    let mut run = Run::default();
    let mut readings = Vec::new();
    let start = reader.witness.stamp();
    let mut reads = 1;
    while readings.len() < 8 * MOST_READS && !observer.stop() {
        meter.dithered(&reader.witness, reads, 40, random, &mut run);
        readings.extend_from_slice(&run.values);
        let taken_ns = reader.witness.stamp().since(start) as f64 * tick_ns;
        // A device may take a millisecond a read, and fail each.
        if taken_ns > QUICK_NS || run.values.is_empty() {
            break;
        }
        reads = (reads * 8).min(MOST_READS);
    }
    quantum(&readings, Counts::Units)
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::measure::skew::shifted::Shifted;
    use crate::measure::{Witness, metered};
    use clockscope_analysis::judge::judge;
    use clockscope_analysis::record::{Machine, Monotonic};

    #[test]
    fn however_packages_are_numbered_some_cpu_of_each_is_compared() {
        for len in [17_u32, 24, 32, 48, 64, 96, 128, 256, 512] {
            let cpus: Vec<u32> = (0..len).collect();
            let taken = spread(&cpus, MOST_CPUS);
            assert_eq!(taken.len(), MOST_CPUS, "{len}");
            assert!(taken.windows(2).all(|pair| pair[0] < pair[1]), "{taken:?}");
            for ways in [2, 4] {
                for package in 0..ways {
                    assert!(taken.iter().any(|cpu| cpu % ways == package), "{len}: {taken:?}");
                    assert!(taken.iter().any(|cpu| cpu * ways / len == package), "{len}: {taken:?}");
                }
            }
        }
        assert_eq!(spread(&[3, 5, 9], MOST_CPUS), [3, 5, 9]);
        assert!(spread(&[], MOST_CPUS).is_empty());
    }

    /// The kernel's clock, made 24.8 ms late on one CPU, beside another one that is as it is.
    #[test]
    fn a_clock_that_is_off_on_one_cpu_is_found_and_not_recommended() {
        let clocks = ["monotonic@syscall", "boottime@syscall"].map(str::to_owned).to_vec();
        let Ok(mut survey) = Survey::new(&Options { clocks, ..Options::default() }) else { return };
        let [.., last] = survey.reader.allowed[..] else { return };
        if survey.reader.allowed.len() < 2 {
            return;
        }
        let witness = Witness::kernel().expect("a kernel's clock");
        let late = Shifted { witness, on: last, by: (-24_800_000i64) as u64 };
        let at =
            survey.subjects.iter().position(|s| s.meter.description().kind == Kind::Monotonic).expect("one");
        let description = survey.subjects[at].meter.description().clone();
        survey.subjects[at].meter = metered(description, late);
        // Others may keep the CPUs busy for a while.
        for _ in 0..20 {
            survey.skew.clear();
            survey.find_skew(3e9, &mut ());
            if survey.skew[0].pairs[0].low_ns.is_some() {
                break;
            }
        }
        let found = &survey.skew[0];
        assert_eq!((found.clock.as_str(), found.agree), ("monotonic@syscall", Some(false)));
        assert!(found.pairs.iter().any(|pair| {
            let held =
                pair.low_ns.zip(pair.high_ns).is_some_and(|(low, high)| low <= -24.8e6 && -24.8e6 <= high);
            pair.cpu_b == last && held
        }));
        assert_eq!(survey.skew.len(), 2, "then the others are compared as well");
        assert_ne!(survey.skew[1].agree, Some(false), "and that one is sound");

        let skew = survey.take_skew();
        let mut run = clockscope_analysis::record::Run::default();
        let (clocks, _) = survey.finish(&Machine::default(), &mut run);
        let by_id = |id: &str| clocks.iter().find(|clock| clock.id == id).expect("it was surveyed").monotonic;
        assert_eq!(by_id("monotonic@syscall"), Monotonic::Violated);
        assert_ne!(by_id("boottime@syscall"), Monotonic::Violated);
        let (findings, _) = judge(&Machine::default(), &run, &clocks, &skew);
        let finding = findings.iter().find(|finding| finding.code == "CS016").expect("a finding");
        assert_eq!(finding.clocks, ["monotonic@syscall"]);
        assert!(finding.evidence.contains("went back from one CPU to the other"), "{}", finding.evidence);
    }

    #[test]
    fn the_cpus_asked_for_are_held_against_the_allowed_ones() {
        assert_eq!(usable(None, &[0, 2, 5]), Ok(vec![0, 2, 5]));
        assert_eq!(usable(Some(&[5, 0, 5]), &[0, 2, 5]), Ok(vec![0, 5]));
        assert_eq!(usable(Some(&[0, 1]), &[0, 2]), Err(Error::Cpu { cpu: 1, allowed: "0,2".into() }));
        let few = usable(Some(&[2, 2]), &[0, 2]).unwrap_err();
        assert!(few.is_usage() && few.to_string().contains("0,2"), "{few}");
        for allowed in [&[3][..], &[]] {
            let one = usable(Some(&[3]), allowed).unwrap_err();
            assert!(!one.is_usage() && one.to_string().contains("only"), "{one}");
        }
    }

    #[test]
    fn clocks_of_cpu_time_are_refused_and_others_found() {
        let readable = Readable::new();
        let ids = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>();
        assert!(!chosen(&readable, &[]).unwrap().is_empty());
        let refused = chosen(&readable, &ids(&["thread-cputime"])).unwrap_err();
        assert!(refused.is_usage() && refused.to_string().contains("CPU time"), "{refused}");
        assert_eq!(chosen(&readable, &ids(&["monotonic", "monotonic"])).unwrap().len(), 1);
        assert!(matches!(chosen(&readable, &ids(&["monotonc"])), Err(Error::UnknownClock { .. })));
    }
}
