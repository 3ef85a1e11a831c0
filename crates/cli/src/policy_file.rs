//! Policies from files, and those that come with the program; `clockscope-analysis` knows what stands in them.

use std::io::Read;
use std::path::Path;

use clockscope_analysis::judge::policy::Policy;
use clockscope_analysis::text::nearest;
use clockscope_engine::catalog::names::meaning;

use crate::failure::{Failure, warn};
use crate::trace_file::{Input, unreadable};

/// Most bytes of a policy: a thousand times what one has.
const LARGEST: u64 = 1 << 22;

/// Those that come with the program.
pub const READY: [(&str, &str); 4] = [
    ("low-latency", include_str!("../policies/low-latency.toml")),
    ("database", include_str!("../policies/database.toml")),
    ("ci-runner", include_str!("../policies/ci-runner.toml")),
    ("vm-image", include_str!("../policies/vm-image.toml")),
];

/// The names of [`READY`], as messages list them.
pub fn ready() -> String {
    READY.map(|(name, _)| name).join(", ")
}

/// The policy of that name, or in that file, `-` being standard input; clocks go by their ids.
///
/// # Errors
/// [`Failure::Usage`] for a file that can't be read or is no policy, with the line and the column.
pub fn read(asked: &Path) -> Result<Policy, Failure> {
    if let Some((name, text)) = READY.iter().find(|(name, _)| asked.as_os_str() == *name) {
        return parse(name, text);
    }
    let mut input = Input::open(asked).map_err(|failure| with_hint(asked, failure))?;
    let place = input.place.clone();
    input.first()?;
    let mut bytes = Vec::new();
    input.from.take(LARGEST + 1).read_to_end(&mut bytes).map_err(|error| unreadable(&place, &error))?;
    if bytes.len() as u64 > LARGEST {
        return Err(Failure::Usage(format!("{place} is no policy: it is larger than {} MiB", LARGEST >> 20)));
    }
    let text = String::from_utf8(bytes).map_err(|_| Failure::Usage(format!("{place} is no policy: it is no UTF-8")))?;
    parse(&place, &text)
}

/// What a name that is no file may have meant.
fn with_hint(asked: &Path, failure: Failure) -> Failure {
    match failure {
        Failure::Usage(why) if asked.components().count() == 1 && asked.extension().is_none() => {
            let hint = nearest::hint(&asked.to_string_lossy(), READY.map(|(name, _)| name));
            Failure::Usage(format!("{why}; policies that come with the program are {}{hint}", ready()))
        }
        other => other,
    }
}

/// The policy that is written there.
fn parse(place: &str, text: &str) -> Result<Policy, Failure> {
    if text.trim().is_empty() {
        return Err(Failure::Usage(format!("{place} is empty; `clockscope check --init` writes a policy")));
    }
    let mut policy: Policy = toml::from_str(text).map_err(|error| {
        let at = error.span().map_or_else(String::new, |span| position(text, span.start));
        let message = error.message().trim_end();
        Failure::Usage(format!("{place}{at}: {}{}", message.replace('\n', ", "), Policy::hint(message)))
    })?;
    let is_none = |why: String| Failure::Usage(format!("{place} is no policy: {why}"));
    policy.fault().map_err(is_none)?;
    policy.clocks().filter_map(|name| meaning(name).note).for_each(|note| warn(&note));
    policy.name_clocks(|name| meaning(name).id).map_err(is_none)?;
    Ok(policy)
}

/// Line and column of a byte, both from 1 on.
fn position(text: &str, at: usize) -> String {
    let before = text.get(..at).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    format!(", line {line}, column {column}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> String {
        match parse("p.toml", text) {
            Err(Failure::Usage(why)) => why,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_mistake_has_its_line_its_column_and_what_was_meant() {
        const HEAD: &str = "schema = 'clockscope-policy/1'\n";
        for (text, words) in [
            (String::new(), "p.toml is empty"),
            (" \n\t".into(), "p.toml is empty"),
            ("schema".into(), "p.toml, line 1, column 7: "),
            (format!("{HEAD}deny = [\n"), "p.toml, line 2, column 9: "),
            (format!("{HEAD}# ä\n[clocks.tsc]\ncots_ns = 5\n"), "line 4, column 1: unknown field `cots_ns`"),
            (format!("{HEAD}# ä\n[clocks.tsc]\ncots_ns = 5\n"), "did you mean cost_ns?"),
            (format!("{HEAD}[clocks.tsc]\ncost_ns = nan\n"), "line 3, column 11: NaN is no limit"),
            (format!("{HEAD}[clocks.tsc]\npath = 'vsdo'\n"), "line 3, column 8: 'vsdo' is none of"),
            (format!("{HEAD}[clocks.tsc]\ncost_ns = 5\n[clocks.rdtsc]\ncost_ns = 5"), "by another name"),
            (HEAD.into(), "p.toml is no policy: it asks for nothing"),
        ] {
            let why = said(&text);
            assert!(why.contains(words), "{text}: {why}");
        }
    }

    #[test]
    fn those_that_come_with_the_program_are_policies_that_name_themselves() {
        for (name, text) in READY {
            let policy = read(Path::new(name)).unwrap();
            assert!(policy.title().is_some_and(|title| title.starts_with(&format!("{name}: "))), "{name}");
            assert!(text.starts_with("# "), "{name} says what it is for");
        }
        let why = read(Path::new("low-latenci")).unwrap_err().to_string();
        assert!(why.contains("can't read low-latenci") && why.contains("did you mean low-latency?"), "{why}");
    }
}
