//! Takes one clock's observations.

use hdrhistogram::Histogram;

use super::batches::Batches;
use super::bounds::{self, Scale};
use super::fineness::{Fineness, counts};
use crate::analyze::adjacent::Adjacent;
use crate::analyze::cost;
use crate::analyze::faults::{Found, Reads, Terms, Watch, agree};
use crate::analyze::quantum::Quantum;
use crate::analyze::rate::{Quanta, rate};
use crate::analyze::thinning::Thinned;
use crate::record::{Cost, CostBuckets, DifferenceCounts, Interval, Kind};
use crate::trace::{Bracketed, Description, Gap, Purpose, Role, Row, Singles, Unit};

/// Digits of a bracket that are kept: bins of one percent.
const DIGITS: u8 = 2;
/// Most bracketed readings kept, evenly spread over the run.
const MOST_ANCHORS: usize = 4096;

/// One clock's account.
#[derive(Debug, Clone)]
pub struct Account {
    description: Description,
    scale: Scale,
    /// Nanoseconds a count.
    count: Interval,
    /// The shortest time of a read among the first rows, in counts of the run's witness.
    read_counts: Option<f64>,
    batches: Batches,
    /// Brackets of single reads, in counts of the clock's witness.
    widths: Histogram<u64>,
    /// Of reads in a row.
    adjacent: Adjacent,
    fineness: Fineness,
    watch: Watch,
    /// Readings bracketed by the clock's witness.
    anchors: Thinned<Bracketed>,
    /// Readings bracketed by the reference.
    track: Thinned<Bracketed>,
    /// Time of the lots in which every read was watched, ns.
    observed_ns: f64,
    /// What the reads are judged by while nobody slews.
    terms: Option<Terms>,
    /// By how much the kernel may have slewed clock and witness apart since the last read.
    slew: [f64; 2],
    /// Whether it was read since that was last told.
    is_read: bool,
    /// Whether the clock, or its witness, is no longer the one that its terms are of.
    is_unbound: bool,
}

impl Account {
    /// An account that starts at `origin`, by the clock's witness.
    pub(in crate::analyze) fn new(description: &Description, scale: Scale, origin: u64) -> Self {
        Self {
            description: description.clone(),
            scale,
            count: match description.unit {
                Unit::Ns(ns) => Interval::exactly(ns),
                Unit::Ticks => scale.tick_of_counters,
            },
            read_counts: None,
            batches: Batches::default(),
            widths: Histogram::new(DIGITS).expect("the crate takes 0 to 5 digits"),
            adjacent: Adjacent::default(),
            fineness: Fineness::default(),
            watch: Watch::new(origin),
            anchors: Thinned::new(MOST_ANCHORS),
            track: Thinned::new(MOST_ANCHORS),
            observed_ns: 0.0,
            terms: None,
            slew: [1.0, 1.0],
            is_read: false,
            is_unbound: false,
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
            Role::Dithered | Role::Foreign => self.fineness.take(&row.values),
            Role::Once | Role::Twice => {
                self.batches.take(row.role, reads, row.timed as f64 * self.scale.tick.value);
                self.adjacent.row(&row.values);
            }
            _ => {}
        }
        let ns = (self.scale.witness_ns(), self.count_ns());
        self.fineness.row(row, ns);
        self.watch.row(&Reads {
            before: row.before.count,
            values: &row.values,
            after: row.after.count,
            cpu: row.after.cpu,
            trusted: row.role != Role::Foreign && !self.is_unbound,
        });
        self.is_read = true;
    }

    /// Single reads.
    pub(in crate::analyze) fn singles(&mut self, lot: &Singles) {
        self.watch.failed(lot.failed);
        let agrees = lot.third.is_none_or(|[before, after]| agree(before, after, self.scale.witness_ns()));
        let trusted = agrees && !self.is_unbound;
        self.is_read = true;
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
            self.fineness.single(read, ns);
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
        self.fineness.conclude(counts(&self.description));
        self.settle(scale);
    }

    /// Ticks and rates are known better now.
    pub(in crate::analyze) fn settle(&mut self, scale: Scale) {
        self.scale = scale;
        if self.description.unit == Unit::Ticks {
            self.count = self.tick();
        }
        if self.fineness.is_concluded() {
            let read_ns = self.read_ns().unwrap_or(1.0);
            let anchors = self.anchors.as_slice();
            let terms = bounds::terms(&self.description, self.count, scale, self.quantum_ns(), read_ns, anchors);
            self.terms = Some(terms);
            self.set_terms();
        }
    }

