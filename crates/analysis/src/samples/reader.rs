//! Takes bytes, in pieces of any size.

use super::head::Head;
use super::labels::{Labels, is_unit_assumed};
use super::line::{Lines, labelled};
use super::number::number;
use super::{Bad, Format, Options, Place, is_text, printable, quoted};
use crate::analyze::samples::Number;
use crate::judge::judge_samples;
use crate::record::{SAMPLES_SCHEMA, SampledClock, Samples};

/// Longest line, bytes.
const LONGEST: usize = 1 << 16;
/// What samples are called that have no label.
const UNNAMED: &str = "samples";
/// Where so large a part of the pairs steps back, the values are differences more likely than readings.
const BACK: u64 = 16;
/// Why bytes that no text has are refused.
const NO_TEXT: &str = "it holds bytes of no text; if these are 64-bit numbers, take --input u64le";

/// Reads samples.
///
/// Memory is bounded: some 35 MB a label (55 MB while the first 2^20 samples of one come), 64 labels at most.
#[derive(Debug)]
pub struct Reader {
    options: Options,
    labels: Labels,
    head: Head,
    lines: Option<Lines>,
    /// What has come of a line, or of a number.
    rest: Vec<u8>,
    line: u64,
    byte: u64,
    /// The label of the latest line, and its place.
    latest: (Vec<u8>, Option<usize>),
    is_further_look: bool,
    /// The last line is a sample and has no end.
    is_open: bool,
}

impl Reader {
    /// Has read nothing.
    pub fn new(options: Options) -> Self {
        Self {
            labels: Labels::new(options.clone()),
            options,
            head: Head::default(),
            lines: None,
            rest: Vec::new(),
            line: 0,
            byte: 0,
            latest: (Vec::new(), None),
            is_further_look: false,
            is_open: false,
        }
    }

    /// The next bytes. It costs some 0.3 µs a line.
    ///
    /// # Errors
    /// Where they are bad; what came before that counts, and nothing more is to be pushed.
    pub fn push(&mut self, mut bytes: &[u8]) -> Result<(), Bad> {
        if self.options.format == Some(Format::U64le) {
            return self.push_binary(bytes);
        }
        while let Some(end) = bytes.iter().position(|byte| *byte == b'\n') {
            let (piece, after) = (&bytes[..end], &bytes[end + 1..]);
            bytes = after;
            if self.rest.is_empty() {
                self.text(piece)?;
            } else {
                let mut whole = std::mem::take(&mut self.rest);
                whole.extend_from_slice(piece);
                self.text(&whole)?;
            }
        }
        self.rest.extend_from_slice(bytes);
        if self.rest.len() > LONGEST {
            self.rest.truncate(LONGEST);
            self.line += 1;
            let long = || format!("{} is longer than {LONGEST} bytes", quoted(&self.rest));
            return Err(self.bad(if is_text(&self.rest) { long() } else { NO_TEXT.into() }));
        }
        Ok(())
    }

    fn push_binary(&mut self, bytes: &[u8]) -> Result<(), Bad> {
        let missing = (8 - self.rest.len() % 8) % 8;
        let (first, bytes) = bytes.split_at(missing.min(bytes.len()));
        self.rest.extend_from_slice(first);
        let numbers = bytes.chunks_exact(8);
        let rest = numbers.remainder();
        let whole = if self.rest.len() == 8 { std::mem::take(&mut self.rest) } else { Vec::new() };
        for eight in whole.chunks_exact(8).chain(numbers) {
            let value = eight.try_into().map_or(0, u64::from_le_bytes);
            let name = self.options.label.clone();
            if self.latest.1.is_none() {
                self.latest.1 = self.place(name.as_deref().unwrap_or(UNNAMED).as_bytes())?;
            }
            self.sample(Number { digits: value.into(), decimals: 0 }, self.byte)?;
            self.byte += 8;
        }
        self.rest.extend_from_slice(rest);
        Ok(())
    }

