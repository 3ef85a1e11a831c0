//! CS016: a clock's readings on different CPUs disagree.

use std::fmt::Write as _;

use super::rule::Draft;
use crate::analyze::skew::{is_about, is_apart};
use crate::judge::facts::{Facts, figure};
use crate::judge::say;
use crate::record::{Clock, Kind, Severity, Skew, SkewPair};

pub(super) fn apply(facts: &Facts) -> Vec<Draft> {
    let apart: Vec<&Skew> = facts.skew.iter().filter(|skew| is_disagreeing(skew)).collect();
    if apart.is_empty() {
        return Vec::new();
    }
    let clocks: Vec<&Clock> = facts
        .clocks
        .iter()
        .filter(|clock| apart.iter().any(|skew| is_about(&skew.clock, &clock.id)))
        .collect();
    // A clock that may be set and stands alone was set while it was compared.
    let set = !clocks.is_empty() && clocks.iter().all(|clock| clock.promises.may_step);
    let names: Vec<String> = apart.iter().map(|skew| skew.clock.clone()).collect();
    let names = say::shortened(&names, 3);
    vec![Draft {
        severity: if set { Severity::Warning } else { Severity::Error },
        title: format!("The CPUs disagree on the time by {names}"),
        evidence: apart.iter().map(|skew| said(skew)).collect::<Vec<_>>().join("; ") + ".",
        why: "A stamp taken on one CPU can't be held against one taken on another: an interval is wrong by the offset \
              whenever the scheduler moves the thread, it may be negative, and events are put in the wrong order. A \
              thread that stays on one CPU sees nothing of it."
            .into(),
        fix: fix(facts, &clocks, set),
        clocks: say::ids(&clocks),
    }]
}

/// Whether the clock's readings disagree between any two CPUs.
pub(in crate::judge) fn is_disagreeing(skew: &Skew) -> bool {
    skew.agree == Some(false) || skew.backward.count > 0 || skew.pairs.iter().any(is_apart)
}

/// Whether what `own` was found to differ by leaves out, for every pair on which `counter` is apart, what that one differs
/// by.
pub(in crate::judge) fn leaves_out(own: &Skew, counter: &Skew) -> bool {
    let bounds = |pair: &SkewPair| pair.low_ns.zip(pair.high_ns);
    let mut apart = counter.pairs.iter().filter(|pair| is_apart(pair)).peekable();
    apart.peek().is_some()
        && apart.all(|there| {
            let here = own.pairs.iter().find(|p| (p.cpu_a, p.cpu_b) == (there.cpu_a, there.cpu_b));
            here.and_then(bounds)
                .zip(bounds(there))
                .is_some_and(|(here, there)| here.1 < there.0 || there.1 < here.0)
        })
}

/// The pair that is farthest apart, and how often readings went back.
fn said(skew: &Skew) -> String {
    let is_worst = |pair: &&SkewPair| skew.worst == Some([pair.cpu_a, pair.cpu_b]);
    let mut text = match skew.pairs.iter().find(is_worst) {
        Some(pair) => format!("{}: {}", skew.clock, offset(pair)),
        None => format!("{}: its CPUs disagree", skew.clock),
    };
    if skew.backward.count > 0 {
        let _ = write!(
            text,
            "; {} of {} went back from one CPU to the other",
            say::grouped(skew.backward.count),
            say::count(skew.backward.of, "ordered read")
        );
        if let Some(largest) = figure(skew.backward.largest_ns) {
            let _ = write!(text, ", the largest by {}", say::time(largest));
        }
    }
    text
}

