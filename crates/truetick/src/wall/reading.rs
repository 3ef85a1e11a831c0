//! A reading of the wall clock with what is known of its error.

use super::{
    Unbounded,
    accuracy::{of_word, word},
};

/// UNIX time with its bounds. As [`Timeline`](crate::timeline::Timeline) gives it; [`UtcReading`](crate::UtcReading) is
/// the same for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WallReading {
    /// UNIX time, ns.
    pub ns: i64,
    within: u64,
    within_if_steady: u64,
}

impl WallReading {
    /// By the words of a line.
    #[inline(always)]
    pub(crate) const fn of_words(ns: i64, within: u64, within_if_steady: u64) -> Self {
        Self { ns, within, within_if_steady }
    }

    /// From bounds, ns.
    pub(crate) const fn new(ns: i64, within: Result<u64, Unbounded>, steady: Result<u64, Unbounded>) -> Self {
        Self { ns, within: word(within), within_if_steady: word(steady) }
    }

    /// UTC is within this of `ns`, ns.
    pub fn within(&self) -> Result<u64, Unbounded> {
        of_word(self.within)
    }

    /// UTC is within this of `ns`, ns, if the kernel's clock runs steadily.
    pub fn within_if_steady(&self) -> Result<u64, Unbounded> {
        of_word(self.within_if_steady)
    }
}
