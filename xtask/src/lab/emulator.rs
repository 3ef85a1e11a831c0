//! QEMU's command line.

use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use truetick::Clock;

use super::machine::{Arch, Machine};
use crate::{setup, shell};

/// Where a guest's console goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Console<'a> {
    /// Into a file.
    File(&'a str),
    /// To the terminal.
    Terminal,
}

/// The files that one start of the emulator needs, as it finds them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Files<'a> {
    pub(crate) kernel: &'a str,
    pub(crate) image: &'a str,
    pub(crate) console: Console<'a>,
    /// The disk that the guest writes its frames to.
    pub(crate) disk: &'a str,
}

/// Makes sure that the emulators are here, installing them where that can be done.
pub(crate) fn present(arches: &[Arch]) -> Result<()> {
    let programs: Vec<_> = arches.iter().map(|arch| arch.emulator()).collect();
    setup::programs(&programs)?;
    for (program, _) in programs {
        if shell::which(program).is_none() {
            bail!("{program} is missing");
        }
    }
    Ok(())
}

/// The arguments after the emulator's name. `accelerator` is `tcg`, or `kvm` inside another guest.
pub(crate) fn arguments(machine: &Machine, accelerator: &str, files: &Files) -> Vec<String> {
    let console_line = machine.arch.console();
    let console = match files.console {
        Console::File(path) => format!("file:{path}"),
        Console::Terminal => "stdio".into(),
    };
    let mut all: Vec<String> = vec![
        "-accel".into(),
        accelerator.into(),
        "-cpu".into(),
        machine.cpu.clone(),
        "-smp".into(),
        machine.cpus.to_string(),
        "-m".into(),
        machine.memory_mib.to_string(),
        "-nodefaults".into(),
        "-no-user-config".into(),
        "-display".into(),
        "none".into(),
        "-monitor".into(),
        "none".into(),
        // A panic or a restart is the end.
        "-no-reboot".into(),
        "-serial".into(),
        console,
    ];
    if machine.arch == Arch::Aarch64 {
        all.extend(["-machine".into(), "virt".into()]);
    }
    if machine.icount {
        all.extend(["-icount".into(), "shift=3,sleep=off".into()]);
    }
    // What the guest has written can be read by others at once; it need not reach the host's own disk.
    let disk = files.disk.replace(',', ",,");
    all.extend([
        "-drive".into(),
        format!("file={disk},format=raw,if=none,id=frames,cache=unsafe"),
        "-device".into(),
        "virtio-blk-pci,drive=frames".into(),
    ]);
    all.extend(machine.options.iter().cloned());
    let rate = if machine.told_rate { host_khz() } else { None };
    let rate = rate.map_or_else(String::new, |khz| format!("tsc_early_khz={khz} "));
    let line = format!("console={console_line} panic=-1 loglevel=4 {rate}{}", machine.kernel);
    all.extend(["-kernel", files.kernel, "-initrd", files.image, "-append", line.trim_end()].map(String::from));
    all
}

/// The rate of the host's counter, kHz, which an emulated CPU's is. `None`: it has none that truetick goes by.
fn host_khz() -> Option<u64> {
    let start = Instant::now();
    // A line takes some milliseconds.
    while Clock::frequency_hz().is_none() && start.elapsed() < Duration::from_secs(1) {
        Clock::now_ns();
        sleep(Duration::from_millis(1));
    }
    Some((Clock::frequency_hz()? / 1e3).round() as u64)
}

/// The emulator as a command.
pub(crate) fn command(machine: &Machine, files: &Files) -> Command {
    let mut command = Command::new(machine.arch.emulator().0);
    command.args(arguments(machine, "tcg", files));
    command
}
