//! A thread that does nothing but read the witness on one CPU, and looks for the cause whenever it stood still.
//! Method: docs/method/interruptions.md.

#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::time::Duration;

use clockscope_analysis::trace::{Absence, Absences, Counted, Noticing, Stamp, Vigil};

use super::continued::await_continued;
use super::counters::Counters;
use super::pin::Pinned;
use super::policy::below_the_starter;
use super::proc::interrupts_by_name;
use super::witness::{Stamper, Witness, with_stamper};

/// Reads between two questions whether to go on: some 0.1 ms.
const READS: u64 = 4096;
/// Absences that are kept before they are handed over.
const LOT: usize = 512;
/// After one part in so many of the time they are handed over in any case.
const LOTS: i64 = 64;
/// Looks that are made again because an interruption came into them.
const TRIES: usize = 8;
/// A look that took so many times the shortest was interrupted itself.
const INTERRUPTED: i64 = 4;
/// Looks at slow files may take one part in so many of the time, begun with this much.
const SLOW_SHARE: i64 = 10;

/// What such a thread is to do.
#[derive(Clone)]
pub struct Watch {
    /// What it reads.
    pub witness: Witness,
    /// Two reads that are farther apart are an absence, in counts.
    pub longer_than: i64,
    /// For how long, in counts.
    pub length: i64,
    /// Where the cgroups tell for how long they were throttled.
    pub throttling: Vec<PathBuf>,
    /// Whether somebody counts the process's stops.
    pub stops: bool,
}

/// What it tells meanwhile.
pub enum Told {
    /// Times in which it stood still.
    Absences(Absences),
    /// The end of it.
    End(Vigil),
}

/// Watches `cpu` with the calling thread until the time is over or `stop` is set.
pub fn watch(cpu: u32, watch: &Watch, stop: &AtomicBool, told: &Sender<Told>) {
    below_the_starter();
    let vigil = match Pinned::to(cpu) {
        Ok(_pinned) => with_stamper!(watch.witness, |w| Watching::new(cpu, watch, w, told).until_over(stop)),
        Err(error) => {
            let trouble = Some(format!("no thread could be pinned to CPU {cpu}: {error}"));
            Vigil { cpu, trouble, ..Vigil::default() }
        }
    };
    // Nobody may listen any more.
    let _ = told.send(Told::End(vigil));
}

/// Such a thread at work.
struct Watching<'a, S> {
    order: &'a Watch,
    witness: S,
    told: &'a Sender<Told>,
    counters: Counters,
    /// The counters at the end of the last look; the CPU's interrupts as they were read last.
    base: Counted,
    lot: Absences,
    /// When the lot was handed over last.
    handed: Stamp,
    vigil: Vigil,
    /// The shortest look, with the slow files and without, counts.
    shortest: [i64; 2],
    /// What looks at the slow files took, counts.
    slow: i64,
    start: Stamp,
}

impl<'a, S: Stamper> Watching<'a, S> {
    fn new(cpu: u32, order: &'a Watch, witness: S, told: &'a Sender<Told>) -> Self {
        let counters = Counters::new(Some(cpu)).with(&order.throttling, order.stops);
        let lot = Absences { cpu, absences: vec![Absence::default(); LOT] };
        let vigil = Vigil { cpu, longer_than: order.longer_than as u64, ..Vigil::default() };
        let start = witness.stamp();
        let mut watching = Self {
            order,
            witness,
            told,
            counters,
            base: Counted::default(),
            lot,
            handed: start,
            vigil,
            shortest: [i64::MAX; 2],
            slow: 0,
            start,
        };
        watching.lot.absences.clear();
        for _ in 0..TRIES {
            for slow in [false, true] {
                watching.count(slow);
            }
        }
        watching
    }

    fn until_over(mut self, stop: &AtomicBool) -> Vigil {
        let interrupts = interrupts_by_name(self.vigil.cpu);
        self.start = self.witness.stamp();
        self.start = self.settle(self.start, true, true);
        (self.slow, self.handed, self.vigil.looking) = (0, self.start, 0);
        let mut last = self.start;
        while !stop.load(Ordering::Relaxed) && last.since(self.start) < self.order.length {
            let (reads, gap) = spin(self.witness, &mut last, self.order.longer_than);
            self.vigil.reads += reads;
            let Some(to) = gap else { continue };
            let strayed = to.cpu.is_some_and(|cpu| cpu != self.vigil.cpu);
            last = self.look(last, to, strayed);
            if strayed {
                let cpu = self.vigil.cpu;
                self.vigil.trouble =
                    Some(format!("CPU {cpu} was taken from this process meanwhile (off line, or a cpuset)"));
                break;
            }
        }
        self.hand_over();
        let taken = interrupts_by_name(self.vigil.cpu).into_iter();
        let since = |(name, count): (String, u64)| {
            let before = interrupts.get(&name).copied().unwrap_or(0);
            (name, count.saturating_sub(before))
        };
        let interrupts = taken.map(since).filter(|(_, count)| *count > 0).collect();
        let noticing = [false, true].map(|slow| {
            let from = self.least_noticed(slow) as u64;
            Noticing { from, ..self.vigil.noticing[usize::from(slow)] }
        });
        Vigil { start: self.start.count, end: last.count, interrupts, noticing, ..self.vigil }
    }

