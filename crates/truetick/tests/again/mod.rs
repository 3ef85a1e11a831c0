//! The environment is read as it was at the program's start: a test that wants a variable starts itself again.

use std::{env, process::Command};

/// False: `name` is `value`, go on. True: the test `test` was run in a new process in which it is, and passed.
pub(crate) fn with(test: &str, name: &str, value: &str) -> bool {
    if env::var_os(name).is_some_and(|is| is == value) {
        return false;
    }
    let program = env::current_exe().expect("a test has a path");
    let run = Command::new(program).args([test, "--exact", "--nocapture"]).env(name, value).status();
    let status = run.expect("it starts");
    assert!(status.success(), "with {name}={value}: {status}");
    true
}
