//! The whole run: options, stages, tables.

use std::time::Duration;

use truetick::{Clock, Instant};

use crate::{accuracy, chrono, cost, order, pin::pinned, startup, tscns};

const USAGE: &str = "usage: truetick-bench [--cost SECONDS] [--accuracy SECONDS] [--order READS] [--soak READS] \
[--starts N] [--tscns OBJECT] [--chrono OBJECT]\nA stage with 0 is left out.";

/// How long each stage takes.
struct Options {
    cost: u64,
    accuracy: u64,
    order: u64,
    soak: u64,
    starts: u64,
}

pub(crate) fn main() {
    let mut args = std::env::args().skip(1);
    let mut options = Options { cost: 30, accuracy: 60, order: 20_000_000, soak: 1_000_000_000, starts: 100 };
    while let Some(flag) = args.next() {
        if flag == "--one-start" {
            return startup::child();
        }
        let value = args.next();
        if flag == "--tscns" {
            let path = value.unwrap_or_else(|| fail("--tscns needs a file"));
            tscns::load(&path).unwrap_or_else(|why| fail(&why));
            continue;
        }
        if flag == "--chrono" {
            let path = value.unwrap_or_else(|| fail("--chrono needs a file"));
            chrono::load(&path).unwrap_or_else(|why| fail(&why));
            continue;
        }
        let value = value.and_then(|v| v.parse().ok());
        let slot = match flag.as_str() {
            "--cost" => &mut options.cost,
            "--accuracy" => &mut options.accuracy,
            "--order" => &mut options.order,
            "--soak" => &mut options.soak,
            "--starts" => &mut options.starts,
            _ => fail(&format!("unknown option {flag}")),
        };
        *slot = value.unwrap_or_else(|| fail(&format!("{flag} needs a whole number")));
    }
    stages(&options);
}

fn fail(why: &str) -> ! {
    eprintln!("{why}\n{USAGE}");
    std::process::exit(2);
}

fn stages(options: &Options) {
    let cpus = std::thread::available_parallelism().map_or(1, usize::from);
    let hz = frequency();
    println!("{cpus} CPUs, counter {:.4} MHz\n", hz / 1e6);
    if options.starts > 0 {
        startup::table(options.starts, cpus);
    }
    if options.cost > 0 {
        pinned(cpus - 1, || costs(Duration::from_secs(options.cost), hz));
        let (one, all) = cost::contended(cpus, hz);
        println!("| now_relaxed on one CPU / on all {cpus} at once | {one:.2} / {all:.2} ns |\n|---|---|\n");
    }
    if options.accuracy > 0 {
        let time = Duration::from_secs(options.accuracy);
        pinned(cpus - 1, || accuracy::table("quiet", time));
        accuracy::loaded(cpus, || pinned(cpus - 1, || accuracy::table("every CPU loaded", time)));
    }
    if options.order > 0 {
        order::locked(options.order);
    }
    if options.soak > 0 {
        order::soak(options.soak, cpus);
    }
}

fn costs(time: Duration, hz: f64) {
    let rows = cost::measure(time, hz);
    let of = |name: &str| rows.iter().find(|r| r.name == name).map_or(f64::NAN, |r| r.median);
    println!("| call | ns, median | 95 % interval |\n|---|---|---|");
    for row in &rows {
        println!("| {} | {:.2} | {:.2} to {:.2} |", row.name, row.median, row.low, row.high);
    }
    let ratios = [
        ("now_relaxed / rdtsc", "truetick now_relaxed", "rdtsc", 1.02),
        ("now_relaxed / rdtsc, serialized", "truetick now_relaxed, serialized", "rdtsc, serialized", 1.15),
        ("now / rdtscp", "truetick now", "rdtscp", 1.15),
        ("now / std now", "truetick now", "std now", 0.90),
        ("utc now / now", "truetick utc now", "truetick now", 1.05),
        ("utc with bounds / now", "truetick utc with bounds", "truetick now", 1.2),
        ("utc now / SystemTime now", "truetick utc now", "std SystemTime now", 0.95),
        ("now + elapsed / std's", "truetick now + elapsed", "std now + elapsed", 0.9),
    ];
    println!("\n| ratio | measured | bound |\n|---|---|---|");
    let cpp = [
        ("C++ truetick::clock / steady_clock", "C++ truetick::clock::now", "C++ steady_clock::now", 0.9),
        ("C++ truetick::system_clock / system_clock", "C++ truetick::system_clock::now", "C++ system_clock::now", 0.95),
    ];
    for (what, a, b, bound) in ratios.into_iter().chain(cpp.into_iter().filter(|_| chrono::loaded())) {
        println!("| {what} | {:.3} | {bound} |", of(a) / of(b));
    }
    println!();
}

/// The counter's frequency as the clock has measured it, or a second of our own.
fn frequency() -> f64 {
    let start = Instant::now();
    while start.elapsed() < Duration::from_millis(600) {}
    Clock::frequency_hz().unwrap_or_else(|| {
        let (ticks, start) = (truetick::counter::rdtsc(), std::time::Instant::now());
        std::thread::sleep(Duration::from_secs(1));
        (truetick::counter::rdtsc() - ticks) as f64 / start.elapsed().as_secs_f64()
    })
}
