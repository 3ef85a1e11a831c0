//! What goes on beside a measurement: the progress bar, rows as they come, and the wish to stop. All of it
//! happens when the engine calls, between measured windows; no thread of its own draws or waits.

use std::fmt::Write as _;

use clockscope_analysis::analyze::Analysis;
use clockscope_analysis::record;
use clockscope_analysis::record::Clock;
use clockscope_analysis::trace::{Header, Observation, Role};
use clockscope_engine::session::Observer;

use crate::args::OutputArgs;
use crate::bar::Bar;
use crate::failure::{Failure, warn};
use crate::live::Live;
use crate::render::{Format, View, csv, looks, survey};
use crate::signals::Signals;
use crate::sink::Sink;
use crate::trace_file::Writer;

/// Watches one run.
pub struct Watch {
    bar: Bar,
    /// Which run this is, of how many.
    part: (u32, u32),
    signals: Signals,
    rows: Option<(Rows, Sink)>,
    live: Option<Live>,
    trace: Option<Writer>,
    answer: Option<Answer>,
}

/// The answer so far, above the bar.
struct Answer {
    cycles: bool,
    /// When it is next wanted, ns since the start.
    next_ns: f64,
}

/// When the first answer is there, and how long until the next one, ns.
const FIRST_NS: f64 = 1e9;
const NEXT_NS: f64 = 0.6e9;

/// What is written as it comes.
pub enum Rows {
    /// A CSV row a clock as it is finished; the ids of those that are written.
    Clocks(Vec<String>),
    /// The lines of a look at watched clocks, if the format has some.
    Looks(Format, View),
    /// A line a difference of adjacent readings; the label before it.
    Differences(String),
}

impl Watch {
    /// A bar on standard error, if that is a terminal and `output` does not forbid it. What is seen is written to
    /// `trace`.
    pub fn new(output: &OutputArgs, signals: Signals, trace: Option<Writer>) -> Self {
        Self { bar: Bar::new(!output.no_progress), part: (0, 1), signals, rows: None, live: None, trace, answer: None }
    }

    /// Writes rows to `sink` as they come, after `header`. Nobody left to read them ends the run; so does a file that
    /// takes no more, unless its clocks are kept for standard output.
    #[must_use]
    pub fn with_rows(self, rows: Rows, mut sink: Sink, header: &str) -> Self {
        sink.put(header);
        Self { rows: Some((rows, sink)), ..self }
    }

    /// Shows the answer above the bar as soon as there is one.
    #[must_use]
    pub fn with_answer(self, cycles: bool) -> Self {
        Self { answer: Some(Answer { cycles, next_ns: FIRST_NS }), ..self }
    }

    /// Draws no bar.
    #[must_use]
    pub fn without_bar(self) -> Self {
        Self { bar: Bar::new(false), ..self }
    }

    /// Draws what is seen as it comes; what is put is written to `sink`.
    #[must_use]
    pub fn with_live(self, live: Live, sink: Sink) -> Self {
        Self { live: Some(live), rows: Some((Rows::Clocks(Vec::new()), sink)), ..self }
    }

    /// Takes the live view away.
    pub fn end_live(&mut self) {
        self.live = None;
    }

    /// Writes rows, if any are wanted.
    pub fn put(&mut self, text: &str) {
        if let Some((_, sink)) = &mut self.rows {
            // Standard output may be the same terminal.
            self.bar.clear();
            sink.put(text);
        }
    }

    /// Ends the rows, as [`Sink::finish`].
    pub fn finish_rows(&mut self, again: impl FnOnce() -> Option<String>) -> Result<(), Failure> {
        self.rows.take().map_or(Ok(()), |(_, sink)| sink.finish(again))
    }

    /// The end of a run that a signal or a full trace may have cut short; what there was has been printed.
    ///
    /// # Errors
    /// [`Failure::Signal`]; [`Failure::Machine`] where the trace's file took not all of it.
    pub fn finish(self) -> Result<(), Failure> {
        let signal = self.signals.received();
        if self.trace.map_or(Ok(false), Writer::finish)? {
            warn("the trace is as large as it may become, 128 MiB; the run ended there");
        }
        signal.map_or(Ok(()), |number| Err(Failure::Signal(number)))
    }

