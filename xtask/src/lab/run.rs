//! One scenario, from its file to what came out of it.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use lab_guest::frame::{DISK_BYTES, Frame, Reader};
use lab_guest::plan::{Plan, STARTS};
use serde_json::Value;

use super::boot::{self, Next, Pulse, State};
use super::build::Programs;
use super::checked::Checked;
use super::chronyd;
use super::emulator::{self, Console, Files};
use super::image::Image;
use super::kernel::Kernel;
use super::machine::Machine;
use super::modules;
use super::nested;
use super::results;
use super::runtimes::Runtimes;
use super::scenario::{HostFault, Scenario};

/// Lines of the console that a failure shows.
const LAST_LINES: usize = 15;

/// What all scenarios of one architecture share.
pub(crate) struct Bench {
    pub(crate) folder: PathBuf,
    pub(crate) kernel: Kernel,
    pub(crate) programs: Programs,
    pub(crate) runtimes: Runtimes,
}

/// How a scenario came out.
pub(crate) struct Outcome {
    pub(crate) name: String,
    pub(crate) seconds: f64,
    /// Starts of its guest: more than one where it did not boot.
    pub(crate) starts: u32,
    /// Empty where no record came.
    pub(crate) checked: Vec<Checked>,
    /// Why no record came.
    pub(crate) failure: Option<String>,
    /// What the program wrote to standard error.
    pub(crate) said: String,
}

impl Outcome {
    pub(crate) fn holds(&self) -> bool {
        self.failure.is_none() && self.checked.iter().all(|checked| checked.holds)
    }
}

/// Runs it to its end. Whatever goes wrong is in the outcome.
pub(crate) fn run(bench: &Bench, scenario: &Scenario) -> Outcome {
    let start = Instant::now();
    let mut starts = 0;
    let result = attempt(bench, scenario, &mut starts);
    let seconds = start.elapsed().as_secs_f64();
    let (checked, failure, said) = match result {
        Ok((all, replayed)) => {
            let expected = scenario.expect.iter().map(|expectation| expectation.check(&all));
            let said = ["program", "then"].map(|run| all["notes"][run]["stderr"].as_str().unwrap_or_default()).concat();
            (expected.chain(replayed).collect(), None, said)
        }
        Err(error) => (Vec::new(), Some(format!("{error:#}")), String::new()),
    };
    Outcome { name: scenario.name.clone(), seconds, starts, checked, failure, said }
}

/// The record with the notes in it, and what its replay gave. Starts of the guest are counted.
fn attempt(bench: &Bench, scenario: &Scenario, starts: &mut u32) -> Result<(Value, Vec<Checked>)> {
    let folder = bench.folder.join("run").join(&scenario.name);
    fs::create_dir_all(&folder).with_context(|| format!("can't make {}", folder.display()))?;
    let path = |name: &str| folder.join(name).display().to_string();
    let (console, disk) = (path("console"), path("frames"));
    // What an earlier run left is not this one's.
    let unbooted = |start: u32| folder.join(format!("console.unbooted-{start}"));
    results::clear(&bench.folder, scenario)?;
    (1..boot::STARTS).map(unbooted).try_for_each(|path| results::remove(&path))?;
    let (machine, image) = prepare(bench, scenario, &folder, false)?;
    let files = Files {
        kernel: &bench.kernel.image.display().to_string(),
        image: &image.display().to_string(),
        console: Console::File(&console),
        disk: &disk,
    };
    let with_console = |what: String| anyhow::anyhow!("{what}\n{}", last_lines(&console));
    let frames = loop {
        *starts += 1;
        fs::write(&console, "").with_context(|| format!("can't write {console}"))?;
        new_disk(Path::new(&disk))?;
        let ended = watch(&mut emulator::command(&machine, &files), scenario, &files, *starts);
        match ended.map_err(|error| with_console(format!("{error:#}")))? {
            End::Off(frames) => break frames,
            End::Unbooted => {
                let kept = unbooted(*starts);
                fs::copy(&console, &kept).with_context(|| format!("can't write {}", kept.display()))?;
            }
        }
    };
    let collected = results::collect(&bench.folder, scenario, &frames, &bench.runtimes.missing);
    collected.map_err(|error| with_console(format!("{error:#}")))
}

/// An empty disk for frames. What an emulator that was ended still writes does not get to it: it is another file.
pub(crate) fn new_disk(path: &Path) -> Result<()> {
    results::remove(path)?;
    let make = || fs::File::create_new(path)?.set_len(DISK_BYTES);
    make().with_context(|| format!("can't make {}", path.display()))
}

