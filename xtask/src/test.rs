//! `cargo xtask test`: fetches what the tests need and runs them, stage by stage.

use std::process::{Command, ExitCode};

use anyhow::Result;
use clap::Args;

use crate::stage::{Outcome, Stages};
use crate::{
    atlas, deployed, fmt, lab, languages, lattices, package, pages, publish, pure, readme, setup, shell, truth,
};

/// What to do.
#[derive(Args)]
pub(crate) struct Options {
    /// Leave out the language runtimes: some 2 GB of packages where none is there
    #[arg(long)]
    no_runtimes: bool,
    /// Run only the stages that have this in their names: lints, oldest, lab; may be given again
    #[arg(long, value_name = "WORD")]
    only: Vec<String>,
}

/// Runs every stage; fails if one failed.
pub(crate) fn run(options: &Options) -> ExitCode {
    let mut stages = Stages::only(&options.only);
    stages.stage("setup: programs and toolchain", || {
        setup::essentials()?;
        Ok(Outcome::Passed)
    });
    stages.stage("format", || fmt::check().map(|()| Outcome::Passed));
    stages.stage("lints", || cargo(&["clippy", "--workspace", "--all-targets", "--", "--deny", "warnings"]));
    stages.stage("tests", || passes(shell::cargo().arg("test").args(shell::TESTED).arg("--no-fail-fast")));
    stages.stage("truth: estimators and interposed clocks", || truth::check().map(|()| Outcome::Passed));
    stages.stage("the host's counter on other lattices", || lattices::check().map(|()| Outcome::Passed));
    stages.stage("truetick with all its features", || {
        let all = ["test", "--package", "truetick", "--all-features"];
        let code = ["--lib", "--test", "test_clock", "--", "--skip", "model::"];
        passes(shell::cargo().args(all).args(code))?;
        passes(shell::cargo().args(all).arg("--doc"))?;
        passes(shell::cargo().args(["run", "--quiet", "--package", "truetick", "--example", "utc"]))
    });
    // The same code under loom, which runs every interleaving of its atomics that it can within its bounds.
    stages.stage("loom", || {
        let mut command = shell::cargo();
        command.args(["test", "--package", "truetick", "--release", "--lib", "loom_protocol"]);
        command.args(["--target-dir", "target/loom"]);
        passes(command.env("RUSTFLAGS", "--cfg loom"))
    });
    stages.stage("Miri", miri);
    stages.stage(&format!("the program for {}", setup::TARGETS[0]), || {
        elsewhere(setup::TARGETS[0], &["--package", "clockscope"])
    });
    for target in setup::TARGETS {
        stages.stage(&format!("truetick for {target}"), || {
            elsewhere(target, &["--package", "truetick", "--package", "truetick-capi"])
        });
    }
    for emulated in &setup::EMULATED {
        stages.stage(&format!("truetick's tests for {}, emulated", emulated.target), || by_emulator(emulated));
    }
    stages.stage("truetick without an operating system", || {
        elsewhere(setup::BARE_TARGET, &["--package", "truetick", "--no-default-features"])
    });
    stages.stage("truetick for WebAssembly, on the host's clock", || {
        let outcome = elsewhere(pure::TARGET, &["--package", "truetick", "--no-default-features"])?;
        if matches!(outcome, Outcome::Passed) {
            pure::truetick_says_why_not()?;
        }
        Ok(outcome)
    });
    stages.stage("truetick with the oldest Rust that it states", || match publish::fetch() {
        Ok(()) => publish::oldest().map(|()| Outcome::Passed),
        Err(error) => Ok(Outcome::Skipped(format!("{error:#}"))),
    });
    stages.stage("truetick as a package", || publish::package().map(|()| Outcome::Passed));
    stages.stage("the pure crate without an operating system", || match setup::library(pure::TARGET) {
        Ok(()) => pure::check().map(|()| Outcome::Passed),
        Err(error) => Ok(Outcome::Skipped(format!("{error:#}"))),
    });
    stages.stage("documentation", || {
        let mut command = shell::cargo();
        command.args(["doc", "--workspace", "--no-deps"]);
        passes(command.env("RUSTDOCFLAGS", "--deny warnings"))?;
        // As docs.rs makes it.
        let mut command = shell::cargo();
        command.args(["doc", "--package", "truetick", "--all-features", "--no-deps"]);
        passes(command.env("RUSTDOCFLAGS", "--deny warnings"))
    });
    stages.stage("README", || readme::check().map(|()| Outcome::Passed));
    stages.stage("the atlas is of its records", || atlas::check().map(|()| Outcome::Passed));
    stages.stage("the report in a browser", pages::check);
    stages.stage("the Python package", package::check);
    stages.stage("GitHub Action and Containerfile", deployed::check);
    if !options.no_runtimes {
        stages.stage("language runtimes", languages::check);
        stages.stage("their readings, by numpy and pandas", languages::second);
    }
    stages.stage("lab: quick scenarios", || lab::stage(lab::Tier::Quick));
    stages.stage("lab: the other scenarios", || lab::stage(lab::Tier::Full));
    if stages.finish() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Miri comes with nightly toolchains only; skipped where none can be had.
fn miri() -> Result<Outcome> {
    if let Err(error) = setup::miri() {
        return Ok(Outcome::Skipped(format!("{error:#}")));
    }
    let mut command = setup::nightly();
    command.args(["miri", "test", "--package", "truetick", "--lib", "--test", "drop_in"]);
    command.args(["--target-dir", "target/miri"]);
    passes(command.env("MIRIFLAGS", "-Zmiri-disable-isolation"))
}

/// Checks packages for another target.
fn elsewhere(target: &str, packages: &[&str]) -> Result<Outcome> {
    if let Err(error) = setup::library(target) {
        return Ok(Outcome::Skipped(format!("{error:#}")));
    }
    passes(shell::cargo().args(["check", "--target", target]).args(packages))
}

/// Runs truetick's tests for another CPU. Not the soak: the emulator reads its own host's counter for RISC-V's `time`
/// without order, so that readings do go back there.
fn by_emulator(emulated: &setup::Emulated) -> Result<Outcome> {
    if let Err(error) = setup::library(emulated.target).and_then(|()| setup::programs(&emulated.programs())) {
        return Ok(Outcome::Skipped(format!("{error:#}")));
    }
    let variable = emulated.target.replace('-', "_").to_uppercase();
    let mut command = shell::cargo();
    command.args(["test", "--target", emulated.target, "--package", "truetick", "--lib"]);
    // The model knows of no CPU, and is slow there; and the kernel can't start a program of that CPU from within one.
    command.args(["--test", "drop_in", "--", "--skip", "model::", "--skip", "the_first_of_all_calls_is_answered"]);
    command.env(format!("CARGO_TARGET_{variable}_LINKER"), emulated.linker);
    command.env(format!("CARGO_TARGET_{variable}_RUNNER"), format!("{} -L {}", emulated.emulator, emulated.libraries));
    // The emulator shows the host's /sys, which names the host's counter.
    passes(command.env("TRUETICK_SOURCE", "counter"))
}

fn cargo(arguments: &[&str]) -> Result<Outcome> {
    passes(shell::cargo().args(arguments))
}

fn passes(command: &mut Command) -> Result<Outcome> {
    shell::run(command).map(|()| Outcome::Passed)
}
