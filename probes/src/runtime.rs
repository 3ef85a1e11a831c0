//! One entry of the list.

use std::collections::BTreeMap;

use serde::Deserialize;

/// A runtime, and how its probe is found, built and run.
///
/// Commands may hold placeholders: every key of `find`, `{file}` (the first of `files`), `{dir}` (the folder that the
/// files were written to, in which all commands run), `{out}` (an empty folder for what the build makes), `{samples}`
/// and `{pairs}`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Runtime {
    /// Unique: lower-case letters, digits and hyphens.
    pub name: String,
    /// For people.
    pub title: String,
    /// Paths below the folder of the probes; a folder stands for all that is in it.
    pub files: Vec<String>,
    /// For each placeholder the names of the program to look up on PATH, the best one first. All must be found.
    pub find: BTreeMap<String, Vec<String>>,
    /// Prints the version: the first line that is not empty, of standard output or else of standard error.
    pub version: Vec<String>,
    /// Makes the program, if there is anything to make.
    #[serde(default)]
    pub build: Vec<String>,
    /// Runs the probe.
    pub run: Vec<String>,
    /// Variables of all three commands; a value may hold placeholders.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// The build asks a package registry: it takes long, and fails where there is no network.
    #[serde(default)]
    pub fetches: bool,
    /// Labels of the clocks that its documentation, or their name, offers for timing intervals.
    #[serde(default)]
    pub intervals: Vec<String>,
    /// Debian's packages that bring the runtime.
    #[serde(default)]
    pub debian: Vec<String>,
}

/// A placeholder that nothing is known of.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown placeholder {{{name}}} in '{word}'")]
pub struct Unknown {
    name: String,
    word: String,
}

impl Runtime {
    /// `argv` with its placeholders filled in. A brace that holds anything but lower-case letters is left as it is.
    pub fn fill(&self, argv: &[String], values: &BTreeMap<&str, String>) -> Result<Vec<String>, Unknown> {
        argv.iter().map(|word| fill(word, values)).collect()
    }

    /// The variables with the placeholders of their values filled in.
    pub fn variables(&self, values: &BTreeMap<&str, String>) -> Result<BTreeMap<String, String>, Unknown> {
        self.env.iter().map(|(name, value)| Ok((name.clone(), fill(value, values)?))).collect()
    }
}

fn fill(word: &str, values: &BTreeMap<&str, String>) -> Result<String, Unknown> {
    let mut filled = String::with_capacity(word.len());
    let mut rest = word;
    while let Some(at) = rest.find('{') {
        let (before, from) = rest.split_at(at);
        filled.push_str(before);
        let name = from[1..].split('}').next().unwrap_or_default();
        let closed = from.as_bytes().get(name.len() + 1) == Some(&b'}');
        if closed && !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase()) {
            let unknown = || Unknown { name: name.to_owned(), word: word.to_owned() };
            filled.push_str(values.get(name).ok_or_else(unknown)?);
            rest = &from[name.len() + 2..];
        } else {
            filled.push('{');
            rest = &from[1..];
        }
    }
    filled.push_str(rest);
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_filled_and_other_braces_left() {
        let values = BTreeMap::from([("out", "/x".to_owned()), ("file", "a".to_owned())]);
        assert_eq!(fill("{out}/{file}.o", &values).unwrap(), "/x/a.o");
        for left in ["{}", "{A}", "{out", "a{b c}", "}{", "{{"] {
            assert_eq!(fill(left, &values).unwrap(), left);
        }
        assert_eq!(fill("{{out}", &values).unwrap(), "{/x");
        let error = fill("-o{oot}", &values).unwrap_err();
        assert_eq!(error.to_string(), "unknown placeholder {oot} in '-o{oot}'");
    }
}
