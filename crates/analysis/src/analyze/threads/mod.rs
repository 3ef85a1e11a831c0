//! What threads saw that read a clock at once: how the lengths of their pairs grow with their number, and where the time
//! of the long ones went. Method: docs/method/threads.md.

mod lengths;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use self::lengths::{Lengths, commonest, lengths, on_quantum};
use super::Analysis;
use super::attribution::{Cause, Shares, attribute};
use super::quantum::Quantum;
use super::stats::carries;
use crate::record::{
    CommonLength, Crowd, Interval, LongestPair, PairFigures, Tail, ThreadRow, ThreadsClock, ThreadsReport,
};
use crate::trace::{LongPairs, Paired, Pairs, Tally};

/// Lengths named as the commonest.
const COMMON: usize = 6;
/// Longest pairs named of so many threads.
const LONGEST: usize = 5;
/// A quantum of fewer counts leaves too few lengths off its multiples to tell anything.
const COARSE: f64 = 4.0;

/// One clock read by so many threads.
#[derive(Debug, Clone)]
pub(super) struct Together {
    clock: usize,
    threads: u32,
    lengths: Tally,
    rows: Vec<Row>,
}

#[derive(Debug, Clone)]
struct Row {
    thread: u32,
    cpu: Option<u32>,
    /// Without the tally, which its figures are of.
    seen: Result<(Lengths, Paired), String>,
}

/// Takes what one thread saw; threads of one crowd come one after the other.
pub(super) fn take(all: &mut Vec<Together>, pairs: &Pairs) {
    let Pairs { clock, threads, thread, cpu, seen } = pairs;
    let is_next = |last: &Together| {
        (last.clock, last.threads) == (*clock, *threads) && last.rows.iter().all(|row| row.thread != *thread)
    };
    if !all.last().is_some_and(is_next) {
        all.push(Together { clock: *clock, threads: *threads, lengths: Tally::default(), rows: Vec::new() });
    }
    let Some(crowd) = all.last_mut() else { return };
    let seen = seen.as_ref().map_err(Clone::clone).map(|paired| {
        crowd.lengths.add_all(&paired.lengths);
        let figures = lengths(&paired.lengths);
        (figures, Paired { lengths: Tally::default(), ..paired.clone() })
    });
    crowd.rows.push(Row { thread: *thread, cpu: *cpu, seen });
}

impl Analysis {
    /// What threads saw that read at once.
    pub fn threads(&self) -> ThreadsReport {
        let header = self.header();
        let run = self.run();
        let of_clock = |&clock: &usize| {
            let crowds: Vec<&Together> = self.together.iter().filter(|crowd| crowd.clock == clock).collect();
            let account = self.account(clock).filter(|_| !crowds.is_empty())?;
            let (count, quantum) = (account.count(), account.quantum());
            Some(clock_of(&account.description().id, count, quantum.as_ref(), &crowds))
        };
        ThreadsReport {
            schema: "clockscope-threads/1".into(),
            reference: run.reference,
            cpus: Some(header.machine.cpus.allowed.len() as u64).filter(|cpus| *cpus > 0),
            cpu_quota: header.machine.cpus.quota,
            clocks: header.surveyed.iter().filter_map(of_clock).collect(),
            findings: Vec::new(),
            interrupted: run.interrupted,
            notes: run.notes,
        }
    }
}

fn clock_of(id: &str, count: Interval, quantum: Option<&Quantum>, crowds: &[&Together]) -> ThreadsClock {
    let mut missing = BTreeMap::new();
    let quantum_counts = match quantum {
        Some(Quantum::Found { value, .. }) => Some(*value),
        Some(Quantum::NotCoarserThan(limit)) => {
            missing.insert(
                "quantum_counts".into(),
                format!("no steps were found; it is not coarser than {limit:.3} counts"),
            );
            None
        }
        _ => {
            missing
                .insert("quantum_counts".into(), "it did not move often enough while its steps were looked for".into());
            None
        }
    };
    let crowds = crowds.iter().map(|crowd| crowd_of(crowd, count.value, quantum_counts)).collect();
    ThreadsClock { clock: id.into(), count_ns: count, quantum_counts, crowds, missing }
}

fn crowd_of(crowd: &Together, count_ns: f64, quantum: Option<f64>) -> Crowd {
    let all = lengths(&crowd.lengths);
    let share = |count: u64| count as f64 / all.count.max(1) as f64;
    let ran =
        || crowd.rows.iter().filter_map(|row| row.seen.as_ref().ok().map(|(figures, paired)| (row, figures, paired)));
    let mut longest: Vec<LongestPair> = ran()
        .flat_map(|(row, _, paired)| paired.longest.iter().map(|long| (row.thread, long)))
        .map(|(thread, long)| LongestPair {
            ns: long.counts as f64 * count_ns,
            thread,
            cause: shares(long, count_ns).principal(),
        })
        .collect();
    longest.sort_by(|a, b| b.ns.total_cmp(&a.ns));
    longest.truncate(LONGEST);
    Crowd {
        threads: crowd.threads,
        ran: ran().count() as u32,
        pairs: together(&all, ran().map(|(_, figures, paired)| pair_figures(figures, paired, count_ns)), count_ns),
        commonest: commonest(&crowd.lengths, COMMON)
            .into_iter()
            .map(|(counts, seen)| CommonLength { counts, ns: counts as f64 * count_ns, share: share(seen) })
            .collect(),
        on_quantum_share: quantum.filter(|q| *q >= COARSE).and_then(|q| on_quantum(&crowd.lengths, q)),
        longest,
        rows: crowd.rows.iter().map(|row| thread_row(row, count_ns)).collect(),
    }
}

