//! `clockscope schema [OF]`: what the JSON holds, for programs that read it.

use super::steps;
use crate::args::Call;
use crate::failure::Failure;
use crate::schemas::Of;

const SCHEMA: &str = "\
Examples:
  clockscope schema                     of `clockscope --format json`
  clockscope schema skew                of `clockscope skew --format json`
  clockscope schema > s.json && check-jsonschema --schemafile s.json run.json";

/// Print the JSON schema of a result
#[derive(Debug, clap::Args)]
#[command(after_help = SCHEMA)]
pub struct Schema {
    /// Whose
    #[arg(value_enum, default_value_t)]
    of: Of,
}

impl Schema {
    pub(super) fn run(&self, cli: &Call) -> Result<(), Failure> {
        steps::print(cli, &self.of.text())
    }
}
