//! `clockscope schema [OF]`: what the JSON holds, for programs that read it.

use super::steps;
use crate::args::Call;
use crate::failure::Failure;

const SCHEMA: &str = "\
Examples:
  clockscope schema                     of `clockscope --format json`
  clockscope schema skew                of `clockscope skew --format json`
  clockscope schema > record.schema.json && check-jsonschema --schemafile record.schema.json run.json";

/// Print the JSON schema of a result
#[derive(Debug, clap::Args)]
#[command(after_help = SCHEMA)]
pub struct Schema {
    /// Whose
    #[arg(value_enum, default_value_t)]
    of: Of,
}

/// What there is a schema of.
#[derive(Debug, Clone, Copy, Default, clap::ValueEnum)]
enum Of {
    /// The survey
    #[default]
    Record,
    /// `skew`
    Skew,
    /// `deltas`
    Deltas,
    /// `sweep`
    Sweep,
    /// `doctor`
    Doctor,
}

impl Schema {
    pub(super) fn run(&self, cli: &Call) -> Result<(), Failure> {
        steps::print(
            cli,
            match self.of {
                Of::Record => include_str!("../../../../docs/record.schema.json"),
                Of::Skew => include_str!("../../../../docs/skew.schema.json"),
                Of::Deltas => include_str!("../../../../docs/deltas.schema.json"),
                Of::Sweep => include_str!("../../../../docs/sweep.schema.json"),
                Of::Doctor => include_str!("../../../../docs/doctor.schema.json"),
            },
        )
    }
}