    /// No more bytes come.
    ///
    /// # Errors
    /// Where the last line is bad, where a number is cut, and where there was no sample at all.
    pub fn end(&mut self) -> Result<(), Bad> {
        let rest = std::mem::take(&mut self.rest);
        if !rest.is_empty() && self.options.format == Some(Format::U64le) {
            let why = format!("the last number has {} of its 8 bytes", rest.len());
            return Err(Bad { place: Place::Byte(self.byte), why });
        }
        if !rest.is_empty() {
            self.text(&rest)?;
            self.is_open = !matches!(rest.trim_ascii(), [] | [b'#', ..]);
        }
        if self.labels.is_any() || (self.head.is_probe && self.options.label.is_none()) {
            return Ok(());
        }
        let why = match (&self.options.label, &self.labels.unwanted()[..]) {
            (Some(label), others @ [_, ..]) => {
                let (label, others) = (printable(label.as_bytes()), others.join(", "));
                format!("no sample has the label '{label}'; there are {others}")
            }
            _ if self.line == 0 && self.byte == 0 => "it is empty".into(),
            // What was taken for a header.
            _ if matches!(&self.lines, Some(Lines::Columns(table)) if table.name.contains('\u{fffd}')) => {
                NO_TEXT.into()
            }
            _ => "there is no sample in it".into(),
        };
        Err(Bad { place: Place::Whole, why })
    }

    /// Drops the line that has not come to its end, as of a file that was still being written; whether there was one.
    pub fn drop_rest(&mut self) -> bool {
        let rest = std::mem::take(&mut self.rest);
        !rest.is_empty()
    }

    /// Prepares for the same bytes once more, from the first one on; `false` where that would make no quartile more exact. Up to
    /// 2^20 samples of a label, and up to 2^18 distinct ones, all are exact at once.
    pub fn again(&mut self) -> bool {
        self.is_further_look = true;
        (self.lines, self.line, self.byte) = (None, 0, 0);
        self.latest = (Vec::new(), None);
        self.rest.clear();
        self.labels.again()
    }

    /// What all of it comes to, or what came before the bad place.
    pub fn record(self) -> Samples {
        let Head { is_probe, is_ended, runtime, timer, absent } = self.head;
        let clocks = self.labels.clocks(timer.as_deref());
        let mut notes = Vec::new();
        if is_probe && !is_ended {
            notes.push("The probe was cut off: its last line, '# end', is missing.".into());
        }
        if self.is_open {
            let open = "The last line has no end; if the file is still being written, it may be cut.";
            notes.push(open.into());
        }
        notes.extend(clocks.iter().flat_map(|clock| remarks(clock, self.options.are_differences)));
        // A probe keeps to its protocol.
        notes.extend(clocks.iter().filter(|_| !is_probe).filter_map(decimals));
        let complete = is_probe.then_some(is_ended);
        let schema = SAMPLES_SCHEMA.into();
        let mut samples = Samples { schema, runtime, timer, complete, clocks, absent, findings: Vec::new(), notes };
        samples.findings = judge_samples(&samples);
        samples
    }

    /// A line without its end.
    fn text(&mut self, line: &[u8]) -> Result<(), Bad> {
        self.line += 1;
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        // The label is that of the line before, as nearly always.
        if let (Some(Lines::Labelled), (label, Some(place))) = (&self.lines, &self.latest)
            && let Some(value) = line.strip_prefix(label.as_slice()).and_then(|rest| rest.strip_prefix(b" "))
            && let Ok(number) = number(value)
        {
            return self.sample_of(*place, number, self.line);
        }
        self.any(line)
    }

