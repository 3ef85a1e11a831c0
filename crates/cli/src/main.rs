//! The `clockscope` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    clockscope_cli::main()
}
