//! CS005, CS006 and CS007: clocks that went back, jumped, or stood still.

use std::fmt::Write as _;

use super::rule::Draft;
use crate::analyze::keeping::LEAP_SECOND;
use crate::judge::facts::{Facts, base, figure, was_only_set};
use crate::judge::say;
use crate::record::{Clock, EventKind, Kind, Severity};

/// CS005: a read returned less than an earlier one.
pub(super) fn regressions(facts: &Facts) -> Vec<Draft> {
    Fault {
        kind: EventKind::Regression,
        noun: "time",
        did: "went back",
        count: |c| c.regressions.count,
        largest: |c| c.regressions.largest_ns,
        why: "An interval across such a step is negative, or huge once it is cast to an unsigned type; ordering by \
              this clock is wrong; timeouts and lock leases computed from it fail.",
    }
    .judge(facts)
}

/// CS006: an advance that was more, or less, than time can have passed.
pub(super) fn warps(facts: &Facts) -> Vec<Draft> {
    Fault {
        kind: EventKind::Warp,
        noun: "time",
        did: "jumped",
        count: |c| c.warps.count,
        largest: |c| c.warps.largest_ns,
        why: "An interval across such a jump is wrong by its size, while it looks like any other; the program \
              reports an outlier that never was, or a timeout fires early.",
    }
    .judge(facts)
}

/// CS007: a stand longer than the quantum explains.
pub(super) fn stalls(facts: &Facts) -> Vec<Draft> {
    Fault {
        kind: EventKind::Stall,
        noun: "time",
        did: "stood still",
        count: |c| c.stalls.unexplained,
        largest: |c| c.stalls.longest_ns,
        why: "Time that passes while the clock stands is lost to every interval measured with it; a loop that waits \
              for the clock to move hangs as long.",
    }
    .judge(facts)
}

/// What the three rules differ in.
struct Fault {
    kind: EventKind,
    noun: &'static str,
    did: &'static str,
    count: fn(&Clock) -> u64,
    largest: fn(&Clock) -> f64,
    why: &'static str,
}

impl Fault {
    fn judge(&self, facts: &Facts) -> Vec<Draft> {
        let hit: Vec<&Clock> = facts.clocks.iter().filter(|c| (self.count)(c) > 0).collect();
        // A clock that may be set and stepped alone was set; if one that may not stepped too, they share the cause.
        let settable = |c: &&Clock| c.promises.may_step && (self.kind != EventKind::Stall || was_only_set(c));
        if hit.iter().any(|c| !settable(c) && !is_lenient(c)) {
            return vec![self.draft(facts, Severity::Error, &hit)];
        }
        if hit.is_empty() { Vec::new() } else { vec![self.draft(facts, Severity::Warning, &hit)] }
    }

    fn draft(&self, facts: &Facts, severity: Severity, hit: &[&Clock]) -> Draft {
        // The forced ways of reading repeat the counts of the same clock: each base clock is told once.
        let mut told: Vec<&Clock> = Vec::new();
        for clock in hit {
            if !told.iter().any(|t| base(&t.id) == base(&clock.id)) {
                told.push(clock);
            }
        }
        let mut title = self.title(hit);
        if hit.iter().all(|c| was_only_set(c)) {
            title += if hit.iter().all(|c| has_cause(c, LEAP_SECOND)) {
                ": a leap second"
            } else if hit.len() == 1 {
                ": it was set"
            } else {
                ": they were set"
            };
        }
        Draft {
            severity,
            title,
            evidence: told.iter().map(|c| self.said(c)).collect::<Vec<_>>().join("; ") + ".",
            why: self.why.into(),
            fix: self.fix(facts, severity, hit),
            clocks: say::ids(hit),
        }
    }

    fn title(&self, hit: &[&Clock]) -> String {
        let most = hit.iter().map(|c| (self.count)(c)).max().unwrap_or(0);
        let up_to = if hit.len() > 1 && most > 1 { "up to " } else { "" };
        format!("{} {} {up_to}{}", say::names(hit), self.did, say::count(most, self.noun))
    }

