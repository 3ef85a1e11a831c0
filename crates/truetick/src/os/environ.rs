//! Linux: the environment that the program was started with, from `/proc/self/environ`.
//!
//! System calls only, no lock, no allocation and a small buffer: the first reading may be made in a signal
//! handler, and while another thread changes the environment, which `getenv` does not survive. Where there is no
//! /proc, or the process may not look at itself there (set-user-ID), nothing counts as set.

use super::raw;
use crate::os::name::Name;

/// Bytes read at a time: little enough for a signal handler's stack.
const PIECE: usize = 1024;
/// Pieces read at most, 16 MiB: more than the kernel lets an environment be (6 MiB).
const PIECES: usize = 16 * 1024;

/// The values of variables; `None` for one that was not set.
pub(in crate::os) fn read<const N: usize>(names: [&str; N]) -> [Option<Name>; N] {
    let mut scan = Scan::of(names);
    let Some(file) = raw::File::open(c"/proc/self/environ") else { return scan.found };
    let mut buffer = [0; PIECE];
    for _ in 0..PIECES {
        match file.read(&mut buffer) {
            0 => break,
            got => scan.piece(&buffer[..got]),
        }
    }
    scan.piece(&[0]);
    scan.found
}

/// `NAME=value` entries, each ended by a zero byte, in pieces of any length.
struct Scan<'a, const N: usize> {
    names: [&'a str; N],
    found: [Option<Name>; N],
    /// The current entry's beginning; as much of it as can matter.
    entry: [u8; 20 + Name::LONGEST],
    len: usize,
}

impl<'a, const N: usize> Scan<'a, N> {
    fn of(names: [&'a str; N]) -> Self {
        Self { names, found: [None; N], entry: [0; 20 + Name::LONGEST], len: 0 }
    }

    fn piece(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            if byte == 0 {
                self.end();
            } else if let Some(place) = self.entry.get_mut(self.len) {
                *place = byte;
                self.len += 1;
            }
        }
    }

    /// Of two entries of one name the first counts, as with `getenv`.
    fn end(&mut self) {
        let entry = &self.entry[..self.len];
        for (name, found) in self.names.iter().zip(&mut self.found) {
            let value = entry.strip_prefix(name.as_bytes()).and_then(|rest| rest.strip_prefix(b"="));
            if let (Some(value), None) = (value, &found) {
                *found = Some(Name::of(value));
            }
        }
        self.len = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(environment: &[u8], piece: usize) -> [Option<String>; 3] {
        let mut scan = Scan::of(["A", "A_NAME_OF_NINETEENT", "PATH"]);
        environment.chunks(piece).for_each(|piece| scan.piece(piece));
        scan.piece(&[0]);
        scan.found.map(|v| v.map(|v| String::from_utf8_lossy(v.as_bytes()).into_owned()))
    }

    #[test]
    fn finds_the_values_whatever_the_pieces() {
        let long = "x".repeat(5000);
        let environment = format!("AB=1\0{long}=1\0A=\0A_NAME_OF_NINETEENT={long}\0A=2\0\0=\0PATH=/Bin");
        for piece in [1, 2, 7, 1024, 100_000] {
            let [a, hooks, path] = values(environment.as_bytes(), piece);
            assert_eq!((a.as_deref(), path.as_deref()), (Some(""), Some("/bin")));
            assert_eq!(hooks, Some("x".repeat(Name::LONGEST)));
        }
        assert_eq!(values(b"", 1), [None, None, None]);
    }

    #[test]
    fn finds_what_this_program_was_started_with() {
        let [path, none, _] = read(["PATH", "TRUETICK_IS_NOT_SET", "HOME"]);
        assert_eq!(path.is_some(), std::env::var_os("PATH").is_some());
        assert!(none.is_none());
    }
}
