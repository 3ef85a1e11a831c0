//! Takes a trace, observation by observation, and can be asked at any time what it comes to.

use std::collections::BTreeMap;

use super::account::{Account, Scale};
use super::course::Course;
use super::differences::Differences;
use super::discipline::Discipline;
use super::interruptions::Interruptions;
use super::keeping::Moment;
use super::monitor::Monitor;
use super::rate::Quanta;
use super::sleeps::Slept;
use super::span::Spans;
use super::threads::{self, Together};
use super::timebase::Timebase;
use super::timers::Timers;
use crate::record::Interval;
use crate::trace::{
    ClocksourceChange, Compared, Disruption, End, Header, Look, Observation, Played, Purpose, Role, Row, Singles, Task,
    Unit,
};

/// Most notes, changes, comparisons, and exchanges of one comparison that are kept: the pairs of 500 CPUs.
const MOST: usize = 1 << 17;

/// What a trace comes to. Memory is bounded, however long the trace.
#[derive(Debug, Clone)]
pub struct Analysis {
    pub(super) header: Header,
    /// By the clock's place; `None` for those that the run is not about.
    pub(super) accounts: Vec<Option<Account>>,
    pub(super) timebase: Timebase,
    pub(super) timers: Timers,
    pub(super) discipline: Discipline,
    pub(super) course: Course,
    pub(super) monitor: Monitor,
    /// Comparisons between CPUs, and what was played of the one under way.
    pub(super) compared: Vec<(Compared, Vec<Played>)>,
    pub(super) played: Vec<Played>,
    /// Threads that read at once, by clock and number.
    pub(super) together: Vec<Together>,
    pub(super) differences: Differences,
    /// By the clock's place.
    pub(super) spans: BTreeMap<usize, Spans>,
    pub(super) interruptions: Interruptions,
    pub(super) slept: Slept,
    pub(super) clocksources: Vec<ClocksourceChange>,
    pub(super) disruptions: Vec<Disruption>,
    pub(super) notes: Vec<String>,
    pub(super) end: Option<End>,
    /// Threads taken so far.
    pairs_taken: usize,
    /// Whether ticks and rates were ever reckoned.
    settles: bool,
}

impl Analysis {
    /// Of a run that has not begun. An error says why the header can't be right.
    pub fn new(header: Header) -> Result<Self, String> {
        if let Some(why) = header.wrong() {
            return Err(why);
        }
        let count_ns = match header.clocks[header.reference].unit {
            Unit::Ns(ns) => ns,
            Unit::Ticks => return Err("its reference counts ticks whose length nobody states".into()),
        };
        // Before the first fit: what is stated of the witness, or a count a nanosecond.
        let witness_ns = match header.clocks[header.witness].unit {
            Unit::Ns(ns) => ns,
            Unit::Ticks => stated_ns(&header),
        };
        let timebase = Timebase::new(count_ns, witness_ns, header.reference == header.witness);
        let mut analysis = Self {
            accounts: vec![None; header.clocks.len()],
            timebase,
            timers: Timers::default(),
            discipline: Discipline::default(),
            course: Course::default(),
            monitor: Monitor::default(),
            compared: Vec::new(),
            played: Vec::new(),
            together: Vec::new(),
            differences: Differences::default(),
            spans: BTreeMap::new(),
            interruptions: Interruptions::default(),
            slept: Slept::default(),
            clocksources: Vec::new(),
            disruptions: Vec::new(),
            notes: Vec::new(),
            end: None,
            pairs_taken: 0,
            settles: false,
            header,
        };
        for &clock in &analysis.header.surveyed {
            let by_kernel = analysis.header.by_kernel(clock);
            let origin = analysis.header.kernel_start.filter(|_| by_kernel).unwrap_or(analysis.header.start);
            let account = Account::new(&analysis.header.clocks[clock], analysis.scale(clock), origin);
            analysis.accounts[clock] = Some(account);
        }
        Ok(analysis)
    }

    /// One more observation. What can't be (a clock that the header does not describe) is passed over.
    pub fn take(&mut self, observation: &Observation) {
        match observation {
            Observation::Row(row) => self.row(row),
            Observation::Singles(lot) => self.singles(lot),
            Observation::Gap(gap) => {
                if let Some(account) = self.at(gap.clock) {
                    account.gap(gap);
                }
            }
            Observation::Beside(beside) => {
                if let Some(account) = self.at(beside.clock) {
                    account.beside(beside.reading);
                }
                self.monitor_beside(beside);
            }
            Observation::Look(look) => {
                let at = self.moment(look);
                self.discipline.look(look, at);
                if let Some(wall) = look.wall {
                    self.interruptions.wall(look.witness, wall.value);
                }
                self.course(look, at);
                self.monitor_looked(at);
            }
            Observation::Polled(polled) => self.polled(polled),
            Observation::Exchange(played) => {
                keep(&mut self.played, played.clone());
            }
            Observation::Compared(compared) => {
                let played = std::mem::take(&mut self.played);
                if compared.clock < self.header.clocks.len() {
                    keep(&mut self.compared, (compared.clone(), played));
                }
                self.accounts.iter_mut().flatten().for_each(Account::threads_ran);
            }
            Observation::Timed(lot) => self.spans_of(lot.clock, |spans| spans.timed(lot)),
            Observation::Empties(lot) => self.spans_of(lot.clock, |spans| spans.empty(lot)),
            Observation::Absences(lot) => self.interruptions.absences(lot, self.timebase.tick()),
            Observation::Vigil(vigil) => self.interruptions.vigil(vigil),
            Observation::SleepFacts(facts) => self.slept.facts(facts),
            Observation::Sleeps(turn) => self.slept.take(turn),
            Observation::Pairs(pairs) => {
                if pairs.clock < self.header.clocks.len() && self.pairs_taken < MOST {
                    self.pairs_taken += 1;
                    threads::take(&mut self.together, pairs);
                }
                self.accounts.iter_mut().flatten().for_each(Account::threads_ran);
            }
            Observation::Disrupted(disruption) => {
                keep(&mut self.disruptions, *disruption);
                self.monitor_disrupted();
            }
            Observation::Clocksource(change) => {
                keep(&mut self.clocksources, change.clone());
                self.monitor_clocksource();
                self.timebase.forget();
                self.course.forget();
                for clock in 0..self.accounts.len() {
                    if self.is_of_clocksource(clock)
                        && let Some(account) = self.at(clock)
                    {
                        account.unbind();
                    }
                }
            }
            Observation::Note(note) => {
                keep(&mut self.notes, note.clone().into_owned());
            }
            Observation::Turn(clock) => {
                let scale = self.scale(*clock);
                if let Some(account) = self.at(*clock) {
                    account.turn(scale);
                }
            }
            Observation::Settle => self.settle(),
            Observation::End(end) => self.end = Some((**end).clone()),
        }
    }

