//! `cargo xtask …`: everything a contributor runs.

mod bench_truetick;

use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let ["bench", "truetick", ..] = words.as_slice() else {
        eprintln!("usage: cargo xtask bench truetick [OPTIONS]");
        return ExitCode::from(2);
    };
    match bench_truetick::run(&args[2..]) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}
