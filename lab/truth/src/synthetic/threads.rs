//! Threads that time nothing: where the time of their long pairs went, and how long the rarest ones are.

use std::borrow::Cow;
use std::collections::BTreeMap;

use clockscope_analysis::analyze::Analysis;
use clockscope_analysis::analyze::attribution::Cause;
use clockscope_analysis::record::{Crowd, Kind, Machine, Tool};
use clockscope_analysis::trace::{
    Counted, Description, Header, LongPairs, Observation, Paired, Pairs, TRACE_SCHEMA, Tally, Task, Unit,
};

use super::case::{Answer, Case};
use super::noise::Random;

/// The share of the lost time that is to have the right name.
const WANTED: f64 = 0.95;

/// What is injected: the cause, how often in a trace, and how long it takes on average, ns.
const LOST: [(Cause, u64, f64); 6] = [
    (Cause::Preempted, 200, 4e6),
    (Cause::Throttled, 40, 80e6),
    (Cause::Stopped, 2, 500e6),
    (Cause::PageFault, 20_000, 4e3),
    (Cause::Interrupt, 50_000, 5e3),
    (Cause::Stolen, 100, 1e6),
];

pub(super) fn cases() -> Vec<Case> {
    let case = |injected: &str, run, wider| Case {
        estimator: "threads",
        injected: injected.into(),
        run,
        truth: 1.0,
        with: [0.0; 4],
        wider: Some(wider),
    };
    vec![
        case("lost time by cause, of six at once", by_cause, "± 5 % is what is asked of a cause's share"),
        case("p99 and p99.9 of 10 000 pairs", percentiles, "a class of lengths is a bound"),
    ]
}

/// What the analysis makes of one thread's pairs.
fn crowd(seen: Paired) -> Option<Crowd> {
    let header = Header {
        schema: TRACE_SCHEMA.into(),
        tool: Tool::default(),
        task: Task::Threads,
        machine: Machine::default(),
        clocks: vec![Description::new("clock", "clock", Kind::Monotonic, Unit::Ns(1.0))],
        surveyed: vec![0],
        unavailable: Vec::new(),
        witness: 0,
        kernel: None,
        reference: 0,
        cpu: None,
        started: None,
        started_at: None,
        id: None,
        seed: 0,
        start: 0,
        kernel_start: None,
    };
    let mut analysis = Analysis::new(header).ok()?;
    let pairs = Pairs { clock: 0, threads: 1, thread: 0, cpu: None, seen: Ok(seen) };
    analysis.take(&Observation::Pairs(Cow::Owned(pairs)));
    analysis.threads().clocks.pop()?.crowds.pop()
}

fn by_cause(_: &Case, seed: u64) -> Vec<Answer> {
    let mut random = Random::new(seed);
    let mut kinds: BTreeMap<u64, LongPairs> = BTreeMap::new();
    let mut truth: BTreeMap<Cause, f64> = BTreeMap::new();
    for (cause, times, mean_ns) in LOST {
        let mean_ns = mean_ns * random.between(0.5, 2.0);
        for _ in 0..times {
            let lost_ns = 1500.0 + random.exponential(mean_ns);
            let grown = counted(cause, lost_ns, &mut random);
            let one = LongPairs { pairs: 1, counts: lost_ns as u64, migrated: false, grown };
            let kind = kinds.entry(one.kind());
            kind.and_modify(|kind| {
                kind.pairs += 1;
                kind.counts += one.counts;
                kind.grown = kind.grown.and(&grown);
            })
            .or_insert(one);
            *truth.entry(cause).or_default() += lost_ns;
        }
    }
    let seen = Paired { long: kinds.into_values().collect(), ..Paired::default() };
    let Some(crowd) = crowd(seen) else { return Vec::new() };
    let tail = &crowd.pairs.tail;
    let answer = |(cause, truth): (Cause, f64)| {
        let value = tail.shares.get(&cause).copied().unwrap_or(0.0) * tail.ns;
        Answer { truth, value, low: value - (1.0 - WANTED) * truth, high: value + (1.0 - WANTED) * truth }
    };
    truth.into_iter().map(answer).collect()
}

/// What the kernel counts between a look and the next, if that is lost.
fn counted(cause: Cause, lost_ns: f64, random: &mut Random) -> Counted {
    let ns = |ns: f64| Some(ns.max(0.0) as u64);
    let span_ns = lost_ns + random.between(1e4, 4e6);
    let on_cpu = matches!(cause, Cause::PageFault | Cause::Interrupt);
    // Switches cost a little that no queue sees, and two counters are not read at one moment.
    let late_ns = random.exponential(300.0);
    let ran_ns = if on_cpu { span_ns } else { span_ns - lost_ns } + random.normal() * 200.0;
    let quiet = Counted {
        // What is long enough holds a tick or two as well.
        interrupts: ns(lost_ns / 4e6),
        ..Counted::quiet(span_ns as u64, (ran_ns + late_ns.min(lost_ns)).max(0.0) as u64)
    };
    let waited_ns = ns(lost_ns - late_ns);
    let one = Some(1);
    match cause {
        Cause::Preempted => Counted { waited_ns, involuntary: one, ..quiet },
        Cause::Throttled => {
            Counted { waited_ns, throttled_ns: ns(0.99 * lost_ns - late_ns), involuntary: one, ..quiet }
        }
        Cause::Stopped => Counted { voluntary: one, continued: one, ..quiet },
        Cause::PageFault => Counted { minor_faults: one, ..quiet },
        Cause::Interrupt => Counted { interrupts: quiet.interrupts.map(|more| more + 1), ..quiet },
        // Told in ticks of 10 ms, so of most not at all.
        _ => Counted { stolen_ns: ns((lost_ns / 1e7).floor() * 1e7), ..quiet },
    }
}

fn percentiles(_: &Case, seed: u64) -> Vec<Answer> {
    let mut random = Random::new(seed);
    let mut lengths: Vec<u64> = (0..10_000)
        .map(|_| {
            let usual = 20.0 + random.exponential(5.0);
            (if random.uniform() < 0.02 { usual + random.log_uniform(1e3, 1e7) } else { usual }) as u64
        })
        .collect();
    let mut tally = Tally::default();
    for length in lengths.iter().copied() {
        tally.add(length);
    }
    lengths.sort_unstable();
    let Some(crowd) = crowd(Paired { lengths: tally, ..Paired::default() }) else { return Vec::new() };
    let truth = |share: f64| lengths[(share * lengths.len() as f64).ceil() as usize - 1] as f64;
    [(0.99, crowd.pairs.p99_ns), (0.999, crowd.pairs.p999_ns)]
        .into_iter()
        .filter_map(|(share, value)| {
            let value = value?;
            // Half a class.
            Some(Answer {
                truth: truth(share),
                value,
                low: value * (1.0 - 1.0 / 256.0),
                high: value * (1.0 + 1.0 / 256.0),
            })
        })
        .collect()
}