/// Where the second CPU lies by the first one.
fn offset(pair: &SkewPair) -> String {
    let (a, b) = (pair.cpu_a, pair.cpu_b);
    let finite = |ns: Option<f64>| ns.filter(|ns| ns.is_finite());
    let Some((low, high)) = finite(pair.low_ns).zip(finite(pair.high_ns)) else {
        return format!("the offset between CPUs {a} and {b} could not be bounded");
    };
    if pair.constant == Some(false) {
        let (low, high) = (say::time(low), say::time(high));
        return format!(
            "the offset of CPU {b} against CPU {a} moved between {low} and {high} during the run"
        );
    }
    let (near, far) = if low.abs() < high.abs() { (low.abs(), high.abs()) } else { (high.abs(), low.abs()) };
    let (near, far) = (say::time(near), say::time(far));
    if low > 0.0 {
        format!("CPU {b} is ahead of CPU {a} by {near} to {far}")
    } else if high < 0.0 {
        format!("CPU {b} is behind CPU {a} by {near} to {far}")
    } else {
        format!("CPU {b} lies between {} and {} of CPU {a}", say::time(low), say::time(high))
    }
}

fn fix(facts: &Facts, clocks: &[&Clock], set: bool) -> String {
    if set {
        return "Somebody set the clock meanwhile: see `journalctl -u chronyd -u systemd-timesyncd` and measure again. \
                Take intervals from `monotonic`."
            .into();
    }
    let mut steps = Vec::new();
    let kernels = clocks.iter().any(|clock| clock.kind != Kind::Counter);
    if let Some(option) = facts.option("tsc=reliable").or_else(|| facts.option("tsc=nowatchdog")) {
        steps.push(format!("take `{option}` off the kernel command line: it keeps the kernel from noticing"));
    }
    let on_tsc = matches!(facts.source(), Some("tsc" | "tsc-early"));
    if on_tsc && kernels {
        let other = facts.machine.clocksource.available.iter().find(|source| !source.starts_with("tsc"));
        let now = other.map_or(String::new(), |other| {
            format!(
                ", now by `echo {other} | sudo tee /sys/devices/system/clocksource/clocksource0/current_clocksource`"
            )
        });
        steps.push(format!(
            "run the kernel on another clocksource{now}, and for good by `tsc=unstable` on its command line"
        ));
    } else if !kernels {
        steps.push(
            "read no bare counter where a thread may move; the kernel's clocks are not made of it or agree"
                .into(),
        );
    }
    steps.push(match facts.guest_of() {
        Some(hypervisor) => format!(
            "have the host of this {hypervisor} guest keep the counters of its virtual CPUs together: offer TSC_ADJUST \
             and an invariant TSC (QEMU: `-cpu …,+tsc-adjust,+invtsc`), let nothing write MSR 10H of single CPUs"
        ),
        None => "update the firmware: it must start all counters together and leave TSC_ADJUST alone; \
                 `dmesg | grep -iE 'tsc|clocksource'` shows what the kernel saw"
            .into(),
    });
    let text = steps.join("; ") + ".";
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::judge;
    use crate::judge::made_up::{healthy, run, skew};
    use crate::record::{Finding, Machine, Verdict};

    fn judged(machine: &Machine, clocks: &[Clock], skew: &[Skew]) -> (Vec<Finding>, Verdict) {
        let (findings, verdict) = judge(machine, &run(), clocks, skew);
        (findings.into_iter().filter(|finding| finding.code == "CS016").collect(), verdict)
    }

    #[test]
    fn counters_that_agree_are_silent() {
        let (machine, clocks) = healthy();
        let (found, verdict) =
            judged(&machine, &clocks, &[skew("tscp", -100.0, 65.0, 0), skew("monotonic", -90.0, 60.0, 0)]);
        assert!(found.is_empty());
        assert_eq!(verdict.intervals.as_deref(), Some("monotonic"));
        let mut unmeasured = skew("tscp", 0.0, 0.0, 0);
        (unmeasured.agree, unmeasured.pairs[0].low_ns, unmeasured.pairs[0].high_ns) = (None, None, None);
        assert!(judged(&machine, &clocks, &[unmeasured]).0.is_empty());
    }

    #[test]
    fn an_offset_beyond_the_quantum_is_an_error_and_the_clock_is_not_named() {
        let (machine, clocks) = healthy();
        let all = [skew("tscp", -24.81e6, -24.80e6, 199), skew("monotonic@vdso", -24.81e6, -24.80e6, 199)];
        let (found, verdict) = judged(&machine, &clocks, &all);
        assert_eq!((found.len(), found[0].severity), (1, Severity::Error));
        let evidence = &found[0].evidence;
        assert!(evidence.contains("CPU 1 is behind CPU 0 by 24.8 ms"), "{evidence}");
        assert!(evidence.contains("199 of 400 ordered reads went back"), "{evidence}");
        assert_eq!(
            found[0].clocks,
            ["tsc", "tsc-fenced", "monotonic", "monotonic@vdso", "monotonic@syscall"]
        );
        assert!(
            found[0].fix.contains("echo kvm-clock") && found[0].fix.contains("tsc=unstable"),
            "{}",
            found[0].fix
        );
        assert_eq!(
            (verdict.intervals, verdict.wall, verdict.cheap.as_deref()),
            (None, None, Some("monotonic-coarse"))
        );
        assert!(
            verdict.because.intervals.contains("from one CPU to another (CS016)"),
            "{}",
            verdict.because.intervals
        );
    }

    #[test]
    fn the_interval_alone_is_enough_and_so_is_one_step_back() {
        let (machine, clocks) = healthy();
        let (found, verdict) = judged(&machine, &clocks, &[skew("monotonic", 15.0, 180.0, 0)]);
        assert!(
            found[0].evidence.contains("CPU 1 is ahead of CPU 0 by 15 ns to 180 ns"),
            "{}",
            found[0].evidence
        );
        assert_ne!(verdict.intervals.as_deref(), Some("monotonic"));
        let (found, _) = judged(&machine, &clocks, &[skew("monotonic", -90.0, 60.0, 1)]);
        assert!(found[0].evidence.contains("between -90 ns and 60 ns"), "{}", found[0].evidence);
    }

    #[test]
    fn a_counter_apart_under_another_source_spares_the_kernels_clocks() {
        let (mut machine, clocks) = healthy();
        machine.clocksource.current = Some("kvm-clock".into());
        let (found, verdict) =
            judged(&machine, &clocks, &[skew("tscp", 1e6, 1.1e6, 50), skew("monotonic", -90.0, 60.0, 0)]);
        assert_eq!(found[0].clocks, ["tsc", "tsc-fenced"]);
        assert!(found[0].fix.contains("Read no bare counter"), "{}", found[0].fix);
        assert_eq!(verdict.intervals.as_deref(), Some("monotonic"));
        assert_ne!(verdict.cheap.as_deref(), Some("tsc"));
    }

    #[test]
    fn what_the_kernel_makes_of_it_is_judged_by_itself_where_it_was_compared() {
        let (machine, clocks) = healthy();
        let counter = skew("tscp", 1e6, 1.1e6, 50);
        let (_, verdict) = judged(&machine, &clocks, std::slice::from_ref(&counter));
        assert_eq!(verdict.intervals, None, "made of the same counter, and nobody looked");
        let (_, verdict) = judged(&machine, &clocks, &[counter, skew("monotonic", -90.0, 60.0, 0)]);
        assert_eq!(verdict.intervals.as_deref(), Some("monotonic"));
        let counter = skew("tscp", 1e6, 1.1e6, 50);
        let (_, verdict) = judged(&machine, &clocks, &[counter, skew("monotonic", -90.0, 1.3e6, 0)]);
        assert_eq!(verdict.intervals, None, "bounds so wide that it would not have shown");
    }

    #[test]
    fn a_wall_clock_alone_was_set() {
        let (machine, clocks) = healthy();
        let (found, _) = judged(&machine, &clocks, &[skew("realtime", -1e9, 1e3, 1)]);
        assert_eq!(found[0].severity, Severity::Warning);
        assert!(found[0].fix.contains("set the clock"));
    }
}
