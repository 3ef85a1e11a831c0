//! `clockscope list`: the catalog.

use clockscope_engine::catalog::names::{meaning, unknown};
use clockscope_engine::session::{Listed, list};

use super::steps;
use crate::args::Call;
use crate::failure::Failure;
use crate::render::Catalog;

/// List the clocks here, and those that can't be read here with the reason
#[derive(Debug, clap::Args)]
pub struct List {}

impl List {
    /// Prints the clocks here, or those of them that `--clock` names.
    #[expect(clippy::unused_self, reason = "as every command")]
    pub(super) fn run(&self, cli: &Call) -> Result<(), Failure> {
        let options = cli.measure.options(None);
        steps::tell_names(&options);
        let clocks = chosen(list(), &options.clocks)?;
        steps::print(cli, &steps::text(cli, &Catalog(&clocks))?)
    }
}

/// The clocks of these names, in the catalog's order; all of them for none.
fn chosen(clocks: Vec<Listed>, names: &[String]) -> Result<Vec<Listed>, Failure> {
    let ids: Vec<String> = names.iter().map(|name| meaning(name).id).collect();
    for (name, id) in names.iter().zip(&ids) {
        if !clocks.iter().any(|clock| clock.id == *id) {
            return Err(Failure::Usage(unknown(name, clocks.iter().map(|clock| clock.id.as_str()))));
        }
    }
    Ok(clocks.into_iter().filter(|clock| ids.is_empty() || ids.contains(&clock.id)).collect())
}
