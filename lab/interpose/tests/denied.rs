//! The filter denies the clocks that it names, and no others.

use std::process::Command;

use clockscope_interpose::{Helper, built};

/// The first read's errno, or none where no filter can be installed.
fn first_error(error: &str, denied: &str) -> Option<String> {
    let output = Command::new(built(Helper::Deny).unwrap())
        .args([error, denied])
        .arg(built(Helper::Reader).unwrap())
        .args(["thread-cputime", "1"])
        .output()
        .unwrap();
    let line = String::from_utf8(output.stdout).unwrap();
    (output.status.code() != Some(125)).then(|| line.split_whitespace().last().unwrap_or_default().to_owned())
}

#[test]
fn the_filter_denies_the_clocks_named_and_no_others() {
    // Thread CPU time is a system call everywhere; where no filter can be installed there is nothing to test.
    let Some(denied) = first_error("EPERM", "2,3") else { return };
    assert_eq!(denied, "1");
    assert_eq!(first_error("ENOSYS", "all").as_deref(), Some("38"));
    assert_eq!(first_error("EPERM", "2").as_deref(), Some("0"));
}
