//! `clockscope list`: the catalog.

use clockscope_engine::catalog::nearest::hint;
use clockscope_engine::session::{Listed, list};

use super::steps;
use crate::args::Call;
use crate::failure::Failure;
use crate::render::Shown;

/// List the clocks here, and those that can't be read here with the reason
#[derive(Debug, clap::Args)]
pub struct List {}

impl List {
    /// Prints the clocks here, or those of them that `--clock` names.
    #[expect(clippy::unused_self, reason = "as every command")]
    pub(super) fn run(&self, cli: &Call) -> Result<(), Failure> {
        let clocks = chosen(list(), &cli.measure.options(None).clocks)?;
        steps::print(cli, &steps::text(cli, Shown::List(&clocks)))
    }
}

/// The clocks with these ids, in the catalog's order; all of them for none.
fn chosen(clocks: Vec<Listed>, ids: &[String]) -> Result<Vec<Listed>, Failure> {
    for id in ids {
        if !clocks.iter().any(|clock| clock.id == *id) {
            let hint = hint(id, clocks.iter().map(|clock| clock.id.as_str()));
            return Err(Failure::Usage(format!(
                "no clock is called '{id}'{hint} (`clockscope list` shows all of them)"
            )));
        }
    }
    Ok(clocks.into_iter().filter(|clock| ids.is_empty() || ids.contains(&clock.id)).collect())
}