    /// Nanoseconds a tick of a counter: of the run's witness, if that counts ticks, else by the counter's own readings
    /// between stamps of its witness.
    fn tick(&self) -> Interval {
        let Scale { tick_of_counters, is_by_ticks, witness_quantum_ns, .. } = self.scale;
        if is_by_ticks {
            return tick_of_counters;
        }
        let witness_ns = self.scale.witness_ns();
        let clock = if self.fineness.is_concluded() { self.fineness.at_most(1.0) } else { 1.0 };
        let quanta = Quanta { clock, by: witness_quantum_ns / witness_ns };
        let found = rate(self.anchors.as_slice(), quanta).filter(|rate| rate.low > 0.0);
        found.map_or(self.count, |rate| Interval {
            value: witness_ns / rate.value,
            low: witness_ns / rate.high,
            high: witness_ns / rate.low,
        })
    }

    /// Between these rates the kernel's slew moved clock and witness apart, ns per ns, since that was last told.
    pub(in crate::analyze) fn slewed(&mut self, [low, high]: [f64; 2]) {
        let before = if std::mem::take(&mut self.is_read) { [1.0, 1.0] } else { self.slew };
        self.slew = [before[0].min(low), before[1].max(high)];
        self.set_terms();
    }

    fn set_terms(&mut self) {
        if let Some(terms) = self.terms {
            let rate = [terms.rate[0] * self.slew[0], terms.rate[1] * self.slew[1]];
            self.watch.set_terms(Terms { rate, ..terms });
        }
    }

    /// Other threads ran: what comes is not measured from what was of a clock that counts their CPU time.
    pub(in crate::analyze) fn threads_ran(&mut self) {
        if self.description.kind == Kind::CpuTime {
            self.watch.apart();
        }
    }

    /// The clock, or its witness, is another one from now on: only the order of its values is judged.
    pub(in crate::analyze) fn unbind(&mut self) {
        self.is_unbound = true;
    }

    /// The clock.
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// Nanoseconds a count of the clock.
    pub fn count(&self) -> Interval {
        self.count
    }

    /// The same, without its uncertainty.
    pub fn count_ns(&self) -> f64 {
        self.count.value
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
        self.fineness.readings()
    }

    /// Whether it changes so rarely that only its changes tell its quantum.
    pub fn is_slow(&self) -> bool {
        self.fineness.slow().is_some()
    }

    /// Whether it is slow and has not been seen to change.
    pub fn is_asleep(&self) -> bool {
        self.fineness.slow().is_some_and(|slow| !slow.has_changed())
    }

    /// What is known of the quantum, in counts.
    pub fn quantum(&self) -> Option<Quantum> {
        self.fineness.quantum()
    }

    /// Readings that the quantum rests on.
    pub(in crate::analyze) fn quantum_readings(&self) -> u64 {
        self.fineness.rests_on()
    }

    /// What the quantum is at most, ns.
    pub fn quantum_ns(&self) -> f64 {
        self.fineness.at_most(self.count_ns())
    }

    /// Cost of a read; `None` where no batches came.
    pub(in crate::analyze) fn cost(&self, timer_quantum_ns: f64) -> Option<Cost> {
        let mut cost = cost::cost(self.batches.pairs(), timer_quantum_ns)?;
        cost::tail(&mut cost, &self.widths, self.scale.witness_ns(), self.scale.witness_quantum_ns);
        Some(cost)
    }

    /// Single reads by their cost; none where there is no median for them to lie around.
    pub(in crate::analyze) fn cost_buckets(&self, timer_quantum_ns: f64) -> CostBuckets {
        cost::cost(self.batches.pairs(), timer_quantum_ns)
            .map(|cost| cost::buckets(&cost, &self.widths, self.scale.witness_ns()))
            .unwrap_or_default()
    }

    /// How often adjacent reads in a row differed by how much.
    pub(in crate::analyze) fn differences(&self) -> DifferenceCounts {
        self.adjacent.state(self.count_ns())
    }

    /// Faults found so far.
    pub(in crate::analyze) fn found(&self) -> Found {
        self.watch.so_far()
    }

    /// Readings bracketed by the reference.
    pub(in crate::analyze) fn track(&self) -> &[Bracketed] {
        self.track.as_slice()
    }

    /// Readings bracketed by the clock's witness.
    pub(in crate::analyze) fn anchors(&self) -> &[Bracketed] {
        self.anchors.as_slice()
    }

    /// Time in which every read was watched, and how much of it the reader stood still, ns.
    pub(in crate::analyze) fn watched_ns(&self) -> (f64, f64) {
        (self.observed_ns, self.watch.standstill_ns())
    }
}
