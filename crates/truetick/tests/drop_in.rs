//! A program written for `std::time::Instant`, with one line changed.
#![cfg(not(loom))]

use std::{
    collections::{BTreeMap, HashSet},
    time::Duration,
};

use truetick::Instant;

struct Cache {
    born: BTreeMap<Instant, &'static str>,
    limit: Duration,
}

impl Cache {
    fn expire(&mut self, now: Instant) -> usize {
        let before = self.born.len();
        let limit = self.limit;
        self.born.retain(|&born, _| now.duration_since(born) < limit);
        before - self.born.len()
    }
}

#[test]
fn std_code_compiles_and_runs() {
    let start = Instant::now();
    let mut cache = Cache { born: BTreeMap::new(), limit: Duration::from_secs(10) };
    cache.born.insert(start, "old");
    cache.born.insert(start + Duration::from_secs(20), "new");
    assert_eq!(cache.expire(start + Duration::from_secs(25)), 1);
    let mut t = start;
    t += Duration::from_millis(5);
    t -= Duration::from_millis(5);
    assert_eq!(t, start);
    assert_eq!(start.max(t), start);
    assert_eq!(HashSet::from([start, t]).len(), 1);
    assert_eq!(start.checked_add(Duration::MAX), None);
    assert_eq!(start.checked_duration_since(start + Duration::from_nanos(1)), None);
    assert!(start.elapsed() < Duration::from_secs(3600));
    assert!(Instant::now() - start < Duration::from_secs(3600));
    assert!(!format!("{start:?}").is_empty());
    shared(start);
}

fn shared<T: Send + Sync + Copy + Unpin + std::panic::UnwindSafe + 'static>(_: T) {}

#[test]
fn the_preludes_names_are_stds() {
    use truetick::prelude::*;
    let (start, wall): (Instant, SystemTime) = (Instant::now(), UNIX_EPOCH);
    assert!(start.elapsed() < Duration::from_secs(3600));
    assert!(wall < SystemTime::now());
    assert!(!Deadline::after(Duration::from_secs(3600)).has_passed());
    assert!(!Stopwatch::new().is_running());
}
