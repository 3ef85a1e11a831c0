//! CS024 and CS025: what two reads with nothing in between can differ by, and what that does to a remainder.

use crate::judge::rules::prelude::{Draft, Note, listed};
use crate::record::{EmptyPairs, SpanReport};
use crate::text;

/// From here on calls that take whole milliseconds are given a number below 0.
const MILLISECOND_NS: f64 = 1e6;
/// So many times the usual is no scatter any more.
const FAR: f64 = 1000.0;

/// A clock's worst pairs.
struct Worst<'a> {
    clock: &'a str,
    pairs: &'a EmptyPairs,
    /// A step of the clock, ns.
    quantum: Option<f64>,
}

/// CS025: the interval that holds nothing.
pub(super) fn elapsed(report: &SpanReport) -> Option<Draft> {
    let is_far = |pairs: &EmptyPairs| pairs.median_ns > 0.0 && pairs.longest_ns >= FAR * pairs.median_ns;
    let worst = worst(report, |pairs| pairs.longest_ns >= MILLISECOND_NS || is_far(pairs));
    let (clock, longest) = longest(&worst)?;
    Some(Draft {
        severity: Note,
        title: format!("{clock}: an interval with nothing in it took {longest}"),
        evidence: told(&worst),
        why: "Whoever runs next took the CPU between start and stop. A single timing can't tell that from work, so that one \
              sample, a maximum or a mean of few says nothing of the code between."
            .into(),
        fix: "Repeat, and take the median or the least; see p99.9 and the longest beside it. `clockscope interruptions` tells \
              who takes the CPU."
            .into(),
        clocks: ids(&worst),
    })
}

/// CS024: the remainder that is read twice.
pub(super) fn negative(report: &SpanReport) -> Option<Draft> {
    let worst = worst(report, |pairs| pairs.longest_ns >= MILLISECOND_NS);
    let (clock, longest) = longest(&worst)?;
    let share = |at: &Worst| {
        let share = at.pairs.mean_ns / MILLISECOND_NS;
        let mean = text::time(at.pairs.mean_ns);
        format!(
            "{}: {mean} between two reads in the mean, so that {} of the timeouts of a loop that looks once a millisecond end between them",
            at.clock,
            text::percent(share)
        )
    };
    Some(Draft {
        severity: Note,
        title: format!("{clock}: a remaining time that is read twice can be −{longest}"),
        evidence: listed(worst.iter().map(share), worst.len() as u64, "more of the sort"),
        why: "`if (timeout > watch.Elapsed) Wait(timeout - watch.Elapsed)` reads the clock twice: the first read lets it pass, by \
              the second the time may be up. In whole milliseconds −1 means for ever to many calls, others throw, and an \
              unsigned remainder becomes huge."
            .into(),
        fix: "Read once, and decide and wait by the same number, held at 0: truetick's `Deadline::check()` does.".into(),
        clocks: ids(&worst),
    })
}

/// Of each clock the pairs with the longest of them, if they are `bad`.
fn worst<'a>(report: &'a SpanReport, bad: impl Fn(&EmptyPairs) -> bool) -> Vec<Worst<'a>> {
    let of = |clock: &'a crate::record::ClockSpans| {
        let sound = clock.empty.iter().filter(|pairs| pairs.longest_ns.is_finite() && pairs.mean_ns.is_finite());
        let pairs = sound.max_by(|a, b| a.longest_ns.total_cmp(&b.longest_ns)).filter(|pairs| bad(pairs))?;
        Some(Worst { clock: &clock.clock, pairs, quantum: clock.quantum_ns })
    };
    report.clocks.iter().filter_map(of).collect()
}

/// The clock that has the longest, and how long it is.
fn longest<'a>(worst: &[Worst<'a>]) -> Option<(&'a str, String)> {
    let at = worst.iter().max_by(|a, b| a.pairs.longest_ns.total_cmp(&b.pairs.longest_ns))?;
    Some((at.clock, text::time(at.pairs.longest_ns)))
}

