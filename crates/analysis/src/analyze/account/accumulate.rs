//! Takes one clock's observations.

use hdrhistogram::Histogram;

use super::bounds::{self, Scale};
use super::slow::Slow;
use crate::analyze::cost::{self, Pair};
use crate::analyze::faults::{Found, Reads, Watch, agree};
use crate::analyze::quantum::{Counts, Quantum, from_steps, quantum};
use crate::analyze::thinning::Thinned;
use crate::record::{Cost, Kind};
use crate::trace::{Bracketed, Description, Gap, Purpose, Role, Row, Singles, Unit};

/// Most pairs of batches kept.
pub const MOST_PAIRS: usize = 4000;
/// Most readings kept for the quantum.
pub const MOST_READINGS: usize = 1 << 20;
/// Digits of a bracket that are kept: bins of one percent.
const DIGITS: u8 = 2;
/// Most bracketed readings kept, evenly spread over the run.
const MOST_ANCHORS: usize = 4096;

/// One clock's account.
#[derive(Debug, Clone)]
pub struct Account {
    description: Description,
    scale: Scale,
    /// The shortest time of a read among the first rows, in counts of the run's witness.
    read_counts: Option<f64>,
    pairs: Vec<Pair>,
    /// The first one of a pair of batches: its reads and its time, in counts of the run's witness.
    batch: Option<(Role, usize, f64)>,
    /// Brackets of single reads, in counts of the clock's witness.
    widths: Histogram<u64>,
    /// What the quantum is looked for in; given back once it was.
    readings: Vec<u64>,
    readings_made: u64,
    changes: usize,
    /// The smallest step among them, in counts: a bound on the quantum where nothing tells it.
    smallest: Option<u64>,
    quantum: Option<Quantum>,
    slow: Option<Slow>,
    watch: Watch,
    /// Readings bracketed by the clock's witness.
    anchors: Thinned<Bracketed>,
    /// Readings bracketed by the reference.
    track: Thinned<Bracketed>,
    /// Time of the lots in which every read was watched, ns.
    observed_ns: f64,
}

impl Account {
    /// An account that starts at `origin`, by the clock's witness.
    pub(in crate::analyze) fn new(description: &Description, scale: Scale, origin: u64) -> Self {
        Self {
            description: description.clone(),
            scale,
            read_counts: None,
            pairs: Vec::new(),
            batch: None,
            widths: Histogram::new(DIGITS).expect("the crate takes 0 to 5 digits"),
            readings: Vec::new(),
            readings_made: 0,
            changes: 0,
            smallest: None,
            quantum: None,
            slow: None,
            watch: Watch::new(origin),
            anchors: Thinned::new(MOST_ANCHORS),
            track: Thinned::new(MOST_ANCHORS),
            observed_ns: 0.0,
        }
    }

    /// Reads in a row.
    pub(in crate::analyze) fn row(&mut self, row: &Row) {
        if row.failed > 0 {
            self.watch.failed(row.failed);
            return;
        }
        let reads = row.values.len();
        match row.role {
            Role::Probe if reads > 0 => {
                let each = row.timed as f64 / reads as f64;
                self.read_counts = Some(self.read_counts.map_or(each, |least| least.min(each)));
            }
            Role::Dithered | Role::Foreign => self.dithered(&row.values),
            Role::Once | Role::Twice => self.batch(row.role, reads, row.timed as f64),
            _ => {}
        }
        let ns = (self.scale.witness_ns(), self.count_ns());
        if let Some(slow) = &mut self.slow {
            slow.row(row, ns);
        }
        self.watch.row(&Reads {
            before: row.before.count,
            values: &row.values,
            after: row.after.count,
            cpu: row.after.cpu,
            trusted: row.role != Role::Foreign,
        });
    }

    fn dithered(&mut self, values: &[u64]) {
        self.readings_made += values.len() as u64;
        if self.quantum.is_none() && self.readings.len() + values.len() <= MOST_READINGS {
            let mut last = self.readings.last().copied();
            self.changes += values.iter().filter(|value| last.replace(**value) != Some(**value)).count();
            self.readings.extend_from_slice(values);
        }
    }

    /// Two batches in a row, of n and of 2n reads in either order, are a pair.
    fn batch(&mut self, role: Role, reads: usize, counts: f64) {
        match self.batch.take() {
            Some((other, before, counts_before)) if other != role && self.pairs.len() < MOST_PAIRS => {
                let ((n, once), (twice_n, twice)) = if role == Role::Twice {
                    ((before, counts_before), (reads, counts))
                } else {
                    ((reads, counts), (before, counts_before))
                };
                if twice_n == 2 * n {
                    let ns = self.scale.tick.value;
                    self.pairs.push(Pair { reads: n as u32, once_ns: once * ns, twice_ns: twice * ns });
                }
            }
            _ => self.batch = Some((role, reads, counts)),
        }
    }

    /// Single reads.
    pub(in crate::analyze) fn singles(&mut self, lot: &Singles) {
        self.watch.failed(lot.failed);
        let trusted = lot.third.is_none_or(|[before, after]| agree(before, after, self.scale.witness_ns()));
        if lot.purpose == Purpose::Faults {
            for read in &lot.reads {
                // It grows as it has to; a bracket that ran backward is none.
                let _ = self.widths.record(read.width().max(0).unsigned_abs());
            }
            let end = lot.gap.map(|(_, to)| to.count).or(lot.reads.last().map(|read| read.after));
            let counts = end.map_or(0, |end| end.wrapping_sub(lot.start.count) as i64);
            self.observed_ns += counts as f64 * self.scale.witness_ns();
        } else {
            lot.reads.iter().for_each(|read| self.anchors.push(*read));
        }
        let ns = (self.scale.witness_ns(), self.count_ns());
        for (read, cpu) in lot.with_cpus() {
            if let Some(slow) = &mut self.slow {
                slow.single(read, ns);
            }
            let Bracketed { before, value, after } = read;
            self.watch.row(&Reads { before, values: &[value], after, cpu, trusted });
        }
    }

