//! The command line of `cargo xtask lab`.

use anyhow::{Result, ensure};
use clap::Args;

use super::scenario::{Tier, all, named};
use super::shell;
use super::tiers::{fetch, judge, run_all};

/// What to do.
#[derive(Args)]
pub(crate) struct Options {
    /// Scenarios by name; `list` lists them; `shell SCENARIO` boots one with its console here [default: all]
    #[arg(value_name = "SCENARIO|list|shell")]
    words: Vec<String>,
}

/// Does it.
pub(crate) fn run(options: &Options) -> Result<()> {
    match options.words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["list"] => list(),
        ["shell", name] => {
            let scenarios = named(&[name.into()])?;
            scenarios.first().map_or(Ok(()), shell::boot)
        }
        ["shell", ..] => {
            ensure!(false, "which scenario? `cargo xtask lab list` lists them");
            Ok(())
        }
        _ => {
            let scenarios = named(&options.words)?;
            fetch(&scenarios)?;
            judge(&run_all(scenarios)?)
        }
    }
}

fn list() -> Result<()> {
    for scenario in all()? {
        let tier = match scenario.tier {
            Tier::Quick => "quick",
            Tier::Full => "full",
            Tier::Long => "long",
        };
        println!("{:<22} {tier:<6} {}", scenario.name, scenario.title);
    }
    Ok(())
}
