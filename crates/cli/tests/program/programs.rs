//! `doctor --for`: what programs take, on this machine and from a trace.

use clockscope_analysis::record::{Diagnosis, Program, Record};

use super::*;

/// The diagnosis of this machine for these programs.
fn diagnosis(args: &[&str]) -> Diagnosis {
    let common = ["doctor", "--format", "json", "--time", "100ms"];
    serde_json::from_str(&well(run(&[&common[..], args].concat()))).unwrap()
}

#[test]
fn each_program_once_in_the_order_asked_for() {
    let programs = |args: &[&str]| diagnosis(args).programs.iter().map(|advice| advice.program).collect::<Vec<_>>();
    assert_eq!(programs(&["--for", "go,rust-std", "--for", "golang"]), [Program::Go, Program::RustStd]);
    assert_eq!(programs(&["--for", "java", "--for", "all"])[..2], [Program::Java, Program::Postgres]);
    assert_eq!(programs(&[]), []);
    let (code, _, err) = run(&["doctor", "--for", "cobol"]);
    assert!(code == Some(2) && err.contains("rust-std"), "{err}");
}

#[test]
fn their_clocks_are_measured_beside_those_asked_for() {
    let found = diagnosis(&["--clock", "tsc", "--for", "rust-std"]);
    for clock in &found.programs[0].clocks {
        assert!(clock.agrees.is_some() && clock.path.is_some(), "{clock:#?}");
    }
}

#[test]
fn a_trace_says_the_same_of_its_machine() {
    let folder = TempDir::new().unwrap();
    let trace = folder.path().join("t.trace").to_string_lossy().into_owned();
    let here = diagnosis(&["--for", "all", "--trace", &trace]);
    let text = well(run(&["doctor", &trace, "--for", "all", "--format", "json"]));
    let again: Diagnosis = serde_json::from_str(&text).unwrap();
    assert_eq!(again.programs, here.programs);
    let table = well(run(&["doctor", &trace, "--for", "go"]));
    let answer = &here.programs.iter().find(|advice| advice.program == Program::Go).unwrap().answer;
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words(&table).contains(&words(answer)), "{table}");
}

/// CPython tells which call lies beneath.
#[test]
fn python_says_the_same_of_itself() {
    let ask = "import time; print(*[time.get_clock_info(name).implementation for name in ('perf_counter', 'time')])";
    let Ok(python) = Command::new("python3").args(["-c", ask]).output() else { return };
    if !cfg!(target_os = "linux") || !python.status.success() {
        return;
    }
    let said = String::from_utf8_lossy(&python.stdout).into_owned();
    let record: Record = serde_json::from_str(&well(run(&["--format", "json", "--time", "100ms"]))).unwrap();
    let advice = diagnosis(&["--for", "python"]).programs.remove(0);
    for (at, api) in said.split_whitespace().zip(["time.perf_counter", "time.time"]) {
        let taken = advice.clocks.iter().find(|clock| clock.api == api).unwrap();
        let clock = record.clocks.iter().find(|clock| Some(&clock.id) == taken.clock.as_ref()).unwrap();
        assert_eq!(clock.api, at, "{api}");
    }
}
