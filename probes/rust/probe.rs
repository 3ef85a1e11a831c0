//! Reads the clocks of Rust's standard library: probe SAMPLES PAIRS. The protocol is in ../README.md.

use std::hint::black_box;
use std::io::{self, BufWriter, Write};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

fn main() -> io::Result<()> {
    let mut arguments = std::env::args().skip(1).map(|word| word.parse::<usize>().expect("SAMPLES PAIRS"));
    let (samples, pairs) = (arguments.next().expect("SAMPLES"), arguments.next().expect("PAIRS"));
    let mut out = BufWriter::new(io::stdout().lock());

    writeln!(out, "# clockscope-probe/1")?;
    writeln!(out, "# runtime Rust-std")?;
    writeln!(out, "# timer std::time::Instant")?;
    // An `Instant` tells nothing but differences.
    let epoch = Instant::now();
    let since = |at: Instant| at.duration_since(epoch).as_nanos();
    let unix = |at: SystemTime| at.duration_since(UNIX_EPOCH).expect("after 1970").as_nanos();
    clock(&mut out, "std::time::Instant", samples, pairs, Instant::now, since)?;
    clock(&mut out, "std::time::SystemTime", samples, pairs, SystemTime::now, unix)?;
    writeln!(out, "# end")
}

/// All that the protocol asks of one clock. `count` is applied after all is read: what is timed is `read` alone.
fn clock<T: Copy>(
    out: &mut impl Write,
    label: &str,
    samples: usize,
    pairs: usize,
    read: impl Fn() -> T,
    count: impl Fn(T) -> u128,
) -> io::Result<()> {
    writeln!(out, "# clock {label} 1/1000000000")?;
    let timed = |n: usize| {
        let start = Instant::now();
        for _ in 0..n {
            black_box(read());
        }
        start.elapsed().as_nanos()
    };
    // Of three, since one may be interrupted.
    let least = |n| (0..3).map(|_| timed(n)).min().unwrap_or(0);
    let mut n = 20;
    while least(n) < 100_000 {
        n *= 2;
    }
    for _ in 0..pairs {
        writeln!(out, "# pair {label} {n} {} {}", timed(n), timed(2 * n))?;
    }

    let mut values = vec![read(); samples];
    for value in &mut values {
        *value = read();
    }
    for value in values {
        writeln!(out, "{label} {}", count(value))?;
    }
    Ok(())
}
