//! The Python package: its checks, and the wheel that has the program in it.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, ensure};

use crate::stage::Outcome;
use crate::{python, shell};

/// What the package's checks need, and what its users may have.
const PACKAGES: [&str; 15] = [
    "allantools",
    "duckdb",
    "ipykernel",
    "matplotlib",
    "mypy",
    "nbclient",
    "nbformat",
    "numpy",
    "orjson",
    "pandas",
    "pandas-stubs",
    "polars",
    "pyarrow",
    "pytest",
    "ruff",
];

/// Style, types and tests of the package, with the program as the tests of the program have built it.
pub(crate) fn check() -> Result<Outcome> {
    shell::run(shell::cargo().args(["build", "--quiet", "--package", "clockscope"]))?;
    let imports: Vec<&str> = PACKAGES.into_iter().filter(|name| *name != "pandas-stubs").collect();
    let module = |arguments: &[&str]| -> Result<()> {
        let mut python = python::with_all(&PACKAGES, &imports)?;
        python.current_dir(folder()).env("CLOCKSCOPE", shell::target().join("debug/clockscope"));
        shell::run(python.arg("-m").args(arguments))
    };
    module(&["ruff", "check", "--no-cache", "."])?;
    module(&["ruff", "format", "--no-cache", "--check", "."])?;
    module(&["mypy", "--cache-dir", "../target/mypy"])?;
    module(&["pytest", "--quiet", "-p", "no:cacheprovider"])?;
    Ok(Outcome::Passed)
}

/// Builds the wheel into target/wheels: linked by zig against an old glibc, so that it runs on every distribution since 2014.
pub(crate) fn wheel() -> Result<()> {
    python::with(&["maturin", "ziglang"])?;
    // The module looks for the program beside the interpreter; zig is looked for as a module.
    let packages = shell::target().join("python");
    let mut maturin = Command::new(packages.join("bin/maturin"));
    let out = shell::target().join("wheels");
    maturin.env("PYTHONPATH", packages).current_dir(folder()).args(["build", "--release", "--zig"]);
    shell::run(maturin.args(["--compatibility", "manylinux2014", "--out"]).arg(&out))?;
    ensure!(out.is_dir(), "maturin made no wheel");
    Ok(())
}

fn folder() -> PathBuf {
    shell::root().join("python")
}
