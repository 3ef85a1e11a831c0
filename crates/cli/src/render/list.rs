//! The catalog: what can be read here, and what can't with the reason.

use std::fmt::Write;

use clockscope_engine::session::Listed;

use super::clock_table::ns_text;
use super::prose::{faint, hanging, heading};
use super::table::{Align, Table, escape, hidden_text};
use super::{Style, path, word};

/// For a terminal: `all` with the forced ways of reading.
pub fn list(clocks: &[Listed], Style { all, asked, view, .. }: Style) -> String {
    let is_shown = |clock: &&Listed| all || asked || !clock.forced;
    let shown: Vec<&Listed> = readable(clocks).filter(is_shown).collect();
    let (mut out, mut hidden) = table(&shown).render(view);
    if hidden.iter().any(|title| title == "Call") {
        // Beside the id it found no room: below it.
        hidden.retain(|title| title != "Call");
        let lines: Vec<&str> = out.lines().collect();
        let head = lines.len().saturating_sub(shown.len());
        let calls = shown.iter().map(|clock| hanging(view, "    ", 4, &clock.api));
        let rows = lines[head..].iter().zip(calls).map(|(line, call)| format!("{line}\n{call}"));
        out = lines[..head].iter().map(|line| format!("{line}\n")).chain(rows).collect();
    }
    let forced = readable(clocks).count() - shown.len();
    let forced = if forced > 0 { format!("Hidden: {forced} forced ways of reading (--all).") } else { String::new() };
    let below = format!("{forced}{}", hidden_text(&hidden));
    if !below.is_empty() {
        out.push_str(&faint(view, below.trim_start()));
    }
    for (i, clock) in shown.iter().filter(|clock| !clock.read_by.is_empty()).enumerate() {
        if i == 0 {
            out.push_str(&heading(view, "Read by other languages here"));
        }
        out.push_str(&hanging(view, "  ", 6, &format!("{}: {}", clock.id, clock.read_by.join(", "))));
    }
    for (i, (id, reason)) in unreadable(clocks.iter().filter(is_shown)).enumerate() {
        if i == 0 {
            out.push_str(&heading(view, "Not readable here"));
        }
        out.push_str(&hanging(view, "  ", 6, &format!("{id}: {reason}")));
    }
    out
}

/// For a page.
pub fn markdown(clocks: &[Listed]) -> String {
    table(&readable(clocks).collect::<Vec<_>>()).markdown() + &unreadable_markdown(unreadable(clocks.iter()))
}

fn unreadable<'a>(clocks: impl Iterator<Item = &'a Listed>) -> impl Iterator<Item = (&'a str, &'a str)> {
    clocks.filter_map(|clock| Some((clock.id.as_str(), clock.reason.as_deref()?)))
}

/// A list of ids and of why they can't be read; nothing of none.
pub(super) fn unreadable_markdown<'a>(clocks: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let mut out = String::new();
    for (id, reason) in clocks {
        let before = if out.is_empty() { "\nNot readable here:\n\n" } else { "" };
        let _ = writeln!(out, "{before}- `{id}`: {}", escape(reason));
    }
    out
}

fn readable(clocks: &[Listed]) -> impl Iterator<Item = &Listed> {
    clocks.iter().filter(|clock| clock.reason.is_none())
}

fn table<'a>(clocks: &[&'a Listed]) -> Table<&'a Listed> {
    Table::of(clocks.iter().copied())
        .column("Clock", "", Align::Left, 0, |clock| clock.id.as_str())
        .column("Kind", "", Align::Left, 1, |clock| word(clock.kind))
        .column("Path", "", Align::Left, 2, |clock| path(clock.path))
        .column("Claimed", "ns", Align::Decimal, 3, |clock| clock.reported_ns.map(ns_text))
        .column("Call", "", Align::Left, 4, |clock| clock.api.as_str())
}
