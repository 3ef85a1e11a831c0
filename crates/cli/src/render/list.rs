//! The catalog: what can be read here, and what can't with the reason.

use std::fmt::Write;

use clockscope_engine::session::Listed;

use super::clock_table::ABSENT;
use super::prose::{hanging, heading};
use super::table::{Align, Column, Table, escape};
use super::word::word;
use super::{View, number};

/// For a terminal.
pub fn list(clocks: &[Listed], view: View) -> String {
    let mut out = table(clocks).render(view).0;
    let unreadable: Vec<&Listed> = clocks.iter().filter(|clock| clock.reason.is_some()).collect();
    if !unreadable.is_empty() {
        out.push_str(&heading(view, "Not readable here"));
        for clock in unreadable {
            let text = format!("{}: {}", clock.id, clock.reason.as_deref().unwrap_or_default());
            out.push_str(&hanging(view, "  ", 6, &text));
        }
    }
    out
}

/// For a page.
pub fn markdown(clocks: &[Listed]) -> String {
    let mut out = table(clocks).markdown();
    for (i, clock) in clocks.iter().filter(|clock| clock.reason.is_some()).enumerate() {
        if i == 0 {
            out.push_str("\nNot readable here:\n\n");
        }
        let reason = escape(clock.reason.as_deref().unwrap_or_default());
        let _ = writeln!(out, "- `{}`: {reason}", clock.id);
    }
    out
}

/// The readable ones.
fn table(clocks: &[Listed]) -> Table {
    let columns = vec![
        Column::new("Clock", "", Align::Left, 0),
        Column::new("Kind", "", Align::Left, 1),
        Column::new("Path", "", Align::Left, 2),
        Column::new("Claimed", "ns", Align::Decimal, 4),
        Column::new("Call", "", Align::Left, 3),
    ];
    let rows = clocks.iter().filter(|clock| clock.reason.is_none()).map(|clock| {
        vec![
            clock.id.as_str().into(),
            word(clock.kind).into(),
            word(clock.path).into(),
            clock.reported_ns.map_or_else(|| ABSENT.to_owned(), |ns| number::exact(ns, 3)).into(),
            clock.api.as_str().into(),
        ]
    });
    Table { columns, rows: rows.collect() }
}
