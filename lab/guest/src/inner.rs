//! A guest inside this guest.

use std::fs;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use lab_guest::plan::Inner;

use crate::report::Channel;

/// Runs it and passes on what it wrote.
pub(crate) fn run(inner: &Inner, channel: &mut Channel) -> Result<()> {
    let [program, arguments @ ..] = &inner.command[..] else { bail!("no emulator is named") };
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null());
    let mut child = command.spawn().with_context(|| format!("can't start {program}"))?;
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().context("can't wait for the emulator")? {
            break Some(status);
        }
        if start.elapsed().as_secs_f64() > inner.limit_s {
            let _ = child.kill();
            let _ = child.wait();
            break None;
        }
        sleep(Duration::from_millis(50));
    };
    let console = fs::read(&inner.console).unwrap_or_default();
    println!("lab: the inner guest's console:\n{}\nlab: its end", String::from_utf8_lossy(&console));
    let Some(status) = status else { bail!("the inner guest did not end within {} s", inner.limit_s) };
    let frames = fs::read(&inner.channel).unwrap_or_default();
    channel.pass_on(&frames)?;
    if !status.success() {
        bail!("the inner emulator ended with {status}");
    }
    Ok(())
}
