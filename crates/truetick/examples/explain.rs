//! Shows what the clock is made of here, and why.

use std::time::Duration;

use truetick::{Clock, Cycles, Instant};

fn main() {
    // Readings from which the first line is made.
    let start = Instant::now();
    while start.elapsed() < Duration::from_millis(20) {}
    print!("{}", Clock::explain());
    println!("own cost of a Cycles measurement: {} ticks", Cycles::overhead().0);
}
