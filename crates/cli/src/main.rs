//! The `clockscope` program.

fn main() {}
