//! Every probe whose runtime is on this machine keeps the protocol. A runtime that isn't here is named.

#[path = "probes/command.rs"]
mod command;
#[path = "probes/protocol.rs"]
mod protocol;

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use clockscope_probes::{Runtime, runtimes};
use command::Prepared;

const SAMPLES: usize = 200;
const PAIRS: usize = 3;

/// A build may fetch and compile packages; a run of this size takes a second or two, on a machine that is busy more.
const BUILD_TIME: Duration = Duration::from_secs(180);
const RUN_TIME: Duration = Duration::from_secs(60);

/// What came of one: its version and the clocks; that it isn't here; what is wrong with it.
fn try_one(runtime: &Runtime, samples: usize, pairs: usize) -> Result<Result<String, String>, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let mut prepared = match Prepared::of(runtime, folder.path(), samples, pairs)? {
        Ok(prepared) => prepared,
        Err(missing) => return Ok(Err(missing)),
    };
    let version = prepared.version()?;
    match prepared.build(BUILD_TIME) {
        Ok(()) => {}
        // Without network there is nothing to build of. What is there has to compile.
        Err(error) if runtime.fetches && !error.contains("could not compile") => return Ok(Err(error)),
        Err(error) => return Err(error),
    }
    let start = Instant::now();
    let text = prepared.run(RUN_TIME)?;
    let took = start.elapsed();
    let told = protocol::check(&text, samples, pairs)?;
    prepared.without_pairs();
    protocol::check(&prepared.run(RUN_TIME)?, samples, 0).map_err(|error| format!("with 0 pairs: {error}"))?;
    Ok(Ok(format!("{version}: {} in {:.2} s\n{}", told.runtime, took.as_secs_f64(), told.rows)))
}

#[test]
fn every_probe_here_keeps_the_protocol() {
    let mut report = String::new();
    let mut wrong = Vec::new();
    let mut checked = 0;
    for runtime in &runtimes().expect("the list is sound") {
        match try_one(runtime, SAMPLES, PAIRS) {
            Ok(Ok(told)) => {
                checked += 1;
                writeln!(report, "{}: {told}", runtime.name).expect("a String takes all");
            }
            Ok(Err(missing)) => writeln!(report, "skipped {}: {missing}", runtime.name).expect("a String takes all"),
            Err(error) => wrong.push(format!("{}: {error}", runtime.name)),
        }
    }
    println!("{report}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(checked > 0, "no runtime is on this machine");
}

/// The whole size, which every probe must get through in 4 seconds on a quiet machine: `cargo test -p clockscope-probes
/// -- --ignored --nocapture` prints what each clock did.
#[test]
#[ignore = "takes a minute, and wants a quiet machine"]
fn the_whole_size() {
    let mut wrong = Vec::new();
    for runtime in &runtimes().expect("the list is sound") {
        match try_one(runtime, 100_000, 31) {
            Ok(Ok(told)) => println!("{}: {told}", runtime.name),
            Ok(Err(missing)) => println!("skipped {}: {missing}", runtime.name),
            Err(error) => wrong.push(format!("{}: {error}", runtime.name)),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
