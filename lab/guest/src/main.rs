//! Process 1 of a guest: reads its plan, does it, writes record and notes to the disk of frames, switches off.

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
mod watch;

use std::fs;
use std::time::Duration;

use anyhow::{Context, Result};
use lab_guest::frame::{NOTES, RECORD, STARTED, TRACE};
use lab_guest::notes::Notes;
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
        return prompt::serve(&plan.guest);
    }
    let mut notes = Notes::default();
    let written = match scenario(&plan, &mut notes) {
        Ok(written) => written,
        Err(error) => {
            notes.errors.push(format!("{error:#}"));
            Written::default()
        }
    };
    for (name, bytes) in [(RECORD, written.record), (TRACE, written.trace)] {
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
    // The watch and the faults have threads of their own; the program is another process.
    let watch = guest.truetick.map(watch::Running::start);
    let first = raw::bracket();
    println!("{STARTS}");
    let running = guest.program.is_some().then(|| program::start(guest)).transpose()?;
    let faults = faults.start();
    let ended = running.map(program::Running::end).transpose();
    notes.raw_rate = Some(raw::rate(first, raw::bracket()));
    faults.end(notes);
    if let Some(watch) = watch {
        notes.truetick = Some(watch.end(guest.truetick.map_or(0.0, |watch| watch.for_s)));
    }
    let Some((ended, written)) = ended? else { return Ok(Written::default()) };
    notes.program = Some(ended);
    Ok(written)
}
