//! `cargo xtask deny`: the dependencies' licences, advisories and sources, by `deny.toml`. A maintainers' command:
//! cargo-deny takes minutes to compile, so the tests don't fetch it.

use anyhow::{Result, bail};

use crate::shell;

/// Runs cargo-deny, or says how to get it.
pub(crate) fn run() -> Result<()> {
    if shell::output(shell::cargo().args(["deny", "--version"])).is_err() {
        bail!("cargo-deny is not installed; `cargo install --locked cargo-deny` compiles it, which takes minutes");
    }
    shell::run(shell::cargo().args(["deny", "--workspace", "--all-features", "check"]))
}
