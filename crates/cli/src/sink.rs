//! Where results go, and what happens when that fails: nothing that was measured is lost.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Write, stdout};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use tempfile::{NamedTempFile, TempPath};

use crate::failure::{Failure, reason};
use crate::opened::stdout_is_open;

/// Why there is no standard output.
pub const CLOSED: &str = "can't write to standard output: it is closed; open it, or take --output FILE";

/// Names tried for a file beside the target.
const ATTEMPTS: u32 = 64;

/// A place for a result. It is opened before measuring, so that a wrong path is known at once.
pub struct Sink {
    out: Out,
    /// `None`: standard output.
    path: Option<PathBuf>,
    error: Option<io::Error>,
}

enum Out {
    /// Standard output, a device, a pipe, or a file that is written in place.
    Direct(Box<dyn Write>),
    /// Written beside its target and renamed over it when whole, so that an old result outlives a full disk.
    Staged(NamedTempFile),
}

impl Sink {
    /// A place for a result that is written whole: standard output for `None` and `-`, else the file. It is written in
    /// place where it is none of the usual kind, or where its folder takes no new one.
    ///
    /// # Errors
    /// [`Failure::Usage`] for a path that can't exist, [`Failure::Machine`] where the system refuses.
    pub fn whole(path: Option<&Path>) -> Result<Self, Failure> {
        let Some(path) = path.filter(|path| path.as_os_str() != "-") else { return Self::in_pieces(None) };
        let refused = |error| Failure::create(path, &error);
        let (target, staged) = match fs::metadata(path) {
            Ok(old) if old.is_file() => {
                // Through links to the file itself: a rename would replace the link.
                let target = fs::canonicalize(path).map_err(refused)?;
                let Ok(staged) = stage_as(&target, &old.permissions()) else { return Self::in_pieces(Some(path)) };
                (target, staged)
            }
            Ok(_) => return Self::in_pieces(Some(path)),
            Err(_) => (path.to_owned(), stage(path).map_err(refused)?),
        };
        Ok(Self { out: Out::Staged(staged), path: Some(target), error: None })
    }

    /// As [`Sink::whole`] for a result that comes piece by piece, in place: each piece is flushed, so that a killed run
    /// loses nothing.
    pub fn in_pieces(path: Option<&Path>) -> Result<Self, Failure> {
        let path = path.filter(|path| path.as_os_str() != "-");
        let out: Box<dyn Write> = match path {
            None if !stdout_is_open() => return Err(Failure::Machine(CLOSED.into())),
            None => Box::new(stdout()),
            Some(path) => Box::new(File::create(path).map_err(|error| Failure::create(path, &error))?),
        };
        Ok(Self { out: Out::Direct(out), path: path.map(Path::to_owned), error: None })
    }

    /// Writes and flushes; after the first refusal it does nothing more.
    pub fn put(&mut self, text: &str) {
        if self.error.is_none() {
            let out: &mut dyn Write = match &mut self.out {
                Out::Direct(out) => out,
                Out::Staged(file) => file,
            };
            self.error = out.write_all(text.as_bytes()).and_then(|()| out.flush()).err();
        }
    }

    /// Whether nobody takes what is written any more.
    pub fn is_closed(&self) -> bool {
        self.error.is_some()
    }

    /// Whether this goes to standard output.
    pub fn is_stdout(&self) -> bool {
        self.path.is_none()
    }

    /// Writes all of a result and ends, as [`Sink::finish`].
    pub fn finish_with(mut self, text: &str) -> Result<(), Failure> {
        self.put(text);
        self.finish(|| Some(text.to_owned()))
    }

    /// Ends the result. Where a file refused it, `again` makes the whole text for standard output.
    ///
    /// # Errors
    /// [`Failure::Machine`] where something could not be written. A reader that has closed its end of standard
    /// output has all that it wants: no error.
    pub fn finish(self, again: impl FnOnce() -> Option<String>) -> Result<(), Failure> {
        let Self { out, path, error } = self;
        let error = match (error, out, &path) {
            (None, Out::Staged(file), Some(path)) => file.persist(path).err().map(|error| error.error),
            (error, ..) => error,
        };
        let Some(error) = error.filter(|error| error.kind() != io::ErrorKind::BrokenPipe) else { return Ok(()) };
        let place = path.as_ref().map_or("to standard output".into(), |path| path.display().to_string());
        let why = format!("can't write {place}: {}", reason(&error));
        match path.and_then(|_| again()) {
            Some(text) => {
                Self::in_pieces(None)?.finish_with(&text)?;
                Err(Failure::Machine(why + "; the result went to standard output instead"))
            }
            None => Err(Failure::Machine(why)),
        }
    }
}

/// A new file beside `target`, of the usual mode; the umask takes from it what it takes. It is gone unless it is persisted.
///
/// # Errors
/// What the folder refuses.
pub fn stage(target: &Path) -> io::Result<NamedTempFile> {
    stage_as(target, &Permissions::from_mode(0o666))
}

/// A new file beside `target`.
fn stage_as(target: &Path, mode: &Permissions) -> io::Result<NamedTempFile> {
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or_else(|| Path::new("."));
    // Named by hand: tempfile draws random names, for which it asks `std::time::Instant`, which panics where the
    // system's clocks are forbidden.
    let mut taken = io::Error::from(io::ErrorKind::AlreadyExists);
    for attempt in 0..ATTEMPTS {
        let path = folder.join(format!(".clockscope-{}-{attempt}", std::process::id()));
        match OpenOptions::new().write(true).create_new(true).mode(mode.mode()).open(&path) {
            Ok(file) => return Ok(NamedTempFile::from_parts(file, TempPath::try_from_path(path)?)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => taken = error,
            Err(error) => return Err(error),
        }
    }
    Err(taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finished_result_replaces_the_old_one_whole_and_keeps_its_mode_and_links() {
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("a"), folder.path().join("b"));
        fs::write(&path, "a much longer old result").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        drop(Sink::whole(Some(&path)).unwrap());
        assert_eq!(fs::read_to_string(&path).unwrap(), "a much longer old result", "unfinished");
        for (place, text) in [(&path, "new"), (&link, "newer")] {
            Sink::whole(Some(place)).unwrap().finish_with(text).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "nothing is left beside them");
    }

    #[test]
    fn a_folder_that_does_not_exist_is_wrong_usage() {
        let folder = tempfile::tempdir().unwrap();
        for wrong in [&folder.path().join("no/such/place"), folder.path()] {
            assert_eq!(Sink::whole(Some(wrong)).err().map(|failure| failure.exit_code()), Some(2));
        }
    }

    #[test]
    fn a_full_disk_is_named_and_ends_a_stream() {
        let mut sink = Sink::in_pieces(Some(Path::new("/dev/full"))).unwrap();
        sink.put("lost");
        assert!(sink.is_closed());
        let failure = sink.finish(|| None).unwrap_err();
        assert_eq!(failure.exit_code(), 3);
        assert_eq!(failure.to_string(), "can't write /dev/full: no space left on device");
    }
}
