//! Wall time with bounds: who knows how far it is off, between what UTC is, and a commit that waits until its stamp is
//! certainly past. `cargo run --example utc`

use std::time::Duration;

use truetick::{Clock, ClockBound, Kernel, Unbounded, UtcInstant, VmClock};

/// The best one that there is: clock-bound's daemon, else the kernel; with the hypervisor's marker where it has one.
fn choose() -> &'static str {
    let (named, what) = match (ClockBound::open(), VmClock::open()) {
        (Ok(daemon), Ok(vmclock)) => (Clock::set_provider(daemon.with_vmclock(vmclock)), "clock-bound, and a VMClock"),
        (Ok(daemon), Err(_)) => (Clock::set_provider(daemon), "clock-bound"),
        (Err(_), Ok(vmclock)) => (Clock::set_provider(Kernel::until_disrupted(vmclock)), "the kernel, and a VMClock"),
        (Err(_), Err(_)) => (Ok(()), "the kernel"),
    };
    if named.is_ok() { what } else { "whoever was named before" }
}

/// Waits until `stamp` is certainly past.
fn wait_out(stamp: UtcInstant) -> Result<(), Unbounded> {
    loop {
        let bounds = UtcInstant::now_with_bounds().bounds()?;
        if bounds.is_after(stamp) {
            return Ok(());
        }
        // The rest, by half the width at least.
        std::thread::sleep((bounds.width() / 2).max(Duration::from_micros(10)));
    }
}

fn main() {
    println!("asking {}", choose());
    let reading = UtcInstant::now_with_bounds();
    println!("now    {}", reading.time());
    match (reading.bounds(), reading.uncertainty_if_steady()) {
        (Ok(bounds), Ok(steady)) => {
            println!("UTC is not before {}", bounds.earliest);
            println!("and not after     {}", bounds.latest);
            println!("(within {steady:?} if the kernel's clock runs steadily)");
        }
        (Err(why), _) | (_, Err(why)) => println!("UTC may be anything: {why}"),
    }
    match Clock::tai_offset() {
        Some(s) => println!("TAI is {s} s ahead, leap second: {:?}", Clock::accuracy().leap),
        None => println!("nobody has told the kernel how far TAI is ahead"),
    }
    // The latest that it may be: whoever starts once that is past has a later stamp on any machine. time() would not do.
    let done = reading.bounds().and_then(|bounds| wait_out(bounds.latest).map(|()| bounds.latest));
    match done {
        Ok(stamp) => println!("the commit at {stamp} is past everywhere"),
        Err(why) => println!("no commit: {why}"),
    }
}
