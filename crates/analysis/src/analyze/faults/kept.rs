//! Events one by one, as many as a record holds.

use std::collections::VecDeque;

use crate::record::Event;

/// How many of a kind are kept: the first, for how it began; the largest in between; and the latest, for how it is
/// now. 512 together, some 40 KiB.
const FIRST: usize = 128;
const LARGEST: usize = 256;
const LATEST: usize = 128;

/// When and where something happened.
#[derive(Debug, Clone, Copy)]
pub(super) struct When {
    pub(super) at: u64,
    pub(super) since: u64,
    pub(super) cpu: Option<u32>,
    /// How many events were before it.
    pub(super) order: u64,
}

/// Events of one kind.
#[derive(Debug, Clone, Default)]
pub(super) struct Kept {
    first: Vec<(When, Event)>,
    /// Largest first; of equals the earlier one first.
    largest: Vec<(When, Event)>,
    latest: VecDeque<(When, Event)>,
    /// How many were left out.
    pub(super) omitted: u64,
}

impl Kept {
    pub(super) fn add(&mut self, when: When, event: Event) {
        if self.first.len() < FIRST {
            self.first.push((when, event));
            return;
        }
        self.latest.push_back((when, event));
        let Some(leaves) = (self.latest.len() > LATEST).then(|| self.latest.pop_front()).flatten() else {
            return;
        };
        let place = self.largest.partition_point(|(_, kept)| kept.size_ns >= leaves.1.size_ns);
        self.largest.insert(place, leaves);
        if self.largest.len() > LARGEST {
            self.largest.pop();
            self.omitted += 1;
        }
    }

    pub(super) fn into_events(self) -> impl Iterator<Item = (When, Event)> {
        self.first.into_iter().chain(self.largest).chain(self.latest)
    }
}
