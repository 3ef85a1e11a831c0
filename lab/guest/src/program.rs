//! clockscope, the guest's only work.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result};
use lab_guest::notes::Ended;
use lab_guest::plan::{Deny, Guest, PROGRAM};

use crate::filter;

/// Where it writes its record.
const RECORD: &str = "/record.json";
/// Where it writes what its second run gives.
const THEN: &str = "/then.json";
/// Where it writes its trace, if it is to write one.
const TRACE: &str = "/trace";

/// What it wrote.
#[derive(Default)]
pub(crate) struct Written {
    pub(crate) record: Option<Vec<u8>>,
    pub(crate) then: Option<Vec<u8>>,
    pub(crate) trace: Option<Vec<u8>>,
}

/// The program under way.
pub(crate) struct Running(Child);

/// Starts it with the scenario's arguments beside those that name its files.
pub(crate) fn start(guest: &Guest, environment: &BTreeMap<String, String>) -> Result<Running> {
    let mut arguments: Vec<&str> = guest.program.iter().flatten().map(String::as_str).collect();
    if guest.replay {
        arguments.extend(["--trace", TRACE]);
    }
    arguments.extend(guest.runtimes.iter().map(String::as_str));
    started(&arguments, RECORD, guest, environment)
}

/// Starts its second run, if there is to be one.
pub(crate) fn start_again(guest: &Guest, environment: &BTreeMap<String, String>) -> Result<Option<Running>> {
    let arguments = guest.then.as_ref().map(|then| then.iter().map(String::as_str).collect::<Vec<_>>());
    arguments.map(|arguments| started(&arguments, THEN, guest, environment)).transpose()
}

fn started(arguments: &[&str], to: &str, guest: &Guest, environment: &BTreeMap<String, String>) -> Result<Running> {
    let mut command = Command::new(PROGRAM);
    command.args(arguments).args(["--format", "json", "--no-progress", "--output", to]).envs(environment);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    if let Some(Deny::ClockGettime) = guest.deny {
        // SAFETY: what runs between fork and exec makes system calls only and allocates nothing.
        unsafe { command.pre_exec(filter::deny_clock_gettime) };
    }
    Ok(Running(command.spawn().with_context(|| format!("can't start {PROGRAM}"))?))
}

impl Running {
    /// Waits for its end, and takes what it wrote.
    pub(crate) fn end(self) -> Result<(Ended, Written)> {
        let output = self.0.wait_with_output().context("can't wait for the program")?;
        let ended = Ended {
            code: output.status.code(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        };
        Ok((ended, Written { record: fs::read(RECORD).ok(), then: fs::read(THEN).ok(), trace: fs::read(TRACE).ok() }))
    }
}
