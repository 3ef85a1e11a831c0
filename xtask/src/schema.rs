//! `cargo xtask schema`: the JSON schemas under docs/, generated from the results' types. The tests compare them.

use anyhow::Result;

use crate::shell;

/// Writes the schema files.
pub(crate) fn write() -> Result<()> {
    let mut test = shell::cargo();
    test.args(["test", "--quiet", "--package", "clockscope", "--test", "schema", "--test", "tables"])
        .env("UPDATE_SCHEMA", "1");
    shell::run(&mut test)
}