fn told(worst: &[Worst]) -> Vec<String> {
    let one = |at: &Worst| {
        let EmptyPairs { pairs, median_ns, longest_ns, longest_cause, .. } = at.pairs;
        // A clock that moves seldom shows its own step, whoever had the CPU.
        let is_step = at.quantum.is_some_and(|quantum| *longest_ns <= 1.5 * quantum);
        let cause = if is_step { "one step of the clock" } else { longest_cause.as_deref().unwrap_or("no cause seen") };
        let (longest, median) = (text::time(*longest_ns), text::time(*median_ns));
        format!(
            "{}: the longest of {} pairs {longest} ({cause}), their median {median}",
            at.clock,
            text::grouped(*pairs)
        )
    };
    listed(worst.iter().map(one), worst.len() as u64, "more of the sort")
}

fn ids(worst: &[Worst]) -> Vec<String> {
    worst.iter().map(|at| at.clock.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use crate::judge::judge_span;
    use crate::record::{ClockSpans, EmptyPairs, Finding, SpanReport};

    fn pairs(pinned: bool, median_ns: f64, longest_ns: f64) -> EmptyPairs {
        let (mean_ns, longest_cause) = (40.0, Some("preempted".to_owned()));
        EmptyPairs { pinned, pairs: 1_000_000, mean_ns, median_ns, longest_ns, longest_cause, ..EmptyPairs::default() }
    }

    fn found(clocks: &[(&str, Option<f64>, Vec<EmptyPairs>)]) -> Vec<Finding> {
        let of = |(clock, quantum_ns, empty): &(&str, Option<f64>, Vec<EmptyPairs>)| ClockSpans {
            clock: (*clock).into(),
            quantum_ns: *quantum_ns,
            empty: empty.clone(),
            ..ClockSpans::default()
        };
        judge_span(&SpanReport { clocks: clocks.iter().map(of).collect(), ..SpanReport::default() })
    }

    #[test]
    fn a_preempted_pair_is_told_of_with_both_things_that_come_of_it() {
        let both = vec![pairs(true, 30.0, 9e5), pairs(false, 30.0, 4.6e6)];
        let [empty, negative] = &found(&[("monotonic", Some(1.0), both)])[..] else { panic!("two of them") };
        assert_eq!((empty.code.as_str(), empty.of_run), ("CS025", true));
        assert_eq!(empty.title, "monotonic: an interval with nothing in it took 4.6 ms");
        assert_eq!(empty.evidence, "monotonic: the longest of 1,000,000 pairs 4.6 ms (preempted), their median 30 ns.");
        assert_eq!(negative.code, "CS024");
        assert_eq!(negative.title, "monotonic: a remaining time that is read twice can be −4.6 ms");
        assert!(negative.evidence.contains("40 ns between two reads in the mean, so that 0.004 % of"), "{negative:?}");
    }

    #[test]
    fn a_thousand_times_the_usual_is_told_of_and_makes_no_remainder_of_a_millisecond() {
        let codes = |longest| {
            let found = found(&[("tsc", None, vec![pairs(true, 30.0, longest)])]);
            found.into_iter().map(|finding| finding.code).collect::<Vec<_>>()
        };
        assert_eq!(codes(29_900.0), [""; 0]);
        assert_eq!(codes(30_000.0), ["CS025"]);
        assert_eq!(codes(1e6), ["CS025", "CS024"]);
        assert_eq!(codes(f64::NAN), [""; 0]);
    }

    #[test]
    fn a_clock_that_moves_seldom_is_told_of_as_such_and_one_without_pairs_is_not() {
        let coarse = ("monotonic-coarse", Some(4e6), vec![pairs(true, 0.0, 4e6)]);
        assert!(found(&[coarse])[0].evidence.contains("4 ms (one step of the clock)"));
        assert!(found(&[("tsc", None, vec![])]).is_empty());
        let fine = ("uptime", Some(100.0), vec![pairs(true, 0.0, 900.0)]);
        assert!(found(&[fine]).is_empty());
    }
}
