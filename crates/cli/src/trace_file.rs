//! Traces as files: gzip around MessagePack, the header first and then the observations, as docs/trace.md tells.

use std::fs::{File, Metadata};
use std::io::{self, BufRead, BufReader, Read, Write, stdin};
use std::path::{Path, PathBuf};

use clockscope_analysis::analyze::Analysis;
use clockscope_analysis::trace::{Header, Observation};
use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use rmp_serde::decode::Error as DecodeError;
use serde::{Deserialize, Serialize};

use crate::failure::{Failure, reason};

/// Largest trace, bytes: the run ends where it is reached.
pub const LARGEST: u64 = 128 << 20;
/// Largest header or observation that is read, bytes: what is written is some KiB.
const LARGEST_PART: u64 = 16 << 20;
/// Bytes that are compressed at a time: some milliseconds' work.
const PIECE: usize = 256 << 10;
/// Time between two moments at which a watch is written out, s: looks may be 10 ms apart, and each time breaks the compression.
const KEEP_S: f64 = 1.0;

/// Writes a trace as its run goes on.
pub struct Writer {
    path: PathBuf,
    encoder: GzEncoder<File>,
    piece: Vec<u8>,
    error: Option<io::Error>,
    full: bool,
    /// When a watch was last written out, s.
    kept_s: f64,
}

impl Writer {
    /// A new file, or one whose content is replaced.
    pub fn create(path: &Path) -> Result<Self, Failure> {
        let file = File::create(path).map_err(|error| Failure::create(path, &error))?;
        let encoder = GzEncoder::new(file, Compression::fast());
        Ok(Self {
            path: path.to_owned(),
            encoder,
            piece: Vec::new(),
            error: None,
            full: false,
            kept_s: f64::NEG_INFINITY,
        })
    }

    /// Adds the header or an observation.
    pub fn put<T: Serialize>(&mut self, part: &T) {
        if self.error.is_some() {
            return;
        }
        let encoded = rmp_serde::encode::write_named(&mut self.piece, part).map_err(io::Error::other);
        let written = encoded.and_then(|()| if self.piece.len() < PIECE { Ok(()) } else { self.flush() });
        self.error = written.err();
    }

    /// Writes what has come so far, so that it can be read whatever happens to the program.
    pub fn keep(&mut self) {
        if self.error.is_none() {
            self.error = self.flush().and_then(|()| self.encoder.flush()).err();
        }
    }

    /// The same at a moment of a watch, unless the last time is not yet a second ago.
    pub fn keep_by(&mut self, at_s: f64) {
        // A reference that was set back asks for it, too.
        if !(0.0..KEEP_S).contains(&(at_s - self.kept_s)) {
            self.kept_s = at_s;
            self.keep();
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.encoder.write_all(&self.piece)?;
        self.piece.clear();
        self.full |= self.encoder.get_ref().metadata()?.len() >= LARGEST;
        Ok(())
    }

    /// Whether the run is to end because of the trace: it is as large as it may become, or can't be written.
    pub fn is_over(&self) -> bool {
        self.full || self.error.is_some()
    }

    /// Writes what is left; says whether the trace was full before the run was over.
    ///
    /// # Errors
    /// [`Failure::Machine`] where the file took not all of it.
    pub fn finish(mut self) -> Result<bool, Failure> {
        self.keep();
        let Self { path, encoder, error, full, .. } = self;
        error.map_or(Ok(()), Err).and_then(|()| encoder.finish().map(|_| full)).map_err(|error| {
            let place = path.display();
            Failure::Machine(format!("can't write the trace {place}: {}; it ends early", reason(&error)))
        })
    }
}

/// A file that is read, `-` being standard input.
pub struct Input {
    /// What messages call it.
    pub place: String,
    /// Where it is, if it is a file of the usual kind, and its length when it was opened, bytes.
    pub file: Option<(PathBuf, u64)>,
    /// Its bytes.
    pub from: BufReader<Box<dyn Read>>,
}

impl Input {
    /// Opens it.
    ///
    /// # Errors
    /// [`Failure::Usage`] for a file that can't be read.
    pub fn open(path: &Path) -> Result<Self, Failure> {
        if path.as_os_str() == "-" {
            let from: Box<dyn Read> = Box::new(stdin().lock());
            return Ok(Self { place: "standard input".into(), file: None, from: BufReader::new(from) });
        }
        let place = path.display().to_string();
        let file = File::open(path).map_err(|error| unreadable(&place, &error))?;
        let usual = file.metadata().ok().filter(Metadata::is_file).map(|about| (path.to_owned(), about.len()));
        Ok(Self { place, file: usual, from: BufReader::new(Box::new(file)) })
    }

    /// Its first bytes; none where it is empty.
    ///
    /// # Errors
    /// [`Failure::Usage`] where it can't be read.
    pub fn first(&mut self) -> Result<&[u8], Failure> {
        let place = &self.place;
        self.from.fill_buf().map_err(|error| unreadable(place, &error))
    }
}

/// A file that can't be read.
pub fn unreadable(place: &str, error: &io::Error) -> Failure {
    Failure::Usage(format!("can't read {place}: {}", reason(error)))
}

/// What a trace comes to; and why it ends early, if it does. `looked` is told of each look at watched clocks as it ends.
///
/// # Errors
/// [`Failure::Usage`] for a file that can't be read or is no trace.
pub fn analyze(mut input: Input, mut looked: impl FnMut(&Analysis)) -> Result<(Analysis, Option<String>), Failure> {
    let place = input.place.clone();
    let no_trace =
        |why: String| Failure::Usage(format!("{place} is no trace: {why}; `clockscope --trace FILE` writes one"));
    match input.first()? {
        [] => return Err(no_trace("it is empty".into())),
        [b'{' | b'[', ..] => {
            return Err(no_trace("it is JSON, as a result is, of which no figure can be made anew".into()));
        }
        _ => {}
    }
    let mut from = BufReader::new(MultiGzDecoder::new(input.from));
    let header = next(&mut from).and_then(|header: Option<Header>| header.ok_or("it is empty".into()));
    let mut analysis = header.and_then(Analysis::new).map_err(no_trace)?;
    let (mut count, mut is_looking): (u64, bool) = (0, false);
    loop {
        let part = next::<Observation>(&mut from);
        let seen = part.as_ref().ok().and_then(Option::as_ref);
        if is_looking && analysis.is_look_over(seen) {
            looked(&analysis);
            is_looking = false;
        }
        is_looking |= matches!(seen, Some(Observation::Polled(_)));
        match part {
            Ok(Some(observation)) => analysis.take(&observation),
            Ok(None) => return Ok((analysis, None)),
            Err(why) => {
                let early = format!("{place} can't be read beyond its observation {count}: {why}");
                return Ok((analysis, Some(early + "; the result is of those")));
            }
        }
        count += 1;
    }
}

/// The next part of a stream; `None` at its end.
fn next<T: for<'de> Deserialize<'de>>(from: &mut impl BufRead) -> Result<Option<T>, String> {
    match from.fill_buf() {
        Ok([]) => return Ok(None),
        Ok(_) => {}
        Err(error) => return Err(reason(&error)),
    }
    let mut part = from.take(LARGEST_PART);
    let read = rmp_serde::from_read(&mut part);
    read.map(Some).map_err(|error| match error {
        _ if part.limit() == 0 => "it is larger than any that clockscope writes".into(),
        DecodeError::InvalidMarkerRead(error) | DecodeError::InvalidDataRead(error) => reason(&error),
        other => other.to_string(),
    })
}