    /// Counts, the largest, and the first event with its place and cause.
    fn said(&self, clock: &Clock) -> String {
        let mut text = format!(
            "{}: {} in {}",
            clock.id,
            say::grouped((self.count)(clock)),
            say::count(clock.reads, "read")
        );
        if let Some(largest) = figure(Some((self.largest)(clock))) {
            let _ = write!(text, ", the largest {}", say::time(largest));
        }
        if let Some(event) = clock.events.iter().find(|e| e.kind == self.kind) {
            let _ = write!(text, ", the first {} after the start", say::time(event.at_ns));
            if let Some(cpu) = event.cpu {
                let _ = write!(text, " on CPU {cpu}");
            }
            if !event.cause.is_empty() && event.cause != "unknown" {
                let _ = write!(text, " ({})", event.cause);
            }
        }
        text
    }

    fn fix(&self, facts: &Facts, severity: Severity, hit: &[&Clock]) -> String {
        if let Some(library) = hit.iter().find_map(|c| c.interposed_by.as_deref()) {
            return format!(
                "The reads went through {library} (see CS013): measure again without it before the machine is blamed."
            );
        }
        if severity == Severity::Warning {
            return if hit.iter().all(|c| was_only_set(c)) {
                "None for the clock: it was set, or had a leap second, as CS018 says. Take intervals from `monotonic`."
                    .into()
            } else if hit.iter().all(|c| c.promises.may_step) && self.kind != EventKind::Stall {
                "Somebody set the clock: see `chronyc tracking` or `journalctl -u systemd-timesyncd`, and let it be \
                 slewed rather than stepped (chrony: `makestep` only at the start). Take intervals from `monotonic`."
                    .into()
            } else {
                "The timer tick was late or the accounting waited for it: see `steal` and `nohz_full`; use a clock \
                 that reads hardware where this matters."
                    .into()
            };
        }
        let kernels = hit.iter().any(|c| c.kind != Kind::Counter);
        match (facts.guest_of(), facts.source()) {
            (Some(hypervisor), _) => format!(
                "Look into `dmesg | grep -iE 'tsc|clocksource|unstable'`; in this {hypervisor} guest ask whether it was \
                 paused, restored or migrated, and whether the host's own TSC is stable. Until it is gone, trust only \
                 the clocks here without faults."
            ),
            (None, Some("tsc")) if kernels => "Look into `dmesg | grep -iE 'tsc|clocksource|unstable'` and for a \
                 firmware update; until it is gone, run on another source: \
                 `echo hpet | sudo tee /sys/devices/system/clocksource/clocksource0/current_clocksource`."
                .into(),
            _ => "Look into `dmesg | grep -iE 'tsc|clocksource|unstable'`, and until it is gone, trust only the \
                  clocks here without faults."
                .into(),
        }
    }
}

fn has_cause(clock: &Clock, cause: &str) -> bool {
    clock.events.iter().any(|event| event.cause == cause)
}

