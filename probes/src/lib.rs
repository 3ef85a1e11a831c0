//! The probes: one small program a language runtime that reads its clocks and writes down what it got, and the list
//! that tells how each is found, built and run. Both are embedded, so that an installed `clockscope` has them.
//!
//! README.md beside this crate's manifest has the protocol and how a language is added.

mod list;
mod runtime;

pub use list::{ListError, runtimes};
pub use runtime::{Runtime, Unknown};

/// Path below the folder of the probes, and what is in it.
static FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// The files of a probe: the path below the folder into which they are written, and what is in them. An entry of
/// [`Runtime::files`] that is a folder stands for all that is in it.
pub fn files(runtime: &Runtime) -> impl Iterator<Item = (&'static str, &'static [u8])> + use<'_> {
    let listed = |path: &str| {
        let below = |entry: &String| {
            path.strip_prefix(entry.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        runtime.files.iter().any(below)
    };
    FILES.iter().copied().filter(move |(path, _)| listed(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a compiler left behind in a probe's folder would be shipped.
    #[test]
    fn nothing_is_embedded_that_no_entry_names() {
        let runtimes = runtimes().unwrap();
        let named: Vec<_> = runtimes.iter().flat_map(|runtime| files(runtime).map(|(path, _)| path)).collect();
        let stray: Vec<_> = FILES.iter().map(|(path, _)| path).filter(|path| !named.contains(path)).collect();
        assert!(stray.is_empty(), "{stray:?}");
    }
}
