//! Interruptions: a thread on each CPU that is watched, and this one, which collects what they tell.
//! Method: docs/method/interruptions.md.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

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

fn all(session: &mut Session, until_ns: f64) {
    // They were found fit when the run began.
    let cpus = watched(session.options.cpus.as_deref(), &session.reader).unwrap_or_default();
    let continued = Continued::watch();
    let order = order(session, until_ns, continued.is_some());
    let _aside = aside(session, &cpus);
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
    let late_ns = until_ns + GRACE.as_nanos() as f64;
    let mut stopped_at = None;
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
        if stopped_at.is_none() && session.stop() {
            stop.store(true, Ordering::Relaxed);
            stopped_at = Some(session.elapsed_ns());
        }
        let late_ns = stopped_at.map_or(late_ns, |at| at + GRACE.as_nanos() as f64);
        if session.elapsed_ns() > late_ns {
            break;
        }
    }
    for cpu in at_work {
        let why = format!("the thread on CPU {cpu} did not come to run in time: something else keeps that CPU");
        ended(session, Vigil { cpu, trouble: Some(why), ..Vigil::default() });
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
        let (least_ns, asked_ns) = ((least as f64 * tick_ns).ceil(), asked_ns.round());
        session.remark(&format!(
            "interruptions of {asked_ns} ns can't be told from the reads themselves; those longer than {least_ns} ns are \
             counted"
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
