//! What a program takes, held against the record.

use std::collections::BTreeMap;

use super::postgres::{self, Choice};
use super::table::{Reading, Takes};
use crate::judge::clocksource::TSC;
use crate::judge::facts::{Facts, TscStanding};
use crate::judge::faults::was_only_set;
use crate::judge::figures;
use crate::record::{Clock, Finding, Interval, Kind, Path, ProgramClock, Record, Severity};
use crate::resolution::Resolution;
use crate::text;

pub(super) fn weigh(reading: &Reading, facts: &Facts, record: &Record) -> ProgramClock {
    let (id, because) = taken(reading, facts, record);
    let mut it = ProgramClock {
        api: reading.api.into(),
        versions: reading.versions.into(),
        purpose: reading.purpose,
        clock: id.map(str::to_owned),
        rule: reading.rule.into(),
        source: reading.source.into(),
        because,
        path: None,
        cost_ns: None,
        resolution_ns: None,
        resolution_at_most_ns: None,
        unit_ns: reading.unit_ns,
        agrees: None,
        evidence: Vec::new(),
        findings: Vec::new(),
        missing: BTreeMap::new(),
    };
    let Some(id) = id else {
        let because = it.because.clone();
        it.missing.insert("clock".into(), because.clone());
        it.missing.insert("agrees".into(), because);
        return it;
    };
    if let Some(clock) = facts.clock(id).filter(|clock| figures::is_measured(clock)) {
        fill(&mut it, clock);
        judge(&mut it, clock, facts, &record.findings);
    } else {
        let why = absence(id, facts, record);
        for field in ["path", "cost_ns", "resolution_ns", "agrees"] {
            it.missing.insert(field.into(), why.clone());
        }
    }
    it
}

/// Which of its clocks the program reads here, and what decided where there was something to decide.
fn taken(reading: &Reading, facts: &Facts, record: &Record) -> (Option<&'static str>, String) {
    let ids = reading.ids;
    match reading.takes {
        Takes::Library => (ids.first().copied(), String::new()),
        Takes::Kernel => {
            let is_read = |id: &&&str| facts.clock(id).is_some_and(figures::is_measured);
            // What a library answers in the C library's place such a program does not see.
            let is_own = |id: &&&str| facts.clock(id).is_none_or(|clock| clock.interposed_by.is_none());
            // A vDSO that the survey left out may well be there: the ordinary way of reading tells.
            let ordinary = ids.last().and_then(|id| facts.clock(id));
            let has_no_vdso = record.unavailable.iter().any(|it| ids.first() == Some(&&*it.id))
                || ordinary.is_some_and(|clock| clock.path == Path::Syscall);
            let may_be = |id: &&&str| has_no_vdso || !id.ends_with("@syscall");
            let found = ids.iter().filter(is_own).filter(may_be).find(is_read);
            (found.or(ids.first()).copied(), String::new())
        }
        Takes::TimingClockSource => {
            let (choice, because) = postgres::auto(facts);
            let id = match choice {
                Choice::Tsc => ids.first(),
                Choice::System => ids.last(),
                Choice::Open => None,
            };
            (id.copied(), because)
        }
    }
}

/// Why there are no figures of that clock.
fn absence(id: &str, facts: &Facts, record: &Record) -> String {
    let said = record.unavailable.iter().find(|clock| clock.id == id).map(|clock| clock.reason.clone());
    match said {
        Some(reason) => format!("{id} can't be read here: {reason}"),
        None if facts.clock(id).is_some() => format!("no reading of {id} was taken"),
        None => format!("the survey left {id} out"),
    }
}

/// The figures of that clock.
fn fill(it: &mut ProgramClock, clock: &Clock) {
    it.path = Some(clock.path);
    let cost = clock.certain_cost().filter(|cost| [cost.median, cost.low, cost.high].iter().all(|ns| ns.is_finite()));
    it.cost_ns = cost.map(|cost| Interval { value: cost.median, low: cost.low, high: cost.high });
    let missing = |field: &str, otherwise: &str| clock.missing.get(field).map_or(otherwise, String::as_str).to_owned();
    if it.cost_ns.is_none() {
        let noisy = "the run was too noisy to tell";
        let why = if clock.cost_ns.is_some() { noisy.into() } else { missing("cost_ns", "it was not measured") };
        it.missing.insert("cost_ns".into(), why);
    }
    // What is finer than the unit that the program hands out is cut off.
    let is_cut = |known: Resolution| known.at_most_ns() <= it.unit_ns;
    let handed_out = Resolution::Of { ns: it.unit_ns, half_width_ns: 0.0 };
    match clock.resolution().map(|known| if is_cut(known) { handed_out } else { known }) {
        Some(Resolution::Of { ns, half_width_ns }) => {
            it.resolution_ns = Some(Interval { value: ns, low: ns - half_width_ns, high: ns + half_width_ns });
        }
        Some(Resolution::AtMost(ns)) => {
            it.resolution_at_most_ns = Some(ns);
            it.missing.insert("resolution_ns".into(), "only a limit is known".into());
        }
        None => {
            it.missing.insert("resolution_ns".into(), missing("tick_ns.quantum", "it was not measured"));
        }
    }
}

