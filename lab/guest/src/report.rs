//! The disk that frames go to.

use std::fs::{File, OpenOptions};
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use lab_guest::frame::Writer;

/// The kernel makes the disk's node as its driver is loaded.
const LONGEST: Duration = Duration::from_secs(10);

/// Opens the disk as soon as it is there.
pub(crate) fn open(path: &str) -> Result<Writer<File>> {
    let start = Instant::now();
    while !Path::new(path).exists() && start.elapsed() < LONGEST {
        sleep(Duration::from_millis(10));
    }
    let disk = OpenOptions::new().read(true).write(true).open(path);
    Ok(Writer::new(disk.with_context(|| format!("can't open the disk {path}"))?))
}