/// The machine that is started and its image.
pub(crate) fn prepare(
    bench: &Bench,
    scenario: &Scenario,
    folder: &Path,
    interactive: bool,
) -> Result<(Machine, PathBuf)> {
    let machine = &scenario.machine;
    let mut plan = Plan {
        modules: Vec::new(),
        inner: None,
        interactive,
        environment: BTreeMap::new(),
        guest: scenario.guest.clone(),
    };
    let mut image = Image::default();
    image.copy(&bench.programs.clockscope, lab_guest::plan::PROGRAM)?;
    if scenario.guest.chronyd.is_some() {
        chronyd::add(&mut image, &bench.folder, machine.arch)?;
    }
    if !scenario.guest.runtimes.is_empty() {
        plan.environment = bench.runtimes.add(&mut image)?;
    }
    let inner_image = folder.join("image");
    finish(image, &mut plan, bench, machine, &inner_image)?;
    if !machine.nested {
        return Ok((machine.clone(), inner_image));
    }
    let outer = machine.outer();
    let mut image = Image::default();
    let limit_s = scenario.limit_s * f64::from(boot::PATIENCE);
    let inner = nested::add(&mut image, machine, &bench.kernel, &inner_image, limit_s)?;
    let mut plan = Plan {
        modules: Vec::new(),
        inner: Some(inner),
        interactive: false,
        environment: BTreeMap::new(),
        guest: lab_guest::plan::Guest::default(),
    };
    let outer_image = folder.join("outer-image");
    finish(image, &mut plan, bench, &outer, &outer_image)?;
    Ok((outer, outer_image))
}

/// Modules, plan and process 1 go into every image.
fn finish(mut image: Image, plan: &mut Plan, bench: &Bench, machine: &Machine, path: &Path) -> Result<()> {
    for file in modules::in_order(&bench.kernel.modules, &machine.modules)? {
        let name = format!("/modules/{}", file.file_name().unwrap_or_default().to_string_lossy());
        image.copy(&file, &name)?;
        plan.modules.push(name);
    }
    image.copy(&bench.programs.guest, "/init")?;
    image.add(lab_guest::plan::PLAN, &serde_json::to_vec(plan)?)?;
    image.write(path)
}

/// How one start of a guest ended.
enum End {
    /// It did what it had to, and this is what it wrote.
    Off(Vec<Frame>),
    /// It did not boot, or its emulator fell asleep, and may be started anew.
    Unbooted,
}

/// Runs the emulator to its end, or to the scenario's limit. `start` counts from 1.
fn watch(command: &mut Command, scenario: &Scenario, files: &Files, start: u32) -> Result<End> {
    let Console::File(console) = files.console else { bail!("a guest on the terminal is not watched") };
    let errors = Path::new(console).with_extension("errors");
    let file = fs::File::create(&errors).with_context(|| format!("can't write {}", errors.display()))?;
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(file);
    // SAFETY: prctl is a system call; nothing is allocated between fork and exec.
    unsafe {
        command.pre_exec(|| match libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) {
            0 => Ok(()),
            _ => Err(std::io::Error::last_os_error()),
        });
    }
    let mut child = Ended(command.spawn().context("can't start the emulator")?);
    let since = Instant::now();
    let limit = Duration::from_secs_f64(scenario.limit_s);
    let mut host = scenario.host.clone();
    let mut program_started = None;
    let mut disk = fs::File::open(files.disk).with_context(|| format!("can't open {}", files.disk))?;
    let (mut reader, mut frames) = (Reader::default(), Vec::new());
    let nested = scenario.machine.nested;
    let mut pulse = Pulse::of(child.0.id());
    loop {
        let status = child.0.try_wait().context("can't wait for the emulator")?;
        if let Some(status) = status
            && !status.success()
        {
            let said = fs::read_to_string(&errors).unwrap_or_default();
            bail!("the emulator ended with {status}: {}", said.trim());
        }
        // Looked for after the end too: what comes last is there by then.
        frames.extend(reader.more(&mut disk)?);
        let booted = !frames.is_empty();
        let used = pulse.used();
        let asleep = pulse.stands_still();
        let state = State { start, elapsed: since.elapsed(), used, booted, ended: status.is_some(), asleep, nested };
        match boot::next(state, limit) {
            Next::Wait => {}
            Next::Done if !host.is_empty() => bail!("the guest ended before all was done to it"),
            Next::Done => {
                reader.finish(&mut disk)?;
                return Ok(End::Off(frames));
            }
            Next::Again => return Ok(End::Unbooted),
            Next::Fail(why) => bail!(why),
        }
        if !host.is_empty() && program_started.is_none() {
            let said = fs::read(console).unwrap_or_default();
            program_started = String::from_utf8_lossy(&said).contains(STARTS).then(Instant::now);
        }
        if let (Some(since), Some(HostFault::Stop { at_s, for_s })) = (program_started, host.first().cloned())
            && since.elapsed().as_secs_f64() >= at_s
        {
            child.signal(libc::SIGSTOP)?;
            sleep(Duration::from_secs_f64(for_s));
            child.signal(libc::SIGCONT)?;
            host.remove(0);
        }
        sleep(Duration::from_millis(10));
    }
}

/// A child that does not outlive its owner.
struct Ended(Child);

impl Ended {
    fn signal(&self, signal: i32) -> Result<()> {
        // SAFETY: kill takes integers; the child is not waited for yet, so that the number is still its own.
        if unsafe { libc::kill(self.0.id().cast_signed(), signal) } != 0 {
            bail!("kill: {}", std::io::Error::last_os_error());
        }
        Ok(())
    }
}

impl Drop for Ended {
    fn drop(&mut self) {
        // Both fail where it has ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn last_lines(console: &str) -> String {
    let text = fs::read(console).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
    let last = &lines[lines.len().saturating_sub(LAST_LINES)..];
    last.iter().map(|line| format!("    console: {line}")).collect::<Vec<_>>().join("\n")
}
