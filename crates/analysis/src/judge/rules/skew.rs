//! CS016: a clock's readings on different CPUs disagree. CS022: they come to, at different rates.

use std::fmt::Write as _;

use super::prelude::*;
use crate::analyze::skew::{fastest, is_drifting};
use crate::judge::faults::is_disagreeing;
use crate::record::{Skew, SkewPair};

pub(super) fn apart(facts: &Facts) -> Option<Draft> {
    let apart: Vec<&Skew> = facts.skew.iter().filter(|skew| is_disagreeing(skew)).collect();
    let clocks = concerned(facts, &apart);
    let set = was_set(&clocks);
    let names: Vec<&str> = apart.iter().map(|skew| skew.clock.as_str()).collect();
    (!apart.is_empty()).then(|| Draft {
        severity: if set { Warning } else { Error },
        title: format!("The CPUs disagree on the time by {}", text::shortened(&names, 3)),
        evidence: apart.iter().map(|skew| said(skew)).collect(),
        why: "A stamp taken on one CPU can't be held against one taken on another: an interval is wrong by the \
              offset whenever the scheduler moves the thread, it may be negative, and events are put in the wrong \
              order. A thread that stays on one CPU sees nothing of it."
            .into(),
        fix: fix(facts, &clocks, set),
        clocks: ids(clocks.iter().copied()),
    })
}

pub(super) fn drifting(facts: &Facts) -> Option<Draft> {
    let apart: Vec<&Skew> = facts.skew.iter().filter(|skew| skew.pairs.iter().any(is_drifting)).collect();
    let clocks = concerned(facts, &apart);
    let names: Vec<&str> = apart.iter().map(|skew| skew.clock.as_str()).collect();
    (!apart.is_empty() && !was_set(&clocks)).then(|| Draft {
        severity: Warning,
        title: format!("The CPUs drift apart by {}", text::shortened(&names, 3)),
        evidence: apart.iter().filter_map(|skew| drifts(skew)).collect(),
        why: "Counters of one machine share one crystal and keep their distance. These do not, so stamps of two CPUs \
              are further apart each hour, even if nothing has gone back yet; 10 ppb are 36 µs an hour. Linux's \
              watchdog, where it runs at all, compares one CPU with another clock and does not see it."
            .into(),
        fix: fix(facts, &clocks, false),
        clocks: ids(clocks.iter().copied()),
    })
}

/// The clocks that these comparisons are about.
fn concerned<'a>(facts: &'a Facts, compared: &[&Skew]) -> Vec<&'a Clock> {
    facts.clocks.iter().filter(|clock| compared.iter().any(|skew| facts.is_about(skew, clock))).collect()
}

/// A clock that may be set and stands alone was set while it was compared.
fn was_set(clocks: &[&Clock]) -> bool {
    !clocks.is_empty() && clocks.iter().all(|clock| clock.promises.may_step)
}

/// The pair that drifts apart the fastest.
fn drifts(skew: &Skew) -> Option<String> {
    let (pair, drift) = fastest(&skew.pairs)?;
    let (a, b) = (pair.cpu_a, pair.cpu_b);
    let rates = text::rates(drift.low_ppb, drift.high_ppb);
    let how = if drift.steady { "" } else { " on the average, not at one rate" };
    Some(format!("{}: CPU {b} runs {rates} by CPU {a}{how}", skew.clock))
}

/// The pair that is farthest apart, and how often readings went back.
fn said(skew: &Skew) -> String {
    let is_worst = |pair: &&SkewPair| skew.worst == Some([pair.cpu_a, pair.cpu_b]);
    let mut said = match skew.pairs.iter().find(is_worst) {
        Some(pair) => format!("{}: {}", skew.clock, offset(pair)),
        None => format!("{}: its CPUs disagree", skew.clock),
    };
    if skew.backward.count > 0 {
        let (back, of) = (text::grouped(skew.backward.count), text::count(skew.backward.of, "ordered read"));
        let _ = write!(said, "; {back} of {of} went back from one CPU to the other");
        if let Some(largest) = figure(skew.backward.largest_ns) {
            let _ = write!(said, ", the largest by {}", text::time(largest));
        }
    }
    said
}

