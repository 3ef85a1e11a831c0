//! The phases of a survey: quantum, cost, skew, faults.

use super::keeping::Keeping;
use super::list::Readable;
use super::reader::Reader;
use super::subject::{Subject, add_anchors, path_by_cost};
use super::timebase::Timebase;
use super::{Error, Observer, Options};
use crate::catalog::Unit;
use crate::measure::{self, Causes, Meter, Singles, Stamp, Witness};
use clockscope_analysis::analyze::quantum::{Counts, Quantum, quantum};
use clockscope_analysis::record::{Clock, Frequency, Interval, Machine, Path, Run, Skew, Unavailable};

/// Shares of the time: until the end of the quantum phase, and of the cost phase. Skew takes its own, and the rest is
/// for faults.
const QUANTUM_UNTIL: f64 = 0.30;
const COST_UNTIL: f64 = 0.60;
/// The source of a frequency that nobody states.
const MEASURED: &str = "measured";
/// Steps that a reference known by its edges is waited for.
const EDGES: usize = 40;
/// Longest wait for one of them, in counts of the witness before anything is known of it: a timer's tick is 10 ms at
/// most, and a counter runs at 5 GHz at most.
const LONGEST_STEP: i64 = 50_000_000;
/// Rounds of the calibration.
const ROUNDS: usize = 64;

/// A survey under way.
pub(super) struct Survey {
    pub(super) reader: Reader,
    pub(super) subjects: Vec<Subject>,
    unavailable: Vec<Unavailable>,
    pub(super) timebase: Timebase,
    /// The reference's own loops, beside the subjects'.
    pub(super) reference: Option<Box<dyn Meter>>,
    pub(super) causes: Causes,
    start: Stamp,
    /// The start by the kernel's clock, which no sleep and no counter that begins anew can mislead.
    kernel_start: Option<Stamp>,
    pub(super) keeping: Keeping,
    pub(super) random: u64,
    pub(super) run: measure::Run,
    pub(super) singles: Singles,
    pub(super) witness_quantum_ns: f64,
    pub(super) observed_ns: f64,
    pub(super) skew: Vec<Skew>,
    stopped: bool,
    /// The counter's frequency, if somebody states it.
    stated: Option<Frequency>,
}

impl Survey {
    pub(super) fn new(options: &Options) -> Result<Self, Error> {
        let mut readable = Readable::new();
        let wanted: Vec<usize> =
            options.clocks.iter().map(|id| readable.find(id)).collect::<Result<_, _>>()?;
        let reader = Reader::new(options)?;
        let start = reader.witness.stamp();
        let kernel_start = reader.kernel.map(|kernel| kernel.stamp());
        let (timebase, place) =
            Timebase::new(options.reference.as_deref(), &readable, reader.witness, reader.kernel)?;
        // The reference is read all along, whether surveyed or not: it gets loops of its own.
        let reference = place.map(|place| readable.meters[place].twin());
        let all = options.clocks.is_empty();
        let mut place = 0;
        readable.meters.retain(|_| {
            place += 1;
            all || wanted.contains(&(place - 1))
        });
        let subjects = readable
            .meters
            .into_iter()
            .map(|meter| {
                let counter = meter.description().unit == Unit::Ticks;
                match reader.kernel.filter(|_| counter) {
                    Some(kernel) => Subject::new(meter, kernel, kernel.stamp().count),
                    None => Subject::new(meter, reader.witness, start.count),
                }
            })
            .collect();
        let causes = Causes::new(reader.cpu());
        Ok(Self {
            subjects,
            unavailable: if all { readable.unavailable } else { Vec::new() },
            timebase,
            reference,
            causes,
            start,
            kernel_start,
            keeping: Keeping::new(options.time.as_nanos() as f64, reader.kernel),
            random: options.seed,
            run: measure::Run::default(),
            singles: Singles::default(),
            witness_quantum_ns: 0.0,
            observed_ns: 0.0,
            skew: Vec::new(),
            stopped: false,
            stated: None,
            reader,
        })
    }

