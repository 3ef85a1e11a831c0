//! The page of each code: `docs/findings/CS001.md` and so on, compiled in.

use super::rules::RULES;
use super::traps::TRAPS;

/// Codes with their pages.
fn pages() -> impl Iterator<Item = (&'static str, &'static str)> {
    let rules = RULES.iter().map(|rule| (rule.code, rule.page));
    rules.chain(TRAPS.iter().map(|trap| (trap.code, trap.page)))
}

/// The whole page that explains a code, as Markdown; `None` where there is no such rule. Upper or lower case.
pub fn explain(code: &str) -> Option<&'static str> {
    pages().find(|(its, _)| its.eq_ignore_ascii_case(code.trim())).map(|(_, page)| page)
}

/// Every code with its title, in order. The title is the first line of the code's page.
pub fn codes() -> Vec<(&'static str, &'static str)> {
    let mut codes: Vec<_> = pages().map(|(code, page)| (code, title(page))).collect();
    codes.sort_unstable();
    codes
}

/// What stands behind `# CS001: ` in a page's first line.
fn title(page: &'static str) -> &'static str {
    page.lines().next().and_then(|line| line.split_once(": ")).map_or("", |(_, title)| title)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_rule_has_its_own_page_with_every_section() {
        for (code, page) in pages() {
            let head = page.lines().next().unwrap_or_default();
            assert!(head.starts_with(&format!("# {code}: ")), "{code} has the page '{head}'");
            assert!(!title(page).is_empty(), "{code} has no title");
            let sections: Vec<&str> = page.lines().filter_map(|l| l.strip_prefix("## ")).collect();
            let all = ["What it means", "Why it matters", "What to do", "How it is found", "Since"];
            assert_eq!(sections, all, "{code}");
        }
    }

    #[test]
    fn every_page_has_a_rule_and_the_codes_are_in_order() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/findings");
        let pages: BTreeSet<String> = std::fs::read_dir(folder)
            .expect("the pages' folder is there")
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .filter_map(|name| name.strip_suffix(".md").map(str::to_owned))
            .filter(|name| name.starts_with("CS"))
            .collect();
        assert!(codes().iter().map(|(code, _)| *code).eq(&pages), "unique and in order: {:?}", codes());
    }

    #[test]
    fn a_code_is_found_in_either_case_and_another_is_not() {
        assert!(explain("CS001").is_some_and(|page| page.starts_with("# CS001: ")));
        assert_eq!(explain(" cs001 "), explain("CS001"));
        assert_eq!(explain("CS999"), None);
        assert_eq!(explain(""), None);
    }
}