/// Where the second CPU lies by the first one.
fn offset(pair: &SkewPair) -> String {
    let (a, b) = (pair.cpu_a, pair.cpu_b);
    let finite = |ns: Option<f64>| ns.filter(|ns| ns.is_finite());
    let Some((low, high)) = finite(pair.low_ns).zip(finite(pair.high_ns)) else {
        return format!("the offset between CPUs {a} and {b} could not be bounded");
    };
    let (from, to) = (text::time(low), text::time(high));
    if pair.constant == Some(false) {
        return format!("the offset of CPU {b} against CPU {a} moved between {from} and {to} during the run");
    }
    let (near, far) = (text::time(low.abs().min(high.abs())), text::time(low.abs().max(high.abs())));
    if low > 0.0 {
        format!("CPU {b} is ahead of CPU {a} by {near} to {far}")
    } else if high < 0.0 {
        format!("CPU {b} is behind CPU {a} by {near} to {far}")
    } else {
        format!("CPU {b} lies between {from} and {to} of CPU {a}")
    }
}

fn fix(facts: &Facts, clocks: &[&Clock], set: bool) -> String {
    if set {
        return "Somebody set the clock meanwhile: see `journalctl -u chronyd -u systemd-timesyncd` and measure \
                again. Take intervals from `monotonic`."
            .into();
    }
    let forced = facts.option("tsc=reliable").or_else(|| facts.option("tsc=nowatchdog"));
    let forced =
        forced.map(|option| format!("take `{option}` off the kernel command line: it keeps the kernel from noticing"));
    let kernels = clocks.iter().any(|clock| clock.kind != Kind::Counter);
    let other = if !kernels {
        Some("read no bare counter where a thread may move; the kernel's clocks are not made of it or agree".into())
    } else if facts.source().is_some_and(Clocksource::is_tsc) {
        let other = facts.machine.clocksource.available.iter().find(|source| !Clocksource::is_tsc(source));
        let now = other.map_or_else(String::new, |other| format!(", now by {}", switch_to(other)));
        Some(format!("run the kernel on another clocksource{now}, and for good by `tsc=unstable` on its command line"))
    } else {
        None
    };
    let below = match facts.guest_of() {
        Some(hypervisor) => format!(
            "have the host of this {hypervisor} guest keep the counters of its virtual CPUs together: offer \
             TSC_ADJUST and an invariant TSC (QEMU: `-cpu …,+tsc-adjust,+invtsc`), let nothing write MSR 10H of \
             single CPUs"
        ),
        None => "update the firmware: it must start all counters together and leave TSC_ADJUST alone; \
                 `dmesg | grep -iE 'tsc|clocksource'` shows what the kernel saw"
            .into(),
    };
    let steps: Vec<String> = forced.into_iter().chain(other).chain([below]).collect();
    let text = steps.join("; ") + ".";
    text[..1].to_uppercase() + &text[1..]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::made_up::{says, skew};
    use crate::record::Drift;

    /// A healthy machine, and what was found between its CPUs: bounds on the offset in ns, and steps back.
    fn compared(found: &[(&str, f64, f64, u64)]) -> Case {
        let skew = found.iter().map(|(id, low, high, back)| skew(id, *low, *high, *back)).collect();
        Case { skew, ..Case::healthy() }
    }

    const AGREED: (&str, f64, f64, u64) = ("monotonic", -90.0, 60.0, 0);
    const COUNTER: (&str, f64, f64, u64) = ("tsc-fenced", 1e6, 1.1e6, 50);

    #[test]
    fn what_agrees_is_silent_and_what_does_not_is_not_named() {
        let case = compared(&[("tsc-fenced", -100.0, 65.0, 0), AGREED]).silent("CS016");
        assert_eq!(case.verdict().intervals.as_deref(), Some("monotonic"));
        let unmeasured = compared(&[("tsc-fenced", 0.0, 0.0, 0)]).but(|case| {
            let skew = &mut case.skew[0];
            (skew.agree, skew.pairs[0].low_ns, skew.pairs[0].high_ns) = (None, None, None);
        });
        unmeasured.silent("CS016");
        // The interval alone is enough, and so is one step back.
        let case = compared(&[("monotonic", 15.0, 180.0, 0)]);
        let case = case.finds("CS016", Error, &["CPU 1 is ahead of CPU 0 by 15 ns to 180 ns"]);
        assert_ne!(case.verdict().intervals.as_deref(), Some("monotonic"));
        compared(&[("monotonic", -90.0, 60.0, 1)]).finds("CS016", Error, &["between -90 ns and 60 ns"]);
        // A wall clock alone was set.
        compared(&[("realtime", -1e9, 1e3, 1)]).finds("CS016", Warning, &["set the clock"]);
    }

    #[test]
    fn an_offset_beyond_the_quantum_is_an_error_and_the_clock_is_not_named() {
        let far = |id| (id, -24.81e6, -24.80e6, 199);
        let parts = [
            "CPU 1 is behind CPU 0 by 24.8 ms",
            "199 of 400 ordered reads went back",
            "[tsc, tsc-fenced, monotonic, monotonic@vdso, monotonic@syscall]",
            "Run the kernel on another clocksource, now by `echo kvm-clock",
            "tsc=unstable",
        ];
        let verdict = compared(&[far("tsc-fenced"), far("monotonic@vdso")]).finds("CS016", Error, &parts).verdict();
        let chosen = (verdict.intervals, verdict.wall, verdict.cheap.as_deref());
        assert_eq!(chosen, (None, None, Some("monotonic-coarse")));
        says(&verdict.because.intervals, &["from one CPU to another (CS016)"]);
    }

    #[test]
    fn cpus_that_drift_apart_are_a_warning_before_anything_went_back() {
        let drifting = |low_ppb, high_ppb, steady| {
            compared(&[AGREED]).but(|case| {
                case.skew[0].pairs[0].drift = Some(Drift { low_ppb, high_ppb, steady, ..Drift::default() });
            })
        };
        drifting(-80.0, 75.0, true).silent("CS022");
        let case = drifting(9.7, 10.2, true);
        let case = case.finds("CS022", Warning, &["CPU 1 runs +9.6 to +10.2 ppb by CPU 0.", "another clocksource"]);
        assert_eq!(case.verdict().intervals.as_deref(), Some("monotonic"));
        drifting(-52e3, -50e3, false).finds("CS022", Warning, &["−52.0 to −50.0 ppm by CPU 0 on the average"]);
        // A wall clock that was set meanwhile did not drift.
        let set = compared(&[("realtime", -1e9, 1e3, 1)]).but(|case| {
            case.skew[0].pairs[0].drift = Some(Drift { low_ppb: 9.0, high_ppb: 10.0, ..Drift::default() });
        });
        set.silent("CS022");
    }

    #[test]
    fn a_counter_apart_under_another_source_spares_the_kernels_clocks() {
        // Through the page that the hypervisor keeps; nobody has to look.
        let case = compared(&[COUNTER]).on("kvm-clock");
        let verdict = case.finds("CS016", Error, &["[tsc, tsc-fenced]", "\nRead no bare counter"]).verdict();
        assert_eq!(verdict.intervals.as_deref(), Some("monotonic"));
        assert_ne!(verdict.cheap.as_deref(), Some("tsc"));
    }

    #[test]
    fn what_the_kernel_makes_of_it_is_judged_by_itself_where_it_was_compared() {
        for (found, intervals) in [
            // Made of the same counter, and nobody looked.
            (&[COUNTER][..], None),
            (&[COUNTER, AGREED], Some("monotonic")),
            // Bounds so wide that it would not have shown.
            (&[COUNTER, ("monotonic", -90.0, 1.3e6, 0)], None),
        ] {
            assert_eq!(compared(found).verdict().intervals.as_deref(), intervals, "{found:?}");
        }
    }
}
