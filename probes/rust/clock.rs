//! What the protocol asks of one clock, for the probes of Rust.

use std::hint::black_box;
use std::io::{self, Write};
use std::time::Instant;

/// All of one clock whose values are `count`ed in nanoseconds. That is done after all is read: what is timed is `read`
/// alone.
pub fn clock<T: Copy>(
    out: &mut impl Write,
    label: &str,
    (samples, pairs): (usize, usize),
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
    while pairs > 0 && least(n) < 100_000 {
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

/// SAMPLES and PAIRS.
pub fn arguments() -> (usize, usize) {
    let mut arguments = std::env::args().skip(1).map(|word| word.parse().expect("SAMPLES PAIRS"));
    (arguments.next().expect("SAMPLES"), arguments.next().expect("PAIRS"))
}