/// What speaks for and against it.
fn judge(it: &mut ProgramClock, clock: &Clock, facts: &Facts, findings: &[Finding]) {
    let of_it = findings.iter().filter(|finding| is_about(finding, clock, facts));
    let (against, mild): (Vec<&Finding>, Vec<&Finding>) = of_it.partition(|f| speaks_against(f, clock, facts));
    for finding in &against {
        it.evidence.push(format!("{}: {}", finding.code, finding.title));
        if !it.findings.contains(&finding.code) {
            it.findings.push(finding.code.clone());
        }
    }
    let is_sound = facts.is_sound(clock) || was_only_set(clock) && facts.is_agreed_on(clock);
    if !is_sound && against.is_empty() {
        it.evidence.push(format!("{} showed faults, or its CPUs disagree", clock.id));
    }
    let mut agrees = is_sound && against.is_empty();
    if clock.kind == Kind::Counter {
        let doubt = doubt(facts);
        let off = postgres::off(facts);
        agrees &= doubt.is_none() && !off.as_ref().is_some_and(|(_, is_wrong)| *is_wrong);
        it.evidence.extend(doubt.map(str::to_owned));
        it.evidence.extend(off.map(|(said, _)| said));
    }
    if agrees {
        it.evidence.insert(0, format!("{} without a fault", text::count(clock.reads, "read")));
    }
    let mild: Vec<&str> = mild.iter().map(|finding| finding.code.as_str()).collect();
    if !mild.is_empty() {
        it.evidence.push(format!("known of it, and no objection: {}", text::list(&mild)));
    }
    it.agrees = Some(agrees);
}

/// Whether a finding names the clock, or the ordinary way of reading it. Past an interposed library, what is said of the
/// ordinary way tells nothing.
fn is_about(finding: &Finding, clock: &Clock, facts: &Facts) -> bool {
    let names = |id: &str| finding.clocks.iter().any(|named| named == id);
    let ordinary = facts.clock(clock.base_id()).filter(|ordinary| clock.forced && ordinary.interposed_by.is_none());
    names(&clock.id) || ordinary.is_some_and(|ordinary| names(&ordinary.id))
}

/// Errors and warnings do, unless they tell of the run alone; and that the kernel has given the counter up, even where its
/// own clocks are well without.
fn speaks_against(finding: &Finding, clock: &Clock, facts: &Facts) -> bool {
    let is_given_up = clock.kind == Kind::Counter && facts.tsc_standing() == TscStanding::Rejected;
    !finding.of_run && (finding.severity != Severity::Note || finding.code == "CS003" && is_given_up)
}

/// What is to be said against a bare counter that no finding names.
fn doubt(facts: &Facts) -> Option<&'static str> {
    match facts.tsc_standing() {
        TscStanding::Forbidden => Some("RDTSC is not allowed in this process: it would be killed by SIGSEGV"),
        TscStanding::Rejected => Some("the kernel does not offer the TSC as a clocksource"),
        _ if facts.is_source_suspect() => Some("a clock that the kernel makes of the TSC went wrong"),
        _ => None,
    }
}

/// Whether the counter may be taken although the program does not: nothing speaks against it, it was compared between CPUs,
/// and it is cheaper beyond doubt.
pub(super) fn is_counter_better<'a>(facts: &Facts<'a>, findings: &[Finding]) -> Option<(&'a Clock, &'a Clock)> {
    let (counter, system) = (facts.clock("tsc")?, facts.clock("monotonic")?);
    let is_free = findings.iter().filter(|f| is_about(f, counter, facts)).all(|f| !speaks_against(f, counter, facts));
    let is_compared = facts.skew.iter().any(|skew| skew.agree == Some(true) && facts.is_about(skew, counter));
    let is_fit = facts.is_counter_fit(counter) && facts.is_sound(counter) && doubt(facts).is_none();
    let is_wrong = postgres::off(facts).is_some_and(|(_, is_wrong)| is_wrong);
    let is_cheaper = figures::costs_less(counter, 1.0, system);
    (counter.base_id() == TSC && is_free && is_compared && is_fit && !is_wrong && is_cheaper)
        .then_some((counter, system))
}
