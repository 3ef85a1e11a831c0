//! Frames on a raw disk: how results leave a guest.
//!
//! A frame is one sector that says name, length and checksums, and the bytes behind it, padded to whole sectors. The
//! bytes are written first, in chunks that are read back from the disk and written again where they differ; the header
//! comes last, so that a frame that is there is whole. The reader checks it all once more.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt;

const MARK: &str = "@clockscope-lab";

/// The frame that says, without bytes, that process 1 of the innermost guest has started: the kernel has booted.
pub const STARTED: &str = "started";
/// The frame with the program's record.
pub const RECORD: &str = "record";
/// The frame with what the program wrote in its second run.
pub const THEN: &str = "then";
/// The frame with the program's trace.
pub const TRACE: &str = "trace";
/// The frame with the guest's notes; the last one.
pub const NOTES: &str = "notes";

/// Room for all frames of a guest: a record has 300 KiB, a trace some MiB. The file behind it is sparse.
pub const DISK_BYTES: u64 = 64 << 20;

/// The smallest unit of a disk.
const SECTOR: usize = 512;
/// Bytes that are written, read back and compared at a time.
const CHUNK: usize = 256 << 10;
/// Writes of one chunk before the disk counts as broken.
const TRIES: u32 = 5;

/// Where frames are written to and read from.
pub trait Disk {
    /// Writes whole sectors, to the disk itself.
    fn write(&mut self, at: u64, bytes: &[u8]) -> io::Result<()>;
    /// Reads what the disk itself holds.
    fn read(&mut self, at: u64, bytes: &mut [u8]) -> io::Result<()>;
}

/// A block device, or the file behind one.
impl Disk for File {
    fn write(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        self.write_all_at(bytes, at)?;
        self.sync_data()
    }

    fn read(&mut self, at: u64, bytes: &mut [u8]) -> io::Result<()> {
        // Out of the page cache, so that it comes from the disk; where that can't be, the reader's check is left.
        let length = std::num::NonZeroU64::new(bytes.len() as u64);
        let _ = rustix::fs::fadvise(&*self, at, length, rustix::fs::Advice::DontNeed);
        self.read_exact_at(bytes, at)
    }
}

/// A name with its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// What it holds: [`STARTED`], [`RECORD`], [`THEN`], [`TRACE`], [`NOTES`].
    pub name: String,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// Writes frames, one behind the other, onto a disk of zeros.
pub struct Writer<D> {
    disk: D,
    end: u64,
}

impl<D: Disk> Writer<D> {
    /// From the disk's begin on.
    pub fn new(disk: D) -> Self {
        Self { disk, end: 0 }
    }

    /// Writes one frame. An error says that the disk does not keep what is written to it.
    pub fn send(&mut self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let mut at = self.end + SECTOR as u64;
        for chunk in bytes.chunks(CHUNK) {
            self.put(at, chunk)?;
            at += whole(chunk.len()) as u64;
        }
        self.put(self.end, header(name, bytes).as_bytes())?;
        self.end = at;
        Ok(())
    }

    fn put(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        let mut wanted = bytes.to_vec();
        wanted.resize(whole(bytes.len()), 0);
        let mut there = vec![0; wanted.len()];
        for _ in 0..TRIES {
            self.disk.write(at, &wanted)?;
            self.disk.read(at, &mut there)?;
            if there == wanted {
                return Ok(());
            }
        }
        Err(io::Error::other(format!("the disk holds something else at {at} than was written, {TRIES} times")))
    }
}

/// Reads frames as they come.
#[derive(Debug, Default)]
pub struct Reader {
    at: u64,
}

impl Reader {
    /// The frames that have come since the last time. A header under way is none yet.
    pub fn more(&mut self, disk: &mut impl Disk) -> io::Result<Vec<Frame>> {
        let mut frames = Vec::new();
        while let Some((name, length, checksum)) = parse(&self.sector(disk)?) {
            let mut bytes = vec![0; length];
            disk.read(self.at + SECTOR as u64, &mut bytes)?;
            if crc32fast::hash(&bytes) != checksum {
                return Err(io::Error::new(ErrorKind::InvalidData, format!("the frame '{name}' is damaged")));
            }
            self.at += (SECTOR + whole(length)) as u64;
            frames.push(Frame { name, bytes });
        }
        Ok(frames)
    }

    /// To be asked when no more can come: an error where something stands that is no frame.
    pub fn finish(&self, disk: &mut impl Disk) -> io::Result<()> {
        if self.sector(disk)?.iter().all(|byte| *byte == 0) {
            return Ok(());
        }
        Err(io::Error::new(ErrorKind::InvalidData, format!("no frame's header stands at {}", self.at)))
    }

    fn sector(&self, disk: &mut impl Disk) -> io::Result<[u8; SECTOR]> {
        let mut sector = [0; SECTOR];
        disk.read(self.at, &mut sector)?;
        Ok(sector)
    }
}

