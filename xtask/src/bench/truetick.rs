//! `cargo xtask bench truetick`: truetick against rdtsc, std and its peers, interleaved in one run; prints the table of
//! docs/truetick/measured.md.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::shell;

/// Options of the bench program.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// tscns.h, a peer that is in no registry (github.com/MengRao/tscns): measured too, if given
    #[arg(long, value_name = "FILE")]
    tscns: Option<PathBuf>,
    /// `--cost SECONDS`, `--accuracy SECONDS`, `--order READS`, `--soak READS`, `--starts N`
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<String>,
}

/// Builds the bench program and runs it. Takes some minutes; wants a quiet machine.
pub(crate) fn run(options: &Options) -> Result<()> {
    let mut command = shell::cargo();
    // Its peers are to be as fast as they can be, which the release profile is not for.
    command.args(["run", "--profile", "peers", "--quiet", "--package", "truetick-bench", "--"]);
    command.args(&options.arguments);
    match chrono() {
        Ok(object) => drop(command.arg("--chrono").arg(object)),
        Err(error) => println!("without C++'s clocks: {error:#}\n"),
    }
    if let Some(header) = &options.tscns {
        command.arg("--tscns").arg(tscns(header)?);
    }
    shell::run(&mut command)
}

/// Compiles C++'s clocks against truetick's header and static library.
fn chrono() -> Result<PathBuf> {
    let (root, target) = (shell::root(), shell::target());
    shell::run(shell::cargo().args(["build", "--release", "--quiet", "--package", "truetick-capi"]))?;
    let object = target.join("chrono.so");
    let mut compiler = Command::new("c++");
    compiler.args(["-O2", "-std=c++17", "-shared", "-fPIC", "-I"]).arg(root.join("crates/capi/include"));
    compiler.arg(root.join("bench/src/chrono.cpp")).arg(target.join("release/libtruetick_capi.a"));
    shell::run(compiler.arg("-o").arg(&object))?;
    Ok(object)
}

/// Compiles the C interface of the header.
fn tscns(header: &Path) -> Result<PathBuf> {
    let header = header.canonicalize().with_context(|| format!("{} is not there", header.display()))?;
    let folder = header.parent().context("a file lies in a folder")?;
    let object = shell::root().join("target/tscns.so");
    let mut compiler = Command::new("c++");
    compiler.args(["-O2", "-std=c++17", "-shared", "-fPIC", "-I"]).arg(folder);
    compiler.arg(shell::root().join("bench/src/tscns.cpp")).arg("-o").arg(&object);
    shell::run(&mut compiler)?;
    Ok(object)
}
