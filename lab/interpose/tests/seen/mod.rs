//! What a reader under the interposer saw, and what follows from it without the log.

use std::process::Command;

use clockscope_interpose::{Helper, Injection, Log, built};

/// One read between two true ones, ns.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Read {
    pub(crate) before: i64,
    pub(crate) value: i64,
    pub(crate) after: i64,
    pub(crate) error: i32,
}

/// Reads `clock` under `script`; what was seen, and the log.
pub(crate) fn read(clock: &str, reads: usize, script: &str, seed: u64) -> (Vec<Read>, Log) {
    let injection = Injection::new(script, seed).unwrap();
    let output = Command::new(built(Helper::Reader).unwrap())
        .args([clock, &reads.to_string()])
        .envs(injection.variables().unwrap())
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    let reads = text.lines().map(|line| {
        let numbers: Vec<i64> = line.split(' ').map(|word| word.parse().unwrap()).collect();
        Read { before: numbers[0], value: numbers[1], after: numbers[2], error: numbers[3] as i32 }
    });
    (reads.collect(), injection.log().unwrap())
}

/// A fault as the reads alone show it.
#[derive(Debug, PartialEq)]
pub(crate) struct Fault {
    pub(crate) kind: &'static str,
    pub(crate) read: usize,
    /// Bounds of the size, ns; of a stall: equal reads.
    pub(crate) low: i64,
    pub(crate) high: i64,
}

/// Steps of a clock against its true self, and its stalls. Value minus true time lies in an interval; disjoint
/// intervals are a step.
pub(crate) fn faults(reads: &[Read]) -> Vec<Fault> {
    let mut found = Vec::new();
    let (mut low, mut high) = (i64::MIN, i64::MAX);
    let mut last = None;
    let mut equal = 1;
    for (index, read) in reads.iter().enumerate() {
        let (a, b) = (read.value - read.after, read.value - read.before);
        if last == Some(read.value) {
            equal += 1;
            continue;
        }
        if equal > 1 {
            found.push(Fault { kind: "stall", read: index - equal as usize, low: equal, high: equal });
            equal = 1;
        }
        let step = last.map_or(0, |last| read.value - last);
        let mut fault = |kind, low, high| found.push(Fault { kind, read: index, low, high });
        if step < 0 {
            fault("regression", -step, -step);
            (low, high) = (a, b);
        } else if a > high {
            fault("warp", a - high, b - low);
            (low, high) = (a, b);
        } else if b < low {
            fault("lost", low - b, high - a);
            (low, high) = (a, b);
        } else {
            (low, high) = (low.max(a), high.min(b));
        }
        last = Some(read.value);
    }
    found
}
