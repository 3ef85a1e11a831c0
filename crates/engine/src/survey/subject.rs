//! One clock under survey: what is gathered of it on the way to its entry in the record.

use std::collections::BTreeMap;

use hdrhistogram::Histogram;

use crate::catalog::{Description, Unit};
use crate::measure::{Meter, Run, Singles, Stamp, Witness};
use clockscope_analysis::analyze::cost::{self, Pair};
use clockscope_analysis::analyze::faults::{Reads, Terms, Watch};
use clockscope_analysis::analyze::quantum::{Quantum, from_steps};
use clockscope_analysis::analyze::rate::{Quanta, rate};
use clockscope_analysis::record::{Clock, Cost, Interval, Kind, Monotonic, Path, QuantumMethod, Tick};
use clockscope_analysis::trace::Bracketed;

/// A clock and what is known of it so far.
pub(super) struct Subject {
    pub(super) meter: Box<dyn Meter>,
    pub(super) witness: Witness,
    /// Nanoseconds a count of the witness.
    pub(super) witness_ns: f64,
    /// A read in a row takes about this long, ns; from a first look.
    pub(super) read_ns: f64,
    pub(super) watch: Watch,
    pub(super) anchors: Vec<Bracketed>,
    /// Readings bracketed by the reference, all through the run.
    pub(super) track: Vec<Bracketed>,
    /// Reads made before the witness's tick and the clock's quantum were known: judged once they are.
    early: Singles,
    pub(super) pairs: Vec<Pair>,
    pub(super) quantum: Option<Quantum>,
    pub(super) readings: u64,
    /// The clock did not change often enough in its quantum phase: all its changes count.
    pub(super) slow: bool,
    /// Steps of a slow clock, seen between reads close together.
    steps: Vec<u64>,
    /// The last read of a slow clock: its value, and when it was over.
    last: Option<(u64, Stamp)>,
    changed: bool,
    /// Brackets of single reads, in counts of the witness.
    pub(super) widths: Histogram<u64>,
    /// The quantum of what times the batches, ns.
    pub(super) timer_quantum_ns: f64,
    /// The quantum of the witness, ns.
    pub(super) witness_quantum_ns: f64,
    /// The empty bracket's median, ns.
    pub(super) empty_ns: f64,
    /// A read was less than one that came before it on another CPU.
    pub(super) went_back_across: bool,
    /// The reason for what was not measured.
    pub(super) unfinished: Option<String>,
    pub(super) finished: Option<Clock>,
}

/// Most changes kept of a slow clock.
const CHANGES: usize = 4096;
/// Most anchors kept of a clock.
const MOST_ANCHORS: usize = 4096;

impl Subject {
    pub(super) fn new(meter: Box<dyn Meter>, witness: Witness, origin: u64) -> Self {
        // Until the calibration knows better.
        let witness_ns = 1.0;
        let terms = Terms {
            count_ns: 1.0,
            witness_ns,
            rate: [1.0, 1.0],
            slack_ns: f64::INFINITY,
            standstill_ns: f64::INFINITY,
            read_ns: 0.0,
            wide_ns: f64::INFINITY,
            may_pause: meter.description().kind == Kind::CpuTime,
        };
        Self {
            meter,
            witness,
            witness_ns,
            read_ns: 0.0,
            watch: Watch::new(terms, origin),
            anchors: Vec::new(),
            track: Vec::new(),
            early: Singles::default(),
            pairs: Vec::new(),
            quantum: None,
            readings: 0,
            slow: false,
            steps: Vec::new(),
            last: None,
            changed: false,
            widths: Histogram::new(2).expect("2 significant digits are within the crate's 0 to 5"),
            timer_quantum_ns: 0.0,
            witness_quantum_ns: 0.0,
            empty_ns: 0.0,
            went_back_across: false,
            unfinished: None,
            finished: None,
        }
    }

    /// Nanoseconds a count, `tick` being that of the counter.
    pub(super) fn count_ns(&self, tick: f64) -> f64 {
        match self.meter.description().unit {
            Unit::Ns(ns) => ns,
            Unit::Ticks => tick,
        }
    }

    /// Whether the kernel's clock is its witness.
    pub(super) fn by_the_kernel(&self) -> bool {
        matches!(self.witness, Witness::Kernel(..))
    }

    /// What the quantum is at most, ns.
    pub(super) fn quantum_ns(&self, count_ns: f64) -> f64 {
        match &self.quantum {
            Some(Quantum::Found { value, half_width, .. }) => (value + half_width) * count_ns,
            Some(Quantum::NotCoarserThan(limit)) => limit * count_ns,
            // Nothing known: by its kind it may stand still for a tick of the timer (100 Hz at the slowest) or
            // its unit of output, whichever is longer.
            _ => f64::max(10e6, count_ns),
        }
    }

