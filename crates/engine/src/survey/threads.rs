//! Threads that read at once, in growing numbers. Method: docs/method/threads.md.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::time::Duration;

use clockscope_analysis::trace::{Observation, Pairs};

use super::phase::Phase;
use crate::machine::{Root, throttling};
use crate::measure::threads::{Asked, Member, Terms, crowd};
use crate::measure::{Continued, ManyFiles};
use crate::session::Session;

pub(super) const PHASE: Phase = Phase { until: 0.99, run: whole, settles: false };

/// Most threads at once: each has a stack and a histogram of its own.
pub const MOST_THREADS: u32 = 1024;

/// 1, 2, 4 … and twice the CPUs.
fn doubling(cpus: usize) -> Vec<u32> {
    let last = (2 * cpus.max(1) as u32).min(MOST_THREADS);
    let mut all: Vec<u32> = (0..32).map(|power| 1 << power).take_while(|threads| *threads < last).collect();
    all.push(last);
    all
}

/// Each clock by each number of threads, the numbers outside, so that a run cut short has all clocks.
fn whole(session: &mut Session, until_ns: f64) {
    let cpus = session.reader.allowed.clone();
    let wanted = session.options.threads.clone();
    let numbers = if wanted.is_empty() { doubling(cpus.len()) } else { wanted };
    let clocks = session.surveyed();
    let throttling = throttling(&Root::default());
    // Where the system refuses, a stop is told as blocked.
    let _stops = Continued::watch();
    // Each thread has some files open; where there are too few, it says so.
    let _files = ManyFiles::allowed();
    let mut remarks = Remarks::default();
    let cells = numbers.iter().flat_map(|threads| clocks.iter().map(move |clock| (*threads, *clock)));
    let cells: Vec<(u32, usize)> = cells.collect();
    for (at, &(threads, clock)) in cells.iter().enumerate() {
        if session.stop() {
            break;
        }
        let slot_ns = ((until_ns - session.elapsed_ns()) / (cells.len() - at) as f64).max(SHORTEST_NS);
        let asked = Asked { threads, cpus: &cpus, pin: session.options.pin, throttling: &throttling };
        let members = one(session, clock, &asked, slot_ns);
        remarks.take(&members);
        for (thread, Member { cpu, seen, .. }) in members.into_iter().enumerate() {
            let pairs = Pairs { clock, threads, thread: thread as u32, cpu, seen };
            session.note(&Observation::Pairs(Cow::Owned(pairs)));
        }
    }
    remarks.lines().for_each(|line| session.remark(&line));
}

/// What stood in the threads' way: each said once, with the most threads of a crowd that it befell, and how many those were.
#[derive(Default)]
struct Remarks(BTreeMap<String, (u32, usize)>);

impl Remarks {
    fn take(&mut self, members: &[Member]) {
        let mut here: BTreeMap<&str, u32> = BTreeMap::new();
        members.iter().flat_map(|member| &member.remarks).for_each(|text| *here.entry(text).or_default() += 1);
        for (text, befell) in here {
            let most = self.0.entry(text.to_owned()).or_default();
            *most = (*most).max((befell, members.len()));
        }
    }

    fn lines(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(|(text, (befell, all))| format!("{befell} of {all} threads: {text}"))
    }
}

/// Shortest time for one clock and number of threads, ns: a turn of the scheduler.
const SHORTEST_NS: f64 = 4e6;

fn one(session: &mut Session, clock: usize, asked: &Asked, slot_ns: f64) -> Vec<Member> {
    let account = session.account(clock);
    let count_ns = account.count_ns();
    let watch = match session.reader.kernel {
        Some(kernel) => (kernel, 1.0),
        None => (session.reader.witness, session.analysis.tick().value),
    };
    let terms = Terms {
        count_ns,
        quantum: account.quantum_ns() / count_ns,
        per_cpu: session.description(clock).promises.per_cpu,
        most: session.options.reads,
        watch,
    };
    let (has_number, done) = (terms.most.is_some(), session.done());
    let begun = watch.0.stamp();
    let time_ns = session.options.time_ns();
    let (meter, mut go_on) = session.parted(clock, "threads");
    crowd(asked, terms, || meter.pairing(), &mut || {
        let passed_ns = watch.0.stamp().since(begun) as f64 * watch.1;
        let left_ns = (slot_ns - passed_ns).max(0.0);
        let left = if has_number { Duration::from_secs(1) } else { Duration::from_nanos(left_ns as u64) };
        go_on((done + passed_ns / time_ns).min(1.0)).then_some(left)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_befell_many_threads_is_said_once() {
        let member = |remarks: &[&str]| Member {
            cpu: None,
            seen: Err(String::new()),
            remarks: remarks.iter().map(|text| (*text).to_owned()).collect(),
        };
        let mut remarks = Remarks::default();
        remarks.take(&[member(&["no file"]), member(&[])]);
        remarks.take(&[member(&["no file", "no CPU"]), member(&["no file"]), member(&[])]);
        assert_eq!(remarks.lines().collect::<Vec<_>>(), ["1 of 3 threads: no CPU", "2 of 3 threads: no file"]);
    }

    #[test]
    fn the_numbers_double_up_to_twice_the_cpus() {
        for (cpus, wanted) in [(0, &[1, 2][..]), (1, &[1, 2]), (2, &[1, 2, 4]), (6, &[1, 2, 4, 8, 12])] {
            assert_eq!(doubling(cpus), wanted);
        }
        assert_eq!(doubling(5000).last(), Some(&MOST_THREADS));
    }
}
