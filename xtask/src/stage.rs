//! Stages: named steps, each passed, failed or skipped with a reason.

use std::time::Instant;

use anyhow::Result;

/// How a stage ended, if it did not fail.
pub(crate) enum Outcome {
    /// All is well.
    Passed,
    /// It can't run here, for this reason.
    Skipped(String),
}

/// The stages run so far.
#[derive(Default)]
pub(crate) struct Stages {
    only: Vec<String>,
    names: Vec<String>,
    lines: Vec<String>,
    passed: usize,
    failed: usize,
    skipped: usize,
}

impl Stages {
    /// Of the stages to come those whose names have one of these words in them; all, if there are none.
    pub(crate) fn only(words: &[String]) -> Self {
        Self { only: words.iter().map(|word| word.to_lowercase()).collect(), ..Self::default() }
    }

    /// Runs one stage, if it is asked for. A failure is noted, and the next stages still run.
    pub(crate) fn stage(&mut self, name: &str, work: impl FnOnce() -> Result<Outcome>) {
        self.names.push(name.to_owned());
        let small = name.to_lowercase();
        if !self.only.is_empty() && !self.only.iter().any(|word| small.contains(word)) {
            return;
        }
        println!("\n== {name}");
        let (start, cpu) = (Instant::now(), cpu_s());
        let result = match work() {
            Ok(Outcome::Passed) => {
                self.passed += 1;
                "passed".to_owned()
            }
            Ok(Outcome::Skipped(reason)) => {
                self.skipped += 1;
                format!("skipped: {reason}")
            }
            Err(error) => {
                self.failed += 1;
                format!("FAILED: {error:#}")
            }
        };
        // Where other work shares the CPUs, their time says more of a stage than the time that passed.
        let took = start.elapsed().as_secs_f64();
        let line = format!("{name}: {result} ({took:.1} s, CPU {:.1} s)", cpu_s() - cpu);
        println!("-- {line}");
        self.lines.push(line);
    }

    /// Prints a line a stage and the counts, and tells whether none failed.
    pub(crate) fn finish(self) -> bool {
        println!();
        for line in &self.lines {
            println!("{line}");
        }
        if self.lines.is_empty() {
            println!("no stage has {} in its name; there are:\n{}", self.only.join(" or "), self.names.join("\n"));
            return false;
        }
        println!("{} passed, {} failed, {} skipped", self.passed, self.failed, self.skipped);
        self.failed == 0
    }
}

/// CPU time of all that has been run and has ended, s.
fn cpu_s() -> f64 {
    // SAFETY: rusage is integers only, for which zero bytes are a valid value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer is to a live rusage.
    unsafe { libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage) };
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    seconds(usage.ru_utime) + seconds(usage.ru_stime)
}

#[cfg(test)]
mod tests {
    use super::{Outcome, Stages};

    #[test]
    fn a_failure_is_counted_and_the_next_stage_still_runs() {
        let mut stages = Stages::default();
        stages.stage("one", || anyhow::bail!("no"));
        stages.stage("two", || Ok(Outcome::Skipped("not here".into())));
        stages.stage("three", || Ok(Outcome::Passed));
        assert_eq!((stages.passed, stages.failed, stages.skipped), (1, 1, 1));
        assert!(stages.lines[0].starts_with("one: FAILED: no ("));
        assert!(stages.lines[1].starts_with("two: skipped: not here ("));
        assert!(!stages.finish());
    }

    #[test]
    fn only_what_is_asked_for_is_run_and_a_name_that_no_stage_has_fails() {
        let run = |word: &str| {
            let mut stages = Stages::only(&[word.to_owned()]);
            stages.stage("truetick with the oldest Rust", || Ok(Outcome::Passed));
            stages.stage("lints", || anyhow::bail!("not asked for"));
            (stages.passed, stages.finish())
        };
        assert_eq!(run("Oldest"), (1, true));
        assert_eq!(run("newest"), (0, false));
    }
}
