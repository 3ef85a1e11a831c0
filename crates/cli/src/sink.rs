//! Where results go, and what happens when that fails: nothing that was measured is lost.

use std::cell::Cell;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Write, stdout};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use tempfile::{NamedTempFile, TempPath};

use crate::failure::{Failure, reason};

/// Names tried for a file beside the target.
const ATTEMPTS: u32 = 64;

/// A place for one whole result. It is opened before measuring, so that a wrong path is known at once.
#[derive(Debug)]
pub struct Destination(Place);

#[derive(Debug)]
enum Place {
    Stdout,
    /// A device, a pipe, or a file in a folder that takes no new one: written in place.
    Direct(PathBuf, File),
    /// Written beside its target and renamed over it when whole, so that an old result outlives a full disk.
    Staged(PathBuf, NamedTempFile),
}

impl Destination {
    /// Standard output for `None` and `-`, else the file.
    ///
    /// # Errors
    /// [`Failure::Usage`] for a path that can't exist, [`Failure::Machine`] where the system refuses.
    pub fn open(path: Option<&Path>) -> Result<Self, Failure> {
        let Some(path) = path.filter(|path| path.as_os_str() != "-") else {
            return Ok(Self(Place::Stdout));
        };
        let direct = || create(path).map(|file| Place::Direct(path.to_owned(), file));
        let refused = |error| Failure::create(path, &error);
        Ok(Self(match fs::metadata(path) {
            Ok(old) if old.is_file() => {
                // Through links to the file itself: a rename would replace the link.
                let target = fs::canonicalize(path).map_err(refused)?;
                match stage(&target, &old.permissions()) {
                    Ok(staged) => Place::Staged(target, staged),
                    Err(_) => direct()?,
                }
            }
            Ok(_) => direct()?,
            // The usual mode of a new file; the umask takes from it what it takes.
            Err(_) => {
                let staged = stage(path, &Permissions::from_mode(0o666)).map_err(refused)?;
                Place::Staged(path.to_owned(), staged)
            }
        }))
    }

    /// Writes the result. Where a file refuses it, it goes to standard output instead.
    ///
    /// # Errors
    /// [`Failure::Machine`] where something could not be written. A reader that has closed its end of standard
    /// output has all that it wants: no error.
    pub fn put(self, text: &str) -> Result<(), Failure> {
        let (path, written) = match self.0 {
            Place::Stdout => return put_stdout(text),
            Place::Direct(path, mut file) => (path, put(&mut file, text)),
            Place::Staged(path, mut staged) => {
                let written = put(&mut staged, text);
                let kept = written.and_then(|()| Ok(staged.persist(&path).map(drop)?));
                (path, kept)
            }
        };
        match written {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                put_stdout(text)?;
                Err(refused(&path, &error))
            }
            _ => Ok(()),
        }
    }
}

/// Writes and flushes.
fn put(out: &mut dyn Write, text: &str) -> io::Result<()> {
    out.write_all(text.as_bytes()).and_then(|()| out.flush())
}

/// The failure of a file that took no more, its result being on standard output.
pub fn refused(path: &Path, error: &io::Error) -> Failure {
    Failure::Machine(format!(
        "can't write {}: {}; the result went to standard output instead",
        path.display(),
        reason(error)
    ))
}

fn stage(target: &Path, mode: &Permissions) -> io::Result<NamedTempFile> {
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or_else(|| Path::new("."));
    // Named by hand: tempfile draws random names, for which it asks `std::time::Instant`, which panics where the
    // system's clocks are forbidden.
    let mut taken = io::Error::from(io::ErrorKind::AlreadyExists);
    for attempt in 0..ATTEMPTS {
        let path = folder.join(format!(".clockscope-{}-{attempt}", std::process::id()));
        match new_file(&path, mode) {
            Ok(file) => return Ok(NamedTempFile::from_parts(file, TempPath::try_from_path(path)?)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => taken = error,
            Err(error) => return Err(error),
        }
    }
    Err(taken)
}

/// Creates a file that is not there yet.
fn new_file(path: &Path, mode: &Permissions) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(mode.mode()).open(path)
}

