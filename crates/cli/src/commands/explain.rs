//! `clockscope explain CODE`: the story behind a finding.

use clockscope_analysis::judge::{codes, explain};

use super::steps;
use crate::args::Call;
use crate::failure::Failure;
use crate::render::{self, Format};

/// Explain a finding by its code; without a code, list all codes
#[derive(Debug, clap::Args)]
pub struct Explain {
    /// The code, as in CS001, or its number alone
    code: Option<String>,
}

impl Explain {
    pub(super) fn run(&self, cli: &Call) -> Result<(), Failure> {
        let Some(code) = &self.code else {
            let all: Vec<String> = codes().iter().map(|(code, title)| format!("{code}  {title}\n")).collect();
            return steps::print(cli, &all.concat());
        };
        let Some(page) = explain(&full(code)) else {
            let codes = codes();
            let ends = codes.first().zip(codes.last());
            let there_are =
                ends.map_or_else(String::new, |((first, _), (last, _))| format!("; {first} to {last} exist"));
            return Err(Failure::Usage(format!(
                "no finding has the code '{code}'{there_are} (`clockscope explain` lists them)"
            )));
        };
        match cli.output.format()? {
            Format::Markdown => steps::print(cli, &format!("{}\n", page.trim_end())),
            _ => steps::print(cli, &render::page::page(page, cli.output.view())),
        }
    }
}

/// The code that is meant: CS001 by `cs001`, `CS1` and `1`.
fn full(code: &str) -> String {
    let code = code.trim().to_uppercase();
    let number = code.strip_prefix("CS").unwrap_or(&code).parse::<u32>();
    number.map_or(code, |number| format!("CS{number:03}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_known_by_its_number() {
        for typed in ["CS001", "cs001", "CS1", "cs01", "1", " 001 "] {
            assert_eq!(full(typed), "CS001");
        }
        for (typed, code) in [("1000", "CS1000"), ("CS", "CS"), ("-1", "-1"), ("ABC1", "ABC1"), ("", "")] {
            assert_eq!(full(typed), code);
        }
    }
}
