//! A guest inside this guest.

use std::fs::File;
use std::io::{Read, Write, stdout};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use lab_guest::plan::Inner;

use crate::report::Channel;

/// Runs it and passes on what it writes, as it writes it.
pub(crate) fn run(inner: &Inner, channel: &mut Channel) -> Result<()> {
    let [program, arguments @ ..] = &inner.command[..] else { bail!("no emulator is named") };
    let (mut console, mut frames) = (Growing::new(&inner.console)?, Growing::new(&inner.channel)?);
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null());
    let mut child = command.spawn().with_context(|| format!("can't start {program}"))?;
    let start = Instant::now();
    loop {
        let status = child.try_wait().context("can't wait for the emulator")?;
        stdout().write_all(&console.more()?).and_then(|()| stdout().flush())?;
        channel.pass_on(&frames.more()?)?;
        match status {
            Some(status) if status.success() => return Ok(()),
            Some(status) => bail!("the inner emulator ended with {status}"),
            None => {}
        }
        if start.elapsed().as_secs_f64() > inner.limit_s {
            let _ = child.kill();
            let _ = child.wait();
            bail!("the inner guest did not end within {} s", inner.limit_s);
        }
        sleep(Duration::from_millis(50));
    }
}

/// A file that another process appends to.
struct Growing {
    path: String,
    file: File,
}

impl Growing {
    /// An empty one.
    fn new(path: &str) -> Result<Self> {
        File::create(path).with_context(|| format!("can't make {path}"))?;
        let file = File::open(path).with_context(|| format!("can't open {path}"))?;
        Ok(Self { path: path.into(), file })
    }

    /// What has come since the last time.
    fn more(&mut self) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.file.read_to_end(&mut bytes).with_context(|| format!("can't read {}", self.path))?;
        Ok(bytes)
    }
}
