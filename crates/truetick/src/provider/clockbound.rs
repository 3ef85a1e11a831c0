//! clock-bound's shared memory.

use std::{fs::File, io, path::Path};

use super::{
    Provider, VmClock,
    clockbound_page::{LEN, Said},
};
use crate::{
    os,
    wall::{Accuracy, Unbounded},
};

/// Where the daemon of version 2 writes, and that of version 1.
const PATHS: [&str; 2] = ["/var/run/clockbound/shm0", "/var/run/clockbound/shm"];
/// So often at most the daemon's memory is read until it is found whole.
const TRIES: usize = 10;

/// The word of AWS's clock-bound daemon (versions 1 and 2 of its shared memory): a bound on `CLOCK_REALTIME`'s error that
/// follows chrony's own and the daemon's limit on the oscillator's drift, instead of the kernel's 500 ppm.
///
/// Asking reads its 80 bytes by a system call, once in each line (2 ms) that is read with bounds. It is not mapped: a file
/// that is cut short would end the program. It knows of no leap seconds. On Unix.
#[derive(Debug)]
pub struct ClockBound {
    file: File,
    vmclock: Option<VmClock>,
}

impl ClockBound {
    /// The daemon's file, `/var/run/clockbound/shm0` or, of version 1, `/var/run/clockbound/shm`.
    ///
    /// # Errors
    /// Neither is there and may be read. What it says is not looked at: the daemon may still be starting.
    pub fn open() -> io::Result<Self> {
        let [new, old] = PATHS;
        Self::open_at(new).or_else(|first| Self::open_at(old).map_err(|_| first))
    }

    /// The daemon's file at `path`.
    ///
    /// # Errors
    /// It can't be opened.
    pub fn open_at(path: impl AsRef<Path>) -> io::Result<Self> {
        Ok(Self { file: File::open(path)?, vmclock: None })
    }

    /// With the VMClock whose disruption marker the daemon follows: from a disruption until the daemon has seen it too,
    /// there is no bound; where the daemon follows none, there is none for good. (Without, there is the old bound until the
    /// daemon says otherwise.)
    #[must_use]
    pub fn with_vmclock(self, vmclock: VmClock) -> Self {
        Self { vmclock: Some(vmclock), ..self }
    }

    /// What is there, whole: two readings that are the same.
    fn said(&self) -> Option<Said> {
        let read = || {
            let mut bytes = [0; LEN];
            let got = read_at(&self.file, &mut bytes).ok()?;
            Said::of(bytes.get(..got)?)
        };
        let mut before = read();
        for _ in 0..TRIES {
            let after = read();
            if after.is_some() && after == before {
                return after;
            }
            before = after;
        }
        None
    }
}

#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8]) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, bytes, 0)
}

#[cfg(not(unix))]
fn read_at(_: &File, _: &mut [u8]) -> io::Result<usize> {
    Err(io::ErrorKind::Unsupported.into())
}

impl Provider for ClockBound {
    fn accuracy(&self) -> Accuracy {
        let Some((said, now)) = self.said().zip(os::monotonic_ns()) else {
            return Accuracy::unbounded(Unbounded::NoAnswer);
        };
        let accuracy = said.accuracy(now);
        if self.vmclock.as_ref().is_some_and(|vmclock| said.has_missed(vmclock.markers())) {
            return Accuracy::unbounded(Unbounded::Disrupted);
        }
        accuracy
    }

    fn disruption_marker(&self) -> Option<u64> {
        self.vmclock.as_ref()?.disruption_marker()
    }
}