    /// Writes down an absence with its evidence; returns from when on is watched again. Where an interruption comes into the
    /// look, what it took longer is an absence as well, looked into by a second one.
    fn look(&mut self, mut from: Stamp, mut to: Stamp, migrated: bool) -> Stamp {
        for turn in 0..TRIES {
            let slow = self.has_time(to);
            let (now, took, after) = self.count(slow);
            let mut seen = now.since(&self.base);
            self.vigil.looks += 1;
            self.vigil.brief_looks += u64::from(!slow);
            let waited_for_device = seen.major_faults > Some(0);
            let stopped = seen.voluntary > Some(0) && seen.continued == Some(0) && !waited_for_device;
            if let Some(before) = self.base.continued.filter(|_| stopped) {
                seen.continued = Some(await_continued(before).saturating_sub(before));
            }
            let length = to.since(from) as u64;
            self.lot.absences.push(Absence { from: from.count, length, seen, migrated, in_look: turn > 0 });
            self.remember(now);
            let shortest = self.shortest[usize::from(slow)];
            let is_whole = self.is_whole(took, slow);
            let own = if is_whole { took } else { shortest } as u64;
            self.vigil.looking += own;
            self.vigil.noticing[usize::from(slow)].time += own;
            if is_whole {
                return self.settle(after, stopped, slow);
            }
            from = Stamp { count: to.count.wrapping_add_signed(shortest), cpu: to.cpu };
            to = after;
        }
        self.settle(to, true, false)
    }

    fn remember(&mut self, now: Counted) {
        self.base = Counted { interrupts: now.interrupts.or(self.base.interrupts), ..now };
    }

    /// Whether nothing interrupted a look that took so long.
    fn is_whole(&self, took: i64, slow: bool) -> bool {
        took - self.shortest[usize::from(slow)] < self.least_noticed(slow)
    }

    /// The shortest absence that is seen in a look: by which the look is longer than the shortest one.
    fn least_noticed(&self, slow: bool) -> i64 {
        let shortest = self.shortest[usize::from(slow)];
        shortest.saturating_mul(INTERRUPTED - 1).max(self.order.longer_than)
    }

    /// After a look that was over at `from`: hands over what there is if it is time to, and forgets what that counted, or what
    /// waiting did (`anew`).
    fn settle(&mut self, from: Stamp, anew: bool, slow: bool) -> Stamp {
        let is_due = self.lot.absences.len() >= LOT || from.since(self.handed) > self.order.length / LOTS;
        if is_due {
            self.hand_over();
        }
        if !is_due && !anew {
            return from;
        }
        let mut over = from;
        for _ in 0..TRIES {
            let (now, took, after) = self.count(slow);
            self.remember(now);
            over = after;
            if self.is_whole(took, slow) {
                break;
            }
        }
        self.vigil.looking += over.since(from).max(0) as u64;
        over
    }

    /// The counters, how long reading them took, and when it was over.
    fn count(&mut self, slow: bool) -> (Counted, i64, Stamp) {
        let before = self.witness.stamp();
        let counted = self.counters.read(slow);
        let after = self.witness.stamp();
        let took = after.since(before).max(0);
        let shortest = &mut self.shortest[usize::from(slow)];
        *shortest = (*shortest).min(took);
        // What an interruption adds is not the files'.
        self.slow += if slow { took.min(INTERRUPTED * *shortest) } else { 0 };
        (counted, took, after)
    }

    /// Whether the slow files may be read: they have their share of the time, to begin with a part of the whole.
    fn has_time(&self, now: Stamp) -> bool {
        let grace = self.order.length / (4 * SLOW_SHARE);
        self.slow < (now.since(self.start) / SLOW_SHARE).saturating_add(grace)
    }

    fn hand_over(&mut self) {
        self.handed = self.witness.stamp();
        if !self.lot.absences.is_empty() {
            let absences = std::mem::replace(&mut self.lot.absences, Vec::with_capacity(LOT));
            let _ = self.told.send(Told::Absences(Absences { cpu: self.lot.cpu, absences }));
        }
    }
}

/// Reads until two reads lie farther apart than `longer_than`, or a number of times. `last` is the last read before that;
/// returns how many were made, and the one that was late.
#[inline(always)]
fn spin<S: Stamper>(witness: S, last: &mut Stamp, longer_than: i64) -> (u64, Option<Stamp>) {
    let mut at = *last;
    for read in 1..=READS {
        let now = witness.stamp();
        if now.since(at) > longer_than {
            *last = at;
            return (read, Some(now));
        }
        at = now;
    }
    *last = at;
    (READS, None)
}

/// The shortest of some distances between two reads, in counts: no absence is shorter.
pub fn shortest_read(witness: &Witness) -> i64 {
    with_stamper!(witness, |w| {
        let distance = || {
            let before = w.stamp();
            w.stamp().since(before)
        };
        (0..READS).map(|_| distance()).filter(|counts| *counts > 0).min().unwrap_or(1)
    })
}

/// A thread needs little; a machine may have hundreds of CPUs.
const STACK: usize = 256 << 10;
/// How long a thread that has not ended in time is waited for.
pub const GRACE: Duration = Duration::from_secs(2);

/// Starts a thread that watches `cpu`; an error is a sentence.
pub fn start(cpu: u32, order: Watch, stop: std::sync::Arc<AtomicBool>, told: Sender<Told>) -> Result<(), String> {
    let thread = std::thread::Builder::new().name(format!("watch-{cpu}")).stack_size(STACK);
    let started = thread.spawn(move || watch(cpu, &order, &stop, &told));
    started.map(drop).map_err(|error| format!("no thread could be started for CPU {cpu}: {error}"))
}
