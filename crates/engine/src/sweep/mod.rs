//! The survey under each of the kernel's clocksources. The only room that changes the machine; whoever calls it has
//! the user's word for that.
//!
//! * [`Kernel`], [`Sysfs`]: the kernel's switch, and its files.
//! * [`Plan`]: which clocksources in which order; pure.
//! * [`Held`], [`restore`]: the clocksource comes back whatever happens to this process' code.
//! * [`run`]: one survey after the other.
//! * `timer`: how long a clocksource's count takes; pure.

mod held;
mod kernel;
mod plan;
mod run;
mod timer;

#[cfg(test)]
mod made_up;

pub use held::{Held, Restored, restore};
pub use kernel::{Error, FOLDER, Kernel, Sysfs};
pub use plan::Plan;
pub use run::{Surveyor, run};
