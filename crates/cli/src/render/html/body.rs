//! What the survey says in Markdown, as HTML.

use clockscope_analysis::record::Record;
use pulldown_cmark::{Alignment, Event, Options, Parser, Tag, TagEnd, html};

use crate::render::{markdown, prose::bound};

/// Machine, verdict, clocks and findings. What would be markup in the record's own words is text.
pub(super) fn of(record: &Record) -> String {
    let text = markdown::survey(record);
    let mut cells = Cells::default();
    let mut out = String::new();
    html::push_html(&mut out, Parser::new_ext(&text, Options::ENABLE_TABLES).map(|event| cells.take(event)));
    out
}

/// Which cell comes: the policy of the page forbids the style attributes that would align them, so they have a class.
#[derive(Default)]
struct Cells {
    columns: Vec<Alignment>,
    column: usize,
    in_head: bool,
}

impl Cells {
    fn take<'a>(&mut self, event: Event<'a>) -> Event<'a> {
        match &event {
            Event::Start(Tag::Table(columns)) => self.columns.clone_from(columns),
            Event::Start(Tag::TableHead) => (self.column, self.in_head) = (0, true),
            Event::End(TagEnd::TableHead) => self.in_head = false,
            Event::Start(Tag::TableRow) => self.column = 0,
            _ => {}
        }
        let name = if self.in_head { "th" } else { "td" };
        match event {
            Event::Start(Tag::TableCell) => {
                let right = self.columns.get(self.column) == Some(&Alignment::Right);
                self.column += 1;
                let class = if right { " class=\"right\"" } else { "" };
                Event::InlineHtml(format!("<{name}{class}>").into())
            }
            Event::End(TagEnd::TableCell) => Event::InlineHtml(format!("</{name}>").into()),
            Event::Html(text) | Event::InlineHtml(text) => Event::Text(text),
            Event::Text(text) => Event::Text(bound(&text).into()),
            Event::SoftBreak => Event::HardBreak,
            // A record has no links; what looks like one is somebody's doing.
            Event::Start(Tag::Link { .. } | Tag::Image { .. }) | Event::End(TagEnd::Link | TagEnd::Image) => {
                Event::Text("".into())
            }
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_record_is_markup() {
        let mut record = Record::default();
        let bad = "a</script><img src=x onerror=alert(1)> [l](javascript:alert(2)) ![i](http://x.y/z)";
        record.machine.hostname = Some(bad.into());
        record.run.notes = vec![bad.into()];
        record
            .unavailable
            .push(clockscope_analysis::trace::Unavailable { id: bad.into(), reason: format!("{bad} 4.9 ± 0.9 ns") });
        let html = of(&record);
        for tag in ["<img", "<a ", "<script", "</script", "style="] {
            assert!(!html.contains(tag), "{tag} in {html}");
        }
        assert!(html.contains("4.9\u{a0}±\u{a0}0.9\u{a0}ns"), "a figure is not broken: {html}");
        assert!(html.contains("onerror") && html.contains("<h1>"), "{html}");
    }
}
