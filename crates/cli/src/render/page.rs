//! A page of Markdown on a terminal: headings set off, text wrapped, code as it stands.

use pulldown_cmark::{Event, Parser, Tag, TagEnd};

use super::View;
use super::prose::{hanging, styled};

/// The page. Inline code keeps its backticks, so that it can be told from the words around it.
pub fn page(markdown: &str, view: View) -> String {
    let mut page = Page { view, out: String::new(), text: String::new(), lists: Vec::new(), in_code: false };
    Parser::new(markdown).for_each(|event| page.take(event));
    page.out
}

struct Page {
    view: View,
    out: String,
    /// What has come of a block.
    text: String,
    /// The open lists, each with its next number, if it has numbers.
    lists: Vec<Option<u64>>,
    in_code: bool,
}

impl Page {
    fn take(&mut self, event: Event) {
        match event {
            Event::Start(Tag::List(first)) => {
                // An item's own text stands before a list within it.
                self.block("");
                if self.lists.is_empty() {
                    self.apart();
                }
                self.lists.push(first);
            }
            Event::Start(Tag::CodeBlock(_)) => self.in_code = true,
            Event::End(TagEnd::CodeBlock) => {
                self.in_code = false;
                let code = std::mem::take(&mut self.text);
                self.apart();
                self.out.extend(code.lines().map(|line| format!("    {line}\n")));
            }
            Event::Text(text) => self.text.push_str(&text),
            Event::Code(code) => self.text.extend(["`", &*code, "`"]),
            Event::SoftBreak | Event::HardBreak => self.text.push(if self.in_code { '\n' } else { ' ' }),
            Event::End(TagEnd::Heading(_)) => {
                let style = self.view.strong();
                let text = std::mem::take(&mut self.text);
                self.apart();
                self.out.push_str(&styled(style, &hanging(self.view, "", 2, &text)));
            }
            Event::End(TagEnd::Paragraph) => {
                let is_item = !self.lists.is_empty();
                self.block(if is_item { "" } else { "\n" });
            }
            Event::End(TagEnd::Item) => self.block(""),
            Event::End(TagEnd::List(_)) => {
                self.lists.pop();
            }
            _ => {}
        }
    }

    /// An empty line before what comes, unless it comes first.
    fn apart(&mut self) {
        if !self.out.is_empty() {
            self.out.push('\n');
        }
    }

    /// Writes what has come as a paragraph or as an item of the open list.
    fn block(&mut self, before: &str) {
        let text = std::mem::take(&mut self.text);
        if text.trim().is_empty() {
            return;
        }
        let depth = self.lists.len();
        let indent = "  ".repeat(depth.saturating_sub(1));
        let first = match self.lists.last_mut() {
            None => String::new(),
            Some(None) => format!("{indent}- "),
            Some(Some(number)) => {
                *number += 1;
                format!("{indent}{}. ", *number - 1)
            }
        };
        if !self.out.is_empty() {
            self.out.push_str(before);
        }
        self.out.push_str(&hanging(self.view, &first, first.len(), &text));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_page_has_is_shown_and_wrapped() {
        let text = "# CS1: a title\n\nSome `code` and\ntext that is too long for it.\n\n    run this --now\n\n- one\n- two [here](x.md)\n";
        let shown = page(text, View { width: Some(30), ..View::default() });
        let expected = "CS1: a title\n\nSome `code` and text that is\ntoo long for it.\n\n    run this --now\n\n- one\n- two here\n";
        assert_eq!(shown, expected);
    }
}
