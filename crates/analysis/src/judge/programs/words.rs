//! The answer in a sentence, and what to set.

use super::weigh;
use crate::judge::facts::Facts;
use crate::judge::figures;
use crate::record::{Finding, Path, Program, ProgramClock, Purpose, Setting};
use crate::resolution::Resolution;
use crate::text;

/// `Go takes monotonic@vdso (vDSO, 18.1 ns a read, resolution 1 ns); the evidence agrees, nothing to set.`
pub(super) fn answer(title: &str, clocks: &[ProgramClock], set: &[Setting]) -> String {
    let Some(first) = clocks.first() else { return String::new() };
    let who = |clock: &ProgramClock| match clock.versions.as_str() {
        "" => title.to_owned(),
        versions => format!("{title} {versions}"),
    };
    let takes = match &first.clock {
        Some(id) => format!("{} takes {id} ({})", who(first), figures_of(first)),
        None => format!("Which clock {} takes can't be told: {}", who(first), first.because),
    };
    // Of other versions what differs.
    let other = clocks.iter().find(|c| c.purpose == Purpose::Intervals && c.versions != first.versions);
    let differs =
        other.and_then(|clock| Some((clock, clock.clock.as_ref()?))).map_or_else(String::new, |(clock, id)| {
            let figures = if clock.clock == first.clock { String::new() } else { format!(" ({})", figures_of(clock)) };
            format!(", {} {id}{figures}", clock.versions)
        });
    format!("{takes}{differs}; {}.", verdict(first, clocks, set))
}

/// Whether the evidence agrees, of the clock for intervals first, and what to set.
fn verdict(first: &ProgramClock, clocks: &[ProgramClock], set: &[Setting]) -> String {
    let rest = against(clocks.iter().filter(|clock| clock.clock != first.clock));
    let said = match first.agrees {
        Some(false) => format!("the evidence disagrees{}", because(first)),
        Some(true) if rest.is_empty() => "the evidence agrees".into(),
        Some(true) => format!("the evidence agrees, but not with {}", text::list(&rest)),
        None => {
            let why = first.missing.get("agrees").filter(|_| first.clock.is_some());
            let why = why.map_or_else(String::new, |why| format!(": {why}"));
            return format!("there is no evidence for or against it{why}");
        }
    };
    let what: Vec<&str> = set.iter().map(|setting| setting.what.as_str()).collect();
    if what.is_empty() { format!("{said}, nothing to set") } else { format!("{said}; to set: {}", text::list(&what)) }
}

/// `realtime (CS009)`, each clock that something speaks against once.
fn against<'a>(clocks: impl Iterator<Item = &'a ProgramClock>) -> Vec<String> {
    let mut said: Vec<String> = Vec::new();
    for clock in clocks.filter(|clock| clock.agrees == Some(false)) {
        let one = format!("{}{}", clock.clock.as_deref().unwrap_or_default(), because(clock));
        if !said.contains(&one) {
            said.push(one);
        }
    }
    said
}

/// ` (CS001 and CS002)`.
fn because(clock: &ProgramClock) -> String {
    if clock.findings.is_empty() { String::new() } else { format!(" ({})", text::list(&clock.findings)) }
}

/// Path, cost and resolution, as far as they are known.
fn figures_of(clock: &ProgramClock) -> String {
    let path = clock.path.map(|path| match path {
        Path::Instruction => "an instruction",
        Path::Vdso => "vDSO",
        Path::Syscall => "a system call",
        Path::Library => "a library",
        _ => "C library",
    });
    let cost = clock.cost_ns.map(|cost| {
        let half = (cost.high - cost.value).max(cost.value - cost.low);
        format!("{} a read", text::time_within(cost.value, half))
    });
    let known = clock.resolution_ns.map(|ns| Resolution::Of { ns: ns.value, half_width_ns: ns.high - ns.value });
    let resolution = known.or(clock.resolution_at_most_ns.map(Resolution::AtMost));
    let resolution = resolution.map(|it| format!("resolution {}", text::resolution(it)));
    let said: Vec<String> = [path.map(str::to_owned), cost, resolution].into_iter().flatten().collect();
    if said.is_empty() { "no figures".into() } else { said.join(", ") }
}

/// What to set: the program's own first, then what mends the findings against its clocks.
pub(super) fn settings(program: Program, clocks: &[ProgramClock], facts: &Facts, findings: &[Finding]) -> Vec<Setting> {
    let own = (program == Program::Postgres).then(|| timing_clock_source(clocks, facts, findings)).flatten();
    let mut set: Vec<Setting> = own.into_iter().collect();
    let speaks = |finding: &&Finding| clocks.iter().any(|clock| clock.findings.contains(&finding.code));
    for finding in findings.iter().filter(speaks) {
        // A lost vDSO comes of the slow clocksource, and the one fix mends both.
        let is_mended = finding.code == "CS001" && findings.iter().any(|f| f.code == "CS002" && speaks(&f));
        let is_said = set.iter().any(|setting| setting.how == finding.fix);
        if !is_mended && !is_said && !finding.fix.is_empty() {
            let (what, code) = (format!("{}'s fix", finding.code), finding.code.clone());
            set.push(Setting { what, how: finding.fix.clone(), finding: Some(code) });
        }
    }
    set
}

/// What PostgreSQL 19 is to be told where its own choice is not the best.
fn timing_clock_source(clocks: &[ProgramClock], facts: &Facts, findings: &[Finding]) -> Option<Setting> {
    let own = |what: &str, how: String| Some(Setting { what: what.into(), how, finding: None });
    let of_19 = |clock: &&ProgramClock| clock.versions == "19";
    let is_doubtful = |clock: &ProgramClock| clock.path == Some(Path::Instruction) && clock.agrees == Some(false);
    if clocks.iter().filter(of_19).any(is_doubtful) {
        let how = "In postgresql.conf, for 19: by itself it takes the TSC, which is not to be trusted here.";
        return own("timing_clock_source = system", how.into());
    }
    let is_system = clocks.iter().filter(of_19).all(|clock| clock.clock.as_deref() == Some("monotonic"));
    let (counter, monotonic) = weigh::is_counter_better(facts, findings).filter(|_| is_system)?;
    let guest = match facts.guest_of() {
        Some(_) => "; not where the guest is moved between hosts that can't scale the TSC (CS011)",
        None => "",
    };
    let (less, more) = (figures::cost_text(counter), figures::cost_text(monotonic));
    let how = format!(
        "In postgresql.conf, for 19, if the overhead of timing matters: nothing speaks against the TSC, and a read costs \
         {less} instead of {more}{guest}."
    );
    own("timing_clock_source = tsc", how)
}
