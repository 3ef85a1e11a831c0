//! What a rule is, and what all rules are written with.

pub(in crate::judge) use Severity::{Error, Note, Warning};

pub(super) use crate::judge::clocksource::{Clocksource, TSC};
pub(super) use crate::judge::facts::{Facts, TscStanding};
pub(super) use crate::judge::figures::{self, figure};
#[cfg(test)]
pub(super) use crate::judge::made_up::{Case, clock};
use crate::record::Finding;
pub(super) use crate::record::{Clock, Kind, Path, Severity};
pub(super) use crate::text;

/// One rule: its code, the page that explains it, and the function that applies it.
pub(in crate::judge) struct Rule {
    /// `CS001` and so on; never given to another rule.
    pub(in crate::judge) code: &'static str,
    /// The page in `docs/findings`; its first line holds the rule's title.
    pub(in crate::judge) page: &'static str,
    /// Applies the rule. One draft says it of all the clocks concerned; more than one only where the severity
    /// differs between them.
    pub(in crate::judge) apply: fn(&Facts) -> Vec<Draft>,
    /// What it tells of.
    pub(in crate::judge) tells: Tells,
}

/// What a rule tells of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::judge) enum Tells {
    /// This machine.
    Machine,
    /// Machines of some kind: its notes hold on every sound one, so that they tell nothing of this one.
    Usual,
    /// How the run went: another one may be without.
    Run,
}

/// A finding that has no code yet.
pub(in crate::judge) struct Draft {
    pub(in crate::judge) severity: Severity,
    pub(in crate::judge) title: String,
    /// The clauses of one sentence.
    pub(in crate::judge) evidence: Vec<String>,
    pub(in crate::judge) why: String,
    pub(in crate::judge) fix: String,
    pub(in crate::judge) clocks: Vec<String>,
}

impl Draft {
    /// With the rule's code, and whether it tells of something else than this machine.
    pub(in crate::judge) fn told(self, code: &str, tells: Tells) -> Finding {
        let Self { severity, title, evidence, why, fix, clocks } = self;
        let evidence = evidence.join("; ") + ".";
        let usual = tells == Tells::Usual && severity == Severity::Note;
        let of_run = tells == Tells::Run;
        Finding { code: code.into(), severity, usual, of_run, title, evidence, why, fix, clocks }
    }
}

/// The ids of these clocks, for a finding's `clocks`.
pub(super) fn ids<'a>(clocks: impl IntoIterator<Item = &'a Clock>) -> Vec<String> {
    clocks.into_iter().map(|c| c.id.clone()).collect()
}

/// Ids for a title: the first two, and how many more. A forced way of reading goes without saying beside its clock.
pub(super) fn names(clocks: &[&Clock]) -> String {
    shortened(clocks, 2)
}

/// The same with the first `most`.
pub(super) fn shortened(clocks: &[&Clock], most: usize) -> String {
    let goes_without_saying = |c: &Clock| c.forced && clocks.iter().any(|other| other.id == c.base_id());
    text::shortened(&ids(clocks.iter().copied().filter(|c| !goes_without_saying(c))), most)
}

/// The first clauses, and how many `more` of so many there are.
pub(in crate::judge) fn listed(clauses: impl Iterator<Item = String>, count: u64, more: &str) -> Vec<String> {
    const LISTED: usize = 4;
    let mut listed: Vec<String> = clauses.take(LISTED).collect();
    if count > LISTED as u64 {
        listed.push(format!("{} {more}", text::grouped(count - LISTED as u64)));
    }
    listed
}

/// What the evidence says of a kernel command line option.
pub(super) fn in_command_line(option: &str) -> String {
    format!("the kernel command line says `{option}`")
}

/// The command that puts the kernel on that clocksource.
pub(super) fn switch_to(source: &str) -> String {
    format!("`echo {source} | sudo tee /sys/devices/system/clocksource/clocksource0/current_clocksource`")
}
