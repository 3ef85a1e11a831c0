//! Who did it: what the kernel's clocks and `adjtimex` say of a step or a slew.

use std::collections::VecDeque;

use super::axis::Axis;
use crate::analyze::changes::Change;
use crate::analyze::keeping;
use crate::record::{Interval, Ntp};
use crate::text::{signed, signed_time};
use crate::trace::{ClocksourceChange, Description};

/// Statements of `adjtimex` that are kept, the latest ones that differ.
const KEPT: usize = 256;
/// What the kernel's clock gains for a tick that is longer by 1 µs, at its 100 ticks (USER_HZ) a second, ppm.
const TICK_PPM: f64 = 100.0;
const USUAL_TICK_US: i64 = 10_000;
/// A change of the rate is that of the kernel's frequency if they differ by no more than this, as a share and in ppm.
const ALIKE: (f64, f64) = (0.1, 0.05);
/// adjtime(3) moves the clock by 500 µs a second until it is right (kernel/time/ntp.c, MAX_TICKADJ).
const ADJTIME_PPM: f64 = 500.0;
/// The fastest that the kernel slews an offset away, ppm, with room for the frequency.
const FASTEST_PPM: f64 = 1100.0;
/// A step is the one that was seen elsewhere if they differ by no more than this, as a share and in ns.
const SAME_STEP: (f64, f64) = (0.1, 1000.0);

/// What NTP said of the kernel's clock, and when.
#[derive(Debug, Clone, Default)]
pub(super) struct Steering {
    stated: VecDeque<(f64, Ntp)>,
    pub(super) first: Option<Ntp>,
    /// Why nothing is known.
    pub(super) refused: Option<String>,
}

impl Steering {
    /// One more statement; what of it is worth telling.
    pub(super) fn take(&mut self, at_ns: f64, ntp: &Ntp) -> Option<String> {
        self.first.get_or_insert_with(|| ntp.clone());
        let before = self.stated.back().map(|(_, ntp)| ntp.clone());
        if self.stated.len() == KEPT {
            self.stated.pop_front();
        }
        self.stated.push_back((at_ns, ntp.clone()));
        let before = before?;
        let mut told = Vec::new();
        let word = |synchronised| if synchronised { "synchronised" } else { "unsynchronised" };
        if before.synchronised != ntp.synchronised {
            told.push(format!("{}, before {}", word(ntp.synchronised), word(before.synchronised)));
        }
        if before.state != ntp.state {
            told.push(format!("state {}, before {}", ntp.state, before.state));
        }
        if before.tai_offset_s != ntp.tai_offset_s {
            told.push(format!("TAI − UTC {} s, before {} s", ntp.tai_offset_s, before.tai_offset_s));
        }
        if (ppm(&before) - ppm(ntp)).abs() >= 0.1 {
            told.push(format!("frequency {} ppm, before {} ppm", signed(ppm(ntp)), signed(ppm(&before))));
        }
        (!told.is_empty()).then(|| told.join("; "))
    }

    pub(super) fn latest(&self) -> Option<&Ntp> {
        self.stated.back().map(|(_, ntp)| ntp)
    }

    /// The last statement up to then, else the first one.
    fn at(&self, at_ns: f64) -> Option<&Ntp> {
        let before = self.stated.iter().rev().find(|(at, _)| *at <= at_ns);
        before.or(self.stated.front()).map(|(_, ntp)| ntp)
    }

    /// Who set the wall clock. What sets it otherwise than NTP does (settimeofday, date) makes the kernel hold it for
    /// unsynchronised (kernel/time/ntp.c, ntp_clear).
    pub(super) fn set_by(&self, at_ns: f64) -> (Option<String>, String) {
        match self.at(at_ns) {
            Some(ntp) if ntp.synchronised => {
                (Some("NTP".into()), "the wall clock was set and the kernel holds it for synchronised still".into())
            }
            Some(_) => {
                (Some("clock set".into()), "the wall clock was set and the kernel holds it for unsynchronised".into())
            }
            None => (Some("clock set".into()), "the wall clock was set; adjtimex does not say by whom".into()),
        }
    }
}

/// What the kernel's clock is steered by, ppm.
pub(super) fn ppm(ntp: &Ntp) -> f64 {
    ntp.frequency_ppm + ntp.tick_us.map_or(0.0, |tick| (tick - USUAL_TICK_US) as f64 * TICK_PPM)
}

