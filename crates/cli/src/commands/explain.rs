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
        let page = crate::args::code(code).map_err(Failure::Usage)?;
        let page = explain(&page).unwrap_or_default();
        match cli.output.format()? {
            Format::Markdown => steps::print(cli, &format!("{}\n", page.trim_end())),
            _ => steps::print(cli, &render::page::page(page, cli.output.view())),
        }
    }
}
