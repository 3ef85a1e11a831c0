//! All pairs together: difference constraints.
//!
//! Each pair says low ≤ x_b − x_a ≤ high of the CPUs' offsets x. The shortest paths over the graph whose edge a → b is
//! as long as `high` and b → a as long as `−low` are the tightest bounds that all constraints together imply, and a
//! circle of negative length says that no offsets satisfy them (Cormen et al., Introduction to Algorithms, 24.4). Of
//! offsets against CPU 0, the greatest that fit are d(0, i) and the least −d(i, 0); the constraints being convex, their
//! middles fit as well.

use super::Terms;
use super::pair::outward;
use crate::record::{CpuOffset, SkewPair};

/// Most CPUs whose pairs are made to fit one another.
const MOST: usize = 512;

/// No constraint. Sums of two stay far from the type's end.
const FREE: i128 = i128::MAX / 4;

/// Fills in the pairs' joint intervals and returns the CPUs' offsets against the first of `cpus`, or says why there are
/// none. CPUs that no chain of pairs links to the first have none.
pub(super) fn offsets(terms: &Terms, cpus: &[u32], pairs: &mut [SkewPair]) -> Result<Vec<CpuOffset>, String> {
    if cpus.len() > MOST {
        return Err(format!("offsets that fit all pairs are sought for {MOST} CPUs at most"));
    }
    if let Some(pair) = pairs.iter().find(|pair| pair.constant == Some(false)) {
        let (a, b) = (pair.cpu_a, pair.cpu_b);
        return Err(format!("the offset between CPUs {a} and {b} changed during the run"));
    }
    let mut sorted = cpus.to_vec();
    sorted.sort_unstable();
    let place = |cpu: u32| sorted.binary_search(&cpu).ok();
    let n = cpus.len();
    let mut most = vec![FREE; n * n];
    (0..n).for_each(|i| most[i * n + i] = 0);
    let mut any = false;
    for pair in pairs.iter() {
        let ends = pair.low_counts.zip(pair.high_counts);
        if let (Some(a), Some(b), Some((low, high))) = (place(pair.cpu_a), place(pair.cpu_b), ends) {
            any = true;
            most[a * n + b] = most[a * n + b].min(high.into());
            most[b * n + a] = most[b * n + a].min(-i128::from(low));
        }
    }
    if !any {
        return Err("no pair has an interval".into());
    }
    if !close(&mut most, n) {
        return Err("no offsets fit all pairs at once: an offset changed between the rounds".into());
    }
    let within = |a: usize, b: usize| {
        let (low, high) = (-most[b * n + a], most[a * n + b]);
        (high < FREE / 2 && low > -FREE / 2).then(|| outward(clamped(low), clamped(high), terms.count_ns))
    };
    for pair in pairs.iter_mut().filter(|pair| pair.low_counts.is_some()) {
        let joint = place(pair.cpu_a).zip(place(pair.cpu_b)).and_then(|(a, b)| within(a, b));
        (pair.joint_low_ns, pair.joint_high_ns) = joint.unzip();
    }
    let origin = cpus.first().and_then(|cpu| place(*cpu)).unwrap_or(0);
    let offsets = sorted.iter().enumerate().filter_map(|(at, &cpu)| {
        let (low_ns, high_ns) = within(origin, at)?;
        Some(CpuOffset { cpu, offset_ns: f64::midpoint(low_ns, high_ns), low_ns, high_ns })
    });
    Ok(offsets.collect())
}

/// Shortest paths between all (Floyd 1962, Warshall 1962); false where a circle is negative.
fn close(most: &mut [i128], n: usize) -> bool {
    for via in 0..n {
        for from in 0..n {
            let first = most[from * n + via];
            if first >= FREE {
                continue;
            }
            for to in 0..n {
                let there = first + most[via * n + to];
                if there < most[from * n + to] {
                    most[from * n + to] = there;
                }
            }
        }
        if (0..n).any(|i| most[i * n + i] < 0) {
            return false;
        }
    }
    true
}

fn clamped(counts: i128) -> i64 {
    i64::try_from(counts).unwrap_or(if counts < 0 { i64::MIN } else { i64::MAX })
}
