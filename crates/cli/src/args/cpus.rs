//! CPUs as the kernel writes lists of them: `0-3,8`.

use clockscope_engine::machine::cpu_list;

/// The CPUs of one list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct List(pub(crate) Vec<u32>);

/// Reads a list.
///
/// # Errors
/// A sentence that says what would be right.
pub(crate) fn parse(text: &str) -> Result<List, String> {
    cpu_list(text).map(List).ok_or_else(|| {
        "a list of CPUs is numbers and ranges from low to high, separated by commas, as in 0-3,8".to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_and_numbers() {
        assert_eq!(parse("0-2,8"), Ok(List(vec![0, 1, 2, 8])));
        assert_eq!(parse(" 3 "), Ok(List(vec![3])));
        for wrong in ["", "all", "3-1", "0,,1", "-1", "0-9999999999"] {
            assert!(parse(wrong).is_err_and(|error| error.contains("0-3,8")), "{wrong}");
        }
    }
}
