//! The names most like a mistyped one.

/// At most three of `names` that are near to `wrong`, best first; case does not count.
fn nearest<'a>(wrong: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let wrong = wrong.to_lowercase();
    let near = names.into_iter().filter_map(|name| Some((distance(&wrong, &name.to_lowercase())?, name)));
    let mut near: Vec<(usize, &str)> = near.collect();
    // Of two as near a clock before a forced way of reading one.
    near.sort_by_key(|(distance, name)| (*distance, name.contains('@')));
    near.into_iter().take(3).map(|(_, name)| name).collect()
}

/// How far `wrong` is from a name: the slips of the finger between them; `None` where they are more than one, and one more
/// for every six letters. A beginning of the name, or one of its words, counts as one slip.
fn distance(wrong: &str, name: &str) -> Option<usize> {
    let begins = wrong.len() >= 3 && name.starts_with(wrong);
    if begins || name.split(['-', '@']).any(|word| word == wrong) {
        return Some(1);
    }
    let slips = strsim::damerau_levenshtein(wrong, name);
    (slips <= 1 + wrong.chars().count() / 6 && slips < name.len()).then_some(slips)
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
    fn names_that_are_near_come_best_first_and_none_where_none_is() {
        for (wrong, question) in [
            ("monotonc", "; did you mean monotonic?"),
            ("RealTime", "; did you mean realtime?"),
            ("tsk", "; did you mean tsc?"),
            ("mono", "; did you mean monotonic, monotonic-raw or monotonic-raw@vdso?"),
            ("raw", "; did you mean monotonic-raw or monotonic-raw@vdso?"),
            ("realtmie", "; did you mean realtime?"),
            ("xyzzy", ""),
            ("nanosleep", ""),
            ("stopwatches", ""),
            ("timer", ""),
            ("", ""),
        ] {
            assert_eq!(
                hint(wrong, ["monotonic", "monotonic-raw@vdso", "monotonic-raw", "realtime", "tsc"]),
                question,
                "{wrong}"
            );
        }
    }
}
