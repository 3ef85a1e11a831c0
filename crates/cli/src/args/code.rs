//! Codes of findings as people write them: `CS001`, `cs1`, `1`.

use clockscope_analysis::judge::{codes, explain};

/// Reads the code of a rule that there is; an error is a sentence that says which there are.
pub fn parse(text: &str) -> Result<String, String> {
    let code = full(text);
    if explain(&code).is_some() {
        return Ok(code);
    }
    let codes = codes();
    let ends = codes.first().zip(codes.last());
    let there_are = ends.map_or_else(String::new, |((first, _), (last, _))| format!("; {first} to {last} exist"));
    Err(format!("no finding has the code '{text}'{there_are} (`clockscope explain` lists them)"))
}

/// The code that is meant: CS001 by `cs001`, `CS1` and `1`.
fn full(code: &str) -> String {
    let code = code.trim().to_uppercase();
    let number = code.strip_prefix("CS").unwrap_or(&code).parse::<u32>();
    number.map_or(code, |number| format!("CS{number:03}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_known_by_its_number() {
        for typed in ["CS001", "cs001", "CS1", "cs01", "1", " 001 "] {
            assert_eq!(parse(typed).as_deref(), Ok("CS001"));
        }
        for typed in ["1000", "CS", "-1", "ABC1", ""] {
            assert!(parse(typed).is_err_and(|why| why.contains("CS001 to")), "{typed}");
        }
    }
}
