//! The live view of a watch, on a terminal: rates and offsets as lines over time, events as they come. Drawn when the engine
//! calls, as all that goes on beside a measurement; no thread of its own.
//!
//! Keys are read by hand: the usual way asks `std::time::Instant`, which panics where the system's clock fails. Ctrl-C stays
//! a signal, so that it means what it means everywhere.

use std::collections::VecDeque;
use std::io::{self, Stdout, stdin, stdout};

use clockscope_analysis::analyze::Analysis;
use clockscope_analysis::analyze::thinning::Thinned;
use clockscope_analysis::record::{MonitorRow, StabilityPoint};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::cursor::{Hide, Show};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

use crate::failure::{Failure, reason};
use crate::render::looks::event;
use crate::render::{View, live};

/// Points of a line that are kept, evenly spread.
const POINTS: usize = 512;
/// Events that are kept.
const EVENTS: usize = 64;

/// The view, until it is dropped; then the terminal is as it was.
pub struct Live {
    terminal: Terminal<CrosstermBackend<Stdout>>,
    before: Termios,
    seen: Seen,
    colour: bool,
    drawn: Option<(u16, u16)>,
    is_over: bool,
}

/// What there is to draw.
#[derive(Default)]
pub struct Seen {
    /// The clock that they are watched against.
    pub reference: String,
    /// The clocks, in the order of the rows.
    pub clocks: Vec<Watched>,
    /// Which of them is drawn.
    pub chosen: usize,
    /// Events, the oldest first.
    pub events: VecDeque<String>,
    /// Whether the chosen clock's stability is shown in place of its lines.
    pub shows_stability: bool,
    /// A clock's stability as of the latest look.
    pub stability: Option<(String, Vec<StabilityPoint>)>,
}

/// One clock.
pub struct Watched {
    /// Its latest row.
    pub row: MonitorRow,
    /// Time, s, and rate, ppm.
    pub rates: Thinned<(f64, f64)>,
    /// Time, s, and what it gained, ns.
    pub gained: Thinned<(f64, f64)>,
}

impl Seen {
    /// A look's rows.
    pub fn take(&mut self, rows: &[MonitorRow]) {
        let mut new: Vec<String> = Vec::new();
        for row in rows {
            let place = self.clocks.iter().position(|clock| clock.row.clock == row.clock);
            let at = place.unwrap_or_else(|| {
                self.clocks.push(Watched {
                    row: row.clone(),
                    rates: Thinned::new(POINTS),
                    gained: Thinned::new(POINTS),
                });
                self.clocks.len() - 1
            });
            let clock = &mut self.clocks[at];
            if let Some(ppm) = row.rate_ppm {
                clock.rates.push((row.at_s, ppm));
            }
            clock.gained.push((row.at_s, row.gained_ns));
            clock.row = row.clone();
            for text in row.events.iter().map(event) {
                if !new.contains(&text) {
                    new.push(text);
                }
            }
        }
        self.events.extend(new);
        while self.events.len() > EVENTS {
            self.events.pop_front();
        }
    }

    /// What somebody typed; `true`: to end.
    pub fn key(&mut self, typed: &[u8]) -> bool {
        let count = self.clocks.len().max(1);
        match typed {
            [b'\t' | b'j'] | b"\x1b[B" | b"\x1b[C" => self.chosen = (self.chosen + 1) % count,
            b"a" => self.shows_stability = !self.shows_stability,
            [b'k'] | b"\x1b[A" | b"\x1b[D" | b"\x1b[Z" => self.chosen = (self.chosen + count - 1) % count,
            _ => return typed.first().is_some_and(|key| matches!(key, b'q' | b'Q')),
        }
        false
    }
}

impl Live {
    /// Takes the terminal over.
    ///
    /// # Errors
    /// [`Failure::Machine`] where it does not let itself be taken.
    pub fn start(view: View) -> Result<Self, Failure> {
        let refused = |error: io::Error| {
            Failure::Machine(format!("the terminal takes no live view: {}; --plain gives lines", reason(&error)))
        };
        let before = tcgetattr(stdin()).map_err(|error| refused(error.into()))?;
        let mut keys = before.clone();
        keys.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO);
        tcsetattr(stdin(), OptionalActions::Now, &keys).map_err(|error| refused(error.into()))?;
        let opened = execute!(stdout(), EnterAlternateScreen, Hide)
            .and_then(|()| Terminal::new(CrosstermBackend::new(stdout())));
        match opened {
            Ok(terminal) => {
                Ok(Self { terminal, before, seen: Seen::default(), colour: view.colour, drawn: None, is_over: false })
            }
            Err(error) => {
                // As it was, as far as it lets itself.
                let _ = tcsetattr(stdin(), OptionalActions::Now, &before);
                Err(refused(error))
            }
        }
    }

    /// The watch begins, against this clock.
    pub fn begin(&mut self, reference: &str) {
        reference.clone_into(&mut self.seen.reference);
        self.draw();
    }

    /// A look is over.
    pub fn take(&mut self, rows: &[MonitorRow], analysis: &Analysis) {
        self.seen.take(rows);
        // Of one clock: of all of them it would take a good part of a short look.
        let chosen = self.seen.clocks.get(self.seen.chosen).map(|chosen| chosen.row.clock.clone());
        self.seen.stability = chosen.filter(|_| self.seen.shows_stability).map(|clock| {
            let points = analysis.stability_of(&clock);
            (clock, points)
        });
        self.draw();
    }

    /// Keys and a new size, a few times a second.
    pub fn tend(&mut self) {
        let mut typed = [0; 16];
        let keys = stdin();
        let mut ready = [PollFd::new(&keys, PollFlags::IN)];
        let is_ready = poll(&mut ready, Some(&Timespec::default())).is_ok_and(|count| count > 0);
        let count = if is_ready { rustix::io::read(stdin(), &mut typed).unwrap_or(0) } else { 0 };
        if count > 0 {
            self.is_over |= self.seen.key(&typed[..count]);
            self.draw();
        }
        let size = self.terminal.size().ok().map(|size| (size.width, size.height));
        if size != self.drawn {
            self.draw();
        }
    }

    fn draw(&mut self) {
        let (seen, colour) = (&self.seen, self.colour);
        match self.terminal.draw(|frame| live::draw(frame, seen, colour)) {
            Ok(done) => self.drawn = Some((done.area.width, done.area.height)),
            // The terminal is gone.
            Err(_) => self.is_over = true,
        }
    }

    /// Whether somebody wants it to end, or nobody looks any more.
    pub fn is_over(&self) -> bool {
        self.is_over
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        // A terminal that is gone takes nothing back.
        let _ = execute!(stdout(), LeaveAlternateScreen, Show);
        let _ = tcsetattr(stdin(), OptionalActions::Now, &self.before);
    }
}