    /// All phases, as far as time and observer allow.
    pub(super) fn measure(&mut self, options: &Options, observer: &mut dyn Observer) -> Result<(), Error> {
        let time = options.time.as_nanos() as f64;
        self.calibrate((time * 0.02).clamp(1e6, 50e6));
        if !self.timebase.is_settled() {
            let (reference, witness) = (self.reference_id(), self.witness_id().into());
            return Err(Error::NoTimebase { reference, witness });
        }
        self.look_now(true);
        self.find_quanta(time * QUANTUM_UNTIL, time, observer);
        self.settle();
        self.look_now(true);
        self.find_costs(time * COST_UNTIL, time, observer);
        self.settle();
        self.find_skew(time, observer);
        self.look_now(true);
        self.find_faults(options.reads, time, observer);
        self.await_slow_clocks(observer);
        self.look_now(true);
        if self.stop(observer) {
            let why = "the run was stopped before this was measured";
            self.subjects.iter_mut().for_each(|s| s.unfinished = Some(why.into()));
        }
        Ok(())
    }

    pub(super) fn stop(&mut self, observer: &dyn Observer) -> bool {
        self.stopped |= observer.stop();
        self.stopped
    }

    fn witness_ns(&self) -> f64 {
        self.timebase.tick().value
    }

    /// Time since the start, ns, by the kernel's clock where it can be read: a counter may count through a sleep, or
    /// begin anew after it.
    pub(super) fn elapsed_ns(&self) -> f64 {
        match self.reader.kernel.zip(self.kernel_start) {
            Some((kernel, start)) => kernel.stamp().since(start) as f64,
            None => self.witnessed_ns(),
        }
    }

    /// Time since the start by the witness, as events are dated, ns.
    pub(super) fn witnessed_ns(&self) -> f64 {
        self.reader.witness.stamp().since(self.start) as f64 * self.witness_ns()
    }

    pub(super) fn anchor_reference(&mut self) {
        if let Some(meter) = &mut self.reference {
            self.timebase.anchor(&mut **meter, &self.reader.witness, &mut self.singles);
        }
    }

    pub(super) fn anchor_subject(&mut self, at: usize) {
        self.take_anchor(at);
        self.subjects[at].watch_singles(&self.singles, true);
    }

    /// One bracketed read, left in `singles` for whoever is to judge it.
    fn take_anchor(&mut self, at: usize) {
        let subject = &mut self.subjects[at];
        subject.meter.singles(&subject.witness, 1, i64::MAX, &mut self.singles);
        add_anchors(&mut subject.anchors, &self.singles);
    }

    /// A first value for the witness's tick, its quantum, and the rates of all clocks by it. `time` is in ns by a
    /// guess of some counts a ns: before the first fit there is nothing better.
    fn calibrate(&mut self, time: f64) {
        let round = (time / ROUNDS as f64 * 3.0) as i64;
        let mut quick: Vec<usize> = (0..self.subjects.len()).collect();
        for _ in 0..ROUNDS {
            let started = self.reader.witness.stamp();
            self.anchor_reference();
            quick.retain(|at| {
                let before = self.reader.witness.stamp();
                self.take_anchor(*at);
                self.subjects[*at].keep_early(&self.singles);
                // One that takes a good part of a round for a read waits for its turn.
                self.reader.witness.stamp().since(before) < round / 8
            });
            // Bounded, should the witness stand still.
            for _ in 0..200_000 {
                if self.reader.witness.stamp().since(started) > round {
                    break;
                }
            }
        }
        self.timebase.settle();
        let witness = &self.reader.witness;
        if let Some(meter) = &mut self.reference
            && self.timebase.look_for_edges(&mut **meter, witness, &mut self.singles)
        {
            self.await_edges(EDGES);
            self.timebase.settle();
        }
        self.witness_quantum_ns =
            self.witness_ns() * witness_quantum(&self.reader.witness, &mut self.random, time * 3.0);
        let kernel = self.reader.kernel.filter(|_| self.subjects.iter().any(Subject::by_the_kernel));
        let kernel_quantum_ns = kernel.map(|kernel| witness_quantum(&kernel, &mut self.random, time));
        for subject in &mut self.subjects {
            subject.timer_quantum_ns = self.witness_quantum_ns;
            let own = kernel_quantum_ns.filter(|_| subject.by_the_kernel());
            subject.witness_quantum_ns = own.unwrap_or(self.witness_quantum_ns);
            subject.witness_ns =
                if matches!(subject.witness, Witness::Counter) { self.timebase.tick().value } else { 1.0 };
        }
    }

    /// Waits until a reference that is known by its edges has moved this often.
    fn await_edges(&mut self, wanted: usize) {
        if let Some(meter) = self.reference.as_mut().filter(|_| self.timebase.is_by_edges()) {
            let witness = &self.reader.witness;
            self.timebase.edges(
                &mut **meter,
                witness,
                &mut self.singles,
                wanted,
                wanted as i64 * LONGEST_STEP,
            );
        }
    }

