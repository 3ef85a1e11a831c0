//! Builds the C helpers once a test run.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{self, Command};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

/// The clockscope binary under test.
pub(crate) const CLOCKSCOPE: &str = env!("CARGO_BIN_EXE_clockscope");

/// Paths of the built helpers.
pub(crate) struct Helpers {
    /// `interpose.c` as a library for `LD_PRELOAD`.
    pub(crate) interposer: PathBuf,
    /// `reader.c`.
    pub(crate) reader: PathBuf,
    /// `deny.c`.
    pub(crate) deny: PathBuf,
}

/// The helpers, built on first use.
pub(crate) static HELPERS: LazyLock<Helpers> = LazyLock::new(|| Helpers {
    interposer: compile("interpose", &["-shared", "-fPIC"], &["-ldl", "-lm"]),
    reader: compile("reader", &[], &[]),
    deny: compile("deny", &[], &[]),
});

fn compile(name: &str, flags: &[&str], libraries: &[&str]) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/interpose").join(name).with_extension("c");
    let output = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    // Under a name of its own first: another test run may be using the finished one.
    let fresh = output.with_extension(process::id().to_string());
    let status = Command::new("cc")
        .args(["-std=c11", "-O2", "-Wall", "-Wextra", "-Werror"])
        .args(flags)
        .arg("-o")
        .args([&fresh, &source])
        .args(libraries)
        .status()
        .expect("a C compiler `cc` (`cargo xtask setup` fetches it)");
    assert!(status.success(), "cc could not build {}", source.display());
    fs::rename(&fresh, &output).expect("the helper gets its name");
    output
}

/// One survey at a time: two at once would interrupt each other, and what an interruption hides can't be counted.
pub(crate) fn alone() -> MutexGuard<'static, ()> {
    static SURVEY: Mutex<()> = Mutex::new(());
    SURVEY.lock().unwrap_or_else(PoisonError::into_inner)
}
