//! Running scenarios, two at a time.

use std::collections::{BTreeSet, VecDeque};
use std::fs;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::thread;

use anyhow::{Context, Result, bail};

use super::machine::Arch;
use super::run::{Bench, Outcome, run};
use super::runtimes::Runtimes;
use super::scenario::{Scenario, Tier, all};
use super::{build, chronyd, emulator, kernel, table};
use crate::stage::Outcome as Stage;
use crate::{setup, shell};

/// Guests at a time at most: each wants a CPU of its own.
const AT_A_TIME: usize = 2;

/// The last run's table, for whoever comes after.
const SUMMARY: &str = "summary.md";

/// Where the lab keeps what it fetches and what it finds.
pub(crate) fn folder() -> PathBuf {
    shell::target().join("lab")
}

/// Fetches what these scenarios need.
pub(crate) fn fetch(scenarios: &[Scenario]) -> Result<()> {
    let arches = arches(scenarios);
    emulator::present(&arches)?;
    for arch in arches {
        setup::library(arch.target())?;
        kernel::fetch(&folder(), arch)?;
    }
    let with_chronyd = scenarios.iter().filter(|scenario| scenario.guest.chronyd.is_some());
    with_chronyd.map(|scenario| scenario.machine.arch).try_for_each(|arch| chronyd::fetch(&folder(), arch))
}

/// Fetches what all scenarios need.
pub(crate) fn fetch_all() -> Result<()> {
    fetch(&all()?)
}

/// What the guests of one architecture need among these scenarios.
pub(crate) fn bench(arch: Arch, scenarios: &[Scenario]) -> Result<Bench> {
    let folder = folder();
    let programs = build::programs(arch)?;
    let of_arch = scenarios.iter().filter(|scenario| scenario.machine.arch == arch);
    let wanted: BTreeSet<&str> = of_arch.flat_map(|scenario| &scenario.guest.runtimes).map(String::as_str).collect();
    let runtimes = Runtimes::prepare(&folder, arch, &programs.clockscope, &wanted)?;
    Ok(Bench { kernel: kernel::fetch(&folder, arch)?, programs, runtimes, folder })
}

/// The architectures of these scenarios, each once.
fn arches(scenarios: &[Scenario]) -> Vec<Arch> {
    let mut arches: Vec<Arch> = scenarios.iter().map(|scenario| scenario.machine.arch).collect();
    arches.sort_by_key(|arch| arch.debian());
    arches.dedup();
    arches
}

/// Scenarios to run. Nested guests are the slowest, and two of them starve each other: one at a time.
struct Queue {
    waiting: VecDeque<Scenario>,
    nested_runs: bool,
}

impl Queue {
    /// The next one that may run now; `None` where there is none. Nested ones that are left then wait for the one that
    /// runs, and whoever runs it takes them.
    fn next(&mut self) -> Option<Scenario> {
        let place = |nested| self.waiting.iter().position(|scenario| scenario.machine.nested == nested);
        let nested = if self.nested_runs { None } else { place(true) };
        let scenario = self.waiting.remove(nested.or_else(|| place(false))?)?;
        self.nested_runs |= scenario.machine.nested;
        Some(scenario)
    }

    /// To be told when one has ended.
    fn ended(&mut self, scenario: &Scenario) {
        self.nested_runs &= !scenario.machine.nested;
    }
}

/// Runs these, tells of each as it ends, and hands them back by name.
pub(crate) fn run_all(scenarios: Vec<Scenario>) -> Result<Vec<Outcome>> {
    let benches: Vec<(Arch, Bench)> =
        arches(&scenarios).into_iter().map(|arch| Ok((arch, bench(arch, &scenarios)?))).collect::<Result<_>>()?;
    if scenarios.iter().any(|scenario| scenario.guest.replay) {
        shell::release_build()?;
    }
    let queue = Mutex::new(Queue { waiting: scenarios.into(), nested_runs: false });
    let locked = || queue.lock().unwrap_or_else(PoisonError::into_inner);
    let outcomes = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, |cpus| cpus.get().min(AT_A_TIME)) {
            scope.spawn(|| {
                loop {
                    let Some(scenario) = locked().next() else { break };
                    let Some((_, bench)) = benches.iter().find(|(arch, _)| *arch == scenario.machine.arch) else {
                        continue;
                    };
                    let outcome = run(bench, &scenario);
                    locked().ended(&scenario);
                    print!("{}", table::told(&outcome));
                    outcomes.lock().unwrap_or_else(PoisonError::into_inner).push(outcome);
                }
            });
        }
    });
    let mut outcomes = outcomes.into_inner().unwrap_or_else(PoisonError::into_inner);
    outcomes.sort_by(|a, b| a.name.cmp(&b.name));
    let summary = table::summary(&outcomes);
    let path = folder().join(SUMMARY);
    fs::write(&path, &summary).with_context(|| format!("can't write {}", path.display()))?;
    println!("\n{summary}");
    // Once more, where the end of a long log shows it.
    outcomes.iter().filter(|outcome| !outcome.holds()).for_each(|outcome| println!("{}", table::told(outcome)));
    Ok(outcomes)
}

/// Fails where one of these does.
pub(crate) fn judge(outcomes: &[Outcome]) -> Result<()> {
    let failed: Vec<&str> =
        outcomes.iter().filter(|outcome| !outcome.holds()).map(|outcome| outcome.name.as_str()).collect();
    if !failed.is_empty() {
        bail!("{} of {} scenarios: {}", failed.len(), outcomes.len(), failed.join(", "));
    }
    Ok(())
}

/// One tier as a stage of the tests; skipped where guests can't be had.
pub(crate) fn stage(tier: Tier) -> Result<Stage> {
    let mut scenarios = all()?;
    scenarios.retain(|scenario| scenario.tier == tier);
    if let Err(error) = fetch(&scenarios) {
        return Ok(Stage::Skipped(format!("{error:#}")));
    }
    judge(&run_all(scenarios)?)?;
    Ok(Stage::Passed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_nested_guest_at_a_time_and_the_others_beside_it() {
        let mut all = all().unwrap();
        all.retain(|scenario| ["hpet", "hyper-v", "kvm-clock"].contains(&scenario.name.as_str()));
        let mut queue = Queue { waiting: all.into(), nested_runs: false };
        let first = queue.next().unwrap();
        assert_eq!(first.name, "hyper-v");
        let beside = queue.next().unwrap();
        assert_eq!(beside.name, "hpet");
        assert!(queue.next().is_none());
        queue.ended(&beside);
        assert!(queue.next().is_none());
        queue.ended(&first);
        assert_eq!(queue.next().unwrap().name, "kvm-clock");
    }
}
