//! The list of runtimes: list.toml, and what must hold of it.

use std::collections::BTreeSet;

use serde::Deserialize;

use crate::runtime::Runtime;

/// What is wrong with the list. The one that is built in is tested, so that a user doesn't meet it.
#[derive(Debug, thiserror::Error)]
pub enum ListError {
    /// It is no TOML, or has a key that is not known, or lacks one.
    #[error(transparent)]
    Toml(#[from] toml::de::Error),
    /// Two entries have the same name.
    #[error("two runtimes are named {0}")]
    Twice(String),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    runtime: Vec<Runtime>,
}

/// The runtimes that there is a probe for, in the list's order.
pub fn runtimes() -> Result<Vec<Runtime>, ListError> {
    parse(include_str!("../list.toml"))
}

fn parse(text: &str) -> Result<Vec<Runtime>, ListError> {
    let List { runtime: runtimes } = toml::from_str(text)?;
    let mut names = BTreeSet::new();
    match runtimes.iter().find(|runtime| !names.insert(&runtime.name)) {
        Some(twice) => Err(ListError::Twice(twice.name.clone())),
        None => Ok(runtimes),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::files;

    const ENTRY: &str = "[[runtime]]\nname = \"a\"\ntitle = \"A\"\nfiles = []\nfind = {}\nversion = []\nrun = []\n";

    #[test]
    fn the_list_is_sound() {
        let runtimes = runtimes().unwrap();
        assert!(runtimes.len() >= 17);
        for runtime in &runtimes {
            let name = &runtime.name;
            let allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
            assert!(!name.is_empty() && name.bytes().all(allowed), "{name}");
            assert!(!runtime.version.is_empty() && !runtime.find.is_empty(), "{name}");
            assert!(runtime.find.values().all(|programs| !programs.is_empty()), "{name}");
            assert!(["{samples}", "{pairs}"].iter().all(|it| runtime.run.iter().any(|word| word == it)), "{name}");
        }
    }

    #[test]
    fn every_file_named_is_there() {
        for runtime in &runtimes().unwrap() {
            for named in &runtime.files {
                let below = |path: &str| {
                    path.strip_prefix(named.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
                };
                assert!(files(runtime).any(|(path, _)| below(path)), "{}: {named}", runtime.name);
            }
            let first = &runtime.files[0];
            assert!(files(runtime).any(|(path, _)| path == first), "{}: {first} is not a file", runtime.name);
        }
    }

    #[test]
    fn every_placeholder_is_known() {
        for runtime in &runtimes().unwrap() {
            let known = ["file", "dir", "out", "samples", "pairs"].into_iter();
            let values: BTreeMap<&str, String> =
                known.chain(runtime.find.keys().map(String::as_str)).map(|name| (name, name.to_owned())).collect();
            for argv in [&runtime.version, &runtime.build, &runtime.run] {
                runtime.fill(argv, &values).unwrap();
            }
            runtime.variables(&values).unwrap();
        }
    }

    #[test]
    fn a_list_that_is_wrong_is_refused() {
        assert_eq!(parse(ENTRY).unwrap().len(), 1);
        assert_eq!(parse(&ENTRY.repeat(2)).unwrap_err().to_string(), "two runtimes are named a");
        assert!(parse(&format!("{ENTRY}typo = 1\n")).unwrap_err().to_string().contains("typo"));
        assert!(parse("[[runtime]]\nname = \"a\"\n").unwrap_err().to_string().contains("missing field"));
    }
}