    /// What comes is the run after `before` of `all`.
    pub fn part(&mut self, before: u32, all: u32) {
        self.part = (before, all.max(1));
    }

    /// A run that came to nothing leaves what it had read in the trace.
    pub fn keep(&mut self) {
        if let Some(trace) = &mut self.trace {
            trace.keep();
        }
    }

    /// Takes the bar away.
    pub fn clear(&mut self) {
        self.bar.clear();
    }
}

impl Observer for Watch {
    fn progress(&mut self, done: f64, phase: &str) {
        let (before, all) = self.part;
        if let Some(live) = &mut self.live {
            live.tend();
        }
        self.bar.draw((f64::from(before) + done.clamp(0.0, 1.0)) / f64::from(all), phase);
    }

    fn wants_so_far(&self, elapsed_ns: f64) -> bool {
        self.answer.as_ref().is_some_and(|answer| elapsed_ns >= answer.next_ns) && self.bar.room().is_some()
    }

    fn so_far(&mut self, analysis: &Analysis, elapsed_ns: f64) {
        let (Some(answer), Some((width, lines))) = (&mut self.answer, self.bar.room()) else { return };
        answer.next_ns = elapsed_ns + NEXT_NS;
        let view = View::new(Some(width), Some(lines), false);
        let text = survey::so_far(&record(analysis), answer.cycles, view);
        let told: Vec<String> = text.lines().map(|line| line.chars().take(width).collect()).collect();
        if told.len() <= lines {
            self.bar.tell(&told);
        }
    }

    fn clock(&mut self, clock: &Clock) {
        if let Some((Rows::Clocks(written), _)) = &mut self.rows
            && !written.contains(&clock.id)
        {
            written.push(clock.id.clone());
            self.put(&csv::clock_line(clock));
        }
    }

    fn looked(&mut self, analysis: &Analysis) {
        let rows = analysis.monitor_rows();
        if let Some(live) = &mut self.live {
            live.take(&rows, analysis);
        }
        if let Some((Rows::Looks(format, view), sink)) = &mut self.rows {
            sink.put(&looks::look(&rows, *format, *view));
        }
        // A watch of hours may be killed.
        if let (Some(trace), Some(row)) = (&mut self.trace, rows.first()) {
            trace.keep_by(row.at_s);
        }
    }

    fn begin(&mut self, header: &Header) {
        let reference = &header.clocks[header.reference].id;
        // Not before: a run that is refused writes nothing.
        if let Some((Rows::Looks(format, view), sink)) = &mut self.rows {
            sink.put(&looks::head(reference, *format, *view));
        }
        if let Some(live) = &mut self.live {
            live.begin(reference);
        }
        if let Some(trace) = &mut self.trace {
            trace.put(header);
        }
    }

    fn observed(&mut self, observation: &Observation) {
        if let Some(trace) = &mut self.trace {
            trace.put(observation);
        }
        if let Some((Rows::Differences(label), sink)) = &mut self.rows
            && let Observation::Row(row) = observation
            && row.role == Role::Plain
        {
            sink.put(&differences(label, &row.values));
        }
    }

    fn stop(&self) -> bool {
        let nobody_takes = |(rows, sink): &(Rows, Sink)| {
            sink.is_closed() && (sink.is_stdout() || matches!(rows, Rows::Differences(_) | Rows::Looks(..)))
        };
        self.signals.received().is_some()
            || self.live.as_ref().is_some_and(Live::is_over)
            || self.rows.as_ref().is_some_and(nobody_takes)
            || self.trace.as_ref().is_some_and(Writer::is_over)
    }
}

/// The differences of adjacent readings, a line each. A clock that went back gives a negative one.
fn differences(label: &str, readings: &[u64]) -> String {
    readings.windows(2).fold(String::new(), |mut lines, pair| {
        let _ = writeln!(lines, "{label} {}", pair[1].wrapping_sub(pair[0]) as i64);
        lines
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_a_difference_and_its_sign() {
        for (readings, lines) in [(&[10, 36, 30, 30][..], "tsc 26\ntsc -6\ntsc 0\n"), (&[7], ""), (&[], "")] {
            assert_eq!(differences("tsc", readings), lines);
        }
    }
}
