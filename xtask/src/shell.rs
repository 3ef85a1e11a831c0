//! Running other programs.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// The workspace's root.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."))
}

/// The cargo that runs this program.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")));
    command.current_dir(root());
    command
}

/// The folder that cargo builds into.
pub(crate) fn target() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |folder| root().join(folder))
}

/// The release build of clockscope, made first where it is not up to date.
pub(crate) fn release_build() -> Result<PathBuf> {
    run(cargo().args(["build", "--release", "--package", "clockscope"]))?;
    Ok(release_program())
}

/// Where that build lies.
pub(crate) fn release_program() -> PathBuf {
    target().join("release/clockscope")
}

/// What is tested: all but the bench program, which has no tests and needs much that nothing else does. Whatever runs some
/// of the tests names the same: for one package alone the features of what it depends on are others, and all of that
/// would be built once more.
pub(crate) const TESTED: [&str; 3] = ["--workspace", "--exclude", "truetick-bench"];

/// The command as one would type it.
pub(crate) fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or(command.get_program());
    let words = std::iter::once(program).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

/// Runs the command, its output going where ours goes.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let name = shown(command);
    let status = command.stdin(Stdio::null()).status().with_context(|| format!("can't run `{name}`"))?;
    if !status.success() {
        bail!("`{name}` ended with {status}");
    }
    Ok(())
}

/// Runs the command and returns what it wrote to stdout; its stderr becomes part of the error.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let name = shown(command);
    let output = command.stdin(Stdio::null()).output().with_context(|| format!("can't run `{name}`"))?;
    if !output.status.success() {
        let complaint = String::from_utf8_lossy(&output.stderr);
        bail!("`{name}` ended with {}: {}", output.status, complaint.trim());
    }
    String::from_utf8(output.stdout).with_context(|| format!("what `{name}` wrote is not UTF-8"))
}

/// Where the program is found on PATH.
pub(crate) fn which(program: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
}
