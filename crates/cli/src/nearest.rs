//! The names most like a mistyped one.

/// How unlike two names may be before one is no longer offered for the other (1 is equal).
const LIKENESS: f64 = 0.7;

/// At most three of `names` that are most like `wrong`, best first; case does not count.
pub fn nearest<'a>(wrong: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let wrong = wrong.to_lowercase();
    let mut scored: Vec<(f64, &str)> = names
        .into_iter()
        .map(|name| (likeness(&wrong, &name.to_lowercase()), name))
        .filter(|(score, _)| *score >= LIKENESS)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    scored.into_iter().take(3).map(|(_, name)| name).collect()
}

/// The better of two measures: one that values a common beginning, one that forgives swapped letters.
fn likeness(a: &str, b: &str) -> f64 {
    strsim::jaro_winkler(a, b).max(strsim::normalized_damerau_levenshtein(a, b))
}

/// `; did you mean a, b or c?`, or nothing where no name is near.
pub fn hint<'a>(wrong: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    let near = nearest(wrong, names);
    match near.split_last() {
        None => String::new(),
        Some((last, [])) => format!("; did you mean {last}?"),
        Some((last, others)) => format!("; did you mean {} or {last}?", others.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 4] = ["monotonic", "monotonic-raw", "realtime", "tsc"];

    #[test]
    fn the_likeliest_name_comes_first() {
        assert_eq!(nearest("monotonc", NAMES), ["monotonic", "monotonic-raw"]);
        assert_eq!(nearest("RealTime", NAMES), ["realtime"]);
    }

    #[test]
    fn nothing_is_offered_for_a_name_unlike_all() {
        assert_eq!(hint("xyzzy", NAMES), "");
    }

    #[test]
    fn the_hint_reads_as_a_question() {
        assert_eq!(hint("monotonc", NAMES), "; did you mean monotonic or monotonic-raw?");
        assert_eq!(hint("tsk", NAMES), "; did you mean tsc?");
    }
}
