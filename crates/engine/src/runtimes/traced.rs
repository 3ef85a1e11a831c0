//! Runs a program and notes what the kernel's clocks tell it.
//!
//! The program runs under ptrace(2), with the vDSO hidden from it and from all that it starts, so that each look at a clock of
//! the kernel's is a system call; the value that it told is noted. What the program reads without the kernel, as the CPU's
//! counter, is not seen. A program that asks for the vDSO elsewhere than in what its image is given (/proc/self/auxv,
//! prctl(PR_GET_AUXV)) finds it nevertheless.

mod calls;
mod ptrace;
#[cfg(test)]
mod tests;
mod tracer;

use std::io::{self, PipeReader, PipeWriter, Read};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::thread;
use std::time::Duration;

use clockscope_analysis::trace::Told;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

use crate::measure::Witness;
use tracer::Kept;

/// Most bytes that a program may write.
const MOST_OUTPUT: usize = 8 << 20;
/// How long to wait for output before the limit and the wish to stop are looked at again, ns.
const TURN_NS: i64 = 20_000_000;
/// What is added to the error of a refused ptrace, so that it can be told from one of starting the program.
const REFUSED: i32 = 1 << 16;

/// What a program wrote and was told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Traced {
    /// What it wrote to standard output: 8 MiB at most.
    pub stdout: Vec<u8>,
    /// What the kernel's clocks told it and what it started: an entry a call, a million values in all.
    pub told: Vec<Told>,
    /// Values that came after so many.
    pub left_out: u64,
    /// How it ended, if not well: its exit status, or why it was killed.
    pub ended: Result<(), String>,
}

/// Runs a program to its end, with nothing on its standard input; what it writes to standard error is lost. It is slowed down
/// by some 10 µs a system call. When it ends, or has not within `limit`, or `stop` says so, everything that it started is
/// killed.
///
/// # Errors
/// The program can't be started, or ptrace or pidfd_open (Linux 5.3) is not permitted: why, as a sentence.
pub(super) fn traced(mut command: Command, limit: Duration, stop: &dyn Fn() -> bool) -> Result<Traced, String> {
    let broken = |error: io::Error| format!("a pipe: {error}");
    let (output, into) = io::pipe().map_err(broken)?;
    let (over, end) = io::pipe().map_err(broken)?;
    fcntl_getfl(&output)
        .and_then(|flags| fcntl_setfl(&output, flags | OFlags::NONBLOCK))
        .map_err(|e| broken(e.into()))?;
    // A group of its own, so that what a terminal sends does not reach it.
    command.stdin(Stdio::null()).stdout(into).stderr(Stdio::null()).process_group(0);
    let refused = |error: io::Error| io::Error::from_raw_os_error(REFUSED + error.raw_os_error().unwrap_or(0));
    // SAFETY: between fork and exec only async-signal-safe functions may be called; this one makes one system call and
    // allocates nothing.
    unsafe { command.pre_exec(move || ptrace::trace_me().map_err(refused)) };
    let program = OnceLock::new();
    let (watched, followed) = thread::scope(|scope| {
        let tracer = thread::Builder::new().name("tracer".into());
        let tracer = tracer
            .spawn_scoped(scope, || trace(command, &program, end))
            .map_err(|error| format!("a thread: {error}"))?;
        let watched = watch(output, &over, &program, limit, stop);
        let followed = tracer.join().unwrap_or_else(|_| Err("its tracer failed".into()));
        Ok::<_, String>((watched, followed))
    })?;
    let (kept, status) = followed?;
    let (stdout, killed) = watched;
    let ended = match killed {
        Some(why) => Err(why),
        None if status.success() => Ok(()),
        None => Err(format!("it ended with {status}")),
    };
    Ok(Traced { stdout, told: kept.told, left_out: kept.left_out, ended })
}

/// The thread that starts the program and follows it. Its end closes `_end`, and kills what it still traces.
fn trace(mut command: Command, program: &OnceLock<OwnedFd>, _end: PipeWriter) -> Result<(Kept, ExitStatus), String> {
    let mut child = command.spawn().map_err(|error| not_started(&error))?;
    // It holds the pipe's other end.
    drop(command);
    let followed = i32::try_from(child.id()).ok().and_then(Pid::from_raw).ok_or("its number makes no sense".to_owned());
    let followed = followed.and_then(|pid| {
        let handle = pidfd_open(pid, PidfdFlags::empty()).map_err(|error| format!("pidfd_open: {error}"))?;
        // Nobody else sets it.
        let _ = program.set(handle);
        let mut kept = Kept::default();
        tracer::follow(pid.as_raw_nonzero().get(), &mut kept).map(|status| (kept, status))
    });
    if followed.is_err() {
        // Where it is over already there is nothing to kill or to wait for.
        let _ = child.kill();
        let _ = child.wait();
    }
    followed
}

fn not_started(error: &io::Error) -> String {
    match error.raw_os_error() {
        Some(number @ REFUSED..) => {
            let error = io::Error::from_raw_os_error(number - REFUSED);
            let why = "a seccomp filter, kernel.yama.ptrace_scope = 3 or the sandbox forbids it";
            format!("ptrace(PTRACE_TRACEME): {error}; {why}")
        }
        _ => format!("it could not be started: {error}"),
    }
}

/// Takes what the program writes until its tracer is done; kills it where it must not go on, and says why.
fn watch(
    mut output: PipeReader,
    over: &PipeReader,
    program: &OnceLock<OwnedFd>,
    limit: Duration,
    stop: &dyn Fn() -> bool,
) -> (Vec<u8>, Option<String>) {
    // Not std's clock, which panics where clock_gettime is forbidden. Without any, turns are counted.
    let clock = Witness::kernel().map(|kernel| (kernel, kernel.stamp()));
    let (mut turns, mut killed) = (0, None);
    let (mut taken, mut buffer, mut is_open) = (Vec::new(), vec![0; 1 << 16], true);
    loop {
        let mut waited = [PollFd::new(over, PollFlags::IN), PollFd::new(&output, PollFlags::IN)];
        // A pipe that is at its end is ready all the time.
        let waited = if is_open { &mut waited[..] } else { &mut waited[..1] };
        let _ = poll(waited, Some(&Timespec { tv_sec: 0, tv_nsec: TURN_NS }));
        // Looked at before the output is taken, so that what was written before the end is.
        let is_over = waited.first().is_some_and(|over| !over.revents().is_empty());
        loop {
            match output.read(&mut buffer) {
                Ok(0) => is_open = false,
                Ok(count) if taken.len() + count <= MOST_OUTPUT => {
                    taken.extend_from_slice(&buffer[..count]);
                    continue;
                }
                Ok(_) => killed = killed.or_else(|| Some("it wrote more than 8 MiB and was killed".into())),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => is_open &= error.kind() == io::ErrorKind::WouldBlock,
            }
            break;
        }
        if is_over {
            return (taken, killed);
        }
        let passed = clock.map_or(turns * TURN_NS, |(kernel, start)| kernel.stamp().since(start));
        turns += 1;
        if killed.is_none() && Duration::from_nanos(passed.unsigned_abs()) >= limit {
            killed = Some(format!("it did not end within {limit:?} and was killed"));
        }
        if killed.is_none() && stop() {
            killed = Some("the run was stopped".into());
        }
        if let (Some(_), Some(program)) = (&killed, program.get()) {
            // It may be over in the meantime; another process never has this handle.
            let _ = pidfd_send_signal(program, Signal::KILL);
        }
    }
}
