//! Samples of other programs as files; the crate `clockscope-analysis` knows what stands in them.

use std::fs::File;
use std::io::{self, Read};

use clockscope_analysis::record::Samples;
use clockscope_analysis::samples::{Bad, Options, Place, Reader};

use crate::failure::Failure;
use crate::trace_file::{Input, unreadable};

/// Bytes that are read at a time.
const PIECE: usize = 1 << 18;
/// Most passes over a file: each narrows a quartile of 64 bits to a millionth of what it was, at least.
const PASSES: usize = 4;

/// What samples come to, and where they are bad, if they are: then what stands before that place counts.
///
/// A file of the usual kind is read once more where that makes its quartiles exact. One that grows counts as far as it went when it
/// was opened, its last line left out if that was not whole.
///
/// # Errors
/// [`Failure::Usage`] for a file that can't be read.
pub fn read(input: Input, options: Options) -> Result<(Samples, Option<String>), Failure> {
    let Input { place, file, from } = input;
    let failed = |error: io::Error| unreadable(&place, &error);
    let length = file.as_ref().map_or(u64::MAX, |(_, length)| *length);
    let mut reader = Reader::new(options);
    let mut from = from.take(length);
    let bad = pass(&mut reader, &mut from).map_err(failed)?;
    let has_grown = length < u64::MAX && from.into_inner().read(&mut [0]).map_err(failed)? > 0;
    let mut notes = Vec::new();
    if has_grown {
        let cut = if reader.drop_rest() { ", less its last line, which was not whole" } else { "" };
        notes.push(format!("The file grew while it was read: its first {length} bytes count{cut}."));
    }
    let bad = bad.or_else(|| reader.end().err());
    if let (None, Some((path, length))) = (&bad, &file) {
        for _ in 1..PASSES {
            if !reader.again() {
                break;
            }
            let mut again = File::open(path).map_err(failed)?.take(*length);
            // What was read well once is; if the file was changed meanwhile, its quartiles keep their bounds.
            if pass(&mut reader, &mut again).map_err(failed)?.is_some() || (!has_grown && reader.end().is_err()) {
                break;
            }
        }
    }
    let mut samples = reader.record();
    samples.notes.extend(notes);
    let whole = |bad: &Bad| matches!(bad.place, Place::Whole);
    Ok((samples, bad.map(|bad| format!("{place}{} {bad}", if whole(&bad) { ':' } else { ',' }))))
}

/// Reads all there is, up to a bad place.
fn pass(reader: &mut Reader, from: &mut impl Read) -> io::Result<Option<Bad>> {
    let mut piece = vec![0; PIECE];
    loop {
        match from.read(&mut piece) {
            Ok(0) => return Ok(None),
            Ok(bytes) => {
                if let Err(bad) = reader.push(&piece[..bytes]) {
                    return Ok(Some(bad));
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
