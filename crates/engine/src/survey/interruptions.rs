//! Interruptions: a thread on each CPU that is watched, and this one, which collects what they tell.
//! Method: docs/method/interruptions.md.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use clockscope_analysis::text::time;
use clockscope_analysis::trace::{Observation, Vigil};

use super::phase::Phase;
use crate::machine::{Root, throttling};
use crate::measure::vigil::{GRACE, Told, Watch, shortest_read, start};
use crate::measure::{Continued, Pinned, Raised};
use crate::session::{Session, watched};

pub(super) const PHASE: Phase = Phase { until: 0.99, run: all, settles: false };

/// How often is looked whether to stop.
const NAP: Duration = Duration::from_millis(50);
/// An absence is longer than so many of the shortest distances between two reads.
const READS: i64 = 4;
const NO_CPU_LEFT: &str = "every CPU that this process may use is watched: the thread that collects has none of its own, and what it takes \
                           of theirs is counted with the interruptions (preempted)";

fn all(session: &mut Session, until_ns: f64) {
    // They were found fit when the run began.
    let cpus = watched(session.options.cpus.as_deref(), &session.reader).unwrap_or_default();
    let continued = Continued::watch();
    let order = order(session, until_ns, continued.is_some());
    let _aside = aside(session, &cpus);
    if session.reader.allowed.iter().all(|cpu| cpus.contains(cpu)) {
        session.remark(NO_CPU_LEFT);
    }
    let stop = Arc::new(AtomicBool::new(false));
    let _guard = Raised(Arc::clone(&stop));
    let (tell, told) = channel();
    let mut at_work = BTreeSet::new();
    for &cpu in &cpus {
        match start(cpu, order.clone(), Arc::clone(&stop), tell.clone()) {
            Ok(()) => drop(at_work.insert(cpu)),
            Err(why) => ended(session, Vigil { cpu, trouble: Some(why), ..Vigil::default() }),
        }
    }
    drop(tell);
    let mut ending = Ending { until_ns, stopped_at: None };
    while !at_work.is_empty() {
        match told.recv_timeout(NAP) {
            Ok(Told::Absences(lot)) => session.note(&Observation::Absences(Cow::Borrowed(&lot))),
            Ok(Told::End(vigil)) => {
                at_work.remove(&vigil.cpu);
                ended(session, vigil);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
        session.progress("interruptions");
        let is_asked = session.stop();
        match ending.at(session.elapsed_ns(), is_asked) {
            Now::GoOn => {}
            Now::Stop => stop.store(true, Ordering::Relaxed),
            Now::GiveUp => break,
        }
    }
    for cpu in at_work {
        let why = format!("the thread on CPU {cpu} did not come to run in time: something else keeps that CPU");
        ended(session, Vigil { cpu, trouble: Some(why), ..Vigil::default() });
    }
}

/// When the watch ends: with the time, or as somebody asks. Not every thread ends by itself then: one may have begun late, or
/// read a counter that began anew. What it saw is told only if it comes to its end.
struct Ending {
    until_ns: f64,
    stopped_at: Option<f64>,
}

/// What is to be done.
#[derive(Debug, PartialEq, Eq)]
enum Now {
    GoOn,
    Stop,
    GiveUp,
}

impl Ending {
    fn at(&mut self, now_ns: f64, is_asked: bool) -> Now {
        let Some(stopped_at) = self.stopped_at else {
            let is_over = is_asked || now_ns >= self.until_ns;
            self.stopped_at = is_over.then_some(now_ns);
            return if is_over { Now::Stop } else { Now::GoOn };
        };
        if now_ns > stopped_at + GRACE.as_nanos() as f64 { Now::GiveUp } else { Now::GoOn }
    }
}

fn ended(session: &mut Session, vigil: Vigil) {
    session.note(&Observation::Vigil(Cow::Owned(vigil)));
}

fn order(session: &mut Session, until_ns: f64, stops: bool) -> Watch {
    let witness = session.reader.witness;
    let tick_ns = session.analysis.tick().value;
    let counts = |ns: f64| (ns / tick_ns) as i64;
    let asked_ns = session.options.longer_than.as_nanos() as f64;
    let least = READS * shortest_read(&witness);
    if counts(asked_ns) < least {
        session.remark(&format!(
            "interruptions of {} can't be told from the reads themselves; those longer than {} are counted",
            time(asked_ns),
            time(least as f64 * tick_ns)
        ));
    }
    let throttling = throttling(&Root::default());
    Watch {
        witness,
        longer_than: counts(asked_ns).max(least),
        length: counts((until_ns - session.elapsed_ns()).max(0.0)),
        throttling,
        stops,
    }
}

/// Keeps this thread off the CPUs that are watched, where there is another one.
fn aside(session: &Session, cpus: &[u32]) -> Option<Pinned> {
    let free = session.reader.allowed.iter().find(|cpu| !cpus.contains(cpu))?;
    Pinned::to(*free).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_told_to_stop_when_the_time_is_over_and_given_up_later() {
        const S: f64 = 1e9;
        let told = |asks_at: f64| {
            let mut ending = Ending { until_ns: 5.0 * S, stopped_at: None };
            let all = (0..=20).map(|half| f64::from(half) * S / 2.0);
            let all = all.map(|now| (now, ending.at(now, now >= asks_at))).filter(|(_, what)| *what != Now::GoOn);
            all.take(2).collect::<Vec<_>>()
        };
        assert_eq!(told(f64::MAX), [(5.0 * S, Now::Stop), (7.5 * S, Now::GiveUp)]);
        assert_eq!(told(1.0 * S), [(S, Now::Stop), (3.5 * S, Now::GiveUp)]);
    }
}