    fn any(&mut self, line: &[u8]) -> Result<(), Bad> {
        // A byte order mark, as some editors write it.
        let line = if self.line == 1 { line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line) } else { line };
        match line.trim_ascii() {
            [] => return Ok(()),
            [b'#', ..] if self.is_further_look => return Ok(()),
            remark @ [b'#', ..] => return self.head.line(remark, &mut self.labels).map_err(|why| self.bad(why)),
            _ if line.contains(&0) => return Err(self.bad(NO_TEXT.into())),
            _ => {}
        }
        // Labels may be of any encoding; what is no sample and no text is of another kind.
        self.filled(line).map_err(|bad| if is_text(line) { bad } else { self.bad(NO_TEXT.into()) })
    }

    /// A line with something in it that is no remark.
    fn filled(&mut self, line: &[u8]) -> Result<(), Bad> {
        let Some(lines) = self.lines.take() else {
            let is_csv = self.options.format.map(|format| format == Format::Csv);
            let column = self.options.column.as_deref();
            let lines = Lines::of_first(line, is_csv, column).map_err(|why| self.bad(why))?;
            let is_head = matches!(lines, Lines::Columns(_));
            self.lines = Some(lines.clone());
            return if is_head { Ok(()) } else { self.one(line, &lines) };
        };
        let said = self.one(line, &lines);
        self.lines = Some(lines);
        said
    }

    /// A line with a sample.
    fn one(&mut self, line: &[u8], lines: &Lines) -> Result<(), Bad> {
        let (label, value) = match lines {
            Lines::Labelled => labelled(line).map(|(label, value)| (Some(label), value)),
            Lines::Values => Ok((None, line.trim_ascii())),
            Lines::Columns(table) => table.row(line),
        }
        .map_err(|why| self.bad(why))?;
        let number = number(value).map_err(|why| self.bad(why))?;
        let asked = self.options.label.clone();
        let name = match (label, asked, lines) {
            (Some(label), ..) => label,
            (None, Some(asked), _) => &asked.into_bytes(),
            (None, None, Lines::Columns(table)) => table.name.as_bytes(),
            (None, None, _) => UNNAMED.as_bytes(),
        };
        if self.latest.1.is_none() || self.latest.0 != name {
            self.latest.1 = self.place(name)?;
            self.latest.0 = name.to_vec();
        }
        self.sample(number, self.line)
    }

    fn place(&mut self, name: &[u8]) -> Result<Option<usize>, Bad> {
        self.labels.place(name).map_err(|why| self.bad(why))
    }

    fn sample(&mut self, number: Number, at: u64) -> Result<(), Bad> {
        self.latest.1.map_or(Ok(()), |place| self.sample_of(place, number, at))
    }

    fn sample_of(&mut self, place: usize, number: Number, at: u64) -> Result<(), Bad> {
        if self.is_further_look {
            self.labels.look(place, number);
            return Ok(());
        }
        self.labels.take(place, number, at).map_err(|why| self.bad(format!("the value {why}")))
    }

    fn bad(&self, why: String) -> Bad {
        let is_binary = self.options.format == Some(Format::U64le);
        Bad { place: if is_binary { Place::Byte(self.byte) } else { Place::Line(self.line) }, why }
    }
}

/// What a reader should know of a clock's samples.
fn remarks(clock: &SampledClock, are_differences: bool) -> Vec<String> {
    let label = &clock.label;
    let mut said = Vec::new();
    let is_assumed = is_unit_assumed(clock);
    let is_fraction = clock.unit_ns != clock.tick_ns.nominal.unwrap_or(clock.unit_ns);
    if is_assumed {
        let seconds = if is_fraction { " They have decimals: if they are seconds, take --tick 1." } else { "" };
        said.push(format!(
            "{label}: its values are taken for nanoseconds, as nothing states their unit; --tick does.{seconds}"
        ));
    }
    let back = clock.backward.map_or(0, |back| back.count);
    if !are_differences && back.saturating_mul(BACK) > clock.samples {
        let of = clock.samples.saturating_sub(1);
        said.push(format!("{label}: {back} of {of} values are less than the one before; if they are differences, as `clockscope deltas --raw` writes them, take --deltas."));
    }
    if let Some(why) = clock.missing.get("values.decimals") {
        said.push(format!("{label}: {why}."));
    }
    said
}

/// What to do where decimals hide the quantum.
fn decimals(clock: &SampledClock) -> Option<String> {
    let is_last_decimal = clock.tick_ns.nominal != Some(clock.unit_ns);
    let is_hidden = is_last_decimal && clock.tick_ns.quantum.is_none() && clock.samples > 1;
    is_hidden.then(|| {
        format!(
            "{}: no quantum stands out of its decimals. Doubles in their shortest form lie beside the clock's steps; write \
             fixed decimals, as by %.9f.",
            clock.label
        )
    })
}
