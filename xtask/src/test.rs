//! `cargo xtask test`: fetches what the tests need and runs them, stage by stage.

use std::process::{Command, ExitCode};

use anyhow::Result;

use crate::stage::{Outcome, Stages};
use crate::{readme, schema, setup, shell, truth};

/// Runs every stage; fails if one failed.
pub(crate) fn run() -> ExitCode {
    let mut stages = Stages::default();
    stages.stage("setup: programs and toolchain", || {
        setup::programs()?;
        setup::components()?;
        Ok(Outcome::Passed)
    });
    stages.stage("format", || cargo(&["fmt", "--all", "--check"]));
    stages.stage("lints", || cargo(&["clippy", "--workspace", "--all-targets", "--", "--deny", "warnings"]));
    stages.stage("tests", || cargo(&["test", "--workspace", "--no-fail-fast"]));
    stages.stage("truth: estimators and interposed clocks", || truth::check().map(|()| Outcome::Passed));
    // The same code under loom, which runs every interleaving of its atomics that it can within its bounds.
    stages.stage("loom", || {
        let mut command = shell::cargo();
        command.args(["test", "--package", "truetick", "--release", "--test", "loom_protocol"]);
        command.args(["--target-dir", "target/loom"]);
        passes(command.env("RUSTFLAGS", "--cfg loom"))
    });
    stages.stage("Miri", miri);
    stages.stage(setup::CROSS_TARGET, || match setup::cross_target() {
        Ok(()) => cargo(&["check", "--package", "clockscope", "--target", setup::CROSS_TARGET]),
        Err(error) => Ok(Outcome::Skipped(format!("{error:#}"))),
    });
    stages.stage("documentation", || {
        let mut command = shell::cargo();
        command.args(["doc", "--workspace", "--no-deps"]);
        passes(command.env("RUSTDOCFLAGS", "--deny warnings"))
    });
    stages.stage("schema", || schema::check().map(|()| Outcome::Passed));
    stages.stage("README", || readme::check().map(|()| Outcome::Passed));
    if stages.finish() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Miri comes with nightly toolchains only; the project needs none, so where there is none this stage is skipped.
fn miri() -> Result<Outcome> {
    let mut probe = Command::new("cargo");
    probe.args(["+nightly", "miri", "--version"]);
    if shell::output(&mut probe).is_err() {
        return Ok(Outcome::Skipped(
            "no nightly toolchain with Miri (`rustup toolchain install nightly -c miri`)".into(),
        ));
    }
    let mut command = Command::new("cargo");
    command.args([
        "+nightly",
        "miri",
        "test",
        "--package",
        "truetick",
        "--lib",
        "--test",
        "drop_in",
        "--test",
        "threads",
    ]);
    command.args(["--target-dir", "target/miri"]);
    passes(command.env("MIRIFLAGS", "-Zmiri-disable-isolation"))
}

fn cargo(arguments: &[&str]) -> Result<Outcome> {
    passes(shell::cargo().args(arguments))
}

fn passes(command: &mut Command) -> Result<Outcome> {
    shell::run(command).map(|()| Outcome::Passed)
}