/// A length in whole sectors, bytes.
fn whole(length: usize) -> usize {
    length.next_multiple_of(SECTOR)
}

/// Mark, name, length, the bytes' checksum, and the checksum of all that.
fn header(name: &str, bytes: &[u8]) -> String {
    let line = format!("{MARK} {name} {} {:08x}", bytes.len(), crc32fast::hash(bytes));
    format!("{line} {:08x}\n", crc32fast::hash(line.as_bytes()))
}

fn parse(sector: &[u8]) -> Option<(String, usize, u32)> {
    let end = sector.iter().position(|byte| *byte == b'\n')?;
    let (line, own) = std::str::from_utf8(&sector[..end]).ok()?.rsplit_once(' ')?;
    let checksum = |word| u32::from_str_radix(word, 16).ok();
    if checksum(own)? != crc32fast::hash(line.as_bytes()) {
        return None;
    }
    let [MARK, name, length, of_bytes] = line.split(' ').collect::<Vec<_>>()[..] else { return None };
    Some((name.into(), length.parse().ok()?, checksum(of_bytes)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A disk in memory that loses or damages writes: every `faulty`th one, in a way that goes round.
    struct Bad {
        bytes: Vec<u8>,
        faulty: usize,
        writes: usize,
    }

    fn disk(faulty: usize) -> Bad {
        Bad { bytes: vec![0; 4 << 20], faulty, writes: 0 }
    }

    impl Disk for Bad {
        fn write(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
            let at = at as usize;
            assert!(at.is_multiple_of(SECTOR) && bytes.len().is_multiple_of(SECTOR));
            self.writes += 1;
            let mut kept = bytes.to_vec();
            if self.faulty > 0 && self.writes.is_multiple_of(self.faulty) {
                match self.writes / self.faulty % 3 {
                    0 => kept.clear(),
                    1 => kept.truncate(8),
                    _ => kept[bytes.len() / 3] ^= 0x10,
                }
            }
            self.bytes[at..at + kept.len()].copy_from_slice(&kept);
            Ok(())
        }

        fn read(&mut self, at: u64, bytes: &mut [u8]) -> io::Result<()> {
            bytes.copy_from_slice(&self.bytes[at as usize..at as usize + bytes.len()]);
            Ok(())
        }
    }

    fn sent() -> [Frame; 4] {
        let mut random = fastrand::Rng::with_seed(1);
        let long: Vec<u8> = (0..3 * CHUNK + 77).map(|_| random.u8(..)).collect();
        [(STARTED, Vec::new()), (RECORD, b"{\n}\n".to_vec()), (TRACE, long), (NOTES, vec![7; SECTOR])]
            .map(|(name, bytes)| Frame { name: name.into(), bytes })
    }

    fn written(faulty: usize) -> Bad {
        let mut writer = Writer::new(disk(faulty));
        for frame in sent() {
            writer.send(&frame.name, &frame.bytes).unwrap();
        }
        writer.disk
    }

    #[test]
    fn frames_come_as_they_are_written() {
        let mut writer = Writer::new(disk(0));
        let mut reader = Reader::default();
        assert_eq!(reader.more(&mut writer.disk).unwrap(), []);
        for frame in sent() {
            writer.send(&frame.name, &frame.bytes).unwrap();
            assert_eq!(reader.more(&mut writer.disk).unwrap(), [frame]);
        }
        reader.finish(&mut writer.disk).unwrap();
    }

    #[test]
    fn what_the_disk_loses_or_damages_is_written_again() {
        for faulty in 2..6 {
            let mut bad = written(faulty);
            assert!(bad.writes > 10, "nothing was written again");
            assert_eq!(Reader::default().more(&mut bad).unwrap(), sent(), "every {faulty}th write");
        }
        assert!(Writer::new(disk(1)).send(RECORD, b"x").is_err(), "a disk that keeps nothing");
    }

    #[test]
    fn any_byte_that_differs_is_an_error_and_never_another_frame() {
        let whole = written(0);
        let end = sent().iter().map(|frame| SECTOR + super::whole(frame.bytes.len())).sum::<usize>();
        for at in (0..end).step_by(97) {
            let mut bad = disk(0);
            bad.bytes.clone_from(&whole.bytes);
            bad.bytes[at] ^= 0x01;
            let mut reader = Reader::default();
            let read = reader.more(&mut bad).and_then(|frames| reader.finish(&mut bad).map(|()| frames));
            assert!(read.is_err() || read.unwrap() == sent(), "a changed byte at {at} was not seen");
        }
    }

    #[test]
    fn a_header_under_way_is_no_frame_yet() {
        let mut bad = disk(0);
        bad.bytes[..20].copy_from_slice(&header(RECORD, b"abc").as_bytes()[..20]);
        let mut reader = Reader::default();
        assert_eq!(reader.more(&mut bad).unwrap(), []);
        assert!(reader.finish(&mut bad).is_err());
    }
}
