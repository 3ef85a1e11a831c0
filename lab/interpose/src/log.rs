//! The interposer's log.

use std::collections::BTreeMap;
use std::str::FromStr;

use anyhow::{Context, Result, bail};

/// What the interposer can do to a clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A value less than the one before.
    Regression,
    /// The clock moved forward beyond the time that passed.
    Warp,
    /// Equal values in a row.
    Stall,
    /// The call kept the CPU busy.
    Slow,
    /// The call failed.
    Fail,
    /// A value that has nothing to do with time.
    Garbage,
    /// All values lie on a lattice.
    Quantize,
    /// The clock runs fast or slow.
    Rate,
    /// The clock wanders.
    Walk,
    /// Readings lie within the step that follows them.
    Dither,
}

impl FromStr for Kind {
    type Err = anyhow::Error;

    fn from_str(word: &str) -> Result<Self> {
        Ok(match word {
            "regression" => Self::Regression,
            "warp" => Self::Warp,
            "stall" => Self::Stall,
            "slow" => Self::Slow,
            "fail" => Self::Fail,
            "garbage" => Self::Garbage,
            "quantize" => Self::Quantize,
            "rate" => Self::Rate,
            "walk" => Self::Walk,
            "dither" => Self::Dither,
            other => bail!("'{other}' is no kind of fault"),
        })
    }
}

/// One event.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Number of the clock's read, from 0; of a stall: the read that first returned the value.
    pub read: u64,
    /// The clock, by the catalog's id.
    pub clock: String,
    /// What was done.
    pub kind: Kind,
    /// ns; of a stall: equal reads; of a failure: errno; of a rate: ppm; of a walk: ns off so far.
    pub size: f64,
    /// The true time, ns of the clock itself without the lie.
    pub time_ns: i64,
}

/// All that was done to a program's clocks.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Log {
    /// The events, in the order of time.
    pub entries: Vec<Entry>,
    /// Reads of each wrapped clock, and those that a signal handler made within another one.
    pub reads: BTreeMap<String, (u64, u64)>,
    /// Events that the log had no room for.
    pub lost: u64,
    /// Whether the log has its end; it has not if the program was killed.
    pub complete: bool,
}

impl Log {
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let mut log = Self::default();
        for line in text.lines() {
            log.line(line).with_context(|| format!("the interposer's log has a line '{line}'"))?;
        }
        Ok(log)
    }

    fn line(&mut self, line: &str) -> Result<()> {
        match line.split(' ').collect::<Vec<_>>()[..] {
            ["reads", clock, reads, bypassed] => {
                self.reads.insert(clock.to_owned(), (reads.parse()?, bypassed.parse()?));
            }
            ["end", lost] => {
                self.lost = lost.parse()?;
                self.complete = true;
            }
            [read, clock, kind, size, time] => self.entries.push(Entry {
                read: read.parse()?,
                clock: clock.to_owned(),
                kind: kind.parse()?,
                size: size.parse()?,
                time_ns: time.parse()?,
            }),
            _ => bail!("it has neither two, four nor five words"),
        }
        Ok(())
    }

    /// The events of one kind on one clock.
    pub fn of<'a>(&'a self, clock: &'a str, kind: Kind) -> impl Iterator<Item = &'a Entry> {
        self.entries.iter().filter(move |entry| entry.kind == kind && entry.clock == clock)
    }

    /// How many of them there are.
    pub fn count(&self, clock: &str, kind: Kind) -> u64 {
        self.of(clock, kind).count() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_is_read_as_it_is_written() {
        let log = Log::parse("0 monotonic rate -37 5\n7 time fail 22 9\nreads time 8 1\nend 0\n").unwrap();
        assert_eq!(log.of("monotonic", Kind::Rate).next().unwrap().size, -37.0);
        assert_eq!((log.count("time", Kind::Fail), log.count("monotonic", Kind::Fail)), (1, 0));
        assert_eq!((log.reads["time"], log.complete), ((8, 1), true));
        for bad in ["x", "1 monotonic bogus 2 3", "1 monotonic warp x 3", "end x"] {
            assert!(Log::parse(bad).is_err(), "{bad}");
        }
    }
}