    /// Terms for the watch from what is known by now.
    pub(super) fn settle_terms(&mut self, tick: Interval, wide_ns: f64) {
        let description = self.meter.description();
        let count_ns = self.count_ns(tick.value);
        let quantum_ns = self.quantum_ns(count_ns);
        // The kernel slews by 500 ppm at most; what was measured is better where it is narrower.
        let mut bounds = [1.0 - 600e-6, 1.0 + 600e-6];
        if !self.watch.terms().may_pause
            && let Some(measured) = rate(
                &self.anchors,
                Quanta { clock: quantum_ns / count_ns, by: self.witness_quantum_ns / self.witness_ns },
            )
        {
            let ns = count_ns / self.witness_ns;
            let spread = (measured.high - measured.low) * ns;
            let widened = [measured.low * ns - spread - 1e-6, measured.high * ns + spread + 1e-6];
            if widened[1] - widened[0] < bounds[1] - bounds[0] {
                bounds = widened;
            }
        }
        let slack_ns = quantum_ns + count_ns.min(quantum_ns) + self.witness_quantum_ns;
        let may_pause = description.kind == Kind::CpuTime;
        let standstill_ns = standstill(description.kind) * quantum_ns;
        let witness_ns = self.witness_ns;
        // The first look has the stamps' time in it.
        let read_ns = 0.7 * self.read_ns;
        let rate = bounds;
        self.watch.set_terms(Terms {
            count_ns,
            witness_ns,
            rate,
            slack_ns,
            standstill_ns,
            read_ns,
            wide_ns,
            may_pause,
        });
    }

    /// Keeps single reads for the watch until there are terms to judge them by.
    pub(super) fn keep_early(&mut self, singles: &Singles) {
        self.early.reads.extend_from_slice(&singles.reads);
    }

    /// Hands the early reads to the watch.
    pub(super) fn watch_early(&mut self) {
        let early = std::mem::take(&mut self.early);
        self.watch_singles(&early, true);
    }

    /// Hands a row to the watch.
    pub(super) fn watch_row(&mut self, run: &Run) {
        if run.failed > 0 {
            self.watch.failed(run.failed);
            return;
        }
        self.note_changes(run.before, &run.values, run.after);
        self.watch.row(&Reads {
            before: run.before.count,
            values: &run.values,
            after: run.after.count,
            cpu: run.after.cpu,
            trusted: true,
        });
    }

    /// Hands single reads to the watch.
    pub(super) fn watch_singles(&mut self, singles: &Singles, trusted: bool) {
        for read in &singles.reads {
            let Some(value) = read.value else {
                self.watch.failed(1);
                continue;
            };
            self.note_changes(read.before, &[value], read.after);
            self.watch.row(&Reads {
                before: read.before.count,
                values: &[value],
                after: read.after.count,
                cpu: read.after.cpu,
                trusted,
            });
        }
    }

    fn note_changes(&mut self, before: Stamp, values: &[u64], after: Stamp) {
        if !self.slow {
            return;
        }
        for (place, value) in values.iter().enumerate() {
            let Some((last, taken)) = self.last.replace((*value, after)).filter(|(last, _)| last != value)
            else {
                continue;
            };
            self.changed = true;
            // Within a row any two reads are at most the row apart.
            let apart = after.since(if place == 0 { taken } else { before }) as f64 * self.witness_ns;
            let step = value.wrapping_sub(last);
            if apart * 4.0 < step as f64 * self.watch.terms().count_ns && self.steps.len() < CHANGES {
                self.steps.push(step);
            }
        }
    }

    /// Whether a slow clock has been seen to change.
    pub(super) fn has_changed(&self) -> bool {
        self.changed
    }

    /// The entry in the record, made once.
    pub(super) fn finish(&mut self, tick: Interval) -> &Clock {
        if self.finished.is_none() {
            self.finished = Some(self.clock(tick));
        }
        self.finished.as_ref().expect("made one line above")
    }

    fn clock(&mut self, tick: Interval) -> Clock {
        if self.slow {
            self.quantum = Some(from_steps(&self.steps));
            self.readings = self.steps.len() as u64;
        }
        let mut missing = BTreeMap::new();
        let unfinished = || self.unfinished.clone().unwrap_or_else(|| "not measured".into());
        let mut cost = cost::cost(&self.pairs, self.timer_quantum_ns);
        match &mut cost {
            Some(cost) => cost::tail(cost, &self.widths, self.witness_ns, self.empty_ns),
            None => drop(missing.insert("cost_ns".into(), unfinished())),
        }
        missing.insert("span_ns".into(), "the survey does not measure spans".into());
        let found = self.watch.so_far();
        let tick_ns = self.tick(tick, found.smallest_step, &mut missing, &unfinished());
        let d: Description = self.meter.description().clone();
        Clock {
            id: d.id,
            api: d.api,
            base: d.base,
            forced: d.forced,
            ordered: d.ordered,
            for_timing: d.for_timing,
            kind: d.kind,
            path: d.path,
            path_evidence: d.path_evidence,
            promises: d.promises,
            interposed_by: d.interposed_by,
            cost_ns: cost,
            tick_ns,
            reads: found.reads,
            undecided: found.undecided,
            failed_reads: found.failed,
            monotonic: if self.went_back_across { Monotonic::Violated } else { found.monotonic },
            stalls: found.stalls,
            regressions: found.regressions,
            warps: found.warps,
            events: found.events,
            events_omitted: found.events_omitted,
            interruptions: found.interruptions,
            span_ns: None,
            rate: None,
            witness: self.witness.id().into(),
            missing,
        }
    }

