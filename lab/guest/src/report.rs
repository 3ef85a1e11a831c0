//! The serial line that frames go to.

use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Write};

use anyhow::{Context, Result};
use lab_guest::frame;
use rustix::termios::{OptionalActions, tcdrain, tcgetattr, tcsetattr};

/// The line, byte for byte.
pub(crate) struct Channel(File);

impl Channel {
    /// Opens it and makes it raw, so that a line's end stays one byte.
    pub(crate) fn open(path: &str) -> Result<Self> {
        let file = OpenOptions::new().read(true).write(true).open(path);
        let file = file.with_context(|| format!("can't open the serial line {path}"))?;
        let mut settings = tcgetattr(&file).with_context(|| format!("{path} is no serial line"))?;
        settings.make_raw();
        tcsetattr(&file, OptionalActions::Now, &settings)
            .with_context(|| format!("can't make {path} raw"))?;
        Ok(Self(file))
    }

    /// Sends a frame and waits until it is gone.
    pub(crate) fn send(&mut self, name: &str, bytes: &[u8]) -> Result<()> {
        let mut out = BufWriter::new(&self.0);
        frame::write(&mut out, name, bytes).and_then(|()| out.flush()).context("can't send a frame")?;
        drop(out);
        self.drain()
    }

    /// Passes on what another guest has framed.
    pub(crate) fn pass_on(&mut self, frames: &[u8]) -> Result<()> {
        if frames.is_empty() {
            return Ok(());
        }
        self.0.write_all(frames).context("can't pass frames on")?;
        self.drain()
    }

    fn drain(&self) -> Result<()> {
        tcdrain(&self.0).context("can't wait for the serial line")
    }
}
