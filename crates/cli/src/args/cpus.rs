//! CPUs as the kernel writes lists of them: `0-3,8`.

use clockscope_engine::machine::cpu_list;

/// Reads a list; an error is a sentence that says what would be right.
pub(crate) fn parse(text: &str) -> Result<Vec<u32>, String> {
    let wrong = "a list of CPUs is numbers and ranges from low to high, separated by commas, as in 0-3,8";
    cpu_list(text).ok_or_else(|| wrong.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_and_numbers() {
        assert_eq!(parse("0-2,8"), Ok(vec![0, 1, 2, 8]));
        assert_eq!(parse(" 3 "), Ok(vec![3]));
        for wrong in ["", "all", "3-1", "0,,1", "-1", "0-9999999999"] {
            assert!(parse(wrong).is_err_and(|error| error.contains("0-3,8")), "{wrong}");
        }
    }
}
