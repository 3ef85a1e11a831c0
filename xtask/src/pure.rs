//! What computes only does so: the crate of trace, analysis and judgement needs no operating system.

use anyhow::{Result, bail, ensure};

use crate::shell;

const PACKAGE: &str = "clockscope-analysis";
/// A target without files, clocks and C library.
pub(crate) const TARGET: &str = "wasm32-unknown-unknown";
/// What truetick's `compile_error!` says there.
const REFUSED: &str = "WebAssembly without a system has neither a counter nor a clock";
/// What a crate that reads a clock or a file of the system would need.
const SYSTEM: [&str; 6] = ["libc", "rustix", "linux-raw-sys", "windows-sys", "clockscope-engine", "truetick"];

/// Fails where the crate does not build without a system, or depends on what reaches into one, on this machine or there.
pub(crate) fn check() -> Result<()> {
    shell::run(shell::cargo().args(["check", "--package", PACKAGE, "--target", TARGET]))?;
    let mut command = shell::cargo();
    command.args(["tree", "--package", PACKAGE, "--edges", "normal", "--prefix", "none", "--target", "all"]);
    let tree = shell::output(&mut command)?;
    let found = system_crates(&tree);
    ensure!(found.is_empty(), "{PACKAGE} depends on {}", found.join(", "));
    Ok(())
}

/// Fails unless the compiler refuses truetick's clocks where there is no system, in truetick's own words.
pub(crate) fn truetick_says_why_not() -> Result<()> {
    let mut command = shell::cargo();
    command.args(["check", "--quiet", "--package", "truetick", "--target", TARGET]);
    let Err(refused) = shell::output(&mut command) else {
        bail!("truetick with its default features compiles for {TARGET}, where its clocks can't work");
    };
    let text = format!("{refused:#}");
    ensure!(text.contains(REFUSED), "it is refused for another reason: {text}");
    Ok(())
}

fn system_crates(tree: &str) -> Vec<&str> {
    let names = tree.lines().filter_map(|line| line.split(' ').next());
    names.filter(|name| SYSTEM.contains(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::system_crates;

    #[test]
    fn a_crate_of_the_system_is_seen_and_a_name_like_it_is_not() {
        assert_eq!(
            system_crates("clockscope-analysis v0.1.0 (/x)\nserde v1.0.0\nlibc v0.2.1\nlibcx v1.0.0\n"),
            ["libc"]
        );
    }
}