    /// The reader stood still.
    pub(in crate::analyze) fn gap(&mut self, gap: &Gap) {
        let ns = gap.to.since(gap.from) as f64 * self.scale.witness_ns();
        if gap.between_lots {
            self.observed_ns += ns;
        }
        self.watch.interruption(ns, gap.to.count, gap.to.cpu, &gap.cause);
    }

    /// A reading bracketed by the reference.
    pub(in crate::analyze) fn beside(&mut self, reading: Bracketed) {
        self.track.push(reading);
    }

    /// All readings for the quantum have come.
    pub(in crate::analyze) fn turn(&mut self, scale: Scale) {
        let readings = std::mem::take(&mut self.readings);
        self.quantum = Some(quantum(&readings, counts(&self.description)));
        let steps = readings.windows(2).map(|pair| pair[1].wrapping_sub(pair[0]));
        self.smallest = steps.filter(|step| (*step as i64) > 0).min();
        let reads = readings.len();
        // What was read once or twice was not seen not to be slow.
        if (self.changes * 2 < reads || reads < 3) && self.changes < 64 {
            self.slow = Some(Slow::default());
        }
        self.settle(scale);
    }

    /// Ticks and rates are known better now.
    pub(in crate::analyze) fn settle(&mut self, scale: Scale) {
        self.scale = scale;
        if self.quantum.is_some() {
            let read_ns = self.read_ns().unwrap_or(1.0);
            let terms = bounds::terms(&self.description, scale, self.quantum_ns(), read_ns, self.anchors.as_slice());
            self.watch.set_terms(terms);
        }
    }

    /// Other threads ran: what comes is not measured from what was of a clock that counts their CPU time.
    pub(in crate::analyze) fn threads_ran(&mut self) {
        if self.description.kind == Kind::CpuTime {
            self.watch.apart();
        }
    }

    /// The clock's rate may be another one from now on.
    pub(in crate::analyze) fn forget_rate(&mut self) {
        self.watch.apart();
        self.anchors.clear();
    }

    /// The clock.
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// Nanoseconds a count of the clock.
    pub fn count_ns(&self) -> f64 {
        match self.description.unit {
            Unit::Ns(ns) => ns,
            Unit::Ticks => self.scale.tick.value,
        }
    }

    /// About how long a read takes, ns, at least 1; `None` before the first one.
    pub fn read_ns(&self) -> Option<f64> {
        self.read_counts.map(|counts| (counts * self.scale.tick.value).max(1.0))
    }

    /// A gap between two stamps from which on the reader stood still, ns.
    pub fn gap_ns(&self) -> f64 {
        bounds::gap_ns(self.read_ns().unwrap_or(1.0))
    }

    /// Readings for the quantum that have come, and how often the value changed among them.
    pub fn readings(&self) -> (usize, usize) {
        (self.readings.len(), self.changes)
    }

    /// Whether it changes so rarely that only its changes tell its quantum.
    pub fn is_slow(&self) -> bool {
        self.slow.is_some()
    }

    /// Whether it is slow and has not been seen to change.
    pub fn is_asleep(&self) -> bool {
        self.slow.as_ref().is_some_and(|slow| !slow.has_changed())
    }

    /// What is known of the quantum, in counts.
    pub fn quantum(&self) -> Option<Quantum> {
        match &self.slow {
            Some(slow) if self.quantum.is_some() => Some(from_steps(slow.steps())),
            _ => self.quantum.clone(),
        }
    }

    /// Readings that the quantum rests on.
    pub(in crate::analyze) fn quantum_readings(&self) -> u64 {
        self.slow.as_ref().map_or(self.readings_made, |slow| slow.steps().len() as u64)
    }

    /// What the quantum is at most, ns. Where nothing is known: the smallest step seen; where there was none, a tick of the
    /// timer (100 Hz at the slowest) or the unit of output, whichever is longer.
    pub fn quantum_ns(&self) -> f64 {
        match &self.quantum {
            Some(Quantum::Found { value, half_width, .. }) => (value + half_width) * self.count_ns(),
            Some(Quantum::NotCoarserThan(limit)) => limit * self.count_ns(),
            _ => self
                .smallest
                .map_or(bounds::SLOWEST_TIMER_NS.max(self.count_ns()), |step| step as f64 * self.count_ns()),
        }
    }

    /// Cost of a read; `None` where no batches came.
    pub(in crate::analyze) fn cost(&self, timer_quantum_ns: f64) -> Option<Cost> {
        let mut cost = cost::cost(&self.pairs, timer_quantum_ns)?;
        cost::tail(&mut cost, &self.widths, self.scale.witness_ns(), self.scale.witness_quantum_ns);
        Some(cost)
    }

    /// Faults found so far.
    pub(in crate::analyze) fn found(&self) -> Found {
        self.watch.so_far()
    }

    /// Readings bracketed by the reference.
    pub(in crate::analyze) fn track(&self) -> &[Bracketed] {
        self.track.as_slice()
    }

    /// Time in which every read was watched, and how much of it the reader stood still, ns.
    pub(in crate::analyze) fn watched_ns(&self) -> (f64, f64) {
        (self.observed_ns, self.watch.standstill_ns())
    }
}

/// What a clock's readings count.
pub(in crate::analyze) fn counts(description: &Description) -> Counts {
    if description.unit == Unit::Ticks || description.ticks_by.is_some() { Counts::Ticks } else { Counts::Units }
}
