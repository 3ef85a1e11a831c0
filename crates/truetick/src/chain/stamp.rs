//! A reading of the process-wide clock as an [`Instant`](crate::Instant) has it.

use core::num::NonZeroU64;

use super::Chain;
use crate::{discipline::START, native::Native};

impl Chain {
    /// The time as an [`Instant`](crate::Instant)'s word; ordered as [`now`](Self::now), or as [`now_relaxed`](Self::now_relaxed).
    #[inline(always)]
    pub(crate) fn stamp(&self, ordered: bool) -> NonZeroU64 {
        START | self.read(&Native, ordered)
    }
}