/// All that may have moved a clock.
pub(super) struct Evidence<'a> {
    pub(super) steps: &'a [keeping::Change],
    pub(super) sleeps: &'a [keeping::Change],
    pub(super) clocksources: &'a [ClocksourceChange],
    pub(super) axis: &'a Axis,
    pub(super) steering: &'a Steering,
    pub(super) slack_ns: f64,
}

/// The cause, where one is known, and what says so.
type Told = (Option<String>, String);

impl Evidence<'_> {
    /// Of a step of the clock's offset from the reference.
    pub(super) fn of_step(
        &self,
        size: Interval,
        change: &Change,
        clock: &Description,
        reference: &Description,
    ) -> Told {
        let (ours, theirs) = (clock.promises, reference.promises);
        if let Some(seen) = self.near(self.steps, change) {
            let (cause, why) = self.steering.set_by(change.at_ns + change.at_uncertainty_ns);
            for (moved, sign, who) in [
                (ours.may_step && !theirs.may_step, 1.0, ""),
                (theirs.may_step && !ours.may_step, -1.0, " (the reference)"),
            ] {
                if moved && alike(size.value, sign * seen.size.value, SAME_STEP) {
                    return (cause.map(|cause| cause + who), why);
                }
            }
        }
        if let Some(seen) = self.near(self.sleeps, change)
            && ours.counts_suspend != theirs.counts_suspend
        {
            let why = format!("the machine slept for {}", signed_time(seen.size.value));
            return (Some("suspend".into()), why);
        }
        if let Some(why) = self.clocksource(change) {
            return (Some("clocksource".into()), why);
        }
        (None, "nothing that the kernel tells explains it".into())
    }

    /// Of a change of the clock's rate by the reference.
    pub(super) fn of_slew(
        &self,
        size: Interval,
        change: &Change,
        clock: &Description,
        reference: &Description,
    ) -> Told {
        if let Some(why) = self.clocksource(change) {
            return (Some("clocksource".into()), why);
        }
        let sign = match (clock.promises.slewed, reference.promises.slewed) {
            (true, false) => 1.0,
            (false, true) => -1.0,
            _ => return (None, "NTP slews both clocks alike, or neither".into()),
        };
        let who = if sign < 0.0 { "NTP (the reference)" } else { "NTP" };
        let reach = change.at_uncertainty_ns + self.slack_ns;
        let [before, after] = [change.at_ns - reach, change.at_ns + reach].map(|at| self.steering.at(at));
        let (Some(before), Some(after)) = (before, after) else {
            return (None, "adjtimex does not tell how the kernel's clock is steered".into());
        };
        let by = ppm(after) - ppm(before);
        if by != 0.0 && alike(size.value, sign * by, ALIKE) {
            let why = format!("adjtimex: frequency {} ppm, before {} ppm", signed(ppm(after)), signed(ppm(before)));
            return (Some(who.into()), why);
        }
        if (before.offset_ns != 0.0 || after.offset_ns != 0.0) && size.value.abs() <= FASTEST_PPM {
            let most = if before.offset_ns.abs() > after.offset_ns.abs() { before } else { after };
            return (
                Some(who.into()),
                format!("adjtimex: an offset of {} is slewed away", signed_time(most.offset_ns)),
            );
        }
        if by == 0.0 && alike(size.value.abs(), ADJTIME_PPM, ALIKE) {
            return (Some("adjtime".into()), "500 ppm is the rate at which adjtime(3) moves the clock".into());
        }
        (None, "adjtimex tells of no change of its frequency then".into())
    }

    /// The change that was seen at the same time.
    fn near<'a>(&self, changes: &'a [keeping::Change], change: &Change) -> Option<&'a keeping::Change> {
        let reach = change.at_uncertainty_ns + self.slack_ns;
        let (low, high) = (change.at_ns - reach, change.at_ns + reach);
        changes
            .iter()
            .rev()
            .find(|seen| self.axis.of(seen.from.kernel_ns) <= high && self.axis.of(seen.to.kernel_ns) >= low)
    }

    fn clocksource(&self, change: &Change) -> Option<String> {
        let last = self.clocksources.last()?;
        let near = (self.axis.now_ns() - change.at_ns) < 16.0 * self.slack_ns;
        near.then(|| format!("the kernel took clocksource {} instead of {}", last.to, last.from))
    }
}

fn alike(a: f64, b: f64, (share, least): (f64, f64)) -> bool {
    (a - b).abs() <= share * b.abs() + least
}
