//! The guard: a second process that puts the clocksource back where the first one can't any more (SIGKILL, a second
//! Ctrl-C, a crash).
//!
//! It is this program again, waiting on a pipe whose other end only the measuring process holds. The pipe's end says
//! that that one is gone, whatever ended it; a byte before it says that all is well. The guard has a session of its
//! own, so that neither Ctrl-C nor a signal to the group reaches it, ignores what a service manager sends before it
//! kills, and holds none of the caller's outputs open.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write, stdin, stdout};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use clockscope_engine::sweep::{Restored, Sysfs, restore};

use crate::failure::Failure;

/// The first argument of the guard. It is no subcommand: nobody is to find it in the help or in completions.
const COMMAND: &str = "guard-clocksource";

/// What it writes when it is ready, and what it reads when it may go.
const READY: &[u8] = b"r";
const DONE: &[u8] = b"d";

/// The guard as the measuring process sees it. Dropped without [`Guard::dismiss`], as by a panic, it restores.
#[derive(Debug)]
pub struct Guard {
    child: Child,
    _lock: File,
}

impl Guard {
    /// Starts the guard and waits until it is ready. It will write `before` to the clocksource in `folder`, an
    /// absolute path. `lock` stays locked until both processes are done.
    pub fn start(folder: &Path, before: &str, lock: File) -> io::Result<Self> {
        // Not by its path: that may since lead to another program, or to none.
        let mut command = Command::new("/proc/self/exe");
        command
            .arg0("clockscope")
            .arg(COMMAND)
            .args([folder.as_os_str(), before.as_ref()])
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // Open for reading only: what would be written there is lost.
            .stderr(lock.try_clone()?);
        // SAFETY: between fork and exec only async-signal-safe functions may be called; `leave_group` calls setsid
        // and signal, which are, and allocates nothing.
        unsafe { command.pre_exec(leave_group) };
        let mut guard = Self { child: command.spawn()?, _lock: lock };
        let mut answer = [0];
        let ready = guard.child.stdout.take().map(|mut pipe| pipe.read_exact(&mut answer));
        match ready {
            Some(Ok(())) if answer == READY => Ok(guard),
            _ => Err(io::Error::other("the guard process ended at once")),
        }
    }

    /// Sends the guard away: the clocksource is as it was, or nobody can help it.
    pub fn dismiss(mut self) {
        if let Some(mut pipe) = self.child.stdin.take() {
            // Where the guard is gone already there is nobody to hear it.
            let _ = pipe.write_all(DONE);
        }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

/// In the child before it becomes the guard: out of the caller's session, deaf to what asks the caller to end.
#[expect(clippy::unnecessary_wraps, reason = "`pre_exec` wants a result")]
fn leave_group() -> io::Result<()> {
    // SAFETY: neither call touches memory of this process. A forked child leads no group, so that setsid succeeds;
    // an ignored signal stays ignored in the program that is then executed.
    unsafe {
        libc::setsid();
        for number in [libc::SIGINT, libc::SIGQUIT, libc::SIGTERM, libc::SIGHUP, libc::SIGTSTP] {
            libc::signal(number, libc::SIG_IGN);
        }
    }
    Ok(())
}

/// The folder and the clocksource that this process is to guard, if it was started as the guard.
pub fn duty(arguments: impl IntoIterator<Item = OsString>) -> Option<(PathBuf, String)> {
    let words: Vec<OsString> = arguments.into_iter().skip(1).collect();
    let [first, folder, before] = words.as_slice() else { return None };
    (first == COMMAND).then(|| (folder.into(), before.to_string_lossy().into_owned()))
}

/// The guard's own life.
///
/// # Errors
/// Why the clocksource could not be put back; as the guard's standard error leads nowhere, the exit code alone tells.
pub fn serve(folder: &Path, before: &str) -> Result<(), Failure> {
    let ready = stdout().write_all(READY).and_then(|()| stdout().flush());
    if ready.is_ok() && is_dismissed() {
        return Ok(());
    }
    match restore(&Sysfs::new(folder), before) {
        Restored::AsBefore | Restored::LeftToKernel => Ok(()),
        Restored::Failed(why) => Err(Failure::Machine(why)),
    }
}

/// Waits for the word that all is well (true) or for the pipe's end.
fn is_dismissed() -> bool {
    let mut byte = [0];
    stdin().read_exact(&mut byte).is_ok() && byte == DONE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_guards_own_arguments_make_a_guard() {
        let duty = |line: &str| duty(line.split(' ').map(OsString::from));
        let guard = duty("clockscope guard-clocksource /a tsc");
        assert_eq!(guard, Some((PathBuf::from("/a"), "tsc".to_owned())));
        for line in ["clockscope", "clockscope guard-clocksource /a", "clockscope sweep /a tsc"] {
            assert_eq!(duty(line), None, "{line}");
        }
    }
}
