use super::*;
use crate::line::PERIOD_NS;

const HZ: f64 = 2.6e9;
const RULES: Rules = Rules { period_ns: PERIOD_NS, step_ns: 1, slew: Some(SLEW) };

/// A comparison at `ns` of a kernel whose rate is exactly 1e9 / HZ ns a tick, 40 ticks wide to either side.
fn anchor(ns: u64) -> Anchor {
    Anchor { ticks: (ns as f64 * HZ / 1e9) as u64, ns, half: 40 }
}

/// What follows `f`, where no slew is seen.
fn then(f: &Fit, at: Anchor) -> Fit {
    assert_eq!(judge(f, at, RULES), Seen::Steady, "{f:?} {at:?}");
    next(f, at, at.ticks, RULES).expect("a line")
}

fn begun() -> Fit {
    let [a, b, c] = [10_000_000, 11_000_000, 12_000_000].map(anchor);
    first(a, b, c, c.ticks, 0, RULES).expect("a line")
}

/// Lays lines to the end, each at the moment that the one before expires.
fn settled() -> Fit {
    let mut f = begun();
    for _ in 0..500 {
        f = then(&f, anchor(f.line.last()));
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

/// At the end of `f`, a kernel that is `ahead` of it (ns).
fn at_the_end(f: &Fit, ahead: i64) -> Anchor {
    Anchor { ticks: f.line.start + f.line.len, ns: f.line.last().wrapping_add_signed(ahead), half: 40 }
}

/// A line is in use for half of what its rate comes from, 2 ms at most, at whatever part of the rate it runs.
fn lasts_its_time(g: &Fit) {
    let time = ((g.now.ns - g.old.ns) / 2).clamp(SHORTEST_NS, PERIOD_NS) as f64;
    assert!((g.line.len as f64 * g.rate - time).abs() < 2.0, "{g:?}");
}

/// The line that starts ahead of `at` meets the kernel's clock at its end, and lasts as long as others do.
fn meets_within_a_period(g: &Fit, at: Anchor) {
    let run = g.line.len as f64 * g.rate;
    assert!((g.line.last() as f64 - (at.ns as f64 + run)).abs() < 2.0, "{g:?} {at:?}");
    lasts_its_time(g);
}

#[test]
fn far_ahead_it_meets_the_kernel_after_no_more_than_a_period() {
    let f = settled();
    for ahead in [100_000, 300_000, 450_000] {
        let at = at_the_end(&f, -ahead);
        meets_within_a_period(&next(&f, at, at.ticks, RULES).expect("a line"), at);
    }
}

#[test]
fn meets_the_kernel_again_at_the_end_when_it_is_ahead() {
    let f = settled();
    // 500 ppm slow since the last comparison: 1 µs behind the line's end.
    let at = at_the_end(&f, -1000);
    let g = then(&f, at);
    assert_eq!(g.line.base, f.line.last());
    assert!((999..=1001).contains(&g.lead));
    meets_within_a_period(&g, at);
    for slew in [STEADY, SLEW] {
        assert!(g.uncertainty_ns(at.ticks, 1, slew) >= 1000.0);
    }
}

#[test]
fn far_ahead_it_runs_at_half_the_rate_and_never_stands_still() {
    let f = settled();
    // 50 % slow for the whole line, more than Linux permits.
    let at = at_the_end(&f, -(PERIOD_NS as i64) / 2);
    assert_eq!(judge(&f, at, RULES), Seen::Unsteady);
    let g = next(&f, at, at.ticks, RULES).expect("a line");
    assert_eq!(g.line.base, f.line.last());
    let slope = (g.line.last() - g.line.base) as f64 / g.line.len as f64;
    assert!((slope / g.rate - 0.5).abs() < 1e-3, "{slope} {g:?}");
    lasts_its_time(&g);
}

#[test]
fn goes_straight_to_the_kernel_when_it_is_behind() {
    let f = settled();
    let g = then(&f, at_the_end(&f, 500));
    assert!(g.line.base.abs_diff(f.line.last() + 500) <= 1, "{g:?}");
    assert_eq!(g.lead, 0);
}

#[test]
fn a_slew_is_seen_and_followed_but_is_no_jump() {
    for rate in [0.64, 0.9, 0.98, 0.998, 1.002, 1.02, 1.1, 1.58] {
        let mut f = settled();
        let (t0, n0) = (f.line.start + f.line.len, f.line.last());
        let at = |f: &Fit| {
            let ticks = f.line.start + f.line.len;
            Anchor { ticks, ns: n0 + ((ticks - t0) as f64 / HZ * 1e9 * rate) as u64, half: 40 }
        };
        f = then(&f, at(&f));
        // The line that it begins in; the next one knows.
        assert_eq!(judge(&f, at(&f), RULES), Seen::Unsteady, "{rate}");
        f = next(&f, at(&f), at(&f).ticks, RULES).expect("a line");
        for _ in 0..20 {
            f = then(&f, at(&f));
        }
        assert!((f.rate * HZ / 1e9 - rate).abs() < 1e-4, "{f:?}");
        assert!(f.lead == 0, "{f:?}");
    }
}

#[test]
fn what_no_slew_can_do_is_a_jump() {
    let f = settled();
    let ticks = f.line.start + f.line.len;
    let ns = f.line.last();
    let second = 2_600_000_000;
    for (ticks, ns) in [
        (ticks + 10 * second, ns),
        (ticks.wrapping_sub(10 * second), ns),
        (ticks, ns + 10_000_000_000),
        (ticks, ns + 2 * PERIOD_NS),
        (ticks, f.now.ns),
        (f.now.ticks, ns),
    ] {
        assert_eq!(judge(&f, Anchor { ticks, ns, half: 40 }, RULES), Seen::Jump, "{ticks} {ns}");
    }
    for ns in [f.now.ns - 1, ns - 10 * PERIOD_NS, 0] {
        assert_eq!(judge(&f, Anchor { ticks, ns, half: 40 }, RULES), Seen::SetBack);
    }
}

#[test]
fn the_system_clocks_step_is_no_slew() {
    // The clock shows multiples of `step`; seldom to often within a line.
    for step in [100, 20_000, PERIOD_NS / 2, 2 * PERIOD_NS] {
        let rules = Rules { step_ns: step, ..RULES };
        let shown = |ns: u64| Anchor { ns: ns / step * step, ..anchor(ns) };
        let [a, b, c] = [1, 9, 17].map(|n| shown(1_000_000_000 + n * step.max(SHORTEST_NS)));
        let mut f = first(a, b, c, c.ticks, 0, rules).expect("a line");
        for _ in 0..2000 {
            let ticks = f.line.start + f.line.len;
            let true_ns = (ticks as f64 / HZ * 1e9) as u64;
            assert_eq!(judge(&f, shown(true_ns), rules), Seen::Steady, "{step} {f:?}");
            let off = f.line.last().abs_diff(shown(true_ns).ns) as f64;
            assert!(off <= f.uncertainty_ns(ticks, step, STEADY), "{step} {off} {f:?}");
            f = next(&f, shown(true_ns), ticks, rules).expect("a line");
        }
    }
}

#[test]
fn a_first_rate_needs_two_intervals_that_agree() {
    let [a, b, mut c] = [10_000_000, 11_000_000, 12_000_000].map(anchor);
    c.ns += 5000;
    assert_eq!(first(a, b, c, c.ticks, 0, RULES), None);
    assert_eq!(first(b, a, anchor(12_000_000), 0, 0, RULES), None);
}

#[test]
fn coasts_while_the_kernel_says_nothing_and_doubts_more_and_more() {
    let f = settled();
    let mut g = f;
    for _ in 0..50 {
        let at = g.line.start + g.line.len;
        g = coast(&g, at, RULES).expect("a line");
    }
    let at = g.line.start;
    let exact = at as f64 / HZ * 1e9;
    assert!((g.line.base as f64 - exact).abs() < 1000.0);
    let grown = |slew| g.uncertainty_ns(at, 1, slew) - f.uncertainty_ns(f.line.start, 1, slew);
    // Of some 100 ms: 500 ppm, and 60 %.
    assert!((40_000.0..60_000.0).contains(&grown(STEADY)), "{}", grown(STEADY));
    assert!((50e6..70e6).contains(&grown(SLEW)), "{}", grown(SLEW));
    assert_eq!(coast(&f, f.now.ticks.wrapping_sub(1 << 40), RULES), None);
}

#[test]
fn a_fit_survives_its_words() {
    let f = Fit { lead: 7, ..settled() };
    assert_eq!(Fit::of_words(&f.words()), f);
}

#[test]
fn what_went_astray_on_a_line_and_came_back_is_not_called_held() {
    let f = settled();
    let lines = |n: u64| anchor(f.now.ns + n * PERIOD_NS);
    assert_eq!([1, 3, 500].map(|n| judge(&f, lines(n), RULES)), [Seen::Steady, Seen::Untold, Seen::Untold]);
    // A millisecond in five seconds is 200 ppm.
    let late = lines(2500);
    assert_eq!(judge(&f, Anchor { ns: late.ns + 1_000_000, ..late }, RULES), Seen::Untold);
}

/// A settled line that begins so many ticks before the counter's lower half wraps.
fn cut(ticks: u64) -> Fit {
    let f = settled();
    let by = (2 << 32) - ticks - f.line.start;
    let ahead = |at: Anchor| Anchor { ticks: at.ticks + by, ..at };
    let line = Line::new(f.line.start + by, f.line.base, f.rate, PERIOD_NS).expect("a line");
    let f = Fit { line, now: ahead(f.now), mid: ahead(f.mid), old: ahead(f.old), ..f };
    assert!(f.line.is_cut() && f.line.len == ticks);
    f
}

/// What the kernel shows so many ticks after `f` was compared, slewed by a fraction since.
fn since(f: &Fit, ticks: u64, slew: f64) -> Anchor {
    let gained = ticks as f64 * f.rate * (1.0 + slew);
    Anchor { ticks: f.now.ticks + ticks, ns: f.now.ns + gained as u64, half: 40 }
}

#[test]
fn a_line_that_is_cut_short_is_judged_as_a_whole_one() {
    let f = cut(10);
    let period = (PERIOD_NS as f64 / f.rate) as u64;
    assert_eq!(judge(&f, since(&f, period / 2, 0.0), RULES), Seen::Steady);
    assert_eq!(judge(&f, since(&f, 2 * period - 10, 0.0), RULES), Seen::Steady);
    assert_eq!(judge(&f, since(&f, 2 * period + 10, 0.0), RULES), Seen::Untold);
}

#[test]
fn what_is_left_of_a_line_that_is_cut_short_tells_no_rate() {
    for (ticks, keeps) in [(6000, true), (3_000_000, false)] {
        let f = cut(ticks);
        let at = since(&f, ticks, 0.0833);
        assert_eq!(judge(&f, at, RULES), Seen::Unsteady);
        let g = next(&f, at, at.ticks, RULES).expect("a line");
        assert_eq!((g.rate / f.rate - 1.0).abs() < 1e-3, keeps, "{g:?}");
        // From there on as any other: the slew is seen a line later.
        let at = since(&g, g.line.len, 1.0833 * f.rate / g.rate - 1.0);
        let h = next(&g, at, at.ticks, RULES).expect("a line");
        assert!((h.rate / f.rate - 1.0833).abs() < 1e-3, "{h:?}");
    }
}

#[test]
fn the_stamp_is_the_base_as_an_instant_has_it() {
    let stamp = |base| {
        let f = settled();
        Fit { line: Line { base, ..f.line }, ..f }.words()[8]
    };
    for base in [0, 1, 1 << 62, (1 << 63) - (1 << 33)] {
        assert_eq!(stamp(base), START.get() | base);
    }
    assert_eq!(stamp(u64::MAX), u64::MAX - (1 << 33) + 1);
}
