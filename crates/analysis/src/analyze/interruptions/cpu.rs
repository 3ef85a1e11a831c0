//! What one CPU's watch comes to.

use std::collections::BTreeMap;

use crate::analyze::attribution::{Cause, HANDLER_NS, Shares};
use crate::analyze::lengths::Lengths;
use crate::record::{CpuInterruptions, Interruption, Interval, LengthClass, LostTo};
use crate::text::date::utc;
use crate::trace::{Counted, Vigil};

/// The longest that are kept.
const LONGEST: usize = 10;

/// Most that wait for the interrupts to be counted.
const WAITING: usize = 1 << 12;

/// A time away.
#[derive(Debug, Clone, Copy)]
pub(super) struct Away {
    pub(super) from: u64,
    pub(super) length_ns: f64,
    pub(super) shares: Shares,
}

/// One CPU.
#[derive(Debug, Clone, Default)]
pub(super) struct Watched {
    pub(super) vigil: Option<Vigil>,
    /// Evidence of the last absence that the next one may need.
    pub(super) over: Option<Counted>,
    lengths: Lengths,
    /// By the cause with the largest share, with the longest.
    by_cause: BTreeMap<Cause, (Lengths, f64)>,
    lost: Shares,
    classes: BTreeMap<usize, (u64, f64)>,
    longest: Vec<Away>,
    /// Those since the CPU's interrupts were counted last.
    waiting: Vec<Away>,
}

impl Watched {
    /// One more. `interrupts`: of the CPU since they were counted last; where this look did not count them, the time that
    /// nothing else explains waits for one that does. Fewer interrupts than times away make up for a part of each, and none for
    /// more than an interrupt may take.
    pub(super) fn next(&mut self, away: Away, interrupts: Option<u64>) {
        self.waiting.push(away);
        if interrupts.is_none() && self.waiting.len() < WAITING {
            return;
        }
        let waiting = std::mem::take(&mut self.waiting);
        let each = interrupts.map_or(0.0, |count| count as f64 / waiting.len() as f64);
        let last = waiting.len() - 1;
        for (at, away) in waiting.iter().enumerate() {
            let mut shares = away.shares;
            let (of_interrupts, unknown) = (shares.of(Cause::Interrupt), shares.of(Cause::Unknown));
            // Interrupts that the kernel timed are known by themselves: nothing else gives any to a look without their number.
            let timed = if at < last { of_interrupts } else { 0.0 };
            let open = of_interrupts + unknown - timed;
            if interrupts.is_some() && last > 0 {
                let more = (each.min(1.0) * open).min(each.max(1.0) * HANDLER_NS);
                shares.set(Cause::Interrupt, timed + more);
                shares.set(Cause::Unknown, open - more);
            }
            self.take(Away { shares, ..*away });
        }
    }

    fn take(&mut self, away: Away) {
        let Away { length_ns, shares, .. } = away;
        self.lengths.take(length_ns);
        let (lengths, longest_ns) = self.by_cause.entry(shares.principal()).or_insert_with(|| (Lengths::coarse(), 0.0));
        lengths.take(length_ns);
        *longest_ns = longest_ns.max(length_ns);
        self.lost.add(&shares);
        let (count, lost_ns) = self.classes.entry(class(length_ns)).or_default();
        *count += 1;
        *lost_ns += length_ns;
        // The first of equals stays first.
        let at = self.longest.partition_point(|longer| longer.length_ns >= length_ns);
        if at < LONGEST {
            self.longest.insert(at, away);
            self.longest.truncate(LONGEST);
        }
    }

    pub(super) fn state(&self, cpu: u32, start: u64, tick: Interval, wall: Option<(u64, u64)>) -> CpuInterruptions {
        if !self.waiting.is_empty() {
            let mut whole = Self { waiting: Vec::new(), ..self.clone() };
            self.waiting.iter().for_each(|away| whole.take(*away));
            return whole.state(cpu, start, tick, wall);
        }
        let Some(vigil) = &self.vigil else {
            let why = "the trace ends before the CPU's watch does";
            let missing = ["lost_share", "per_s"].map(|key| (key.to_owned(), why.to_owned())).into();
            return CpuInterruptions { missing, ..self.lengths(cpu, start, tick, wall) };
        };
        let ns = |counts: u64| counts as f64 * tick.value;
        let lost_ns = self.lost.total();
        let looking_ns = ns(vigil.looking);
        let whole_ns = ns(vigil.end.wrapping_sub(vigil.start));
        let seen_ns = (whole_ns - lost_ns - looking_ns).max(0.0);
        let watched_ns = seen_ns + lost_ns;
        let is_watched = watched_ns > 0.0 && vigil.reads > 0;
        let rates = || self.rates(watched_ns, vigil.noticing.map(|looks| (ns(looks.from), ns(looks.time))));
        let (lost_share, per_s) = is_watched.then(rates).unzip();
        let mut missing = BTreeMap::new();
        let too_late = || "the time was over before the thread on this CPU had read anything".to_owned();
        if let Some(why) = vigil.trouble.clone().or_else(|| (vigil.reads == 0).then(too_late)) {
            missing.insert("lost_share".to_owned(), why);
        }
        if vigil.brief_looks > 0 {
            let (brief, all) = (vigil.brief_looks, vigil.looks);
            let why = format!(
                "after {brief} of {all} interruptions the CPU's interrupts were not counted, which takes long: they stand for what nothing else explains, one of them for each at most"
            );
            missing.insert("causes".to_owned(), why);
        }
        if vigil.interrupts.is_empty() && vigil.reads > 0 {
            let why = "/proc/interrupts can't be read, or does not name this CPU";
            missing.insert("interrupts_per_s".to_owned(), why.to_owned());
        }
        // These are counted in looks as well.
        let each_s = |(name, count): (&String, &u64)| (name.clone(), *count as f64 * 1e9 / whole_ns.max(watched_ns));
        let taken = vigil.interrupts.iter().filter(|(_, count)| is_watched && **count > 0);
        CpuInterruptions {
            longer_than_ns: ns(vigil.longer_than),
            read_ns: (vigil.reads > 0).then(|| seen_ns / vigil.reads as f64),
            seen_ns,
            looking_ns,
            lost_share,
            per_s,
            interrupts_per_s: taken.map(each_s).collect(),
            missing,
            ..self.lengths(cpu, start, tick, wall)
        }
    }