    /// What was learnt of ticks and rates goes into the watches.
    fn settle(&mut self) {
        self.await_edges(1);
        self.timebase.settle();
        let tick = self.timebase.tick();
        for subject in &mut self.subjects {
            if matches!(subject.witness, Witness::Counter) {
                subject.witness_ns = tick.value;
            }
            let wide_ns = subject.watch.terms().wide_ns;
            subject.settle_terms(tick, wide_ns);
        }
    }

    /// The CPU that the reader is pinned to.
    pub(super) fn cpu(&self) -> Option<u32> {
        self.reader.cpu()
    }

    pub(super) fn notes(&self) -> Vec<String> {
        self.reader.notes.clone()
    }

    pub(super) fn stopped(&self) -> bool {
        self.stopped
    }

    pub(super) fn reference_id(&self) -> String {
        self.timebase.id().into()
    }

    pub(super) fn witness_id(&self) -> &'static str {
        self.reader.witness.id()
    }

    /// Nanoseconds a count of the witness.
    pub(super) fn tick(&self) -> Interval {
        self.timebase.tick()
    }

    /// Share of the faults phase that the reader stood still.
    pub(super) fn standstill_share(&self) -> Option<f64> {
        let still: f64 = self.subjects.iter().map(|s| s.watch.so_far().standstill_ns).sum();
        (self.observed_ns > 0.0).then(|| (still / self.observed_ns).min(1.0))
    }

    /// Adds the measured frequency of the counter to the machine's facts.
    pub(super) fn state_frequency(&self, machine: &mut Machine) {
        let tick = self.timebase.tick().value;
        if let Some(tsc) = &mut machine.tsc
            && matches!(self.reader.witness, Witness::Counter)
        {
            tsc.frequencies_hz.push(Frequency { source: MEASURED.into(), hz: 1e9 / tick });
        }
    }

    /// Takes the word of CPUID or of the hypervisor on the counter's frequency.
    pub(super) fn heed(&mut self, machine: &Machine) {
        self.stated = machine.tsc.as_ref().and_then(|tsc| tsc.frequencies_hz.first().cloned());
    }

    /// Writes a counter's stated tick into its entry.
    pub(super) fn state_nominal(&self, clock: &mut Clock) {
        if clock.path != Path::Instruction || clock.tick_ns.nominal.is_some() {
            return;
        }
        if let Some(frequency) = &self.stated {
            clock.tick_ns.nominal = Some(1e9 / frequency.hz);
            clock.tick_ns.nominal_source = Some(frequency.source.clone());
        } else {
            let why = "neither CPUID nor the hypervisor states the counter's frequency";
            clock.missing.insert("tick_ns.nominal".into(), why.into());
        }
    }

    /// What was found out between CPUs.
    pub(super) fn take_skew(&mut self) -> Vec<Skew> {
        std::mem::take(&mut self.skew)
    }

    /// The record's entries.
    pub(super) fn finish(mut self, machine: &Machine, run: &mut Run) -> (Vec<Clock>, Vec<Unavailable>) {
        let tick = self.timebase.tick();
        let mut clocks: Vec<Clock> = self.subjects.iter_mut().map(|s| s.finish(tick).clone()).collect();
        path_by_cost(&mut clocks);
        for clock in &mut clocks {
            self.state_nominal(clock);
        }
        self.state_rates(&mut clocks);
        self.keeping.state(run);
        self.keeping.explain(&mut clocks, machine.ntp.as_ref(), run.ntp_end.as_ref());
        (clocks, self.unavailable)
    }
}

/// The quantum of a witness, in its counts: 1 where it does not show. Takes up to `most` counts, or 512 stamps.
fn witness_quantum(witness: &Witness, random: &mut u64, most: f64) -> f64 {
    let start = witness.stamp();
    let mut stamps = Vec::with_capacity(8192);
    for _ in 0..8192 {
        crate::measure::pause(random, 24);
        let stamp = witness.stamp();
        stamps.push(stamp.count);
        if stamps.len() >= 512 && stamp.since(start) as f64 > most {
            break;
        }
    }
    match quantum(&stamps, Counts::Units) {
        Quantum::Found { value, half_width, .. } => value + half_width,
        Quantum::NotCoarserThan(limit) => limit,
        Quantum::Unknown(_) => 1.0,
    }
}
