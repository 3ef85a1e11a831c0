//! A guest inside this guest.

use std::fs::File;
use std::io::{Read, Write, stdout};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use lab_guest::frame::{DISK_BYTES, Reader, Writer};
use lab_guest::plan::Inner;

/// Runs it and passes on what it writes, as it writes it.
pub(crate) fn run(inner: &Inner, frames: &mut Writer<File>) -> Result<()> {
    let [program, arguments @ ..] = &inner.command[..] else { bail!("no emulator is named") };
    let (mut console, mut disk) = (empty(&inner.console, 0)?, empty(&inner.disk, DISK_BYTES)?);
    let mut reader = Reader::default();
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null());
    let mut child = command.spawn().with_context(|| format!("can't start {program}"))?;
    let start = Instant::now();
    loop {
        let status = child.try_wait().context("can't wait for the emulator")?;
        let mut said = Vec::new();
        console.read_to_end(&mut said).with_context(|| format!("can't read {}", inner.console))?;
        stdout().write_all(&said).and_then(|()| stdout().flush())?;
        for frame in reader.more(&mut disk).with_context(|| format!("can't read {}", inner.disk))? {
            frames.send(&frame.name, &frame.bytes).context("can't pass a frame on")?;
        }
        match status {
            Some(status) if status.success() => return Ok(reader.finish(&mut disk)?),
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

/// A new file of zeros, open for reading.
fn empty(path: &str, length: u64) -> Result<File> {
    let make = || {
        File::create(path)?.set_len(length)?;
        File::open(path)
    };
    make().with_context(|| format!("can't make {path}"))
}
