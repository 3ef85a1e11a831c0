//! Offsets between CPUs.

use std::collections::BTreeMap;

use clockscope_analysis::analyze::skew::{Played, Terms, skew as analyze};
use clockscope_analysis::record::{Distance, Interval};
use clockscope_analysis::trace::{Bounds, Exchange};
use clockscope_cli::render::csv;

use super::*;

/// Two packages of six CPUs; one CPU is 400 ns ahead.
pub(crate) fn large() -> SkewReport {
    let cpus: Vec<u32> = (0..12).collect();
    let mut played = Vec::new();
    for a in 0..12u32 {
        for b in a + 1..12 {
            let far = a / 6 != b / 6;
            let way = if far { 250 } else { 60 };
            let offset = i64::from(b == 7) * 400 - i64::from(a == 7) * 400;
            let mut trace = Exchange { messages: 4000, round_trip: Some(2 * way as u64), ..Exchange::default() };
            trace.block(Bounds { low: Some(offset - way), high: Some(offset + way) });
            trace.compare(offset + way);
            trace.compare(way - offset);
            let distance = if far { Distance::OtherPackage } else { Distance::SamePackage };
            played.push(Played { cpu_a: a, cpu_b: b, distance: Some(distance), found: Ok(trace) });
        }
    }
    let count_ns = Interval::exactly(1.0);
    let terms = Terms { clock: "monotonic".into(), count_ns, quantum: Some(10.0), set: false };
    let clock = analyze(&terms, &cpus, &BTreeMap::new(), &played);
    SkewReport { clocks: vec![clock], notes: vec!["memory not locked".into()], interrupted: true, ..report() }
}

#[test]
fn few_cpus_make_a_matrix_of_many_the_worst_pairs_and_a_summary_are_shown() {
    for width in [40, 80] {
        insta::assert_snapshot!(format!("skew_{width}"), skew::skew(&report(), at(width)));
    }
    for width in [40, 100] {
        insta::assert_snapshot!(format!("skew_many_{width}"), skew::skew(&large(), at(width)));
    }
    let nothing = SkewReport { clocks: Vec::new(), interrupted: true, ..report() };
    assert!(skew::skew(&nothing, at(80)).starts_with("Nothing was measured yet.\n"));
    assert!(skew::markdown(&nothing).contains("Nothing was measured yet."));
    insta::assert_snapshot!("skew_markdown", skew::markdown(&report()));
    insta::assert_snapshot!("skew_csv", csv::skew(&report().clocks));
    assert_eq!(csv::skew(&large().clocks).lines().count(), 1 + 66);
}
