//! The kernel's clocks, read and set.

use std::mem::zeroed;

use anyhow::{Result, ensure};
use lab_guest::notes::Clocks;
use rustix::time::{ClockId, Timespec, clock_gettime, clock_settime};

const SECOND: i64 = 1_000_000_000;

/// One clock, ns.
pub(crate) fn read(id: ClockId) -> i64 {
    let time = clock_gettime(id);
    time.tv_sec * SECOND + time.tv_nsec
}

/// The three of them, in a row.
pub(crate) fn all() -> Clocks {
    Clocks {
        realtime_ns: read(ClockId::Realtime),
        monotonic_ns: read(ClockId::Monotonic),
        boottime_ns: read(ClockId::Boottime),
    }
}

/// Sets CLOCK_REALTIME.
pub(crate) fn set(ns: i64) -> Result<()> {
    let time = Timespec { tv_sec: ns.div_euclid(SECOND), tv_nsec: ns.rem_euclid(SECOND) };
    Ok(clock_settime(ClockId::Realtime, time)?)
}

/// Sets CLOCK_REALTIME to what it is plus this, at once in the kernel: nothing passes between a reading and a setting.
pub(crate) fn step(by_ns: i64) -> Result<()> {
    adjust(|t| {
        t.modes = libc::ADJ_SETOFFSET | libc::ADJ_NANO;
        t.time.tv_sec = by_ns.div_euclid(SECOND);
        // With ADJ_NANO these are ns.
        t.time.tv_usec = by_ns.rem_euclid(SECOND);
    })?;
    Ok(())
}

/// Makes the kernel's clock run faster by this, ppm.
pub(crate) fn set_rate(ppm: f64) -> Result<()> {
    // The kernel counts 2^-16 ppm.
    let scaled = (ppm * 65_536.0).round() as i64;
    adjust(|t| {
        t.modes = libc::ADJ_FREQUENCY;
        t.freq = scaled;
    })?;
    Ok(())
}

/// Makes the kernel's clock run faster by this, ppm: its tick is longer than 10 ms by so much.
pub(crate) fn set_tick(ppm: i64) -> Result<()> {
    adjust(|t| {
        t.modes = libc::ADJ_TICK;
        t.tick = 10_000 + ppm / 100;
    })?;
    Ok(())
}

/// At which rate the kernel's clock has been told to run, less 1, ppm: by its tick and its frequency.
pub(crate) fn rate_ppm() -> Result<f64> {
    let mut rate = 0.0;
    adjust_and_see(|_| (), |t| rate = (t.tick - 10_000) as f64 * 100.0 + t.freq as f64 / 65_536.0)?;
    Ok(rate)
}

/// Tells the kernel that its clock is behind by this; as systemd-timesyncd does it (manager_adjust_clock).
pub(crate) fn adjust_offset(by_ns: i64, constant: i64) -> Result<()> {
    adjust(|t| {
        t.modes = libc::ADJ_STATUS
            | libc::ADJ_NANO
            | libc::ADJ_OFFSET
            | libc::ADJ_TIMECONST
            | libc::ADJ_MAXERROR
            | libc::ADJ_ESTERROR;
        t.status = libc::STA_PLL;
        t.offset = by_ns;
        t.constant = constant;
        t.maxerror = 0;
        t.esterror = 0;
    })?;
    Ok(())
}

/// Asks for a leap second at the end of the UTC day.
pub(crate) fn announce_leap() -> Result<()> {
    adjust(|t| {
        // With an error that is known, as a time daemon does it: else the kernel calls itself unsynchronised within a
        // second, and its leap state can't be seen behind that.
        t.modes = libc::ADJ_STATUS | libc::ADJ_MAXERROR | libc::ADJ_ESTERROR;
        t.status = libc::STA_INS;
        t.maxerror = 0;
        t.esterror = 0;
    })?;
    Ok(())
}

/// The kernel's leap state by name.
pub(crate) fn leap_state() -> Result<String> {
    Ok(match adjust(|_| ())? {
        0 => "TIME_OK".into(),
        1 => "TIME_INS".into(),
        2 => "TIME_DEL".into(),
        3 => "TIME_OOP".into(),
        4 => "TIME_WAIT".into(),
        // Not synchronised: the leap second's own state can't be seen.
        other => format!("{other}"),
    })
}

fn adjust(fill: impl FnOnce(&mut libc::timex)) -> Result<i32> {
    adjust_and_see(fill, |_| ())
}

fn adjust_and_see(fill: impl FnOnce(&mut libc::timex), see: impl FnOnce(&libc::timex)) -> Result<i32> {
    // SAFETY: timex is made of integers only, for which zero bytes are a valid value.
    let mut timex: libc::timex = unsafe { zeroed() };
    fill(&mut timex);
    // SAFETY: the pointer is to a live timex.
    let state = unsafe { libc::adjtimex(&raw mut timex) };
    ensure!(state >= 0, "adjtimex: {}", std::io::Error::last_os_error());
    see(&timex);
    Ok(state)
}
