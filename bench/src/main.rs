//! truetick against its peers, interleaved in one run: `cargo xtask bench truetick`. Prints Markdown.

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod accuracy;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod chrono;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod cost;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod object;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod order;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod pin;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod run;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod startup;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod tscns;

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn main() {
    run::main();
}

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
fn main() {
    eprintln!("the peers are compared on x86-64 Linux only: rdtsc and pinning are part of the comparison");
    std::process::exit(3);
}
