//! clockscope's engine: all that touches the machine. ARCHITECTURE.md tells its rooms.

pub mod catalog;
pub mod machine;
pub mod measure;
pub mod runtimes;
pub mod session;
pub mod survey;
pub mod sweep;
