//! `cargo xtask setup`: what the tests need, fetched where it is missing and can be had.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::{lab, shell};

/// The target that `cargo xtask test` checks beside the machine's own.
pub(crate) const CROSS_TARGET: &str = "aarch64-unknown-linux-gnu";

/// Programs that the tests start, with the Debian packages that hold them.
const PROGRAMS: [(&str, &[&str]); 1] = [("cc", &["gcc", "libc6-dev"])];

/// Parts of the toolchain: the cargo subcommand that shows its presence, and rustup's name for it.
const COMPONENTS: [(&str, &str); 2] = [("fmt", "rustfmt"), ("clippy", "clippy")];

/// Fetches everything and says what there is.
pub(crate) fn report() -> Result<()> {
    let mut missing = 0;
    let parts = [
        ("programs", programs()),
        ("toolchain", components()),
        (CROSS_TARGET, target(CROSS_TARGET)),
        ("guests", lab::fetch_all()),
    ];
    for (name, result) in parts {
        match result {
            Ok(()) => println!("{name}: there"),
            Err(error) => {
                missing += 1;
                println!("{name}: missing: {error:#}");
            }
        }
    }
    if missing > 0 {
        bail!("{missing} of the things that the tests need could not be had");
    }
    Ok(())
}

/// The programs that the tests start.
pub(crate) fn programs() -> Result<()> {
    let all: Vec<_> = PROGRAMS
        .iter()
        .flat_map(|(program, packages)| packages.iter().map(|package| (*program, *package)))
        .collect();
    install(&all)
}

/// Installs the packages of those programs that are missing: pairs of a program and Debian's name of a package.
pub(crate) fn install(programs: &[(&str, &str)]) -> Result<()> {
    let lacking = programs.iter().filter(|(program, _)| shell::which(program).is_none());
    let packages: Vec<&str> = lacking.map(|(_, package)| *package).collect();
    if packages.is_empty() {
        return Ok(());
    }
    let list = packages.join(" ");
    if shell::which("apt-get").is_none() {
        bail!("the packages {list} (Debian's names) are missing, and there is no apt-get here");
    }
    if shell::output(Command::new("id").arg("-u"))?.trim() != "0" {
        bail!("the packages {list} are missing; as root: apt-get install {list}");
    }
    println!("fetching {list}");
    shell::run(Command::new("apt-get").args(["update", "-qq"]))?;
    let mut install = Command::new("apt-get");
    install.args(["install", "-y", "-qq", "--no-install-recommends"]).args(&packages);
    shell::run(install.env("DEBIAN_FRONTEND", "noninteractive"))
}

/// rustfmt and clippy.
pub(crate) fn components() -> Result<()> {
    for (subcommand, component) in COMPONENTS {
        if shell::output(shell::cargo().args([subcommand, "--version"])).is_err() {
            rustup(&["component", "add", component]).with_context(|| format!("{component} is missing"))?;
        }
    }
    Ok(())
}

/// The standard library of a target.
pub(crate) fn target(name: &str) -> Result<()> {
    let mut rustc = Command::new("rustc");
    rustc.args(["--print", "target-libdir", "--target", name]);
    let folder = shell::output(rustc.current_dir(shell::root()))?;
    if std::path::Path::new(folder.trim()).is_dir() {
        return Ok(());
    }
    rustup(&["target", "add", name]).with_context(|| format!("the target {name} is not installed"))
}

/// Where cargo puts what it builds.
pub(crate) fn target_folder() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| shell::root().join("target"), |folder| shell::root().join(folder))
}

fn rustup(arguments: &[&str]) -> Result<()> {
    if shell::which("rustup").is_none() {
        bail!("there is no rustup here to fetch it");
    }
    shell::output(Command::new("rustup").args(arguments).current_dir(shell::root())).map(drop)
}