fn create(path: &Path) -> Result<File, Failure> {
    OpenOptions::new().write(true).create(true).truncate(true).open(path).map_err(|error| Failure::create(path, &error))
}

/// Writes to standard output and flushes it.
fn put_stdout(text: &str) -> Result<(), Failure> {
    match put(&mut stdout().lock(), text) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(stdout_refused(&error)),
        _ => Ok(()),
    }
}

fn stdout_refused(error: &io::Error) -> Failure {
    Failure::Machine(format!("can't write to standard output: {}", reason(error)))
}

/// A place for a result that comes piece by piece: each is flushed, so that a killed run loses nothing.
pub struct Stream {
    out: Box<dyn Write>,
    path: Option<PathBuf>,
    closed: Rc<Cell<bool>>,
    error: Option<io::Error>,
}

impl Stream {
    /// As [`Destination::open`], but a file is written in place.
    ///
    /// # Errors
    /// The same.
    pub fn open(path: Option<&Path>) -> Result<Self, Failure> {
        let path = path.filter(|path| path.as_os_str() != "-");
        let out: Box<dyn Write> = match path {
            None => Box::new(stdout()),
            Some(path) => Box::new(create(path)?),
        };
        Ok(Self { out, path: path.map(Path::to_owned), closed: Rc::default(), error: None })
    }

    /// Writes and flushes; after the first refusal it does nothing more.
    pub fn put(&mut self, text: &[u8]) {
        if self.closed.get() {
            return;
        }
        if let Err(error) = self.out.write_all(text).and_then(|()| self.out.flush()) {
            self.closed.set(true);
            self.error = Some(error);
        }
    }

    /// Set when nobody takes what is written any more, so that there is no use in going on.
    pub fn closed(&self) -> Rc<Cell<bool>> {
        Rc::clone(&self.closed)
    }

    /// Whether this goes to standard output.
    pub fn is_stdout(&self) -> bool {
        self.path.is_none()
    }

    /// Ends the stream. Where a file refused it, `again` makes the whole text for standard output.
    ///
    /// # Errors
    /// As [`Destination::put`].
    pub fn finish(self, again: impl FnOnce() -> Option<String>) -> Result<(), Failure> {
        let Some(error) = self.error.filter(|error| error.kind() != io::ErrorKind::BrokenPipe) else {
            return Ok(());
        };
        let Some(path) = self.path else {
            return Err(stdout_refused(&error));
        };
        match again() {
            Some(text) => {
                put_stdout(&text)?;
                Err(refused(&path, &error))
            }
            None => Err(Failure::Machine(format!("can't write {}: {}", path.display(), reason(&error)))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_replaces_the_old_one_whole_and_keeps_its_mode() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("record.json");
        fs::write(&path, "a much longer old result").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
        Destination::open(Some(&path)).unwrap().put("new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside it");
    }

    #[test]
    fn an_unfinished_result_leaves_the_old_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("record.json");
        fs::write(&path, "old").unwrap();
        drop(Destination::open(Some(&path)).unwrap());
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
    }

    #[test]
    fn a_link_stays_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("a"), folder.path().join("b"));
        fs::write(&path, "old").unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        Destination::open(Some(&link)).unwrap().put("new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    }

    #[test]
    fn a_folder_that_does_not_exist_is_wrong_usage() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("no/such/place");
        assert_eq!(Destination::open(Some(&path)).unwrap_err().exit_code(), 2);
        assert_eq!(Destination::open(Some(folder.path())).unwrap_err().exit_code(), 2);
    }

    #[test]
    fn a_full_disk_is_named_and_ends_a_stream() {
        let full = Path::new("/dev/full");
        let mut stream = Stream::open(Some(full)).unwrap();
        stream.put(b"lost");
        assert!(stream.closed().get());
        let failure = stream.finish(|| None).unwrap_err();
        assert_eq!(failure.exit_code(), 3);
        assert_eq!(failure.to_string(), "can't write /dev/full: no space left on device");
    }
}
