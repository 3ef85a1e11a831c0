//! What is done to the machine, at its time.

use std::thread::{self, JoinHandle, sleep};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use lab_guest::notes::{Done, Notes};
use lab_guest::plan::Fault;

use crate::machine::{CLOCKSOURCE, tell};
use crate::{clocks, tsc};

const DAY: i64 = 86_400 * 1_000_000_000;

/// The faults of a plan, those before the program and those beside it.
pub(crate) struct Faults {
    first: Vec<Fault>,
    then: Vec<Fault>,
}

/// Those beside it, under way.
pub(crate) struct Started(JoinHandle<(Vec<Done>, Vec<String>)>);

impl Faults {
    pub(crate) fn new(all: &[Fault]) -> Self {
        let (first, mut then): (Vec<Fault>, Vec<Fault>) = all.iter().cloned().partition(|fault| fault.at_s().is_none());
        then.sort_by(|a, b| a.at_s().unwrap_or(0.0).total_cmp(&b.at_s().unwrap_or(0.0)));
        Self { first, then }
    }

    /// Does what comes before the program.
    pub(crate) fn before(&mut self, notes: &mut Notes) -> Result<()> {
        for fault in self.first.drain(..) {
            notes.faults.push(bring_about(&fault)?);
        }
        Ok(())
    }

    /// Does the others at their times, counted from now.
    pub(crate) fn start(self) -> Started {
        let start = Instant::now();
        Started(thread::spawn(move || {
            let (mut done, mut errors) = (Vec::new(), Vec::new());
            for fault in &self.then {
                let at = Duration::from_secs_f64(fault.at_s().unwrap_or(0.0).max(0.0));
                sleep(at.saturating_sub(start.elapsed()));
                match bring_about(fault) {
                    Ok(one) => done.push(one),
                    Err(error) => errors.push(format!("{fault:?}: {error:#}")),
                }
            }
            (done, errors)
        }))
    }
}

impl Started {
    /// Waits for the last one.
    pub(crate) fn end(self, notes: &mut Notes) {
        match self.0.join() {
            Ok((done, errors)) => {
                notes.faults.extend(done);
                notes.errors.extend(errors);
            }
            Err(_) => notes.errors.push("the thread that brings the faults about panicked".into()),
        }
    }
}

fn bring_about(fault: &Fault) -> Result<Done> {
    let before = clocks::all();
    match fault {
        Fault::SetClock { by_ns, .. } => clocks::step(*by_ns)?,
        Fault::SetRate { ppm, .. } => clocks::set_rate(*ppm)?,
        Fault::SetTick { ppm, .. } => clocks::set_tick(*ppm)?,
        Fault::AdjustOffset { by_ns, constant, .. } => clocks::adjust_offset(*by_ns, *constant)?,
        Fault::LeapSecond { after_s, .. } => {
            let midnight = (before.realtime_ns / DAY + 1) * DAY;
            clocks::set(midnight - (after_s * 1e9) as i64)?;
            clocks::announce_leap()?;
            let before = clocks::all();
            // The kernel inserts it with its first tick after midnight; a second later it is over.
            sleep(Duration::from_secs_f64(after_s + 0.3));
            return Ok(done(fault, before, Some(clocks::leap_state()?)));
        }
        Fault::Suspend { for_s, .. } => suspend(*for_s)?,
        Fault::WriteTsc { cpu, by_ticks, .. } => {
            let ahead = tsc::write(*cpu, *by_ticks)?;
            return Ok(Done { ahead: Some(ahead), ..done(fault, before, None) });
        }
        Fault::DriftTsc { cpu, ppb, every_ms, for_s, .. } => {
            let (every, time) = (Duration::from_secs_f64(every_ms / 1e3), Duration::from_secs_f64(*for_s));
            let ppb = tsc::drift(*cpu, *ppb, every, time)?;
            return Ok(Done { drifted_ppb: Some(ppb), ..done(fault, before, None) });
        }
        Fault::UseClocksource { name, .. } => {
            let path = format!("{CLOCKSOURCE}/current_clocksource");
            tell(&path, name).with_context(|| format!("can't write {name} to {path}"))?;
        }
        Fault::CpuOffline { cpu, .. } => {
            let path = format!("/sys/devices/system/cpu/cpu{cpu}/online");
            tell(&path, "0").with_context(|| format!("can't write 0 to {path}"))?;
        }
    }
    Ok(done(fault, before, None))
}

fn done(fault: &Fault, before: lab_guest::notes::Clocks, leap_state: Option<String>) -> Done {
    let after = clocks::all();
    let gained = after.monotonic_ns - before.monotonic_ns;
    Done {
        fault: fault.clone(),
        before,
        after,
        realtime_step_ns: after.realtime_ns - before.realtime_ns - gained,
        asleep_ns: after.boottime_ns - before.boottime_ns - gained,
        leap_state,
        ahead: None,
        drifted_ppb: None,
    }
}

/// ACPI S3, woken by the real-time clock's alarm.
fn suspend(for_s: u32) -> Result<()> {
    let alarm = "/sys/class/rtc/rtc0/wakealarm";
    tell(alarm, "0").with_context(|| format!("can't clear {alarm}"))?;
    tell(alarm, &format!("+{for_s}")).with_context(|| format!("can't set {alarm}"))?;
    tell("/sys/power/state", "mem").context("the machine does not sleep (/sys/power/state)")
}
