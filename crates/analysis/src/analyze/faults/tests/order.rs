//! Steps drawn at random, one by one, and input that makes no sense.

use proptest::prelude::*;

use super::super::line::RETURNS_WITHIN;
use super::*;
use crate::record::EventKind;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Known steps, in rows of any length: exactly those are found, with their sizes.
    #[test]
    fn injected_steps_are_found_one_by_one(
        faults in prop::collection::vec((1_000..10_000_000_i64, any::<bool>(), 1..80_usize, 0..80_usize), 1..40)
    ) {
        let mut clock = MadeUp::new(TERMS);
        clock.rows(1, 5);
        let (mut back, mut ahead) = (Vec::new(), Vec::new());
        for (size, backwards, reads, at) in faults {
            // A step back must exceed the time between two reads to be one: 57 ns between rows, 22 within.
            if backwards { back.push(size) } else { ahead.push(size) }
            clock.step(reads, at % reads, if backwards { -size } else { size });
            clock.rows(RETURNS_WITHIN as usize + 2, 2);
        }
        let found = clock.watch.finish();
        prop_assert_eq!(counts(&found), [back.len() as u64, ahead.len() as u64, 0]);
        for (kind, injected, most) in [(EventKind::Regression, back, 60.0), (EventKind::Warp, ahead, 140.0)] {
            for (event, injected) in found.events.iter().filter(|event| event.kind == kind).zip(injected) {
                let bound = event.size_uncertainty_ns.unwrap_or(most);
                prop_assert!((event.size_ns - injected as f64).abs() <= bound && bound <= most, "{event:?} {injected}");
            }
        }
    }

    #[test]
    fn anything_goes_in_and_an_answer_comes_out(
        rows in prop::collection::vec((any::<u64>(), prop::collection::vec(any::<u64>(), 0..20), any::<u64>(), any::<bool>()), 0..40),
        terms_at in 0..60_usize
    ) {
        let mut watch = Watch::new(0);
        for (row, (before, values, after, trusted)) in rows.into_iter().enumerate() {
            if row == terms_at {
                watch.set_terms(TERMS);
            }
            watch.row(&reads(before, &values, after, trusted));
        }
        let found = watch.finish();
        prop_assert!(found.undecided <= found.reads);
    }
}
