//! A real clock whose quantum lies below its unit: CLOCK_MONOTONIC of a Xeon (Sapphire Rapids, 2.6 GHz) whose counter moves
//! by 2 ticks, 0.769231 ns. 200,000 readings with random pauses.
//!
//! `data/intel-monotonic.steps` holds their differences in ns, a byte each; 255 is followed by one of eight bytes, little
//! endian.

use clockscope_analysis::analyze::quantum::{Counts, Quantum, quantum};

fn readings() -> Vec<u64> {
    let mut bytes = include_bytes!("data/intel-monotonic.steps").as_slice();
    let mut readings = vec![0_u64];
    while let [step, rest @ ..] = bytes {
        bytes = rest;
        let mut step = u64::from(*step);
        if step == 255 {
            let (long, rest) = bytes.split_first_chunk().expect("eight bytes after 255");
            (step, bytes) = (u64::from_le_bytes(*long), rest);
        }
        readings.push(readings[readings.len() - 1] + step);
    }
    readings
}

#[test]
fn two_ticks_of_2_6_ghz_show_under_a_unit_of_1_ns() {
    let readings = readings();
    assert_eq!(readings.len(), 200_000);
    // The kernel's multiplier and NTP bend the true 10/13 ns by up to tens of ppm.
    for part in [16_384, 65_536, 200_000] {
        for part in readings.chunks_exact(part) {
            match quantum(part, Counts::Units) {
                Quantum::Found { value, half_width, steps } => {
                    assert!((value - 10.0 / 13.0).abs() < 5e-5 && half_width < 1e-6 && !steps, "{value}");
                }
                // This machine's reads favour some of the counter's values, which leaves other lines half as strong: most
                // parts name none, but no coarser one either.
                Quantum::NotCoarserThan(limit) => assert!(limit <= 1.5, "{limit}"),
                Quantum::Unknown(why) => panic!("{} readings: {why}", part.len()),
            }
        }
    }
}
