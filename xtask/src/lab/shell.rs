//! `cargo xtask lab shell SCENARIO`: its machine, with the console on this terminal.

use std::{fs, slice};

use anyhow::{Context, Result, ensure};

use super::emulator::{self, Console, Files};
use super::run::{new_disk, prepare};
use super::scenario::Scenario;
use super::tiers::{bench, fetch};

/// Boots it. Modules, mounts and what comes before the program are as the scenario says; then a prompt waits for
/// arguments of the program.
pub(crate) fn boot(scenario: &Scenario) -> Result<()> {
    ensure!(!scenario.machine.nested, "the console of a nested guest does not reach this terminal");
    fetch(slice::from_ref(scenario))?;
    let bench = bench(scenario.machine.arch, slice::from_ref(scenario))?;
    let folder = bench.folder.join("shell");
    fs::create_dir_all(&folder).with_context(|| format!("can't make {}", folder.display()))?;
    let (machine, image) = prepare(&bench, scenario, &folder, true)?;
    let disk = folder.join("frames");
    new_disk(&disk)?;
    let files = Files {
        kernel: &bench.kernel.image.display().to_string(),
        image: &image.display().to_string(),
        console: Console::Terminal,
        disk: &disk.display().to_string(),
    };
    let mut command = emulator::command(&machine, &files);
    let status = command.status().context("can't start the emulator")?;
    ensure!(status.success(), "the emulator ended with {status}");
    Ok(())
}