    fn tick(
        &self,
        tick: Interval,
        smallest: Option<u64>,
        missing: &mut BTreeMap<String, String>,
        unfinished: &str,
    ) -> Tick {
        let d = self.meter.description();
        let ns = self.count_ns(tick.value);
        let (nominal, nominal_source) = match d.unit {
            Unit::Ns(ns) => {
                (Some(ns), Some(d.ticks_by.clone().unwrap_or_else(|| "the unit of the call's result".into())))
            }
            Unit::Ticks => (None, None),
        };
        if d.reported_ns.is_none() {
            missing.insert(
                "tick_ns.reported".into(),
                "this call has no function that states its resolution".into(),
            );
        }
        if smallest.is_none() {
            missing.insert(
                "tick_ns.smallest_step".into(),
                "the clock was not seen to advance between two reads".into(),
            );
        }
        // What is measured in ticks is as uncertain in ns as the tick is.
        let unsure = if d.unit == Unit::Ticks { (tick.high - tick.low) / 2.0 / tick.value } else { 0.0 };
        let (value, half, limit, method) = match &self.quantum {
            Some(Quantum::Found { value, half_width, steps }) => {
                let method = if *steps { QuantumMethod::Steps } else { QuantumMethod::Lattice };
                (Some(value * ns), Some((half_width / value).hypot(unsure) * value * ns), None, method)
            }
            Some(Quantum::NotCoarserThan(limit)) => {
                let why = "no lattice stands out of the readings; quantum_high is the coarsest that they leave possible";
                missing.insert("tick_ns.quantum".into(), why.into());
                (None, None, Some(limit * ns), QuantumMethod::Limit)
            }
            Some(Quantum::Unknown(why)) => {
                missing.insert("tick_ns.quantum".into(), why.clone());
                (None, None, None, QuantumMethod::None)
            }
            None => {
                missing.insert("tick_ns.quantum".into(), unfinished.into());
                (None, None, None, QuantumMethod::None)
            }
        };
        Tick {
            nominal,
            nominal_source,
            reported: d.reported_ns,
            smallest_step: smallest.map(|s| s as f64 * ns),
            smallest_step_counts: smallest,
            quantum: value,
            quantum_low: value.zip(half).map(|(v, h)| v - h),
            quantum_high: value.zip(half).map(|(v, h)| v + h).or(limit),
            method,
            readings: self.readings,
        }
    }
}

/// How many quanta a clock may stand still without a fault. A clock that follows the timer tick waits for a tick that
/// comes late; the kernel bears with five in a row before it updates them itself (kernel/time/tick-sched.c,
/// MAX_STALLED_JIFFIES).
///
/// CPU time is the sum of two counters (user and system), each rounded down by itself.
fn standstill(kind: Kind) -> f64 {
    match kind {
        Kind::Coarse => 6.0,
        Kind::CpuTime => 2.4,
        _ => 1.2,
    }
}

/// Adds single reads to a list of anchors; of a long list every other one is dropped, so that it stays bounded and
/// spans the whole time.
pub(super) fn add_anchors(anchors: &mut Vec<Bracketed>, singles: &Singles) {
    for read in &singles.reads {
        if let Some(value) = read.value {
            add_anchor(anchors, Bracketed { before: read.before.count, value, after: read.after.count });
        }
    }
}

/// Adds one anchor.
pub(super) fn add_anchor(anchors: &mut Vec<Bracketed>, anchor: Bracketed) {
    anchors.push(anchor);
    if anchors.len() > MOST_ANCHORS {
        let mut place = 0;
        anchors.retain(|_| {
            place += 1;
            place % 2 == 0
        });
    }
}

/// Where a call could not be watched for system calls, its cost beside that of the forced system call tells
/// whether it made one.
pub(super) fn path_by_cost(clocks: &mut [Clock]) {
    let median = |c: &Clock| c.cost_ns.as_ref().map(|c: &Cost| c.median);
    let forced: BTreeMap<String, f64> =
        clocks.iter().filter_map(|c| Some((c.id.strip_suffix("@syscall")?.to_owned(), median(c)?))).collect();
    for clock in clocks.iter_mut().filter(|c| c.path == Path::Libc) {
        if let (Some(own), Some(syscall)) = (median(clock), forced.get(&clock.id)) {
            let (path, how) = match own / syscall {
                ..0.5 => (Path::Vdso, "far less than"),
                0.8.. => (Path::Syscall, "as much as"),
                _ => continue,
            };
            clock.path = path;
            clock.path_evidence =
                format!("costs {how} its forced system call ({own:.0} against {syscall:.0} ns)");
        }
    }
}
