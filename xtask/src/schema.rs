//! `cargo xtask schema`: the record's JSON schema, generated from its types and checked in.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clockscope_analysis::record::Record;

use crate::shell;

fn path() -> PathBuf {
    shell::root().join("docs/record.schema.json")
}

fn generated() -> Result<String> {
    let mut text = serde_json::to_string_pretty(&schemars::schema_for!(Record))?;
    text.push('\n');
    Ok(text)
}

/// Writes the schema file.
pub(crate) fn write() -> Result<()> {
    let path = path();
    fs::write(&path, generated()?).with_context(|| format!("can't write {}", path.display()))
}

/// Fails where the checked-in file is not what the types say.
pub(crate) fn check() -> Result<()> {
    let path = path();
    let there = fs::read_to_string(&path).with_context(|| format!("can't read {}", path.display()))?;
    let generated = generated()?;
    if let Some(line) = first_difference(&there, &generated) {
        bail!("{} differs from the record's types at line {line}; `cargo xtask schema` writes it", path.display());
    }
    Ok(())
}

/// The number of the first line that differs, from 1.
fn first_difference(one: &str, other: &str) -> Option<usize> {
    if one == other {
        return None;
    }
    let equal = one.lines().zip(other.lines()).take_while(|(a, b)| a == b).count();
    Some(equal + 1)
}

#[cfg(test)]
mod tests {
    use super::first_difference;

    #[test]
    fn the_first_line_that_differs_is_named() {
        assert_eq!(first_difference("a\nb\n", "a\nb\n"), None);
        assert_eq!(first_difference("a\nb\n", "a\nc\n"), Some(2));
        assert_eq!(first_difference("a\n", "a\nb\n"), Some(2));
    }
}
