//! The guest's file system: a cpio archive that the kernel unpacks into memory.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};

const FOLDER: u32 = 0o040_755;
const FILE: u32 = 0o100_755;
const LINK: u32 = 0o120_777;

/// An archive under way.
#[derive(Default)]
pub(crate) struct Image {
    bytes: Vec<u8>,
    folders: BTreeSet<String>,
    entries: u32,
}

impl Image {
    /// Puts a file's copy in.
    pub(crate) fn copy(&mut self, file: &Path, name: &str) -> Result<()> {
        let bytes = fs::read(file).with_context(|| format!("can't read {}", file.display()))?;
        self.add(name, &bytes)
    }

    /// Puts bytes in as a file, with the folders above it.
    pub(crate) fn add(&mut self, name: &str, bytes: &[u8]) -> Result<()> {
        self.below(name, FILE, bytes)
    }

    /// Puts a symbolic link in, with the folders above it.
    pub(crate) fn link(&mut self, name: &str, target: &str) -> Result<()> {
        self.below(name, LINK, target.as_bytes())
    }

    /// Puts a folder in, with those above it.
    pub(crate) fn folder(&mut self, name: &str) -> Result<()> {
        let name = name.trim_matches('/');
        for (at, _) in name.match_indices('/').chain([(name.len(), "")]) {
            let folder = &name[..at];
            if !folder.is_empty() && self.folders.insert(folder.into()) {
                self.entry(folder, FOLDER, &[])?;
            }
        }
        Ok(())
    }

    fn below(&mut self, name: &str, mode: u32, bytes: &[u8]) -> Result<()> {
        let name = name.trim_start_matches('/');
        if let Some((folder, _)) = name.rsplit_once('/') {
            self.folder(folder)?;
        }
        self.entry(name, mode, bytes)
    }

    fn entry(&mut self, name: &str, mode: u32, bytes: &[u8]) -> Result<()> {
        self.entries += 1;
        let entry = cpio::newc::Builder::new(name).mode(mode).ino(self.entries).nlink(1);
        let length = u32::try_from(bytes.len()).with_context(|| format!("{name} is too long for cpio"))?;
        let mut writer = entry.write(&mut self.bytes, length);
        writer.write_all(bytes)?;
        writer.finish()?;
        Ok(())
    }

    /// Writes the archive.
    pub(crate) fn write(self, path: &Path) -> Result<()> {
        let bytes = cpio::newc::trailer(self.bytes)?;
        fs::write(path, bytes).with_context(|| format!("can't write {}", path.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn folders_stand_once_and_before_their_files() {
        let mut image = Image::default();
        image.add("/a/b/one", b"1").unwrap();
        image.add("a/b/two", b"22").unwrap();
        image.link("/a/c", "b/one").unwrap();
        image.folder("/a/d/").unwrap();
        let bytes = cpio::newc::trailer(image.bytes).unwrap();
        let mut seen = Vec::new();
        let mut rest = &bytes[..];
        loop {
            let mut reader = cpio::newc::Reader::new(rest).unwrap();
            if reader.entry().is_trailer() {
                break;
            }
            let mut content = String::new();
            reader.read_to_string(&mut content).unwrap();
            seen.push((reader.entry().name().to_owned(), reader.entry().mode(), content));
            rest = reader.finish().unwrap();
        }
        let expected = [
            ("a", FOLDER, ""),
            ("a/b", FOLDER, ""),
            ("a/b/one", FILE, "1"),
            ("a/b/two", FILE, "22"),
            ("a/c", LINK, "b/one"),
            ("a/d", FOLDER, ""),
        ];
        assert_eq!(seen, expected.map(|(name, mode, content)| (name.to_owned(), mode, content.to_owned())));
    }
}
