//! `clockscope explain CODE`: the story behind a finding.

use clockscope_analysis::judge::{codes, explain};

use super::steps;
use crate::args::Call;
use crate::failure::Failure;
use crate::render::{self, Format};

/// Explain a finding by its code; without a code, list all codes
#[derive(Debug, clap::Args)]
pub struct Explain {
    /// The codes, as in CS001, or their numbers alone
    #[arg(value_name = "CODE")]
    codes: Vec<String>,
}

impl Explain {
    pub(super) fn run(&self, cli: &Call) -> Result<(), Failure> {
        if !matches!(cli.output.format, None | Some(Format::Table | Format::Markdown)) {
            return Err(Failure::Usage("explain has prose only: take --format table or markdown".into()));
        }
        // A file may be called as one likes: it is prose.
        let format = cli.output.format().unwrap_or(Format::Table);
        if self.codes.is_empty() {
            let all: Vec<String> = codes().iter().map(|(code, title)| format!("{code}  {title}\n")).collect();
            return steps::print(cli, &all.concat());
        }
        let told = |code: &String| {
            let page = explain(&crate::args::code(code)?).unwrap_or_default();
            Ok(match format {
                Format::Markdown => format!("{}\n", page.trim_end()),
                _ => render::page::page(page, cli.output.view()),
            })
        };
        let pages: Result<Vec<String>, String> = self.codes.iter().map(told).collect();
        steps::print(cli, &pages.map_err(Failure::Usage)?.join("\n"))
    }
}
