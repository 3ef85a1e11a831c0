use super::*;
use crate::line::PERIOD_NS;

const HZ: f64 = 2.6e9;

/// A comparison at `ns` of a kernel whose rate is exactly 1e9 / HZ ns a tick, 40 ticks wide to either side.
fn anchor(ns: u64) -> Anchor {
    Anchor { ticks: (ns as f64 * HZ / 1e9) as u64, ns, half: 40 }
}

fn fit(next: Next) -> Fit {
    match next {
        Next::Fit(fit) => fit,
        Next::Jump => panic!("a jump where there is none"),
    }
}

fn begun() -> Fit {
    let [a, b, c] = [10_000_000, 11_000_000, 12_000_000].map(anchor);
    fit(first(a, b, c, c.ticks, 0, PERIOD_NS))
}

/// Lays lines to the end, each at the moment that the one before expires.
fn settled() -> Fit {
    let mut f = begun();
    for _ in 0..100 {
        let at = anchor(f.line.last());
        f = fit(next(&f, at, at.ticks, PERIOD_NS));
    }
    f
}

#[test]
fn a_line_is_trusted_for_half_of_what_its_rate_comes_from() {
    let f = begun();
    assert!((f.rate - 1e9 / HZ).abs() < 1e-6);
    assert!((0.9e6..=1.1e6).contains(&(f.line.len as f64 * f.rate)), "{f:?}");
    let f = settled();
    assert!((f.line.len as f64 * f.rate - PERIOD_NS as f64).abs() < 1e3, "{f:?}");
    let window = (f.now.ns - f.old.ns) as f64;
    assert!((WINDOW_NS as f64..=2.0 * WINDOW_NS as f64 + PERIOD_NS as f64).contains(&window), "{window}");
}

#[test]
fn meets_the_kernel_again_at_the_end_when_it_is_ahead() {
    let f = settled();
    // The kernel has run 100 ppm slow since the last comparison: it is 2 µs behind the line's end.
    let ticks = f.line.start + f.line.len;
    let kernel = f.line.last() - 2000;
    let g = fit(next(&f, Anchor { ticks, ns: kernel, half: 40 }, ticks, PERIOD_NS));
    assert_eq!(g.line.base, f.line.last());
    assert!((1999..=2001).contains(&g.lead));
    let end = g.line.last() as f64;
    let there = kernel as f64 + g.line.len as f64 * g.rate;
    assert!((end - there).abs() < 2.0, "{end} {there}");
    assert!(g.uncertainty_ns(ticks) >= 2000.0);
}

#[test]
fn goes_straight_to_the_kernel_when_it_is_behind() {
    let f = settled();
    let ticks = f.line.start + f.line.len;
    let g = fit(next(&f, Anchor { ticks, ns: f.line.last() + 5000, half: 40 }, ticks, PERIOD_NS));
    assert!(g.line.base.abs_diff(f.line.last() + 5000) <= 1, "{g:?}");
    assert_eq!(g.lead, 0);
}

#[test]
fn a_new_rate_drops_the_window() {
    let mut f = settled();
    // 500 ppm fast from here on.
    let (t0, n0) = (f.line.start + f.line.len, f.line.last());
    for _ in 0..3 {
        let ticks = f.line.start + f.line.len;
        let ns = n0 + ((ticks - t0) as f64 / HZ * 1e9 * 1.0005) as u64;
        f = fit(next(&f, Anchor { ticks, ns, half: 40 }, ticks, PERIOD_NS));
    }
    assert!((f.rate * HZ / 1e9 - 1.0005).abs() < 1e-5, "{f:?}");
}

#[test]
fn jumps_of_either_clock_are_seen() {
    let f = settled();
    let ticks = f.line.start + f.line.len;
    let ns = f.line.last();
    let second = 2_600_000_000;
    for (ticks, ns) in [
        (ticks + 10 * second, ns),
        (ticks.wrapping_sub(10 * second), ns),
        (ticks, ns + 10_000_000_000),
        (ticks, 0),
        (ticks, ns + 100_000),
        (f.now.ticks, ns),
    ] {
        assert_eq!(next(&f, Anchor { ticks, ns, half: 40 }, ticks, PERIOD_NS), Next::Jump, "{ticks} {ns}");
    }
}

#[test]
fn a_first_rate_needs_two_intervals_that_agree() {
    let [a, b, mut c] = [10_000_000, 11_000_000, 12_000_000].map(anchor);
    c.ns += 5000;
    assert_eq!(first(a, b, c, c.ticks, 0, PERIOD_NS), Next::Jump);
    assert_eq!(first(b, a, anchor(12_000_000), 0, 0, PERIOD_NS), Next::Jump);
}

#[test]
fn coasts_while_the_kernel_says_nothing_and_doubts_more_and_more() {
    let f = settled();
    let mut g = f;
    for _ in 0..50 {
        let at = g.line.start + g.line.len;
        g = fit(coast(&g, at, PERIOD_NS));
    }
    let at = g.line.start;
    let exact = at as f64 / HZ * 1e9;
    assert!((g.line.base as f64 - exact).abs() < 1000.0);
    assert!(g.uncertainty_ns(at) > f.uncertainty_ns(f.line.start) + 400_000.0);
    assert_eq!(coast(&f, f.now.ticks.wrapping_sub(1 << 40), PERIOD_NS), Next::Jump);
}

#[test]
fn a_fit_survives_its_words() {
    let f = Fit { lead: 7, ..settled() };
    assert_eq!(Fit::of_words(&f.words()), f);
}
