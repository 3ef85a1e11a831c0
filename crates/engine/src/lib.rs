//! clockscope's engine: catalog → measure → analyze → judge, ending in a [`record::Record`].
//!
//! * `catalog` knows clocks; nothing else does.
//! * `measure` runs loops and writes down numbers; it has no opinion.
//! * `analyze` is pure: numbers in, a clock's character out.
//! * `judge` is pure: characters and machine facts in, findings and a verdict out.
//! * `record` is what comes out, for people and programs.
//! * `machine` gathers the facts about the machine that explain the numbers.
//! * `sweep` surveys under each of the kernel's clocksources; it alone changes the machine, and puts it back.

pub mod catalog;
pub mod machine;
pub mod measure;
pub mod session;
pub mod survey;
pub mod sweep;
