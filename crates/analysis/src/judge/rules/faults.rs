//! CS005, CS006 and CS007: clocks that went back, jumped, or stood still.

use std::fmt::Write as _;

use super::prelude::*;
use crate::analyze::keeping::LEAP_SECOND;
use crate::judge::faults::{count, shown, was_only_set};
use crate::record::EventKind;

/// CS005: a read returned less than an earlier one.
pub(super) fn regressions(facts: &Facts) -> Option<Draft> {
    let why = "An interval across such a step is negative, or huge once it is cast to an unsigned type; ordering by \
               this clock is wrong; timeouts and lock leases computed from it fail.";
    faults(facts, EventKind::Regression, "went back", why)
}

/// CS006: an advance that was more, or less, than time can have passed.
pub(super) fn warps(facts: &Facts) -> Option<Draft> {
    let why = "An interval across such a jump is wrong by its size, while it looks like any other; the program \
               reports an outlier that never was, or a timeout fires early.";
    faults(facts, EventKind::Warp, "jumped", why)
}

/// CS007: a stand longer than the quantum explains.
pub(super) fn stalls(facts: &Facts) -> Option<Draft> {
    let why = "Time that passes while the clock stands is lost to every interval measured with it; a loop that waits \
               for the clock to move hangs as long.";
    faults(facts, EventKind::Stall, "stood still", why)
}

fn faults(facts: &Facts, kind: EventKind, did: &str, why: &str) -> Option<Draft> {
    let hit: Vec<&Clock> = facts.clocks.iter().filter(|c| count(c, kind) > 0).collect();
    let most = hit.iter().map(|c| count(c, kind)).max()?;
    // A clock that may be set and stepped alone was set; if one that may not stepped too, they share the cause.
    let settable = |c: &Clock| c.promises.may_step && (kind != EventKind::Stall || was_only_set(c));
    let lenient = hit.iter().all(|c| settable(c) || is_lenient(c));
    let severity = if lenient { Warning } else { Error };
    let up_to = if hit.len() > 1 && most > 1 { "up to " } else { "" };
    let cause = if !hit.iter().all(|c| was_only_set(c)) {
        ""
    } else if hit.iter().all(|c| c.events.iter().any(|event| event.cause == LEAP_SECOND)) {
        ": a leap second"
    } else if hit.len() == 1 {
        ": it was set"
    } else {
        ": they were set"
    };
    // The forced ways of reading repeat the counts of the same clock: each goes by its name once.
    let mut named: Vec<(&str, Vec<&Clock>)> = Vec::new();
    for clock in &hit {
        text::gather(&mut named, figures::name(clock), clock);
    }
    Some(Draft {
        severity,
        title: format!("{} {did} {up_to}{}{cause}", names(&hit), text::count(most, "time")),
        evidence: named.iter().map(|(_, ways)| said(ways[0], kind)).collect(),
        why: why.into(),
        fix: fix(facts, kind, severity, &hit),
        clocks: ids(hit),
    })
}

/// Counts, the largest, and the first event with its place and cause.
fn said(clock: &Clock, kind: EventKind) -> String {
    let (faults, largest_ns) = shown(clock, kind);
    let mut said = format!("{}: {} in {}", clock.id, text::grouped(faults), text::count(clock.reads, "read"));
    if let Some(largest) = figure(Some(largest_ns)) {
        let _ = write!(said, ", the largest {}", text::time(largest));
    }
    if let Some(event) = clock.events.iter().find(|e| e.kind == kind) {
        let _ = write!(said, ", the first {} after the start", text::time(event.at_ns));
        if let Some(cpu) = event.cpu {
            let _ = write!(said, " on CPU {cpu}");
        }
        if !event.cause.is_empty() && event.cause != "unknown" {
            let _ = write!(said, " ({})", event.cause);
        }
    }
    said
}

