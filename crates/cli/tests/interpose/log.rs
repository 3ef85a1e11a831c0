//! The interposer's log, and how the faults are asked for.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::build::HELPERS;

/// Kinds of injected faults, as the log names them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Regression,
    Warp,
    Stall,
}

/// One injected fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) kind: Kind,
    /// Number of the read, from 0.
    pub(crate) index: u64,
    /// ns; of a stall: equal reads in a row.
    pub(crate) size: u64,
}

/// How many faults to inject and where.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Plan {
    pub(crate) seed: u64,
    pub(crate) regressions: usize,
    pub(crate) warps: usize,
    pub(crate) stalls: usize,
    /// Reads before the first fault.
    pub(crate) first: u64,
    /// Mean number of reads between two faults.
    pub(crate) spacing: u64,
}

/// A program's environment under the interposer, and where its log goes.
pub(crate) struct Injection {
    log: PathBuf,
    variables: Vec<(&'static str, String)>,
    _folder: TempDir,
}

impl Injection {
    fn new(mut variables: Vec<(&'static str, String)>) -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        let log = folder.path().join("log");
        variables.push(("LD_PRELOAD", HELPERS.interposer.display().to_string()));
        // CLOCK_MONOTONIC
        variables.push(("INTERPOSE_CLOCK", "1".to_owned()));
        variables.push(("INTERPOSE_LOG", log.display().to_string()));
        Self { log, variables, _folder: folder }
    }

    /// Faults as planned.
    pub(crate) fn faults(plan: Plan) -> Self {
        Self::new(vec![
            ("INTERPOSE_SEED", plan.seed.to_string()),
            ("INTERPOSE_REGRESSIONS", plan.regressions.to_string()),
            ("INTERPOSE_WARPS", plan.warps.to_string()),
            ("INTERPOSE_STALLS", plan.stalls.to_string()),
            ("INTERPOSE_FIRST", plan.first.to_string()),
            ("INTERPOSE_SPACING", plan.spacing.to_string()),
        ])
    }

    /// One of the hard modes.
    pub(crate) fn mode(name: &str) -> Self {
        Self::new(vec![("INTERPOSE_MODE", name.to_owned())])
    }

    /// The environment that a program needs.
    pub(crate) fn variables(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.variables.iter().map(|(name, value)| (*name, value.as_str()))
    }

    /// What was injected, in order, and how many reads there were.
    pub(crate) fn log(&self) -> (Vec<Fault>, u64) {
        read(&self.log)
    }
}

fn read(path: &Path) -> (Vec<Fault>, u64) {
    let text = fs::read_to_string(path).expect("the interposer's log");
    let mut faults = Vec::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let number = |at: usize| words[at].parse::<u64>().expect("a number in the interposer's log");
        let kind = match words[0] {
            "regression" => Kind::Regression,
            "warp" => Kind::Warp,
            "stall" => Kind::Stall,
            "reads" => return (faults, number(1)),
            other => panic!("the interposer's log has a line '{other}'"),
        };
        faults.push(Fault { kind, index: number(1), size: number(2) });
    }
    panic!("the interposer's log does not end with its number of reads: {text:?}");
}

/// How many of the faults are of that kind.
pub(crate) fn count(faults: &[Fault], kind: Kind) -> usize {
    faults.iter().filter(|fault| fault.kind == kind).count()
}
