//! The catalog: what can be read here, and what can't with the reason.

use std::fmt::Write;

use clockscope_engine::session::Listed;

use super::prose::{hanging, heading};
use super::table::{Align, Table, escape};
use super::{View, number, word};

/// For a terminal.
pub fn list(clocks: &[Listed], view: View) -> String {
    let mut out = table(clocks).render(view).0;
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

/// The readable ones.
fn table(clocks: &[Listed]) -> Table<&Listed> {
    Table::of(clocks.iter().filter(|clock| clock.reason.is_none()))
        .column("Clock", "", Align::Left, 0, |clock| clock.id.as_str())
        .column("Kind", "", Align::Left, 1, |clock| word(clock.kind))
        .column("Path", "", Align::Left, 2, |clock| word(clock.path))
        .column("Claimed", "ns", Align::Decimal, 4, |clock| clock.reported_ns.map(|ns| number::exact(ns, 3)))
        .column("Call", "", Align::Left, 3, |clock| clock.api.as_str())
}
