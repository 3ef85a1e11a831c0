//! Starts the threads, lets them read at once, and gathers what they saw.
//!
//! Nothing here waits for a thread for ever: one that does not come to run within two seconds is given up.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::Builder;
use std::time::Duration;

use clockscope_analysis::trace::Paired;

use super::evidence::Own;
use super::loops::{Pairing, Terms};
use crate::measure::pin::allow;
use crate::measure::policy::below_the_starter;

/// A thread needs little, and there may be a thousand.
const STACK: usize = 128 << 10;
/// How long is waited for a thread to come.
const PATIENCE: Duration = Duration::from_secs(2);
/// Longest sleep before somebody is asked whether to stop.
const NAP: Duration = Duration::from_millis(20);

/// How the threads are to run.
pub struct Asked<'a> {
    /// How many.
    pub threads: u32,
    /// The CPUs that they may use; empty: those that the calling thread may.
    pub cpus: &'a [u32],
    /// Whether each is pinned to one of them, in turn.
    pub pin: bool,
    /// The files that tell for how long the cgroups were throttled.
    pub throttling: &'a [PathBuf],
}

/// What became of one of them.
#[derive(Debug)]
pub struct Member {
    /// The CPU that it was pinned to.
    pub cpu: Option<u32>,
    /// What it saw, or why it saw nothing.
    pub seen: Result<Paired, String>,
    /// What stood in its way, and did not end it.
    pub remarks: Vec<String>,
}

/// The door that all of them stand before until it opens.
#[derive(Default)]
struct Door(Mutex<bool>, Condvar);

impl Door {
    fn open(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.1.notify_all();
    }

    fn wait(&self) {
        let open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.1.wait_while(open, |open| !*open).unwrap_or_else(PoisonError::into_inner));
    }
}

/// Opens the door and ends the reading, whatever becomes of the thread that holds it.
struct Guard(Arc<(Door, AtomicBool)>);

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.1.store(true, Ordering::Relaxed);
        self.0.0.open();
    }
}

/// Lets the threads read at once. `left` is asked every 20 ms: how much time there still is, `None` or zero for none.
pub fn crowd(
    asked: &Asked,
    terms: Terms,
    mut clock: impl FnMut() -> Box<dyn Pairing>,
    left: &mut dyn FnMut() -> Option<Duration>,
) -> Vec<Member> {
    let shared = Arc::new((Door::default(), AtomicBool::new(false)));
    let guard = Guard(Arc::clone(&shared));
    let (ready, readies) = channel();
    let (result, results) = channel();
    let mut all = Vec::new();
    let mut started = 0;
    for thread in 0..asked.threads as usize {
        let pinned = asked.cpus.get(thread % asked.cpus.len().max(1)).copied().filter(|_| asked.pin);
        let mine = Mine { thread, is_pinned: pinned.is_some(), terms, clock: clock(), shared: Arc::clone(&shared) };
        let (ready, result) = (ready.clone(), result.clone());
        let cpus = pinned.map_or_else(|| asked.cpus.to_vec(), |cpu| vec![cpu]);
        let throttling = asked.throttling.to_vec();
        let builder = Builder::new().name(format!("pairs-{thread}")).stack_size(STACK);
        let spawned = builder.spawn(move || mine.work(&cpus, &throttling, &ready, &result));
        let why = match spawned {
            Ok(_) => {
                started += 1;
                "the thread did not come to run within two seconds".into()
            }
            Err(error) => format!("the thread could not be started: {error}"),
        };
        all.push(Member { cpu: pinned, seen: Err(why), remarks: Vec::new() });
    }
    drop((ready, result));
    wait(&readies, started, |()| {});
    shared.0.open();
    let mut missing = started;
    let mut gather = |Told { thread, seen, remarks }| {
        if let Some(member) = all.get_mut(thread) {
            *member = Member { seen, remarks, ..*member };
        }
    };
    while missing > 0
        && let Some(left) = left().filter(|left| !left.is_zero())
    {
        // The threads end by themselves where each has a number of pairs to make.
        if let Ok(one) = results.recv_timeout(left.min(NAP)) {
            gather(one);
            missing -= 1;
        }
    }
    drop(guard);
    wait(&results, missing, gather);
    all
}

/// Takes so many, unless the next one is long in coming.
fn wait<T>(from: &Receiver<T>, many: usize, mut take: impl FnMut(T)) {
    for _ in 0..many {
        match from.recv_timeout(PATIENCE) {
            Ok(one) => take(one),
            Err(_) => return,
        }
    }
}

/// What one thread tells at its end.
struct Told {
    thread: usize,
    seen: Result<Paired, String>,
    remarks: Vec<String>,
}

/// What one thread has.
struct Mine {
    thread: usize,
    is_pinned: bool,
    terms: Terms,
    clock: Box<dyn Pairing>,
    shared: Arc<(Door, AtomicBool)>,
}

impl Mine {
    fn work(self, cpus: &[u32], throttling: &[PathBuf], ready: &Sender<()>, result: &Sender<Told>) {
        below_the_starter();
        // The thread that started it is pinned, and so is what it starts.
        let moved = if cpus.is_empty() { Ok(()) } else { allow(cpus) };
        let mut own = Own::new(throttling);
        let mut remarks = own.unread().to_vec();
        let _ = ready.send(());
        self.shared.0.wait();
        let refused = moved.err().map(|error| format!("the system refused the thread its CPUs: {error}"));
        let seen = match refused {
            Some(why) if self.is_pinned => Err(why),
            // Nobody asked for a CPU: it reads where it is.
            refused => {
                remarks.extend(refused.map(|why| format!("{why}; it stays where the system put it")));
                Ok(self.clock.pairs(&self.terms, &mut own, &self.shared.1))
            }
        };
        // Nobody waits for it any more where this fails.
        let _ = result.send(Told { thread: self.thread, seen, remarks });
    }
}
