//! The folder under which the machine's files are looked up.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::PathBuf;

const LIMIT: u64 = 1 << 20;

/// The folder under which `/proc`, `/sys` and the like are looked up: `/` in real use, a made-up tree in tests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root(pub PathBuf);

impl Default for Root {
    fn default() -> Self {
        Self(PathBuf::from("/"))
    }
}

impl Root {
    /// Where an absolute path lies under this root. `..` is not followed: nothing outside is ever read.
    pub(super) fn path(&self, absolute: &str) -> PathBuf {
        let inside = absolute.split('/').filter(|name| !matches!(*name, "" | "." | ".."));
        inside.fold(self.0.clone(), |path, name| path.join(name))
    }

    pub(super) fn has(&self, absolute: &str) -> bool {
        self.path(absolute).exists()
    }

    /// A file's text, at most 1 MiB of it; what is not UTF-8 is replaced. `Err` says why it could not be read,
    /// naming the path as it is on the machine.
    pub(super) fn text(&self, absolute: &str) -> Result<String, String> {
        self.text_up_to(absolute, LIMIT)
    }

    /// As [`Self::text`], reading `limit` bytes at most. A line that the limit cuts is left out.
    pub(super) fn text_up_to(&self, absolute: &str, limit: u64) -> Result<String, String> {
        let path = self.path(absolute);
        let why = |error: &std::io::Error| match error.kind() {
            ErrorKind::NotFound => format!("{absolute} is not there"),
            ErrorKind::PermissionDenied => format!("{absolute}: permission denied"),
            _ => format!("{absolute}: {error}"),
        };
        // Opening a pipe would wait for its other end.
        if !path.metadata().map_err(|e| why(&e))?.is_file() {
            return Err(format!("{absolute} is not a file"));
        }
        let mut bytes = Vec::new();
        File::open(&path).and_then(|file| file.take(limit).read_to_end(&mut bytes)).map_err(|e| why(&e))?;
        if bytes.len() as u64 == limit {
            let whole = bytes.iter().rposition(|&b| b == b'\n').unwrap_or(0);
            bytes.truncate(whole);
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The names in a folder; none where it can't be read.
    pub(super) fn names(&self, absolute: &str) -> Vec<String> {
        let entries = std::fs::read_dir(self.path(absolute)).into_iter().flatten().flatten();
        entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
    }

    /// A file's text without the white space around it; a file with nothing in it is an error.
    pub(super) fn word(&self, absolute: &str) -> Result<String, String> {
        let text = self.text(absolute)?;
        let word = text.trim();
        if word.is_empty() { Err(format!("{absolute} is empty")) } else { Ok(word.to_owned()) }
    }
}

/// A made-up root folder for tests, gone when the first of the two is.
#[cfg(test)]
pub(super) fn tree<N: AsRef<str>, C: AsRef<[u8]>>(files: &[(N, C)]) -> (tempfile::TempDir, Root) {
    let dir = tempfile::tempdir().unwrap();
    let root = Root(dir.path().to_owned());
    for (name, content) in files {
        let path = root.path(name.as_ref());
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
    (dir, root)
}

/// The words of a text, for tests.
#[cfg(test)]
pub(super) fn words(text: &str) -> Vec<String> {
    text.split_ascii_whitespace().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_name_the_machines_path() {
        let mut huge = b"whole\n".to_vec();
        huge.resize(3 << 20, b'x');
        let (_dir, root) = tree(&[("/empty", &b" \n"[..]), ("/huge", &huge), ("/bad", b"\xff\xfe1\n")]);
        for (path, expected) in [
            ("/nothing", Err("/nothing is not there")),
            ("/empty", Err("/empty is empty")),
            ("/", Err("/ is not a file")),
            ("/huge", Ok("whole")),
            ("/bad", Ok("\u{fffd}\u{fffd}1")),
        ] {
            assert_eq!(root.word(path).as_deref().map_err(String::as_str), expected);
        }
        assert_eq!(root.text_up_to("/huge", 3).unwrap(), "", "cut at a line");
    }

    #[test]
    fn no_way_out_of_the_root() {
        let root = Root(PathBuf::from("/made/up"));
        assert_eq!(root.path("/../../etc/passwd"), PathBuf::from("/made/up/etc/passwd"));
    }
}
