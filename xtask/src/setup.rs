//! `cargo xtask setup`: what the tests need, fetched where it is missing and can be had.

use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::{lab, languages, pure, shell};

/// Targets beside the machine's own: `cargo xtask test` checks the program for the first, and truetick for all.
pub(crate) const TARGETS: [&str; 8] = [
    "aarch64-unknown-linux-gnu",
    "riscv64gc-unknown-linux-gnu",
    "i686-unknown-linux-gnu",
    "x86_64-pc-windows-gnu",
    "aarch64-apple-darwin",
    "x86_64-unknown-freebsd",
    "x86_64-unknown-netbsd",
    "x86_64-unknown-illumos",
];
/// Targets whose programs run here in an emulator of the CPU.
pub(crate) const EMULATED: [Emulated; 2] = [
    Emulated {
        target: TARGETS[0],
        emulator: "qemu-aarch64",
        linker: "aarch64-linux-gnu-gcc",
        packages: &["gcc-aarch64-linux-gnu", "libc6-dev-arm64-cross"],
        libraries: "/usr/aarch64-linux-gnu",
    },
    Emulated {
        target: TARGETS[1],
        emulator: "qemu-riscv64",
        linker: "riscv64-linux-gnu-gcc",
        packages: &["gcc-riscv64-linux-gnu", "libc6-dev-riscv64-cross"],
        libraries: "/usr/riscv64-linux-gnu",
    },
];

/// How programs for another CPU are linked and run.
pub(crate) struct Emulated {
    pub(crate) target: &'static str,
    pub(crate) emulator: &'static str,
    pub(crate) linker: &'static str,
    /// What the linker comes in.
    packages: &'static [&'static str],
    /// Where Debian puts that CPU's C library.
    pub(crate) libraries: &'static str,
}

impl Emulated {
    pub(crate) const fn programs(&self) -> [Program; 2] {
        [(self.emulator, &["qemu-user"]), (self.linker, self.packages)]
    }
}

/// A target without an operating system, for the part of truetick that needs none.
pub(crate) const BARE_TARGET: &str = "x86_64-unknown-none";

/// A program, with the Debian packages that hold it and what it needs.
pub(crate) type Program = (&'static str, &'static [&'static str]);

/// Programs that no test does without.
const PROGRAMS: [Program; 4] =
    [("cc", &["gcc", "libc6-dev"]), ("c++", &["g++"]), ("kill", &["procps"]), ("taskset", &["util-linux"])];

/// Parts of the toolchain: the cargo subcommand that shows its presence, and rustup's name for it.
const COMPONENTS: [(&str, &str); 2] = [("fmt", "rustfmt"), ("clippy", "clippy")];

/// What no test does without.
pub(crate) fn essentials() -> Result<()> {
    programs(&PROGRAMS)?;
    components()
}

/// Fetches everything and says what there is.
pub(crate) fn report() -> Result<()> {
    let mut missing = 0;
    let mut parts = vec![("programs", programs(&PROGRAMS)), ("toolchain", components())];
    parts.push(("Miri", miri()));
    parts.extend(TARGETS.into_iter().chain([BARE_TARGET, pure::TARGET]).map(|target| (target, library(target))));
    parts.extend(EMULATED.map(|e| (e.emulator, programs(&e.programs()))));
    parts.push(("guests", lab::fetch_all()));
    parts.push(("language runtimes", languages::fetch()));
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

/// Fetches the packages of those programs that are not here. An error says what to do.
pub(crate) fn programs(wanted: &[Program]) -> Result<()> {
    let lacking = wanted.iter().filter(|(program, _)| shell::which(program).is_none());
    let lacking: Vec<&str> = lacking.flat_map(|(_, packages)| packages.iter().copied()).collect();
    if lacking.is_empty() { Ok(()) } else { packages(&lacking) }
}

/// Installs Debian's packages. An error says what to do.
pub(crate) fn packages(packages: &[&str]) -> Result<()> {
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
    install.args(["install", "-y", "-qq", "--no-install-recommends"]).args(packages);
    shell::run(install.env("DEBIAN_FRONTEND", "noninteractive"))
}

/// rustfmt and clippy.
fn components() -> Result<()> {
    for (subcommand, component) in COMPONENTS {
        if shell::output(shell::cargo().args([subcommand, "--version"])).is_err() {
            rustup(&["component", "add", component]).with_context(|| format!("{component} is missing"))?;
        }
    }
    Ok(())
}

/// Rust's library for another target.
pub(crate) fn library(target: &str) -> Result<()> {
    let mut rustc = Command::new("rustc");
    rustc.args(["--print", "target-libdir", "--target", target]);
    let folder = shell::output(rustc.current_dir(shell::root()))?;
    if std::path::Path::new(folder.trim()).is_dir() {
        return Ok(());
    }
    rustup(&["target", "add", target]).with_context(|| format!("the target {target} is not installed"))
}

/// A nightly toolchain with Miri and the sources that it builds its own standard library from.
pub(crate) fn miri() -> Result<()> {
    if shell::output(nightly().args(["miri", "--version"])).is_ok() && has_sources() {
        return Ok(());
    }
    println!("fetching Miri");
    let install = ["toolchain", "install", "nightly", "--profile", "minimal", "--component", "miri,rust-src"];
    let add = ["component", "add", "--toolchain", "nightly", "miri", "rust-src"];
    // The newest nightly may lack a part that the one at hand has.
    rustup(&add).or_else(|_| rustup(&install)).context("no nightly toolchain with Miri")
}

fn has_sources() -> bool {
    let root = shell::output(Command::new("rustc").args(["+nightly", "--print", "sysroot"]));
    root.is_ok_and(|root| std::path::Path::new(root.trim()).join("lib/rustlib/src/rust/library").is_dir())
}

/// The nightly toolchain's cargo. It stands under rustup's own name: the cargo that runs this is another one.
pub(crate) fn nightly() -> Command {
    let mut command = Command::new("cargo");
    command.arg("+nightly").current_dir(shell::root());
    command
}

/// A toolchain of this version.
pub(crate) fn toolchain(version: &str) -> Result<()> {
    let mut rustc = Command::new("rustc");
    rustc.args([&format!("+{version}"), "--version"]).current_dir(shell::root());
    shell::output(&mut rustc).map(drop).or_else(|_| rustup(&["toolchain", "install", version, "--profile", "minimal"]))
}

fn rustup(arguments: &[&str]) -> Result<()> {
    if shell::which("rustup").is_none() {
        bail!("there is no rustup here to fetch it");
    }
    shell::output(Command::new("rustup").args(arguments).current_dir(shell::root())).map(drop)
}
