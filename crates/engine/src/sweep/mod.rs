//! The survey under each of the kernel's clocksources. The only room that changes the machine; whoever calls it has
//! the user's word for that.

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
