//! Which clocks programs take here: the answers first, then why.

use std::fmt::Write;

use clockscope_analysis::record::{ProgramAdvice, ProgramClock, Purpose};

use super::View;
use super::prose::{hanging, heading};
use super::table::escape;

/// An answer a program, then of each why, and what to set. `all`: with the sources of the rules.
pub fn programs(programs: &[ProgramAdvice], all: bool, view: View) -> String {
    let mut out = String::new();
    for program in programs {
        out.push('\n');
        out.push_str(&answer(program, view));
    }
    for program in programs {
        out.push_str(&heading(view, &program.title));
        for (at, clock) in program.clocks.iter().enumerate() {
            // A rule that the line above told is not told again.
            let is_told = at > 0 && program.clocks[at - 1].rule == clock.rule;
            out.push_str(&hanging(view, "  ", 4, &format!("{}: {}", name(clock), why(clock, !is_told))));
            if all {
                out.push_str(&hanging(view, "    ", 4, &format!("Rule by {}.", clock.source)));
            }
        }
        // The findings and their fixes stand below.
        for setting in program.set.iter().filter(|setting| setting.finding.is_none()) {
            out.push_str(&hanging(view, "  Set: ", 4, &format!("{}. {}", setting.what, setting.how)));
        }
        program.notes.iter().for_each(|note| out.push_str(&hanging(view, "  Note: ", 4, note)));
    }
    out
}

/// The answer, its verdict in the colour of what it says.
fn answer(program: &ProgramAdvice, view: View) -> String {
    let style = if program.agrees == Some(false) { view.bad() } else { view.strong() };
    let text = hanging(view, "", 2, &program.answer);
    // Coloured afterwards, so that the escapes do not count as width.
    match text.strip_prefix(&program.title) {
        Some(rest) => format!("{style}{}{style:#}{rest}", program.title),
        None => text,
    }
}

/// `track_io_timing (19)`.
fn name(clock: &ProgramClock) -> String {
    let versions = if clock.versions.is_empty() { String::new() } else { format!(" ({})", clock.versions) };
    format!("{}{versions}", clock.api)
}

/// The clock, with its rule the one by which it is taken, and what speaks for and against it.
fn why(clock: &ProgramClock, with_rule: bool) -> String {
    let id = clock.clock.as_deref().unwrap_or("unknown");
    let mut out = format!("{id}, for {}.", purpose(clock.purpose));
    if with_rule {
        let _ = write!(out, " Rule: {}.", clock.rule);
        if !clock.because.is_empty() {
            let _ = write!(out, " Here {}.", clock.because);
        }
    }
    let evidence = clock.evidence.join("; ");
    let _ = match (clock.agrees, clock.missing.get("agrees")) {
        (Some(true), _) => write!(out, " The evidence agrees: {evidence}."),
        (Some(false), _) => write!(out, " The evidence disagrees: {evidence}."),
        (None, Some(why)) if clock.clock.is_some() => write!(out, " No evidence: {why}."),
        (None, _) => write!(out, " No evidence."),
    };
    out
}

fn purpose(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Intervals => "intervals",
        Purpose::WallTime => "wall time",
        Purpose::CoarseStamps => "coarse stamps",
    }
}

/// The same as a section; nothing where no program was asked for.
pub fn markdown(programs: &[ProgramAdvice]) -> String {
    let mut out = String::new();
    for program in programs {
        let _ = writeln!(out, "## {}\n\n{}\n", program.title, escape(&program.answer));
        for clock in &program.clocks {
            let _ = writeln!(
                out,
                "- **{}**: {} By {}.",
                escape(&name(clock)),
                escape(&why(clock, true)),
                escape(&clock.source)
            );
        }
        let set = program.set.iter().map(|setting| format!("Set {}. {}", setting.what, setting.how));
        for line in set.chain(program.notes.iter().map(|note| format!("Note: {note}"))) {
            let _ = writeln!(out, "- {}", escape(&line));
        }
        out.push('\n');
    }
    out
}