    /// The share of the time that was lost, and interruptions a second: each length by the time in which it would have been
    /// seen, which is that watched, and of the looks those in which it is long enough to be noticed (from how many ns on, and for how
    /// long).
    fn rates(&self, watched_ns: f64, looks: [(f64, f64); 2]) -> (f64, f64) {
        let seen_in_ns = |length_ns: f64| {
            let noticed = looks.iter().filter(|(from_ns, _)| *from_ns <= length_ns);
            watched_ns + noticed.map(|(_, time_ns)| time_ns).sum::<f64>()
        };
        let (mut all_ns, mut share, mut rate) = (0.0, 0.0, 0.0);
        for (length_ns, count) in self.lengths.each() {
            let (count, seen_in_ns) = (count as f64, seen_in_ns(length_ns));
            all_ns += count * length_ns;
            share += count * length_ns / seen_in_ns;
            rate += count / seen_in_ns;
        }
        // The bins round the lengths, whose sum is known exactly.
        (if all_ns > 0.0 { share * (self.lost.total() / all_ns) } else { 0.0 }, rate * 1e9)
    }

    /// What the lengths alone tell.
    fn lengths(&self, cpu: u32, start: u64, tick: Interval, wall: Option<(u64, u64)>) -> CpuInterruptions {
        let event = |Away { length_ns, from, shares }: &Away| {
            let after = |count: u64| from.wrapping_sub(count) as i64 as f64 * tick.value;
            let time = wall.map(|(at, wall_ns)| utc(wall_ns.saturating_add_signed(after(at) as i64)));
            Interruption {
                length_ns: *length_ns,
                at_ns: after(start),
                time,
                cause: shares.principal(),
                by_cause_ns: shares.each().collect(),
            }
        };
        let lost_ns = self.lost.total();
        let mut causes: Vec<LostTo> = Cause::ALL.iter().filter_map(|cause| self.cause(*cause, lost_ns)).collect();
        causes.sort_by(|a, b| b.lost_ns.total_cmp(&a.lost_ns));
        CpuInterruptions {
            cpu,
            lost_ns,
            count: self.lengths.len(),
            median_ns: self.lengths.quantile(0.5),
            p99_ns: self.lengths.quantile(0.99),
            p999_ns: self.lengths.quantile(0.999),
            longest_ns: self.longest.first().map(|longest| longest.length_ns),
            causes,
            lengths: self.classes.iter().map(|(at, (count, lost_ns))| of_class(*at, *count, *lost_ns)).collect(),
            longest: self.longest.iter().map(event).collect(),
            ..CpuInterruptions::default()
        }
    }

    fn cause(&self, cause: Cause, all_ns: f64) -> Option<LostTo> {
        let lost_ns = self.lost.of(cause);
        let (lengths, longest_ns) =
            self.by_cause.get(&cause).map(|(lengths, longest_ns)| (lengths, *longest_ns)).unzip();
        (lost_ns > 0.0).then(|| LostTo {
            cause,
            lost_ns,
            share: lost_ns / all_ns,
            count: lengths.map_or(0, Lengths::len),
            median_ns: lengths.and_then(|lengths| Some(lengths.quantile(0.5)?.value)),
            longest_ns,
        })
    }
}

/// Steps of the classes within a power of ten.
const STEPS: [f64; 3] = [1.0, 2.0, 5.0];

/// The class of a length.
fn class(length_ns: f64) -> usize {
    let mut at = 0;
    while edge(at + 1) <= length_ns && at < 60 {
        at += 1;
    }
    at
}

/// Where a class begins, ns.
fn edge(at: usize) -> f64 {
    STEPS[at % STEPS.len()] * (0..at / STEPS.len()).fold(1.0, |power, _| power * 10.0)
}

fn of_class(at: usize, count: u64, lost_ns: f64) -> LengthClass {
    LengthClass { from_ns: if at == 0 { 0.0 } else { edge(at) }, below_ns: edge(at + 1), count, lost_ns }
}