/// Clocks that the timer tick or the scheduler's accounting advances: a late tick is theirs by design.
fn is_lenient(clock: &Clock) -> bool {
    matches!(clock.kind, Kind::Coarse | Kind::CpuTime)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::made_up::{clock, findings, healthy, with_faults};
    use crate::record::{Event, Machine};

    fn bare_metal() -> Machine {
        let (mut machine, _) = healthy();
        machine.virtualization = crate::record::Virtualization::default();
        machine
    }

    #[test]
    fn each_fault_has_its_rule_and_only_that() {
        for (code, regressions, warps, stalls) in
            [("CS005", 308, 0, 0), ("CS006", 0, 92, 0), ("CS007", 0, 0, 7)]
        {
            let bad = with_faults(clock("monotonic").build(), regressions, warps, stalls);
            for other in ["CS005", "CS006", "CS007"] {
                let found = findings(&bare_metal(), std::slice::from_ref(&bad), other);
                assert_eq!(found.len(), usize::from(code == other), "{code} against {other}");
            }
            let found = findings(&bare_metal(), &[bad], code);
            assert_eq!(found[0].severity, Severity::Error);
            assert!(found[0].evidence.contains("1 000 000 reads"), "{}", found[0].evidence);
        }
    }

    #[test]
    fn natural_stalls_and_clean_clocks_are_silent() {
        let (machine, mut clocks) = healthy();
        clocks[0].stalls.count = 5000;
        for code in ["CS005", "CS006", "CS007"] {
            assert!(findings(&machine, &clocks, code).is_empty(), "{code}");
        }
    }

    #[test]
    fn variants_are_listed_but_told_once() {
        let clocks =
            ["monotonic", "monotonic@vdso", "realtime"].map(|id| with_faults(clock(id).build(), 3, 0, 0));
        let found = findings(&bare_metal(), &clocks, "CS005");
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].clocks, ["monotonic", "monotonic@vdso", "realtime"]);
        assert!(!found[0].evidence.contains("monotonic@vdso"), "{}", found[0].evidence);
        assert_eq!(found[0].title, "monotonic, monotonic@vdso and 1 more went back up to 3 times");
    }

    #[test]
    fn a_wall_clock_that_alone_stepped_was_set() {
        let mut wall = with_faults(clock("realtime").kind(Kind::Wall).build(), 1, 0, 0);
        wall.promises.may_step = true;
        let found = findings(&bare_metal(), &[wall.clone(), clock("monotonic").build()], "CS005");
        assert_eq!(found[0].severity, Severity::Warning);
        assert!(found[0].fix.contains("chronyc"));
        let both = [wall, with_faults(clock("monotonic").build(), 1, 0, 0)];
        assert_eq!(findings(&bare_metal(), &both, "CS005")[0].severity, Severity::Error);
    }

    #[test]
    fn a_clock_whose_setting_was_seen_names_it() {
        for (cause, said) in
            [("clock set", "went back 1 time: it was set"), ("leap second", "back 1 time: a leap second")]
        {
            let mut wall = with_faults(clock("realtime").kind(Kind::Wall).build(), 1, 0, 0);
            wall.events = vec![Event {
                kind: EventKind::Regression,
                size_ns: 1e9,
                size_uncertainty_ns: None,
                at_ns: 1.5e9,
                cpu: None,
                cause: cause.into(),
            }];
            let found = &findings(&bare_metal(), &[wall.clone()], "CS005")[0];
            assert_eq!(found.severity, Severity::Warning);
            assert!(
                found.title.ends_with(said) && found.fix.contains("CS018"),
                "{} {}",
                found.title,
                found.fix
            );
            wall.regressions.count = 2;
            assert!(!findings(&bare_metal(), &[wall], "CS005")[0].fix.contains("CS018"), "one has no cause");
        }
    }

    #[test]
    fn the_first_event_and_the_interposed_library_are_told() {
        let mut bad = with_faults(clock("monotonic").build(), 2, 0, 0);
        bad.interposed_by = Some("libfaulty.so".into());
        bad.events = vec![Event {
            kind: EventKind::Regression,
            size_ns: 1000.0,
            size_uncertainty_ns: Some(20.0),
            at_ns: 1.5e9,
            cpu: Some(3),
            cause: "unknown".into(),
        }];
        let found = findings(&bare_metal(), &[bad], "CS005");
        assert!(
            found[0].evidence.contains("the first 1.5 s after the start on CPU 3"),
            "{}",
            found[0].evidence
        );
        assert!(found[0].fix.contains("libfaulty.so"));
    }

    #[test]
    fn a_late_tick_of_a_coarse_clock_is_a_warning() {
        let coarse = with_faults(clock("monotonic-coarse").kind(Kind::Coarse).build(), 0, 0, 1);
        assert_eq!(findings(&bare_metal(), &[coarse], "CS007")[0].severity, Severity::Warning);
    }
}
