//! Reads the clocks of the crates that Rust's programs time with: probe SAMPLES PAIRS. The protocol is in ../README.md
//! of the probes' folder.

use std::io::{self, BufWriter, Write};

#[path = "../../rust/clock.rs"]
mod clock;
use clock::clock;

/// cargo writes it before it compiles: what was really built.
const LOCK: &str = include_str!("../Cargo.lock");

/// Version of a package that was built in.
fn version(name: &str) -> &'static str {
    let entry = LOCK.split("[[package]]").find(|entry| entry.contains(&format!("name = \"{name}\"\n")));
    entry.and_then(|entry| entry.split("version = \"").nth(1)?.split('"').next()).unwrap_or("unknown")
}

/// Each label, and how its `Instant` is read. One tells nothing but differences.
macro_rules! clocks {
    ($out:expr, $wanted:expr, $($label:literal $type:ty, $now:ident;)*) => {$(
        let epoch = <$type>::now();
        clock($out, $label, $wanted, <$type>::$now, |at| {
            u128::from(std::time::Duration::from(at.duration_since(epoch)).as_nanos() as u64)
        })?;
    )*};
}

fn main() -> io::Result<()> {
    let wanted = clock::arguments();
    let mut out = BufWriter::new(io::stdout().lock());
    writeln!(out, "# clockscope-probe/1\n# runtime Rust-crates\n# timer std::time::Instant")?;
    for name in ["truetick", "quanta", "minstant", "fastant", "coarsetime"] {
        writeln!(out, "# claim {name}::Instant::now version {}", version(name))?;
    }
    writeln!(out, "# claim truetick::Instant::now source {:?}", truetick::Clock::source())?;
    writeln!(out, "# claim minstant::Instant::now is_tsc_available {}", minstant::is_tsc_available())?;
    writeln!(out, "# claim fastant::Instant::now is_tsc_available {}", fastant::is_tsc_available())?;
    clocks! { &mut out, wanted,
        "std::time::Instant" std::time::Instant, now;
        "truetick::Instant::now" truetick::Instant, now;
        "truetick::Instant::now_relaxed" truetick::Instant, now_relaxed;
        "quanta::Instant::now" quanta::Instant, now;
        "minstant::Instant::now" minstant::Instant, now;
        "fastant::Instant::now" fastant::Instant, now;
        "coarsetime::Instant::now" coarsetime::Instant, now;
    }
    writeln!(out, "# end")
}
