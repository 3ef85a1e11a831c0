//! A program that is run for a while: its output as it comes, and its end, by a limit if need be.

use std::io::{self, Read};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::process::{Pid, Signal, kill_process_group};

use crate::measure::Witness;

/// How long to wait for output before the limit and the wish to stop are looked at again, ns.
const TURN_NS: i64 = 20_000_000;
/// How much of standard error is kept, bytes: the last.
const KEPT: usize = 4096;

/// Why a program did not end well.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum Failed {
    /// The system did not start it, or took its output away.
    #[error("{0}")]
    System(String),
    /// It took too long, and was killed with all that it had started.
    #[error("it did not end within {0:?} and was killed")]
    TookTooLong(Duration),
    /// Somebody stopped the run.
    #[error("the run was stopped")]
    Stopped,
    /// It ended with an error; its last words.
    #[error("it ended with {0}")]
    Ended(String),
}

/// Runs it with nothing on its standard input; `took` is handed its standard output as it comes, and returns whether to go
/// on. What it wrote to standard error comes back.
pub(super) fn run(
    command: &mut Command,
    limit: Duration,
    stop: &dyn Fn() -> bool,
    took: &mut dyn FnMut(&[u8]) -> bool,
) -> Result<String, Failed> {
    let system = |error: io::Error| Failed::System(error.to_string());
    // A group of its own, so that what it starts ends with it.
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let mut running = Running(command.spawn().map_err(system)?);
    let mut said = Vec::new();
    let (Some(mut out), Some(mut err)) = (running.0.stdout.take(), running.0.stderr.take()) else {
        return Err(Failed::System("it has no output".into()));
    };
    for pipe in [out.as_fd(), err.as_fd()] {
        let flags = fcntl_getfl(pipe).map_err(|error| system(error.into()))?;
        fcntl_setfl(pipe, flags | OFlags::NONBLOCK).map_err(|error| system(error.into()))?;
    }
    // Not std's clock, which panics where clock_gettime is forbidden. Without any, turns are counted.
    let clock = Witness::kernel().map(|kernel| (kernel, kernel.stamp()));
    let mut turns = 0;
    let mut buffer = vec![0; 1 << 16];
    let mut open = [true; 2];
    // Also after it has closed its output, which some do and go on.
    let status = loop {
        if open == [false; 2]
            && let Some(status) = running.0.try_wait().map_err(system)?
        {
            break status;
        }
        let passed = clock.map_or(turns * TURN_NS, |(kernel, start)| kernel.stamp().since(start));
        turns += 1;
        if Duration::from_nanos(passed.unsigned_abs()) >= limit {
            return Err(Failed::TookTooLong(limit));
        }
        if stop() {
            return Err(Failed::Stopped);
        }
        let mut pipes = [PollFd::new(&out, PollFlags::IN), PollFd::new(&err, PollFlags::IN)];
        // A pipe that is at its end is ready all the time.
        let waited: &mut [PollFd<'_>] = match open {
            [true, false] => &mut pipes[..1],
            [false, true] => &mut pipes[1..],
            [false, false] => &mut [],
            [true, true] => &mut pipes,
        };
        let turn = if waited.is_empty() { TURN_NS / 20 } else { TURN_NS };
        let _ = poll(waited, Some(&Timespec { tv_sec: 0, tv_nsec: turn }));
        if open[0] {
            open[0] = match out.read(&mut buffer) {
                Ok(0) => false,
                Ok(count) if !took(&buffer[..count]) => return Err(Failed::System("its output makes no sense".into())),
                Ok(_) => true,
                Err(error) => is_to_come(&error),
            };
        }
        if open[1] {
            open[1] = match err.read(&mut buffer) {
                Ok(0) => false,
                Ok(count) => {
                    said.extend_from_slice(&buffer[..count]);
                    said.drain(..said.len().saturating_sub(KEPT));
                    true
                }
                Err(error) => is_to_come(&error),
            };
        }
    };
    let said = String::from_utf8_lossy(&said).into_owned();
    if status.success() { Ok(said) } else { Err(Failed::Ended(last_words(&status.to_string(), &said))) }
}

fn is_to_come(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}

/// How it ended, and the last line that it wrote.
fn last_words(status: &str, said: &str) -> String {
    let line = said.lines().rev().map(str::trim).find(|line| !line.is_empty());
    line.map_or_else(|| status.to_owned(), |line| format!("{status}: {}", line.chars().take(200).collect::<String>()))
}

/// Killed with its group when it is no longer wanted.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(group) = i32::try_from(self.0.id()).ok().and_then(Pid::from_raw) {
            // The group may be gone, and the process reaped.
            let _ = kill_process_group(group, Signal::KILL);
        }
        let _ = self.0.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, limit: Duration) -> (Result<String, Failed>, Vec<u8>) {
        let mut out = Vec::new();
        let mut take = |bytes: &[u8]| {
            out.extend_from_slice(bytes);
            true
        };
        let ended = run(Command::new("sh").args(["-c", script]), limit, &|| false, &mut take);
        (ended, out)
    }

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn output_comes_whole_and_the_end_is_told() {
        let (ended, out) = shell("seq 1 100000; echo so >&2", LONG);
        assert_eq!((ended, out.len()), (Ok("so\n".into()), 588_895));
        let (ended, out) = shell("echo 1; echo alas >&2; exit 7", LONG);
        assert_eq!((ended, &out[..]), (Err(Failed::Ended("exit status: 7: alas".into())), &b"1\n"[..]));
    }

    #[test]
    fn what_hangs_is_killed_with_what_it_started() {
        let limit = Duration::from_millis(300);
        let (ended, out) = shell("echo 1; sleep 1000 & sleep 1000", limit);
        assert_eq!((ended, &out[..]), (Err(Failed::TookTooLong(limit)), &b"1\n"[..]));
        // Though it says that it is done with its output.
        let (ended, out) = shell("echo 1; exec >&- 2>&-; sleep 1000", limit);
        assert_eq!((ended, &out[..]), (Err(Failed::TookTooLong(limit)), &b"1\n"[..]));
    }

    #[test]
    fn what_is_not_there_says_so_and_what_is_stopped_ends() {
        let missing = run(&mut Command::new("/nowhere/at all"), LONG, &|| false, &mut |_| true);
        assert!(matches!(missing, Err(Failed::System(why)) if why.contains("No such file")));
        let stopped = run(Command::new("sleep").arg("1000"), LONG, &|| true, &mut |_| true);
        assert_eq!(stopped, Err(Failed::Stopped));
    }
}
