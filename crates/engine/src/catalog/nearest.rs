//! The names most like a mistyped one.

/// How alike two names have to be at least for one to be offered for the other (1 is equal).
const ALIKE: f64 = 0.7;

/// At most three of `names` that are most like `wrong`, best first; case does not count.
fn nearest<'a>(wrong: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let wrong = wrong.to_lowercase();
    // The better of two measures: one that values a common beginning, one that forgives swapped letters.
    let alike =
        |name: &str| strsim::jaro_winkler(&wrong, name).max(strsim::normalized_damerau_levenshtein(&wrong, name));
    let scored = names.into_iter().map(|name| (alike(&name.to_lowercase()), name));
    let mut scored: Vec<(f64, &str)> = scored.filter(|(score, _)| *score >= ALIKE).collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    scored.into_iter().take(3).map(|(_, name)| name).collect()
}

/// `; did you mean a, b or c?`, or nothing where no name is near.
pub fn hint<'a>(wrong: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    match nearest(wrong, names).split_last() {
        None => String::new(),
        Some((last, [])) => format!("; did you mean {last}?"),
        Some((last, others)) => format!("; did you mean {} or {last}?", others.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_most_alike_comes_first_and_none_where_none_is() {
        for (wrong, question) in [
            ("monotonc", "; did you mean monotonic or monotonic-raw?"),
            ("RealTime", "; did you mean realtime?"),
            ("tsk", "; did you mean tsc?"),
            ("xyzzy", ""),
        ] {
            assert_eq!(hint(wrong, ["monotonic", "monotonic-raw", "realtime", "tsc"]), question);
        }
    }
}
