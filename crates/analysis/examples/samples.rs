//! What readings tell that any program wrote, without files: `cargo run --release --example samples < samples.txt` reads 'label
//! value' lines, or what a probe writes (docs/samples.md), from standard input.

use std::io::{Read, stdin};

use clockscope_analysis::samples::{Options, Reader};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut reader = Reader::new(Options::default());
    let mut piece = vec![0; 1 << 18];
    loop {
        match stdin().read(&mut piece)? {
            0 => break,
            bytes => reader.push(&piece[..bytes])?,
        }
    }
    reader.end()?;
    for clock in reader.record().clocks {
        let tick = clock.tick_ns;
        println!(
            "{}: {} samples, quantum {:?} ns, at most {:?}",
            clock.label, clock.samples, tick.quantum, tick.quantum_high
        );
        println!(
            "  steps back {:?}, stalls {:?}, longest gap {:?} ns",
            clock.backward, clock.stalls, clock.longest_gap_ns
        );
    }
    Ok(())
}
