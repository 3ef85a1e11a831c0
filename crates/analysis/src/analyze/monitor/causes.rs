//! Who did it: what the kernel's clocks and `adjtimex` say of a step or a slew.

use std::collections::VecDeque;

use super::axis::Axis;
use crate::analyze::changes::Change;
use crate::analyze::keeping;
use crate::record::{Interval, Ntp};
use crate::text::{signed, signed_time};
use crate::trace::Description;

/// Statements of `adjtimex` that are kept, the latest ones that differ.
const KEPT: usize = 256;
/// What the kernel's clock gains for a tick that is longer by 1 µs, at its 100 ticks (USER_HZ) a second, ppm.
const TICK_PPM: f64 = 100.0;
const USUAL_TICK_US: i64 = 10_000;
/// A change of the rate is that of the kernel's frequency if they differ by no more than this, as a share and in ppm.
const ALIKE: (f64, f64) = (0.1, 0.05);
/// adjtime(3) moves the clock by 500 µs a second until it is right (kernel/time/ntp.c, MAX_TICKADJ).
const ADJTIME_PPM: f64 = 500.0;
/// Of an offset the kernel removes at most so large a share each second (kernel/time/ntp.c, `ntp_offset_chunk` at the shortest
/// time constant), and so much is left of it.
const REMOVED: f64 = 0.25;
const LEFT: f64 = 1.0 - REMOVED;
/// The largest offset that the kernel takes, ns (MAXPHASE).
const MOST_OFFSET_NS: f64 = 0.5e9;
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

    /// Who moved the wall clock by so much between the two moments. Whoever sets it otherwise than by NTP's own steps
    /// (settimeofday, date) makes the kernel hold it for unsynchronised (kernel/time/ntp.c, `ntp_clear`); a leap second does not.
    pub(super) fn set_by(&self, size: Interval, [from_ns, to_ns]: [f64; 2]) -> Told {
        let (before, after) = (self.at(from_ns), self.at(to_ns));
        if keeping::leap(size, before, after).is_some() {
            return (Some(keeping::LEAP_SECOND.into()), "adjtimex told of a leap second then".into());
        }
        match after {
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

/// Something below the kernel's clocks changed, between two looks, ns since the first one.
#[derive(Debug, Clone)]
pub(super) struct Below {
    pub(super) from_ns: f64,
    pub(super) to_ns: f64,
    pub(super) cause: &'static str,
    pub(super) what: String,
}

/// All that may have moved a clock.
pub(super) struct Evidence<'a> {
    pub(super) steps: &'a [keeping::Change],
    /// Steps that are not among them.
    pub(super) steps_omitted: u64,
    pub(super) sleeps: &'a [keeping::Change],
    pub(super) below: &'a VecDeque<Below>,
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
            let (cause, why) = self.steering.set_by(seen.size, self.reach(change));
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
        if let Some(told) = self.below(change) {
            return told;
        }
        if self.steps_omitted > 0 && ours.may_step != theirs.may_step {
            return (None, "the wall clock was set more often than is kept one by one".into());
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
        if let Some(told) = self.below(change) {
            return told;
        }
        let sign = match (clock.promises.slewed, reference.promises.slewed) {
            (true, false) => 1.0,
            (false, true) => -1.0,
            _ => return (None, "NTP slews both clocks alike, or neither".into()),
        };
        let who = if sign < 0.0 { "NTP (the reference)" } else { "NTP" };
        let [from_ns, to_ns] = self.reach(change);
        let (Some(before), Some(after)) = (self.steering.at(from_ns), self.steering.at(to_ns)) else {
            return (None, "adjtimex does not tell how the kernel's clock is steered".into());
        };
        let by = ppm(after) - ppm(before);
        if by != 0.0 && alike(size.value, sign * by, ALIKE) {
            let why = format!("adjtimex: frequency {} ppm, before {} ppm", signed(ppm(after)), signed(ppm(before)));
            return (Some(who.into()), why);
        }
        let most = if before.offset_ns.abs() > after.offset_ns.abs() { before } else { after };
        if most.offset_ns != 0.0 && size.value.abs() <= fastest_ppm(most.offset_ns, to_ns - from_ns) {
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
        let [low, high] = self.reach(change);
        changes
            .iter()
            .rev()
            .find(|seen| self.axis.of(seen.from.kernel_ns) <= high && self.axis.of(seen.to.kernel_ns) >= low)
    }

    /// Between when and when it happened, with a look's room.
    fn reach(&self, change: &Change) -> [f64; 2] {
        let reach = change.at_uncertainty_ns + self.slack_ns;
        [change.at_ns - reach, change.at_ns + reach]
    }

    /// Another clocksource, or a disrupted counter.
    fn below(&self, change: &Change) -> Option<Told> {
        let [low, high] = self.reach(change);
        let seen = self.below.iter().rev().find(|seen| seen.from_ns <= high && seen.to_ns >= low)?;
        Some((Some(seen.cause.into()), seen.what.clone()))
    }
}

/// The fastest that the kernel can have slewed, ppm, where so much of an offset, ns, was left at one end of a time, ns.
fn fastest_ppm(left_ns: f64, time_ns: f64) -> f64 {
    let seconds = (time_ns / 1e9).ceil().max(1.0);
    let offset_ns = (left_ns.abs() / libm::pow(LEFT, seconds)).min(MOST_OFFSET_NS);
    offset_ns * REMOVED / 1000.0 * (1.0 + ALIKE.0) + ALIKE.1
}

fn alike(a: f64, b: f64, (share, least): (f64, f64)) -> bool {
    (a - b).abs() <= share * b.abs() + least
}
