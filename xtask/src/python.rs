//! Python, and packages for it, which are fetched into `target/python`.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::{setup, shell};

/// Python with these packages, fetched where they are missing. A package is imported by the name that it is fetched by.
pub(crate) fn with(packages: &[&str]) -> Result<Command> {
    with_all(packages, packages)
}

/// Python with these packages, fetched where one of these imports fails.
pub(crate) fn with_all(packages: &[&str], imports: &[&str]) -> Result<Command> {
    let import = format!("import {}", imports.join(", "));
    if shell::output(here().args(["-c", &import])).is_err() {
        fetch(packages)?;
    }
    Ok(here())
}

/// The folder of the programs that these packages bring, fetched where one of the programs is missing.
pub(crate) fn programs(packages: &[&str], programs: &[&str]) -> Result<PathBuf> {
    let bin = folder().join("bin");
    if !programs.iter().all(|program| bin.join(program).is_file()) {
        fetch(packages)?;
    }
    Ok(bin)
}

/// Python with the packages that were fetched.
pub(crate) fn here() -> Command {
    let mut python = Command::new("python3");
    python.env("PYTHONPATH", folder());
    python
}

fn folder() -> PathBuf {
    shell::target().join("python")
}

fn fetch(packages: &[&str]) -> Result<()> {
    println!("fetching {}", packages.join(" "));
    shell::run(pip()?.args(["install", "--quiet", "--upgrade", "--target"]).arg(folder()).args(packages))
}

/// pip, as a module of the Python that is run.
pub(crate) fn pip() -> Result<Command> {
    let pip = || {
        let mut pip = Command::new("python3");
        pip.args(["-m", "pip"]);
        pip
    };
    if shell::output(pip().arg("--version")).is_err() {
        setup::packages(&["python3", "python3-pip"])?;
    }
    Ok(pip())
}
