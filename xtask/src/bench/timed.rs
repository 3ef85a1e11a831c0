//! Running a program and taking its wall time and peak memory.

use std::io::Read;
use std::mem::MaybeUninit;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::shell;

/// What one run of a program gave.
pub(crate) struct Timed {
    /// What it wrote to stdout.
    pub(crate) stdout: Vec<u8>,
    /// From its start to its end.
    pub(crate) wall: Duration,
    /// Largest resident set, bytes. Linux counts the moment before the program's image was loaded too, so it is
    /// never less than what this program itself held when it started the child (about 5 MiB).
    pub(crate) peak_memory: u64,
}

/// Runs it to its end; an exit code other than 0 is an error.
pub(crate) fn run(command: &mut Command) -> Result<Timed> {
    let name = shell::shown(command);
    let start = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .with_context(|| format!("can't run {name}"))?;
    let mut stdout = Vec::new();
    let mut pipe = child.stdout.take().context("the child has no stdout")?;
    pipe.read_to_end(&mut stdout).with_context(|| format!("can't read what {name} writes"))?;
    let mut status = 0;
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: both pointers are to live locals of the types that wait4(2) fills in. The pid is that of a child that
    // nobody has waited for: `child` is only dropped, which does not wait.
    let waited = unsafe { libc::wait4(child.id().cast_signed(), &raw mut status, 0, usage.as_mut_ptr()) };
    let wall = start.elapsed();
    if waited < 0 {
        bail!("can't wait for {name}: {}", std::io::Error::last_os_error());
    }
    if !libc::WIFEXITED(status) || libc::WEXITSTATUS(status) != 0 {
        bail!("{name} ended with wait status {status:#x}");
    }
    // SAFETY: rusage is integers only, for which zero bytes are a valid value, and wait4 succeeded.
    let usage = unsafe { usage.assume_init() };
    Ok(Timed { stdout, wall, peak_memory: usage.ru_maxrss as u64 * 1024 })
}
