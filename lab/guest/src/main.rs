//! Process 1 of a guest: reads its plan, does it, writes record and notes to the disk of frames, switches off.

mod chronyd;
mod clocks;
mod faults;
mod filter;
mod inner;
mod machine;
mod program;
mod prompt;
mod raw;
mod report;
mod tsc;
mod utc;
mod wall;
mod watch;

use std::fs;
use std::time::Duration;

use anyhow::{Context, Result};
use lab_guest::frame::{NOTES, RECORD, STARTED, THEN, TRACE};
use lab_guest::notes::{Notes, UtcAhead};
use lab_guest::plan::{DISK, PLAN, Plan, STARTS};

use program::Written;

fn main() {
    if std::process::id() != 1 {
        eprintln!("This is process 1 of a guest of the lab; `cargo xtask lab` starts it.");
        std::process::exit(2);
    }
    if let Err(error) = guest() {
        eprintln!("lab: FAILED: {error:#}");
    }
    machine::switch_off();
}

fn guest() -> Result<()> {
    machine::mount_all()?;
    machine::console()?;
    let text = fs::read(PLAN).with_context(|| format!("can't read {PLAN}"))?;
    let plan: Plan = serde_json::from_slice(&text).with_context(|| format!("{PLAN} is no plan"))?;
    for module in &plan.modules {
        machine::load(module)?;
    }
    let mut frames = report::open(DISK)?;
    if let Some(inner) = &plan.inner {
        return inner::run(inner, &mut frames);
    }
    frames.send(STARTED, &[])?;
    if plan.interactive {
        return prompt::serve(&plan.guest, &plan.environment);
    }
    let mut notes = Notes::default();
    let written = match scenario(&plan, &mut notes) {
        Ok(written) => written,
        Err(error) => {
            notes.errors.push(format!("{error:#}"));
            Written::default()
        }
    };
    for (name, bytes) in [(RECORD, written.record), (THEN, written.then), (TRACE, written.trace)] {
        if let Some(bytes) = bytes {
            frames.send(name, &bytes)?;
        }
    }
    Ok(frames.send(NOTES, &serde_json::to_vec(&notes)?)?)
}

/// All that the plan says. What was noted until an error stays in the notes.
fn scenario(plan: &Plan, notes: &mut Notes) -> Result<Written> {
    let guest = &plan.guest;
    if let Some(wanted) = &guest.await_clocksource {
        machine::await_clocksource(wanted, Duration::from_secs(30))?;
    }
    if let Some(wanted) = &guest.await_offer {
        machine::await_offer(wanted, Duration::from_secs(30))?;
    }
    notes.clocksource = machine::clocksource();
    notes.memory_mib = machine::memory_mib();
    let mut faults = faults::Faults::new(&guest.faults);
    faults.before(notes)?;
    machine::unmount_all_but(&guest.mounts)?;
    let utc = guest.utc_ahead_ns.map(utc::Utc::ahead_by);
    let utc_first_ns = utc.map(utc::Utc::ahead_ns);
    // The watch and the faults have threads of their own, as chronyd's source; the program is another process.
    let watch = guest.truetick.map(|watch| watch::Running::start(watch, utc));
    let chronyd = utc.zip(guest.chronyd).map(|(utc, chronyd)| chronyd::Running::start(chronyd, utc));
    let first = raw::bracket();
    println!("{STARTS}");
    let running = guest.program.is_some().then(|| program::start(guest, &plan.environment)).transpose()?;
    let faults = faults.start();
    let ended = running.map(program::Running::end).transpose();
    notes.raw_rate = Some(raw::rate(first, raw::bracket()));
    faults.end(notes);
    if let Some(watch) = watch {
        let (instants, wall) = watch.end(guest.truetick.map_or(0.0, |watch| watch.for_s));
        (notes.truetick, notes.wall) = (Some(instants), wall);
    }
    notes.utc = utc.zip(utc_first_ns).map(|(utc, first_ns)| UtcAhead { first_ns, last_ns: utc.ahead_ns() });
    notes.chronyd = chronyd.map(chronyd::Running::end).transpose()?;
    let Some((ended, mut written)) = ended? else { return Ok(Written::default()) };
    notes.program = Some(ended);
    if let Some(running) = program::start_again(guest, &plan.environment)? {
        let (ended, again) = running.end()?;
        notes.then = Some(ended);
        written.then = again.then;
    }
    Ok(written)
}
