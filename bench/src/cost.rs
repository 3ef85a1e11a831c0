//! What one call costs: short batches, interleaved round-robin, medians with distribution-free intervals.

use std::{hint::black_box, time::Duration};

use truetick::counter::{lfence_rdtsc, rdtsc, rdtscp};

use crate::{chrono, tscns};

/// Calls a batch: about 10 to 30 µs, far below a scheduler's slice.
const CALLS: u32 = 500;

/// One way of reading a clock.
struct Method {
    name: &'static str,
    batch: fn() -> u64,
}

/// Ticks that `CALLS` calls of `f` take.
#[inline(always)]
fn batch<T>(f: impl Fn() -> T) -> u64 {
    let begin = lfence_rdtsc();
    for _ in 0..CALLS {
        black_box(f());
    }
    lfence_rdtsc() - begin
}

/// The same with each call serialized.
#[inline(always)]
fn serial<T>(f: impl Fn() -> T) -> u64 {
    batch(|| {
        let t = f();
        // SAFETY: LFENCE is part of SSE2, which every x86-64 has.
        unsafe { core::arch::x86_64::_mm_lfence() };
        t
    })
}

macro_rules! methods {
    ($($name:literal => $read:expr),* $(,)?) => {
        [$(Method { name: $name, batch: || batch(|| $read) },
           Method { name: concat!($name, ", serialized"), batch: || serial(|| $read) }),*]
    };
}

/// A row of the table, ns a call.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) median: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

/// Says that the wall clock is right to a millisecond: with bounds, the arithmetic for them is part of the cost.
struct Synchronized;

impl truetick::Provider for Synchronized {
    fn accuracy(&self) -> truetick::Accuracy {
        truetick::Accuracy::within(1_000_000, 500_000)
    }
}

/// Measures every method in turn for `time` in all.
pub(crate) fn measure(time: Duration, hz: f64) -> Vec<Row> {
    // No other is named in this program.
    let _ = truetick::Clock::set_provider(Synchronized);
    let mut methods = Vec::from(methods! {
        "rdtsc" => rdtsc(),
        "rdtscp" => rdtscp(),
        "truetick now_relaxed" => truetick::Instant::now_relaxed(),
        "truetick now_relaxed_after" => truetick::Instant::now_relaxed_after(black_box(truetick::Instant::from_nanos(0))),
        "truetick now" => truetick::Instant::now(),
        "truetick now + elapsed" => truetick::Instant::now().elapsed(),
        "truetick recent" => truetick::Instant::recent(),
        "truetick coarse" => truetick::coarse(),
        "truetick utc now" => truetick::UtcInstant::now(),
        "truetick utc with bounds" => truetick::UtcInstant::now_with_bounds().bounds(),
        "std SystemTime now" => std::time::SystemTime::now(),
        "std now" => std::time::Instant::now(),
        "std now + elapsed" => std::time::Instant::now().elapsed(),
        "quanta now" => quanta::Instant::now(),
        "quanta now + elapsed" => quanta::Instant::now().elapsed(),
        "minstant now" => minstant::Instant::now(),
        "minstant now + elapsed" => minstant::Instant::now().elapsed(),
        "fastant now" => fastant::Instant::now(),
        "fastant now + elapsed" => fastant::Instant::now().elapsed(),
        "coarsetime now" => coarsetime::Instant::now(),
        "coarsetime recent" => coarsetime::Instant::recent(),
        "jiff now" => jiff::Timestamp::now(),
    });
    if tscns::loaded() {
        methods.push(Method { name: "tscns now", batch: || tscns::batch(CALLS, false) });
        methods.push(Method { name: "tscns now, serialized", batch: || tscns::batch(CALLS, true) });
    }
    if chrono::loaded() {
        methods.extend([
            Method { name: "C++ steady_clock::now", batch: || chrono::batch::<0>(CALLS, false) },
            Method { name: "C++ steady_clock::now, serialized", batch: || chrono::batch::<0>(CALLS, true) },
            Method { name: "C++ truetick::clock::now", batch: || chrono::batch::<1>(CALLS, false) },
            Method { name: "C++ truetick::clock::now, serialized", batch: || chrono::batch::<1>(CALLS, true) },
            Method { name: "C++ truetick::clock::now_relaxed", batch: || chrono::batch::<2>(CALLS, false) },
            Method { name: "C++ truetick::clock::now_relaxed, serialized", batch: || chrono::batch::<2>(CALLS, true) },
            Method { name: "C truetick_now_ns, a call", batch: || chrono::batch::<3>(CALLS, false) },
            Method { name: "C truetick_now_ns, a call, serialized", batch: || chrono::batch::<3>(CALLS, true) },
            Method { name: "C++ system_clock::now", batch: || chrono::batch::<4>(CALLS, false) },
            Method { name: "C++ truetick::system_clock::now", batch: || chrono::batch::<5>(CALLS, false) },
        ]);
    }
    let mut taken: Vec<Vec<u64>> = methods.iter().map(|_| Vec::new()).collect();
    for method in &methods {
        for _ in 0..200 {
            black_box((method.batch)());
        }
    }
    let end = std::time::Instant::now() + time;
    while std::time::Instant::now() < end {
        for (method, taken) in methods.iter().zip(&mut taken) {
            taken.push((method.batch)());
        }
    }
    let ns = |ticks: u64| ticks as f64 / hz * 1e9 / f64::from(CALLS);
    methods
        .iter()
        .zip(&mut taken)
        .map(|(method, taken)| {
            taken.sort_unstable();
            let [low, median, high] = median_interval(taken.len()).map(|i| ns(taken[i]));
            Row { name: method.name, median, low, high }
        })
        .collect()
}

/// Ranks of the median and of its 95 % interval (binomial, normal approximation) among `n` sorted values.
pub(crate) fn median_interval(n: usize) -> [usize; 3] {
    let half = 0.98 * (n as f64).sqrt();
    let mid = n as f64 / 2.0;
    [(mid - half).max(0.0) as usize, n / 2, ((mid + half) as usize).min(n - 1)]
}

/// How much slower reading gets when every CPU reads: ns a call alone, and with `threads` at once (the slowest).
pub(crate) fn contended(threads: usize, hz: f64) -> (f64, f64) {
    fn run(threads: usize) -> Vec<u64> {
        std::thread::scope(|scope| {
            let handles: Vec<_> = (0..threads)
                .map(|cpu| {
                    scope.spawn(move || {
                        crate::pin::pin(cpu);
                        let mut taken: Vec<u64> = (0..20_000).map(|_| batch(truetick::Instant::now_relaxed)).collect();
                        taken.sort_unstable();
                        taken[taken.len() / 2]
                    })
                })
                .collect();
            handles.into_iter().map(|h| h.join().unwrap_or(u64::MAX)).collect()
        })
    }
    let ns = |ticks: u64| ticks as f64 / hz * 1e9 / f64::from(CALLS);
    (ns(run(1)[0]), ns(run(threads).into_iter().max().unwrap_or(0)))
}
