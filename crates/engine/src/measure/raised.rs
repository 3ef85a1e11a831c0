//! A flag that is raised on every way out.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Sets a flag when it is dropped: should this thread panic, the others that look at it must not go on for ever.
pub struct Raised(pub Arc<AtomicBool>);

impl Drop for Raised {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
