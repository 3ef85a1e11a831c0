//! The catalog: what can be read here, and what can't with the reason.

use std::fmt::Write;

use clockscope_engine::session::Listed;

use super::clock_table::ns_text;
use super::prose::{hanging, heading};
use super::table::{Align, Table, escape};
use super::{View, path, word};

/// For a terminal.
pub fn list(clocks: &[Listed], view: View) -> String {
    let (mut out, hidden) = table(clocks).render(view);
    if hidden.iter().any(|title| title == "Call") {
        // Beside the id it found no room: below it.
        let lines: Vec<&str> = out.lines().collect();
        let head = lines.len().saturating_sub(readable(clocks).count());
        let calls = readable(clocks).map(|clock| hanging(view, "    ", 4, &clock.api));
        let rows = lines[head..].iter().zip(calls).map(|(line, call)| format!("{line}\n{call}"));
        out = lines[..head].iter().map(|line| format!("{line}\n")).chain(rows).collect();
    }
    for (i, (id, reason)) in unreadable(clocks).enumerate() {
        if i == 0 {
            out.push_str(&heading(view, "Not readable here"));
        }
        out.push_str(&hanging(view, "  ", 6, &format!("{id}: {reason}")));
    }
    out
}

/// For a page.
pub fn markdown(clocks: &[Listed]) -> String {
    table(clocks).markdown() + &unreadable_markdown(unreadable(clocks))
}

fn unreadable(clocks: &[Listed]) -> impl Iterator<Item = (&str, &str)> {
    clocks.iter().filter_map(|clock| Some((clock.id.as_str(), clock.reason.as_deref()?)))
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

/// The readable ones.
fn table(clocks: &[Listed]) -> Table<&Listed> {
    Table::of(readable(clocks))
        .column("Clock", "", Align::Left, 0, |clock| clock.id.as_str())
        .column("Kind", "", Align::Left, 1, |clock| word(clock.kind))
        .column("Path", "", Align::Left, 2, |clock| path(clock.path))
        .column("Claimed", "ns", Align::Decimal, 3, |clock| clock.reported_ns.map(ns_text))
        .column("Call", "", Align::Left, 4, |clock| clock.api.as_str())
}
