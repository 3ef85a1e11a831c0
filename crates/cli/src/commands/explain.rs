//! `clockscope explain CODE`: the story behind a finding.

use std::fmt::Write;

use clockscope_analysis::judge::{codes, explain};

use crate::args::Cli;
use crate::failure::Failure;
use crate::nearest::hint;

/// Prints a code's page, or all codes.
pub(super) fn run(cli: &Cli, code: Option<&str>) -> Result<(), Failure> {
    let Some(code) = code else {
        let mut text = String::new();
        for (code, title) in codes() {
            let _ = writeln!(text, "{code}  {title}");
        }
        return super::output::print(&cli.output, &text);
    };
    let code = code.trim().to_uppercase();
    let Some(page) = explain(&code) else {
        let hint = hint(&code, codes().iter().map(|(code, _)| *code));
        return Err(Failure::Usage(format!(
            "no finding has the code '{code}'{hint} (`clockscope explain` lists all codes)"
        )));
    };
    super::output::print(&cli.output, &format!("{}\n", page.trim_end()))
}