    /// Whether the clock, or what it is judged by, is what the kernel makes of its clocksource.
    pub(super) fn is_of_clocksource(&self, clock: usize) -> bool {
        [clock, self.header.witness_of(clock)].iter().any(|of| self.header.clocks[*of].kind.is_kernels())
    }

    fn spans_of(&mut self, clock: usize, take: impl FnOnce(&mut Spans)) {
        if self.at(clock).is_some() {
            take(self.spans.entry(clock).or_default());
        }
    }

    fn row(&mut self, row: &Row) {
        if row.role == Role::Timer && row.clock < self.header.clocks.len() {
            self.timers.take(row.clock, &row.values);
        }
        if row.role == Role::Plain && self.header.task == Task::Deltas {
            self.differences.row(&row.values, row.failed);
        }
        if let Some(account) = self.at(row.clock) {
            account.row(row);
        }
    }

    fn singles(&mut self, lot: &Singles) {
        if lot.purpose == Purpose::Timebase {
            self.timebase.take(lot);
            if self.header.by_kernel(lot.clock) {
                return;
            }
        }
        if let Some(account) = self.at(lot.clock) {
            account.singles(lot);
        }
    }

    fn settle(&mut self) {
        self.settles = true;
        self.timers.settle(&self.header.clocks);
        let Header { reference, witness, .. } = self.header;
        let quanta = Quanta { clock: self.timers.quantum(reference), by: self.timers.quantum(witness) };
        self.timebase.settle(quanta);
        for clock in 0..self.accounts.len() {
            let scale = self.scale(clock);
            if let Some(account) = &mut self.accounts[clock] {
                account.settle(scale);
            }
        }
    }

    pub(super) fn at(&mut self, clock: usize) -> Option<&mut Account> {
        self.accounts.get_mut(clock)?.as_mut()
    }

    fn scale(&self, clock: usize) -> Scale {
        let by_kernel = self.header.by_kernel(clock);
        let tick = self.tick();
        let witness_quantum_ns = match self.header.kernel.filter(|_| by_kernel) {
            Some(kernel) => self.timers.quantum(kernel),
            None => self.timers.quantum(self.header.witness) * tick.value,
        };
        let is_by_ticks = self.header.clocks[self.header.witness].unit == Unit::Ticks;
        let tick_of_counters = if is_by_ticks { tick } else { Interval::exactly(stated_ns(&self.header)) };
        Scale { tick, tick_of_counters, is_by_ticks, by_kernel, witness_quantum_ns }
    }

    fn moment(&self, look: &Look) -> Moment {
        let witness_ns = self.witnessed_ns(look.witness);
        let kernel_ns = look.kernel.zip(self.header.kernel_start);
        let kernel_ns = kernel_ns.map(|(now, start)| now.wrapping_sub(start) as i64 as f64);
        Moment { witness_ns, kernel_ns: kernel_ns.unwrap_or(witness_ns) }
    }

    /// When the witness showed that count, ns since the start.
    pub(super) fn witnessed_ns(&self, count: u64) -> f64 {
        count.wrapping_sub(self.header.start) as i64 as f64 * self.tick().value
    }

    /// What stands at the trace's head.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The account of a clock that the run is about.
    pub fn account(&self, clock: usize) -> Option<&Account> {
        self.accounts.get(clock)?.as_ref()
    }

    /// Nanoseconds a count of the witness.
    pub fn tick(&self) -> Interval {
        self.timebase.tick()
    }

    /// Why nothing can be concluded, if reference and witness agree on no rate.
    pub fn refusal(&self) -> Option<String> {
        let Header { reference, witness, clocks, .. } = &self.header;
        let [reference, witness] = [reference, witness].map(|clock| &clocks[*clock].id);
        (self.settles && !self.timebase.is_settled()).then(|| {
            format!(
                "'{reference}' does not keep step with '{witness}': no figure in nanoseconds would mean anything; take \
                 another reference with --ref"
            )
        })
    }

    /// How often the reference was seen to move, where only that tells its rate.
    pub fn edges(&self) -> Option<u64> {
        self.timebase.edges()
    }
}

/// Keeps one more, if there is room.
fn keep<T>(kept: &mut Vec<T>, one: T) {
    if kept.len() < MOST {
        kept.push(one);
    }
}

/// Nanoseconds a tick of the CPU's counter by the first statement of its frequency; 1 where there is none.
fn stated_ns(header: &Header) -> f64 {
    header.stated().map_or(1.0, |frequency| 1e9 / frequency.hz)
}
