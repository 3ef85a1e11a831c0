//! Reads the clocks of Rust's standard library: probe SAMPLES PAIRS. The protocol is in ../README.md.

use std::io::{self, BufWriter, Write};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

mod clock;
use clock::clock;

fn main() -> io::Result<()> {
    let wanted = clock::arguments();
    let mut out = BufWriter::new(io::stdout().lock());
    // A program can't tell which compiler made it: the list's command does.
    writeln!(out, "# clockscope-probe/1\n# runtime Rust-std\n# timer std::time::Instant")?;
    // An `Instant` tells nothing but differences.
    let epoch = Instant::now();
    clock(&mut out, "std::time::Instant", wanted, Instant::now, |at| at.duration_since(epoch).as_nanos())?;
    let since = |at: SystemTime| at.duration_since(UNIX_EPOCH).expect("after 1970").as_nanos();
    clock(&mut out, "std::time::SystemTime", wanted, SystemTime::now, since)?;
    writeln!(out, "# end")
}
