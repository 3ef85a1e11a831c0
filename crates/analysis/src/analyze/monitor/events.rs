//! What happened: the first events and the latest.

use std::collections::VecDeque;

use crate::record::MonitorEvent;

/// Most of each.
const MOST: usize = 512;

#[derive(Debug, Clone, Default)]
pub(super) struct Events {
    first: Vec<MonitorEvent>,
    latest: VecDeque<MonitorEvent>,
    omitted: u64,
    fresh: Vec<MonitorEvent>,
}

impl Events {
    /// A look begins: what comes now is new.
    pub(super) fn settle(&mut self) {
        self.fresh.clear();
    }

    pub(super) fn push(&mut self, event: MonitorEvent) {
        if self.fresh.len() < MOST {
            self.fresh.push(event.clone());
        }
        if self.first.len() < MOST {
            self.first.push(event);
            return;
        }
        if self.latest.len() == MOST {
            self.latest.pop_front();
            self.omitted += 1;
        }
        self.latest.push_back(event);
    }

    /// Those of the look under way.
    pub(super) fn fresh(&self) -> &[MonitorEvent] {
        &self.fresh
    }

    /// All that are kept, in the order of time, and how many are not.
    pub(super) fn all(&self) -> (Vec<MonitorEvent>, u64) {
        let mut all: Vec<MonitorEvent> = self.first.iter().chain(&self.latest).cloned().collect();
        all.sort_by(|a, b| a.at_s.total_cmp(&b.at_s));
        (all, self.omitted)
    }
}
