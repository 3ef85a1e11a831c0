//! What goes on beside a measurement: the progress bar, rows as they come, and the wish to stop. All of it
//! happens when the engine calls, between measured windows; no thread of its own draws or waits.

use std::cell::Cell;
use std::rc::Rc;

use clockscope_analysis::record::Clock;
use clockscope_analysis::trace::{Header, Observation};
use clockscope_engine::session::Observer;

use crate::args::OutputArgs;
use crate::bar::Bar;
use crate::failure::Failure;
use crate::render::csv;
use crate::signals::Signals;
use crate::sink::Stream;
use crate::trace_file::Writer;

/// Watches one run.
pub struct Watch {
    bar: Bar,
    signals: Signals,
    closed: Rc<Cell<bool>>,
    rows: Option<Rows>,
    trace: Option<Writer>,
}

/// CSV rows written as their clocks are finished.
struct Rows {
    stream: Stream,
    written: Vec<String>,
}

impl Watch {
    /// A bar on standard error, if that is a terminal and `output` does not forbid it.
    pub fn new(output: &OutputArgs, signals: Signals) -> Self {
        Self { bar: Bar::new(!output.no_progress), signals, closed: Rc::default(), rows: None, trace: None }
    }

    /// Writes each clock's CSV row to `stream` when it is finished, after the header.
    #[must_use]
    pub fn with_rows(mut self, mut stream: Stream) -> Self {
        stream.put(csv::header_line().as_bytes());
        if stream.is_stdout() {
            self.closed = stream.closed();
        }
        self.rows = Some(Rows { stream, written: Vec::new() });
        self
    }

    /// Writes what is seen to a file.
    #[must_use]
    pub fn with_trace(self, trace: Writer) -> Self {
        Self { trace: Some(trace), ..self }
    }

    /// Ends the trace, if one is written; true where it was full before the run was over.
    ///
    /// # Errors
    /// [`Failure::Machine`] where the file took not all of it.
    pub fn finish_trace(self) -> Result<bool, Failure> {
        self.trace.map_or(Ok(false), Writer::finish)
    }

    /// Stops the run when `closed` is set.
    #[must_use]
    pub fn until(mut self, closed: Rc<Cell<bool>>) -> Self {
        self.closed = closed;
        self
    }

    /// Takes the bar away.
    pub fn clear(&mut self) {
        self.bar.clear();
    }

    /// The signal that asked for the end, if one did.
    pub fn signal(&self) -> Option<i32> {
        self.signals.received()
    }

    /// The stream of rows, those of `clocks` that are not on it yet written now.
    pub fn take_rows(&mut self, clocks: &[Clock]) -> Option<Stream> {
        for clock in clocks {
            self.clock(clock);
        }
        self.rows.take().map(|rows| rows.stream)
    }
}

impl Observer for Watch {
    fn progress(&mut self, done: f64, phase: &str) {
        self.bar.draw(done, phase);
    }

    fn clock(&mut self, clock: &Clock) {
        if let Some(rows) = &mut self.rows
            && !rows.written.contains(&clock.id)
        {
            rows.written.push(clock.id.clone());
            // Standard output may be the same terminal.
            self.bar.clear();
            rows.stream.put(csv::clock_line(clock).as_bytes());
        }
    }

    fn begin(&mut self, header: &Header) {
        if let Some(trace) = &mut self.trace {
            trace.put(header);
        }
    }

    fn observed(&mut self, observation: &Observation) {
        if let Some(trace) = &mut self.trace {
            trace.put(observation);
        }
    }

    fn stop(&self) -> bool {
        self.closed.get() || self.signals.received().is_some() || self.trace.as_ref().is_some_and(Writer::is_over)
    }
}
