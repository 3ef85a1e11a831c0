//! The program as its users run it, on this machine. Asserted is only what no load can break: no figure of time.

mod check;
mod compare;
mod examples;
mod export;
mod frequency;
mod guard;
mod interruptions;
mod monitor;
mod programs;
mod report;
mod runtimes;
mod samples;
mod skew;
mod span;
mod survey;
mod sweep;
mod threads;
mod timers;
mod trace;
mod usage;

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::Duration;

use clockscope_engine::measure::allowed_cpus;
use serde::de::DeserializeOwned;
use tempfile::TempDir;

const PROGRAM: &str = env!("CARGO_BIN_EXE_clockscope");

/// Exit code, standard output, standard error.
type Ended = (Option<i32>, String, String);

fn clockscope(args: &[&str]) -> Command {
    let mut command = Command::new(PROGRAM);
    command.args(args).env_remove("COLUMNS").stdin(Stdio::null());
    command
}

/// The same command, run by another program.
fn under(program: &str, args: &[&str], inner: &Command) -> Command {
    let mut outer = Command::new(program);
    outer.args(args).arg(inner.get_program()).args(inner.get_args()).current_dir("/").stdin(Stdio::null());
    outer.env_remove("COLUMNS").envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?))));
    outer
}

/// The same command without privileges: as nobody, when the tests run as root; anyone else has none anyway.
fn unprivileged(inner: Command, folder: &TempDir) -> Command {
    if done(Command::new("id").arg("-u")).1.trim() != "0" {
        return inner;
    }
    // The build folder may lie where nobody may not look: run a copy. By another process: a descriptor open for writing
    // here could be inherited by what another test starts, and the copy would count as busy.
    let copy = folder.path().join("program");
    let made = done(
        Command::new("sh").args(["-c", "chmod 755 \"$1\" && cp -n \"$0\" \"$1/program\"", PROGRAM]).arg(folder.path()),
    );
    assert_eq!(made.0, Some(0), "{made:?}");
    let drop = ["--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all", "--no-new-privs"];
    let mut command = Command::new(copy);
    command.args(inner.get_args()).envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?))));
    under("setpriv", &drop, &command)
}

/// The same command on the first of the allowed CPUs alone.
fn on_one(inner: &Command) -> Command {
    under("taskset", &["-c", &first_cpu()], inner)
}

fn first_cpu() -> String {
    allowed_cpus().expect("the allowed CPUs")[0].to_string()
}

fn has_two() -> bool {
    allowed_cpus().is_ok_and(|cpus| cpus.len() > 1)
}

fn text(output: Output) -> Ended {
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

fn done(command: &mut Command) -> Ended {
    text(command.output().expect("it starts"))
}

fn run(args: &[&str]) -> Ended {
    done(&mut clockscope(args))
}

/// What it wrote on standard output, having ended well.
#[track_caller]
fn well((code, out, err): Ended) -> String {
    assert_eq!(code, Some(0), "{err}");
    out
}

/// The same, nothing being on standard error.
#[track_caller]
fn quiet(ended: Ended) -> String {
    assert_eq!(ended.2, "");
    well(ended)
}

/// It ended with that code and without a result, and said why in these words.
#[track_caller]
fn refused((code, out, err): Ended, with: i32, words: &[&str]) {
    assert_eq!((code, out.as_str()), (Some(with), ""), "{err}");
    for word in words {
        assert!(err.contains(word), "'{word}' is missing: {err}");
    }
}

/// Starts it, its outputs piped.
fn start(command: &mut Command) -> Child {
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts")
}

/// Sends a signal to a process, or to a group where `to` begins with a minus.
fn kill(name: &str, to: &str) {
    assert!(Command::new("kill").args([name, "--", to]).status().expect("kill runs").success());
}

fn pause(ms: u64) {
    sleep(Duration::from_millis(ms));
}

/// Waits until it is so, a minute at most.
#[track_caller]
fn await_true(is_so: impl Fn() -> bool) {
    for _ in 0..6000 {
        if is_so() {
            return;
        }
        pause(10);
    }
    panic!("not within a minute");
}

/// Waits until a thread of that process whose name begins so has run for some 50 ms: it is at work then, whatever the load.
#[track_caller]
fn await_work(id: u32, thread: &str) {
    // Ticks of 10 ms, the twelfth of what stands after the name (proc_pid_stat(5)).
    let ran = |task: &Path| {
        let stat = std::fs::read_to_string(task.join("stat")).ok()?;
        let (name, rest) = stat.split_once('(')?.1.rsplit_once(')')?;
        rest.split_ascii_whitespace().nth(11)?.parse::<u64>().ok().filter(|_| name.starts_with(thread))
    };
    await_true(|| {
        let mut tasks = std::fs::read_dir(format!("/proc/{id}/task")).expect("it runs").flatten();
        tasks.any(|task| ran(&task.path()) >= Some(5))
    });
}

/// The JSON as what it is, after a look whether it obeys its schema, a file under docs/.
fn obeying<T: DeserializeOwned>(schema: &str, json: &str) -> T {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(schema);
    let schema = serde_json::from_str(&std::fs::read_to_string(file).expect("a schema")).expect("JSON");
    let value = serde_json::from_str(json).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let errors: Vec<String> = validator.iter_errors(&value).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}");
    serde_json::from_value(value).expect("what the schema describes")
}
