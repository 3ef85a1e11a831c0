//! The kernel's switch between clocksources, and the files that are it.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

/// Where Linux has its clocksources.
pub const FOLDER: &str = "/sys/devices/system/clocksource/clocksource0";

/// The most that is read of a file, bytes: a page is all that sysfs ever gives.
const LIMIT: u64 = 4096;

/// Why the kernel's clocksource could not be read or changed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file could not be read.
    #[error("can't read {}: {error}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        error: io::Error,
    },
    /// What it holds, or was to hold, does not do.
    #[error("{0}")]
    Refused(String),
    /// No survey could be made under the clocksource that was there.
    #[error(transparent)]
    Survey(#[from] crate::session::Error),
}

/// What the kernel can be asked about its clocksource, and asked for. Errors are of its files alone.
pub trait Kernel {
    /// The clocksources on offer, in the kernel's order.
    fn available(&self) -> Result<Vec<String>, Error>;

    /// The one in use.
    fn current(&self) -> Result<String, Error>;

    /// Asks for `name`. That it was written does not say that the kernel took it: it ignores without an error what
    /// it does not know or holds for unstable (`sysfs_override_clocksource` in kernel/time/clocksource.c). An empty
    /// name leaves the choice to the kernel.
    fn ask_for(&self, name: &str) -> Result<(), Error>;
}

/// The kernel's files, or a folder of files that stands for them in tests.
#[derive(Debug, Clone)]
pub struct Sysfs {
    folder: PathBuf,
}

impl Sysfs {
    /// The files in `folder`, [`FOLDER`] in real use.
    pub fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned() }
    }

    /// The file to write to.
    pub fn current_path(&self) -> PathBuf {
        self.folder.join("current_clocksource")
    }

    /// Whether this process may change the clocksource. Nothing is written.
    pub fn check_writable(&self) -> io::Result<()> {
        OpenOptions::new().write(true).open(self.current_path()).map(drop)
    }

    /// Takes a lock that one process at a time can have; `None`: another one has it. It lasts as long as the file,
    /// and any copy of it that another process inherited, is open. A second sweep would take the clocksource that
    /// the first one is measuring for the one to go back to.
    pub fn lock(&self) -> io::Result<Option<File>> {
        let file = File::open(self.current_path())?;
        // SAFETY: the descriptor is open for as long as `file`, which outlives the call; flock touches no memory.
        let status = unsafe { libc::flock(file.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) };
        match io::Error::last_os_error() {
            _ if status == 0 => Ok(Some(file)),
            error if error.kind() == ErrorKind::WouldBlock => Ok(None),
            error => Err(error),
        }
    }

    fn read(&self, name: &str) -> Result<String, Error> {
        let path = self.folder.join(name);
        let mut bytes = Vec::new();
        match File::open(&path).and_then(|file| file.take(LIMIT).read_to_end(&mut bytes)) {
            Err(error) => Err(Error::Read { path, error }),
            Ok(_) => match String::from_utf8_lossy(&bytes).trim() {
                "" => Err(Error::Refused(format!("{} is empty", path.display()))),
                text => Ok(text.to_owned()),
            },
        }
    }
}

impl Kernel for Sysfs {
    fn available(&self) -> Result<Vec<String>, Error> {
        let text = self.read("available_clocksource")?;
        Ok(text.split_ascii_whitespace().map(str::to_owned).collect())
    }

    fn current(&self) -> Result<String, Error> {
        self.read("current_clocksource")
    }

    fn ask_for(&self, name: &str) -> Result<(), Error> {
        let path = self.current_path();
        let line = format!("{name}\n");
        // In one piece: the kernel takes each write for a whole name.
        let written =
            OpenOptions::new().write(true).truncate(true).open(&path).and_then(|mut file| file.write(line.as_bytes()));
        let error = match written {
            Ok(bytes) if bytes == line.len() => return Ok(()),
            Ok(_) => ErrorKind::WriteZero.into(),
            Err(error) => error,
        };
        Err(Error::Refused(format!("can't write '{name}' to {}: {error}", path.display())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(available: &str, current: &str) -> (tempfile::TempDir, Sysfs) {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("available_clocksource"), available).unwrap();
        std::fs::write(folder.path().join("current_clocksource"), current).unwrap();
        let sysfs = Sysfs::new(folder.path());
        (folder, sysfs)
    }

    #[test]
    fn names_are_read_as_the_kernel_writes_them() {
        let (_folder, sysfs) = files("tsc kvm-clock \n", "kvm-clock-of-old\n");
        assert_eq!(sysfs.available().unwrap(), ["tsc", "kvm-clock"]);
        sysfs.check_writable().unwrap();
        assert_eq!(sysfs.current().unwrap(), "kvm-clock-of-old", "the check changes nothing");
        sysfs.ask_for("tsc").unwrap();
        assert_eq!(sysfs.current().unwrap(), "tsc");
    }

    #[test]
    fn what_is_not_there_is_named_with_its_place() {
        let folder = tempfile::tempdir().unwrap();
        let sysfs = Sysfs::new(&folder.path().join("none"));
        let error = sysfs.current().unwrap_err().to_string();
        assert!(error.starts_with("can't read ") && error.contains("none/current_clocksource"), "{error}");
        assert!(sysfs.ask_for("tsc").is_err());
        assert!(!sysfs.current_path().exists(), "nothing is created");
        let (_folder, sysfs) = files(" \n", "");
        assert!(sysfs.available().unwrap_err().to_string().ends_with("available_clocksource is empty"));
    }

    #[test]
    fn one_sweep_at_a_time() {
        let (_folder, sysfs) = files("tsc", "tsc");
        let held = sysfs.lock().unwrap();
        assert!(held.is_some());
        assert!(sysfs.lock().unwrap().is_none());
        drop(held);
        assert!(sysfs.lock().unwrap().is_some());
    }
}
