//! Pairs of batches, which the cost of a read rests on.

use crate::analyze::cost::Pair;
use crate::trace::Role;

/// Most pairs of batches kept.
pub const MOST_PAIRS: usize = 4000;

/// The batches that came.
#[derive(Debug, Clone, Default)]
pub(super) struct Batches {
    pairs: Vec<Pair>,
    /// The first one of a pair: its reads and its time, ns.
    first: Option<(Role, usize, f64)>,
}

impl Batches {
    /// One more. Two in a row, of n and of 2n reads in either order, are a pair.
    pub(super) fn take(&mut self, role: Role, reads: usize, ns: f64) {
        let Some((_, other, other_ns)) = self.first.take().filter(|(other, ..)| *other != role) else {
            self.first = Some((role, reads, ns));
            return;
        };
        let ((n, once_ns), (twice_n, twice_ns)) =
            if role == Role::Twice { ((other, other_ns), (reads, ns)) } else { ((reads, ns), (other, other_ns)) };
        if twice_n == 2 * n && self.pairs.len() < MOST_PAIRS {
            self.pairs.push(Pair { reads: n as u32, once_ns, twice_ns });
        }
    }

    /// In the order of time.
    pub(super) fn pairs(&self) -> &[Pair] {
        &self.pairs
    }
}
