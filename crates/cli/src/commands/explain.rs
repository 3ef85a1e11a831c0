//! `clockscope explain CODE`: the story behind a finding.

use clockscope_analysis::judge::{codes, explain};
use clockscope_engine::catalog::nearest::hint;

use super::steps;
use crate::args::Call;
use crate::failure::Failure;

/// Explain a finding by its code; without a code, list all codes
#[derive(Debug, clap::Args)]
pub struct Explain {
    /// The code, as in CS001
    code: Option<String>,
}

impl Explain {
    pub(super) fn run(&self, cli: &Call) -> Result<(), Failure> {
        let Some(code) = &self.code else {
            let all: Vec<String> = codes().iter().map(|(code, title)| format!("{code}  {title}\n")).collect();
            return steps::print(cli, &all.concat());
        };
        let code = code.trim().to_uppercase();
        let Some(page) = explain(&code) else {
            let hint = hint(&code, codes().iter().map(|(code, _)| *code));
            return Err(Failure::Usage(format!(
                "no finding has the code '{code}'{hint} (`clockscope explain` lists all codes)"
            )));
        };
        steps::print(cli, &format!("{}\n", page.trim_end()))
    }
}