fn thread_row(row: &Row, count_ns: f64) -> ThreadRow {
    let (pairs, missing) = match &row.seen {
        Ok((figures, paired)) => (pair_figures(figures, paired, count_ns), None),
        Err(why) => (PairFigures::default(), Some(why.clone())),
    };
    ThreadRow { thread: row.thread, cpu: row.cpu, pairs, missing }
}

/// Where the time of these pairs went: as much of all of it as of one of them, for they are alike.
fn shares(long: &LongPairs, count_ns: f64) -> Shares {
    let pairs = long.pairs.max(1);
    let one = attribute(long.counts as f64 / pairs as f64 * count_ns, &long.grown.each_of(pairs), long.migrated);
    let mut all = Shares::default();
    one.each().for_each(|(cause, ns)| all.take(cause, ns * pairs as f64));
    all
}

fn pair_figures(lengths: &Lengths, paired: &Paired, count_ns: f64) -> PairFigures {
    let (mut went, mut not_looked) = (Shares::default(), 0.0);
    for long in &paired.long {
        let shares = shares(long, count_ns);
        not_looked += if long.grown.interrupts.is_none() { shares.of(Cause::Unknown) } else { 0.0 };
        went.add(&shares);
    }
    let ns = went.total();
    PairFigures {
        observed_ns: paired.observed_ns,
        between_ns: paired.between_counts as f64 * count_ns,
        looking_ns: paired.looking_ns,
        failed_reads: paired.failed,
        went_back: paired.backward,
        went_back_largest_ns: (paired.backward > 0).then_some(paired.farthest_back as f64 * count_ns),
        migrations: paired.migrations,
        retries: paired.retried,
        tail: Tail {
            over_ns: Some(paired.threshold as f64 * count_ns),
            pairs: paired.long.iter().fold(0, |sum, long| long.pairs.saturating_add(sum)),
            ns,
            shares: went.each().map(|(cause, part)| (cause, part / ns)).collect(),
            not_looked_share: if ns > 0.0 { not_looked / ns } else { 0.0 },
        },
        ..of_lengths(lengths, count_ns)
    }
}

fn of_lengths(lengths: &Lengths, count_ns: f64) -> PairFigures {
    let at = |place: usize| lengths.figures.map(|figures| figures[place] * count_ns);
    PairFigures {
        observations: lengths.count,
        min_ns: at(0),
        median_ns: at(1),
        mean_ns: at(2),
        sd_ns: at(3),
        p99_ns: at(4).filter(|_| carries(lengths.count, 0.99)),
        p999_ns: at(5).filter(|_| carries(lengths.count, 0.999)),
        max_ns: at(6),
        median_counts: lengths.figures.map(|figures| figures[1]),
        sum_ns: lengths.sum * count_ns,
        ..PairFigures::default()
    }
}

/// All threads' pairs: of the lengths what all of them come to, of the rest the sums.
fn together(lengths: &Lengths, each: impl Iterator<Item = PairFigures>, count_ns: f64) -> PairFigures {
    let mut all = of_lengths(lengths, count_ns);
    let larger = |a: Option<f64>, b: Option<f64>| if a > b { a } else { b };
    let smaller = |a: Option<f64>, b: Option<f64>| if a.is_some() && (a < b || b.is_none()) { a } else { b };
    for one in each {
        all.observed_ns += one.observed_ns;
        all.between_ns += one.between_ns;
        all.looking_ns += one.looking_ns;
        all.failed_reads = all.failed_reads.saturating_add(one.failed_reads);
        all.went_back = all.went_back.saturating_add(one.went_back);
        all.went_back_largest_ns = larger(all.went_back_largest_ns, one.went_back_largest_ns);
        all.migrations = all.migrations.saturating_add(one.migrations);
        all.retries = all.retries.saturating_add(one.retries);
        all.tail.over_ns = smaller(all.tail.over_ns, one.tail.over_ns);
        all.tail.pairs = all.tail.pairs.saturating_add(one.tail.pairs);
        all.tail.ns += one.tail.ns;
        for (cause, share) in one.tail.shares {
            *all.tail.shares.entry(cause).or_default() += share * one.tail.ns;
        }
        all.tail.not_looked_share += one.tail.not_looked_share * one.tail.ns;
    }
    let ns = all.tail.ns;
    all.tail.shares.values_mut().for_each(|part| *part /= ns);
    all.tail.not_looked_share /= if ns > 0.0 { ns } else { 1.0 };
    all
}
