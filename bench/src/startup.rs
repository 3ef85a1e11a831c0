//! Fresh processes under load: from the very first reading on.

use std::{process::Command, time::Instant as Std};

use crate::accuracy::{self, kernel};

/// In a fresh process: what the first reading costs, the greatest error of the first 50 ms, and whether the kernel's
/// clock ever lay outside of the uncertainty.
pub(crate) fn child() {
    let begin = kernel();
    let first = truetick::Clock::now_ns();
    let end = kernel();
    let mut worst = if first < begin { begin - first } else { first.saturating_sub(end) };
    let mut outside = 0;
    let start = Std::now();
    while start.elapsed().as_millis() < 50 {
        let (check, stated) = accuracy::truetick();
        worst = worst.max(check.beyond());
        outside += u32::from(!stated.any.1);
    }
    println!("{} {worst} {outside}", end - begin);
}

pub(crate) fn table(starts: u64, cpus: usize) {
    let Ok(program) = std::env::current_exe() else { return };
    let mut found: Vec<[u64; 3]> = Vec::new();
    accuracy::loaded(cpus, || {
        for _ in 0..starts {
            let Ok(output) = Command::new(&program).arg("--one-start").output() else { continue };
            let text = String::from_utf8_lossy(&output.stdout);
            let numbers: Vec<u64> = text.split_whitespace().filter_map(|n| n.parse().ok()).collect();
            found.extend(<[u64; 3]>::try_from(numbers));
        }
    });
    let column = |i: usize| {
        let mut values: Vec<u64> = found.iter().map(|row| row[i]).collect();
        values.sort_unstable();
        values
    };
    let (first, worst, outside) = (column(0), column(1), column(2));
    let (Some(slowest), Some(furthest)) = (first.last(), worst.last()) else {
        println!("no process could be started\n");
        return;
    };
    println!("{} of {starts} fresh processes under load, their first 50 ms:\n", found.len());
    println!("| what | median | max |\n|---|---|---|");
    println!("| first reading, with the choice of the source, ns | {} | {slowest} |", first[first.len() / 2]);
    println!("| furthest outside of the kernel's bracket, ns | {} | {furthest} |", worst[worst.len() / 2]);
    println!("| readings outside of their uncertainty, in all | | {} |\n", outside.iter().sum::<u64>());
}