fn fix(facts: &Facts, kind: EventKind, severity: Severity, hit: &[&Clock]) -> String {
    if let Some(library) = hit.iter().find_map(|c| c.interposed_by.as_deref()) {
        return format!(
            "The reads went through {library} (see CS013): measure again without it before the machine is blamed."
        );
    }
    if severity == Warning {
        return if hit.iter().all(|c| was_only_set(c)) {
            "None for the clock: it was set, or had a leap second, as CS018 says. Take intervals from `monotonic`."
                .into()
        } else if hit.iter().all(|c| c.promises.may_step) && kind != EventKind::Stall {
            "Somebody set the clock: see `chronyc tracking` or `journalctl -u systemd-timesyncd`, and let it be \
             slewed rather than stepped (chrony: `makestep` only at the start). Take intervals from `monotonic`."
                .into()
        } else {
            "The timer tick was late or the accounting waited for it: see `steal` and `nohz_full`; use a clock that \
             reads hardware where this matters."
                .into()
        };
    }
    let look = "Look into `dmesg | grep -iE 'tsc|clocksource|unstable'`";
    let kernels = hit.iter().any(|c| c.kind != Kind::Counter);
    match (facts.guest_of(), facts.source()) {
        (Some(hypervisor), _) => format!(
            "{look}; in this {hypervisor} guest ask whether it was paused, restored or migrated, and whether the \
             host's own TSC is stable. Until it is gone, trust only the clocks here without faults."
        ),
        (None, Some(TSC)) if kernels => {
            format!("{look} and for a firmware update; until it is gone, run on another source: {}.", switch_to("hpet"))
        }
        _ => format!("{look}, and until it is gone, trust only the clocks here without faults."),
    }
}

/// Clocks that the timer tick or the scheduler's accounting advances: a late tick is theirs by design.
fn is_lenient(clock: &Clock) -> bool {
    matches!(clock.kind, Kind::Coarse | Kind::CpuTime)
}

#[cfg(test)]
mod tests {
    use super::*;
    use EventKind::Regression;

    /// These clocks on bare metal.
    fn bare_metal(clocks: impl IntoIterator<Item = Clock>) -> Case {
        Case::healthy().of(clocks).but(|case| case.machine.virtualization.guest = Some(false))
    }

    #[test]
    fn each_fault_has_its_rule_and_only_that() {
        const CODES: [&str; 3] = ["CS005", "CS006", "CS007"];
        for (at, [regressions, warps, stalls]) in [[308, 0, 0], [0, 92, 0], [0, 0, 7]].into_iter().enumerate() {
            let bad = clock("monotonic").faults(regressions, warps, stalls);
            let mut case = bare_metal([bad]).finds(CODES[at], Error, &["in 1,000,000 reads", "echo hpet"]);
            for other in CODES.into_iter().filter(|code| *code != CODES[at]) {
                case = case.silent(other);
            }
        }
        let natural = Case::healthy().but(|case| case.clock("tsc").stalls.count = 5000);
        natural.silent("CS005").silent("CS006").silent("CS007");
    }

    #[test]
    fn forced_ways_are_listed_but_said_once() {
        let clocks = [clock("monotonic"), clock("monotonic@vdso").forced("monotonic"), clock("realtime")];
        let clocks = clocks.map(|c| c.faults(3, 0, 0));
        let title = "monotonic and realtime went back up to 3 times\n";
        let case = bare_metal(clocks).finds("CS005", Error, &[title, "[monotonic, monotonic@vdso, realtime]"]);
        assert!(!case.findings("CS005")[0].evidence.contains("monotonic@vdso"));
    }

    #[test]
    fn a_wall_clock_that_alone_stepped_was_set() {
        let wall = clock("realtime").kind(Kind::Wall).faults(1, 0, 0);
        bare_metal([wall.clone(), clock("monotonic")]).finds("CS005", Warning, &["chronyc"]);
        let both = [wall.clone(), clock("monotonic").faults(1, 0, 0)];
        bare_metal(both).finds("CS005", Error, &[]);
        for (cause, said) in [("clock set", "back 1 time: it was set\n"), ("leap second", "1 time: a leap second\n")] {
            let wall = wall.clone().event(Regression, 1e9, 1.5e9, cause);
            bare_metal([wall.clone()]).finds("CS005", Warning, &[said, "CS018"]);
            bare_metal([wall.with(|c| c.regressions.count = 2)]).finds("CS005", Warning, &["!CS018"]);
        }
    }

    #[test]
    fn the_first_event_and_the_interposed_library_are_said() {
        let bad = clock("monotonic").faults(2, 0, 0).event(Regression, 1000.0, 1.5e9, "unknown");
        let bad = bad.with(|c| (c.interposed_by, c.events[0].cpu) = (Some("libfaulty.so".into()), Some(3)));
        let parts = ["the first 1.5 s after the start on CPU 3.\n", "went through libfaulty.so"];
        bare_metal([bad]).finds("CS005", Error, &parts);
    }

    #[test]
    fn a_late_tick_of_a_coarse_clock_is_a_warning() {
        let coarse = clock("monotonic-coarse").kind(Kind::Coarse).faults(0, 0, 1);
        bare_metal([coarse]).finds("CS007", Warning, &["tick was late"]);
    }
}
