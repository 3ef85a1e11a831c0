//! What single clocks are: their path, cost, resolution, faults, rate and span.

use super::figures::{Bounds, Unit};
use super::format::{ClockAsked, Policy, SpanAsked};
use super::sheet::Sheet;
use crate::judge::faults;
use crate::judge::faults::without_changes;
use crate::record::{Clock, Interval, Path, Record, Shortest, Tick};
use crate::text::nearest;

pub(super) fn ask(policy: &Policy, record: &Record, sheet: &mut Sheet) {
    // Faults of the kernel's clocks while it changed its clocksource are not theirs, here as in the findings.
    let clocks = without_changes(&record.run, &record.clocks);
    for (id, asked) in &policy.clocks {
        match clocks.iter().find(|clock| clock.id == *id) {
            Some(clock) => has(id, asked, clock, sheet),
            None => lacking(id, asked, record, sheet),
        }
    }
}

fn has(id: &str, asked: &ClockAsked, clock: &Clock, sheet: &mut Sheet) {
    let ClockAsked { readable, path, cost_ns, p99_ns, resolution_ns, faults: few, rate_ppm, span_ns } = asked;
    let name = |what: &str| format!("clocks.{id}.{what}");
    let absent = |field: &str| clock.missing.get(field).cloned().unwrap_or_else(|| "the record does not say".into());
    sheet.flag(&name("readable"), readable.as_ref(), || Ok(true));
    sheet.word(&name("path"), path.as_ref(), || Ok(path_word(clock.path).into()));
    sheet.limit(&name("cost_ns"), cost_ns.as_ref(), Unit::Ns, || {
        let cost = clock.cost_ns.ok_or_else(|| absent("cost_ns"))?;
        let (low, high) = cost.between_runs();
        Ok(Bounds { value: Some(cost.median), low, high })
    });
    sheet.limit(&name("p99_ns"), p99_ns.as_ref(), Unit::Ns, || {
        let cost = clock.cost_ns.ok_or_else(|| absent("cost_ns"))?;
        let p99 = cost.p99.ok_or("single reads could not be bracketed")?;
        // Without an interval nothing is known but that the figure was that once: the shortest read bounds it below.
        let (low, high) = (cost.p99_low.unwrap_or(cost.min), cost.p99_high.unwrap_or(f64::INFINITY));
        Ok(Bounds { value: Some(p99), low: low.min(p99), high: high.max(p99) })
    });
    sheet.limit(&name("resolution_ns"), resolution_ns.as_ref(), Unit::Ns, || {
        resolution(clock).ok_or_else(|| absent("tick_ns.quantum"))
    });
    sheet.few(&name("faults"), few.as_ref(), || Ok((faults(clock), clock.reads.saturating_sub(clock.undecided))));
    sheet.limit(&name("rate_ppm"), rate_ppm.as_ref(), Unit::Ppm, || {
        let rate = clock.rate.as_ref().ok_or_else(|| absent("rate"))?;
        Ok(Bounds::size(Interval { value: rate.ppm, low: rate.low_ppm, high: rate.high_ppm }))
    });
    for (share, limit, of) in spans(span_ns) {
        sheet.limit(&name(share), limit, Unit::Ns, || {
            let spans = clock.span_ns.ok_or_else(|| absent("span_ns"))?;
            let grows = "the error grows with the length beyond what was timed";
            of(&spans).map(Bounds::from).ok_or_else(|| grows.to_owned())
        });
    }
}

/// What is asked of one share: its name, its limit, and where the record has it.
type SpanOf<'a> = (&'static str, Option<&'a super::asked::Limit>, fn(&Shortest) -> Option<Interval>);

fn spans(asked: &SpanAsked) -> [SpanOf<'_>; 3] {
    [
        ("span_ns.within_10_percent", asked.within_10_percent.as_ref(), |spans| spans.within_10_percent),
        ("span_ns.within_1_percent", asked.within_1_percent.as_ref(), |spans| spans.within_1_percent),
        ("span_ns.within_0_1_percent", asked.within_0_1_percent.as_ref(), |spans| spans.within_0_1_percent),
    ]
}

/// The bounds on what it resolves, with the same word on the call's unit as table and verdict have.
pub(super) fn resolution(clock: &Clock) -> Option<Bounds> {
    use crate::Resolution::{AtMost, Of};
    let Tick { quantum, quantum_low, quantum_high, .. } = &clock.tick_ns;
    Some(match clock.resolution()? {
        Of { ns, .. } if *quantum == Some(ns) => {
            Bounds { value: Some(ns), low: quantum_low.unwrap_or(ns), high: quantum_high.unwrap_or(ns) }
        }
        Of { ns, .. } => Bounds::exactly(ns),
        AtMost(ns) => Bounds { value: None, low: 0.0, high: ns },
    })
}

/// Nothing is known of a clock that the record does not have; but that it can't be read, if it says so.
fn lacking(id: &str, asked: &ClockAsked, record: &Record, sheet: &mut Sheet) {
    let ClockAsked { readable, path, cost_ns, p99_ns, resolution_ns, faults, rate_ppm, span_ns } = asked;
    let name = |what: &str| format!("clocks.{id}.{what}");
    let refused = record.unavailable.iter().find(|entry| entry.id == id);
    let why = why_lacking(id, record);
    sheet.flag(&name("readable"), readable.as_ref(), || if refused.is_some() { Ok(false) } else { Err(why.clone()) });
    if let (Some(row), true, Some(_)) = (sheet.rows.last_mut(), refused.is_some(), readable) {
        row.why.clone_from(&why);
    }
    sheet.word(&name("path"), path.as_ref(), || Err(why.clone()));
    let limits =
        [("cost_ns", cost_ns, Unit::Ns), ("p99_ns", p99_ns, Unit::Ns), ("resolution_ns", resolution_ns, Unit::Ns)];
    for (what, limit, unit) in limits {
        sheet.limit(&name(what), limit.as_ref(), unit, || Err(why.clone()));
    }
    sheet.few(&name("faults"), faults.as_ref(), || Err(why.clone()));
    sheet.limit(&name("rate_ppm"), rate_ppm.as_ref(), Unit::Ppm, || Err(why.clone()));
    for (share, limit, _) in spans(span_ns) {
        sheet.limit(&name(share), limit, Unit::Ns, || Err(why.clone()));
    }
}

/// Why the record has no such clock, with the name that may have been meant.
pub(super) fn why_lacking(id: &str, record: &Record) -> String {
    if let Some(entry) = record.unavailable.iter().find(|entry| entry.id == id) {
        return format!("it was not read: {}", entry.reason);
    }
    let unread = record.unavailable.iter().map(|entry| entry.id.as_str());
    let hint = nearest::hint(id, record.clocks.iter().map(|clock| clock.id.as_str()).chain(unread));
    format!("the record has no clock '{id}'{hint}")
}

/// As the record names it.
pub(super) fn path_word(path: Path) -> &'static str {
    match path {
        Path::Instruction => "instruction",
        Path::Vdso => "vdso",
        Path::Libc => "libc",
        Path::Library => "library",
        Path::Syscall => "syscall",
        Path::Mmio => "mmio",
        Path::Port => "port",
        Path::Ioctl => "ioctl",
        Path::Page => "page",
    }
}
