//! By how much more often a call is made where more is read.

use crate::record::{Beneath, By};
use crate::text::grouped;
use crate::trace::Told;

/// The one call, of a clock that none of `known` is, that `more` has at least so many times more than `few` as it has more
/// readings of one clock: `added`. `None` where there is none, or where another comes to half of that. Other threads look at
/// clocks too, and longer where more is read.
///
/// For a clock whose readings are no call's values: one that rounds in a way of its own, or that moved too seldom.
pub fn counted(few: &[Told], more: &[Told], added: u64, known: &[&str]) -> Option<Beneath> {
    let before = |call: &str| few.iter().find(|told| told.call == call).map_or(0, |told| told.ns.len() as u64);
    let mut grown: Vec<(&Told, u64)> = more
        .iter()
        .filter(|told| !known.contains(&told.clock.as_str()))
        .map(|told| (told, (told.ns.len() as u64).saturating_sub(before(&told.call))))
        .filter(|(_, grown)| *grown * 2 >= added.max(1))
        .collect();
    // Fields of one call are told together.
    grown.dedup_by_key(|(told, _)| &told.clock);
    let [(told, grown)] = grown[..] else { return None };
    (grown >= added).then(|| Beneath {
        clock: Some(told.clock.clone()),
        call: Some(told.call.clone()),
        by: Some(By::Calls),
        matched: added,
        of: added,
        evidence: format!(
            "with {} more readings {} was called {} times more, and no other call half as often",
            grouped(added),
            told.call,
            grouped(grown)
        ),
    })
}
