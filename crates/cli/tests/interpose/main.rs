//! The program against clocks that lie in ways known exactly: a preloaded library in front of `clock_gettime`,
//! and a seccomp filter that makes it fail. Both are C programs, built here with `cc`.

mod build;
mod faults;
mod hard_places;
mod interposer;
mod log;
