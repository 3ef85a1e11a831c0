//! How a benchmark library tells its timer's precision without a better timer.
//!
//! `cargo run --release --example quantum` reads `std::time::Instant` with a varied pause before each read, and prints the
//! quantum with its interval, or what it is not coarser than.

use std::hint::black_box;
use std::time::Instant;

use clockscope_analysis::analyze::quantum::{Counts, Quantum, quantum};

/// Readings: down to a quantum of one unit 16 384 are enough.
const READINGS: usize = 16_384;

fn main() {
    let start = Instant::now();
    let mut random = 1_u64;
    let readings: Vec<u64> = (0..READINGS)
        .map(|_| {
            // Without the pause the loop may lock to the clock's steps, and no spectrum would show them.
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let pause = random >> 59;
            black_box((0..pause).fold(random, |x, _| black_box(x.wrapping_mul(3))));
            start.elapsed().as_nanos() as u64
        })
        .collect();
    match quantum(&readings, Counts::Units) {
        Quantum::Found { value, half_width, .. } => println!("quantum {value:.6} ± {half_width:.6} ns"),
        Quantum::NotCoarserThan(limit) => println!("no lattice shows: the quantum is at most {limit:.2} ns"),
        Quantum::Unknown(why) => println!("quantum unknown: {why}"),
    }
}
