//! The probes: one small program a language runtime that reads its clocks and writes down what it got, and the list
//! that tells how each is found, built and run. Both are embedded, so that an installed `clockscope` has them.
//!
//! README.md beside this crate's manifest has the protocol and how a language is added.

mod list;
mod runtime;

use std::io::Read;

use flate2::read::ZlibDecoder;

pub use list::{ListError, runtimes};
pub use runtime::{Runtime, Unknown};

/// Path below the folder of the probes, and what is in it, deflated.
static FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// The files of a probe: the path below the folder into which they are written, and what is in them. An entry of
/// [`Runtime::files`] that is a folder stands for all that is in it.
pub fn files(runtime: &Runtime) -> impl Iterator<Item = (&'static str, Vec<u8>)> + use<'_> {
    let listed = |path: &str| {
        let below = |entry: &String| {
            path.strip_prefix(entry.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        runtime.files.iter().any(below)
    };
    FILES.iter().filter(move |(path, _)| listed(path)).map(|(path, deflated)| (*path, inflated(deflated)))
}

/// What the build deflated; that it comes back whole, a test tells.
fn inflated(deflated: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let read = ZlibDecoder::new(deflated).read_to_end(&mut bytes);
    debug_assert!(read.is_ok(), "{read:?}");
    bytes
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

    #[test]
    fn what_is_embedded_comes_back_as_it_is() {
        for runtime in &runtimes().unwrap() {
            for (path, bytes) in files(runtime) {
                // truetick's source is embedded from where it lies.
                let below = path.replacen("rust-crates/truetick/src", "../crates/truetick/src", 1);
                let stored = std::fs::read(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(below)).unwrap();
                assert!(bytes == stored, "{path}");
            }
        }
    }
}
