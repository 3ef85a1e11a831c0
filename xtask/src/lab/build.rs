//! The two programs that run in a guest, built static.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::machine::Arch;
use crate::{setup, shell};

/// Optimized as the release is, but linked in a third of its time.
const PROFILE: &str = "lab";

/// Where they lie.
pub(crate) struct Programs {
    /// clockscope, optimized.
    pub(crate) clockscope: PathBuf,
    /// Process 1.
    pub(crate) guest: PathBuf,
}

/// Builds them.
pub(crate) fn programs(arch: Arch) -> Result<Programs> {
    let target = arch.target();
    setup::library(target)?;
    let mut command: Command = shell::cargo();
    command.args(["build", "--profile", PROFILE, "--quiet", "--package", "clockscope", "--package", "lab-guest"]);
    command.args(["--target", target]);
    if arch == Arch::Aarch64 {
        // The toolchain's own linker and C run-time: no C compiler for the other architecture is needed.
        command.env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_MUSL_LINKER", "rust-lld");
        command.env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_MUSL_RUSTFLAGS", "-C link-self-contained=yes");
    }
    shell::run(&mut command).with_context(|| format!("the guest's programs for {target}"))?;
    let folder = shell::target().join(target).join(PROFILE);
    let programs = Programs { clockscope: folder.join("clockscope"), guest: folder.join("lab-guest") };
    for program in [&programs.clockscope, &programs.guest] {
        ensure!(program.is_file(), "cargo left no {}", program.display());
    }
    Ok(programs)
}
