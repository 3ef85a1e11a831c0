//! Where there is no such device.

use std::{io, path::Path};

/// There is none.
#[derive(Debug)]
pub(super) enum Page {}

impl Page {
    pub(super) fn open(_: &Path, _: usize) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(super) fn load(&self, _: usize) -> u64 {
        match *self {}
    }
}
