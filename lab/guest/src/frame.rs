//! Frames on a serial line: a header line with name, length and checksum, then the bytes.
//!
//! The line is nothing but the guest's, and still a byte may be lost when a machine is stopped in the middle of
//! one; a frame that is not whole is an error, never a shorter record.

use std::io::{self, Write};

const MARK: &str = "@clockscope-lab";

/// The frame that says, without bytes, that process 1 of the innermost guest has started: the kernel has booted.
pub const STARTED: &str = "started";

/// A name with its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// What it holds: `started`, `record`, `notes`.
    pub name: String,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// Why a stream holds no frames.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Broken {
    /// What stands where a header should.
    Header(String),
    /// The stream ends within this frame: bytes announced, bytes there.
    Short(String, usize, usize),
    /// The checksum of this frame is another.
    Checksum(String),
}

impl std::fmt::Display for Broken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Header(line) => write!(f, "no frame's header: '{line}'"),
            Self::Short(name, wanted, there) => {
                write!(f, "the frame '{name}' of {wanted} bytes ends after {there}")
            }
            Self::Checksum(name) => write!(f, "the frame '{name}' is damaged: its checksum differs"),
        }
    }
}

impl std::error::Error for Broken {}

/// Writes one frame.
pub fn write(out: &mut impl Write, name: &str, bytes: &[u8]) -> io::Result<()> {
    writeln!(out, "{MARK} {name} {} {:08x}", bytes.len(), crc32fast::hash(bytes))?;
    out.write_all(bytes)?;
    writeln!(out)
}

/// All frames of a stream.
pub fn read(mut stream: &[u8]) -> Result<Vec<Frame>, Broken> {
    let mut frames = Vec::new();
    while !stream.is_empty() {
        let (frame, rest) = first(stream)?;
        frames.push(frame);
        stream = rest;
    }
    Ok(frames)
}

/// Whether a stream, whole or not, begins with the frame that says that the guest has started.
pub fn has_started(stream: &[u8]) -> bool {
    first(stream).is_ok_and(|(frame, _)| frame.name == STARTED)
}

/// The first frame, and what comes after it.
fn first(stream: &[u8]) -> Result<(Frame, &[u8]), Broken> {
    let end = stream.iter().position(|byte| *byte == b'\n').unwrap_or(stream.len());
    let line = String::from_utf8_lossy(&stream[..end]).into_owned();
    let Some((name, length, checksum)) = header(&line) else { return Err(Broken::Header(line)) };
    let rest = &stream[stream.len().min(end + 1)..];
    let Some(bytes) = rest.get(..length) else {
        return Err(Broken::Short(name.into(), length, rest.len()));
    };
    if crc32fast::hash(bytes) != checksum {
        return Err(Broken::Checksum(name.into()));
    }
    let frame = Frame { name: name.into(), bytes: bytes.into() };
    Ok((frame, &rest[rest.len().min(length + 1)..]))
}

fn header(line: &str) -> Option<(&str, usize, u32)> {
    let mut words = line.split(' ');
    let (mark, name) = (words.next()?, words.next()?);
    let length = words.next()?.parse().ok()?;
    let checksum = u32::from_str_radix(words.next()?, 16).ok()?;
    (mark == MARK && words.next().is_none()).then_some((name, length, checksum))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two() -> Vec<u8> {
        let mut stream = Vec::new();
        write(&mut stream, "record", b"{\n}\n").unwrap();
        write(&mut stream, "notes", b"").unwrap();
        stream
    }

    #[test]
    fn what_is_written_is_read() {
        let frames = read(&two()).unwrap();
        let names: Vec<&str> = frames.iter().map(|frame| frame.name.as_str()).collect();
        assert_eq!(names, ["record", "notes"]);
        assert_eq!(frames[0].bytes, b"{\n}\n");
        assert_eq!(read(b""), Ok(Vec::new()));
    }

    #[test]
    fn a_frame_cut_short_is_an_error() {
        let stream = two();
        let cut = stream.iter().position(|byte| *byte == b'{').unwrap() + 2;
        assert_eq!(read(&stream[..cut]), Err(Broken::Short("record".into(), 4, 2)));
    }

    #[test]
    fn a_guest_has_started_when_its_first_frame_says_so() {
        let mut stream = Vec::new();
        write(&mut stream, STARTED, b"").unwrap();
        assert!(has_started(&stream));
        stream.extend_from_slice(b"@clockscope-lab rec");
        assert!(has_started(&stream), "a second frame under way takes nothing away");
        assert!(!has_started(&two()));
        assert!(!has_started(b"@clockscope-lab start"));
        assert!(!has_started(b""));
    }

    #[test]
    fn a_byte_that_differs_is_an_error() {
        let mut stream = two();
        let at = stream.iter().position(|byte| *byte == b'{').unwrap();
        stream[at] = b'[';
        assert_eq!(read(&stream), Err(Broken::Checksum("record".into())));
    }

    #[test]
    fn other_text_is_an_error() {
        assert_eq!(read(b"login: "), Err(Broken::Header("login: ".into())));
    }
}
