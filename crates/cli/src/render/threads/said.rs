//! What the tables of threads come to, in sentences.

use std::fmt::Write;

use clockscope_analysis::record::{Cause, CommonLength, Crowd, PairFigures, Tail, ThreadsClock};
use clockscope_analysis::text::{self, count, gather, list, time};

use super::{CAUSES, number, part};

/// A share of pairs on multiples of the quantum by which these explain the medians.
const EXPLAINED: f64 = 0.9;
/// Lengths named.
const NAMED: usize = 4;

/// What the tables come to, in sentences.
pub(super) fn said(clock: &ThreadsClock) -> Vec<String> {
    let mut said = Vec::new();
    said.extend(by_quantum(clock));
    said.extend(growth(clock));
    said.extend(clock.crowds.iter().max_by_key(|crowd| crowd.threads).and_then(tail));
    said.extend(went_back(clock));
    said.extend(clock.missing.get("quantum_counts").map(|why| format!("Its steps are not known: {why}.")));
    let mut silent: Vec<(&String, Vec<String>)> = Vec::new();
    for crowd in &clock.crowds {
        for row in &crowd.rows {
            if let Some(why) = &row.missing {
                gather(&mut silent, why, format!("{} of {}", row.thread, crowd.threads));
            }
        }
    }
    said.extend(silent.into_iter().map(|(why, who)| format!("Thread {}: {why}.", text::shortened(&who, 3))));
    said
}

/// Which lengths there can be at all.
fn by_quantum(clock: &ThreadsClock) -> Option<String> {
    let quantum = clock.quantum_counts?;
    let (first, last) = (clock.crowds.first()?, clock.crowds.iter().max_by_key(|crowd| crowd.threads)?);
    let explains = |crowd: &Crowd| crowd.on_quantum_share.is_some_and(|share| share >= EXPLAINED);
    if !explains(first) {
        return None;
    }
    let shown = |crowd: &Crowd| {
        let one = |common: &CommonLength| format!("{} ({})", common.counts, number::percent(common.share));
        list(&crowd.commonest.iter().take(NAMED).map(one).collect::<Vec<_>>())
    };
    let mut text = format!(
        "{} moves in steps of {} counts ({}), so a pair shows none or a whole number of them. By {}: {}",
        clock.clock,
        number::exact(quantum, 2),
        time(quantum * clock.count_ns.value),
        count(first.threads.into(), "thread"),
        shown(first)
    );
    if last.threads != first.threads {
        let _ = write!(text, "; by {}: {}", last.threads, shown(last));
    }
    text.push_str(". A median is one of these, and jumps by a step where it changes.");
    Some(text)
}

fn growth(clock: &ThreadsClock) -> Option<String> {
    let fewest = clock.crowds.iter().min_by_key(|crowd| crowd.threads)?;
    let most = clock.crowds.iter().max_by_key(|crowd| crowd.threads)?;
    if fewest.threads == most.threads {
        return None;
    }
    let both = |of: fn(&PairFigures) -> Option<f64>| Some((time(of(&fewest.pairs)?), time(of(&most.pairs)?)));
    let said = |name: &str, (from, to): (String, String)| {
        if from == to { format!("{name} stays {from}") } else { format!("{name} goes from {from} to {to}") }
    };
    let parts = [
        said("the median", both(|pairs| pairs.median_ns)?),
        said("p99.9", both(|pairs| pairs.p999_ns)?),
        said("the longest", both(|pairs| pairs.max_ns)?),
    ];
    Some(format!("From {} to {}, {}.", fewest.threads, count(most.threads.into(), "thread"), list(&parts)))
}

/// Where the tail comes from.
fn tail(crowd: &Crowd) -> Option<String> {
    let Tail { over_ns, pairs, ns, .. } = crowd.pairs.tail;
    let who = count(crowd.threads.into(), "thread");
    let over = time(over_ns?);
    if pairs == 0 {
        return Some(format!("By {who} no pair was longer than {over}."));
    }
    let mut parts: Vec<(f64, &str)> = CAUSES
        .iter()
        .filter(|(_, name, _)| !name.is_empty())
        .map(|(_, name, of)| (part(&crowd.pairs.tail, of), *name))
        .collect();
    parts.retain(|(share, _)| *share > 0.0);
    parts.sort_by(|a, b| b.0.total_cmp(&a.0));
    let named: Vec<String> =
        parts.iter().map(|(share, name)| format!("{} by {name}", number::percent(*share))).collect();
    let share = number::percent(if crowd.pairs.sum_ns > 0.0 { (ns / crowd.pairs.sum_ns).min(1.0) } else { 0.0 });
    let mut text = format!("By {who}, {} longer than {over} took {share} of all pairs' time", count(pairs, "pair"));
    if !named.is_empty() {
        let _ = write!(text, ": {}", list(&named));
    }
    let left = part(&crowd.pairs.tail, &[Cause::Unknown]);
    let left_text = if left > 0.0 { number::percent(left) } else { "nothing".into() };
    let _ = write!(text, ". For the clock itself remains {left_text}");
    let unread = crowd.pairs.tail.not_looked_share;
    if unread > left / 2.0 && unread > 0.0 {
        let _ = write!(
            text,
            ", of which {} is of pairs so many that interrupts were not read after each",
            number::percent(unread)
        );
    }
    text.push('.');
    if let Some(longest) = crowd.longest.first() {
        let of = CAUSES.iter().find(|(_, _, causes)| causes.contains(&longest.cause));
        let of = of.map(|(_, name, _)| *name).filter(|name| !name.is_empty());
        let why = of.map_or("by no known cause".into(), |of| format!("by {of}"));
        let _ = write!(text, " The longest, {}, was taken {why}.", time(longest.ns));
    }
    if crowd.pairs.between_ns > 0.0 {
        let _ = write!(
            text,
            " Another {} fell between two pairs, where no difference shows it.",
            time(crowd.pairs.between_ns)
        );
    }
    Some(text)
}

fn went_back(clock: &ThreadsClock) -> Option<String> {
    let back = clock.crowds.iter().fold(0_u64, |sum, crowd| sum.saturating_add(crowd.pairs.went_back));
    let largest = clock.crowds.iter().filter_map(|crowd| crowd.pairs.went_back_largest_ns).reduce(f64::max);
    largest.map(|ns| format!("{} went back, by up to {}.", count(back, "reading"), time(ns)))
}
