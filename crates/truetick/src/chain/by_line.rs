//! Readings by a line, and how one line follows another.

use core::sync::atomic::Ordering::Relaxed;

use super::{Chain, Compared, Comparison, Reading, by_clock, by_fit};
use crate::{
    discipline::{self, Fit, STALE_NS, Seen},
    hardware::{Anchor, Hardware, Rules},
    ring::Refused,
    source::Why,
    word::Word,
};

/// How often the system is asked whether it still uses the counter, ms.
const ASK_MS: u64 = 1000;
/// The same, where a bracket is wide (reading the system's clock may have become a system call) or the last answer was no.
const ASK_SOON_MS: u64 = 50;
/// Answers of no in a row after which the counter is left.
const NOES: u64 = 3;
/// In place of that number, counted up to it: answers in a row that told nothing. Then the system can't tell, and is not asked
/// again; a single one may be an interrupt's doing.
const UNTOLD: u64 = 0xff;
const FIRST_UNTOLD: u64 = UNTOLD - 2;

/// Jumps less than [`STRIKES_MS`] apart after which the counter is given up.
const STRIKES: u64 = 8;
const STRIKES_MS: u64 = 10_000;

impl<W: Word, const N: usize> Chain<W, N> {
    /// `None`: the state has changed, look again.
    pub(super) fn by_line(&self, hw: &impl Hardware, state: u64) -> Option<Reading> {
        let fit = Fit::of_words(&self.ring.read(&self.state, state)?);
        let rules = Rules::of(hw);
        // Read after the state: a tick before the line's start is the counter's doing, not the scheduler's.
        let ticks = hw.ordered();
        if let Some(ns) = fit.line.at(ticks) {
            return Some(by_fit(ns, &fit, ticks, rules));
        }
        if fit.just_before(ticks) {
            // This CPU's counter is behind that of the CPU which laid the line, whichever lays them all.
            if fit.line.start.wrapping_sub(ticks) > hw.skew_ticks() {
                self.note(Seen::Jump);
                self.count_jump(fit.line.base);
            }
            return Some(by_fit(fit.line.base, &fit, fit.line.start, rules));
        }
        let now = match self.compare(hw, fit.enough()) {
            Comparison::Made(now) => now,
            Comparison::Failed => return self.without_kernel(&fit, state, ticks, rules),
            Comparison::Overtaken => return None,
        };
        let anchor = now.anchor;
        let seen = if fit.wall.is_before(hw.marker()) { Seen::Jump } else { discipline::judge(&fit, anchor, rules) };
        self.note(seen);
        match seen {
            Seen::Steady | Seen::Untold | Seen::Unsteady => self.ask(hw, anchor, &fit),
            // Farther ahead than any line leads: not the counter alone went back.
            Seen::Jump if fit.line.last().saturating_sub(anchor.ns) > 2 * rules.period_ns + 2 * fit.lead => {
                return self.set_back(&fit, state, &now);
            }
            Seen::Jump => self.count_jump(anchor.ns),
            Seen::SetBack => return self.set_back(&fit, state, &now),
        }
        let next =
            if seen == Seen::Jump || self.given_up() { None } else { discipline::next(&fit, anchor, now.start, rules) };
        if let Some(next) = next {
            let next = self.with_wall(hw, next);
            match self.ring.publish(&self.state, state, &next.words()) {
                Ok(_) => return Some(by_fit(next.line.base, &next, next.line.start, rules)),
                Err(Refused::Lost) => return None,
                // Go on by the system's clock, which needs no slot.
                Err(Refused::Full) => {}
            }
        }
        let ns = anchor.ns.max(fit.line.last());
        self.meet_from(ns, anchor.ns);
        let done = self.ring.replace(&self.state, state, self.system_state(ns));
        done.then(|| by_clock(ns, Some(anchor.ns)))
    }

    /// The system's clock fails: the line goes on at its rate.
    fn without_kernel(&self, fit: &Fit, state: u64, ticks: u64, rules: Rules) -> Option<Reading> {
        if let Some(next) = discipline::coast(fit, ticks, rules) {
            let next = Fit { wall: next.wall.failing(), ..next };
            match self.ring.publish(&self.state, state, &next.words()) {
                Ok(_) => return Some(by_fit(next.line.base, &next, next.line.start, rules)),
                Err(Refused::Lost) => return None,
                Err(Refused::Full) => {}
            }
        }
        let ns = fit.line.last();
        let done = self.ring.replace(&self.state, state, self.system_state(ns));
        done.then(|| by_clock(ns, None))
    }

    /// The system's clock has been set back: from here on what it lost is added. It goes on from where the line would
    /// have come by the counter, or from the line's last value after a gap in which the counter may have jumped too.
    fn set_back(&self, fit: &Fit, state: u64, now: &Compared) -> Option<Reading> {
        let run = now.start.wrapping_sub(fit.now.ticks) as f64 * fit.rate;
        let due = if run <= STALE_NS { fit.now.ns.wrapping_add(run as u64) } else { 0 };
        let ns = due.max(fit.line.last());
        if !self.add_to_system(now.shift, now.anchor.ns, ns) {
            return None;
        }
        let done = self.ring.replace(&self.state, state, self.system_state(ns));
        done.then(|| by_clock(ns, None))
    }

    /// Asks now and then whether the system still makes its own clock of the counter, and leaves the counter if not.
    fn ask(&self, hw: &impl Hardware, anchor: Anchor, fit: &Fit) {
        let (ms, last) = (anchor.ns / 1_000_000, self.asked.load(Relaxed));
        let (since, noes) = (ms.wrapping_sub(last >> 8), last & 0xff);
        if noes == UNTOLD {
            return;
        }
        let soon = noes > 0 || anchor.half > 2 * fit.now.half;
        if since < if soon { ASK_SOON_MS } else { ASK_MS } {
            return;
        }
        let noes = match hw.still_used() {
            Some(true) => 0,
            Some(false) if noes < FIRST_UNTOLD => noes + 1,
            Some(false) => 1,
            None => (noes + 1).max(FIRST_UNTOLD),
        };
        self.asked.store(ms << 8 | noes, Relaxed);
        if (NOES..FIRST_UNTOLD).contains(&noes) {
            self.give_up(Why::KernelLeftIt);
        }
    }

    /// A counter that keeps jumping (or that differs between CPUs, which looks the same) is given up. Once for each line:
    /// many readings may see the same. Racing threads may lose a count; it comes again.
    fn count_jump(&self, ns: u64) {
        let ms = ns / 1_000_000;
        let before = self.jumps.load(Relaxed);
        let in_a_row = match ms.wrapping_sub(before >> 8) {
            0 => return,
            1..STRIKES_MS => (before & 0xff) + 1,
            _ => 1,
        };
        self.jumps.store(ms << 8 | in_a_row.min(0xff), Relaxed);
        if in_a_row >= STRIKES {
            self.give_up(Why::Unsteady);
        }
    }
}
