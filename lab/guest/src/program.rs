//! clockscope, the guest's only work.

use std::fs;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result};
use lab_guest::notes::Ended;
use lab_guest::plan::{Deny, PROGRAM};

use crate::filter;

/// Where it writes its record.
const RECORD: &str = "/record.json";

/// The program under way.
pub(crate) struct Running(Child);

/// Starts it with these arguments beside those that name the record.
pub(crate) fn start(arguments: &[String], deny: Option<Deny>) -> Result<Running> {
    let mut command = Command::new(PROGRAM);
    command.args(arguments).args(["--format", "json", "--no-progress", "--output", RECORD]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    if let Some(Deny::ClockGettime) = deny {
        // SAFETY: what runs between fork and exec makes system calls only and allocates nothing.
        unsafe { command.pre_exec(filter::deny_clock_gettime) };
    }
    Ok(Running(command.spawn().with_context(|| format!("can't start {PROGRAM}"))?))
}

impl Running {
    /// Waits for its end, and takes its record if it wrote one.
    pub(crate) fn end(self) -> Result<(Ended, Option<Vec<u8>>)> {
        let output = self.0.wait_with_output().context("can't wait for the program")?;
        let ended = Ended {
            code: output.status.code(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        };
        Ok((ended, fs::read(RECORD).ok()))
    }
}
