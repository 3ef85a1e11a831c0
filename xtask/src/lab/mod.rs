//! `cargo xtask lab`: machines whose clocks are known to be bad. docs/method/lab.md says how it works.

mod apt;
mod boot;
mod build;
mod checked;
mod chronyd;
mod command;
mod emulator;
mod expect;
mod image;
mod kernel;
mod machine;
mod modules;
mod nested;
mod path;
mod replay;
mod results;
mod run;
mod runtimes;
mod scenario;
mod shell;
mod table;
mod tiers;

pub(crate) use command::{Options, run};
pub(crate) use scenario::Tier;
pub(crate) use tiers::{fetch_all, stage};
