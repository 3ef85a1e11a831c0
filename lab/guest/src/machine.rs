//! The guest's machine: mounts, modules, clocksource, the end.

use std::fs::{self, OpenOptions};
use std::io;
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use lab_guest::plan::Mount;
use rustix::mount::{MountFlags, UnmountFlags};
use rustix::system::RebootCommand;

pub(crate) const CLOCKSOURCE: &str = "/sys/devices/system/clocksource/clocksource0";

/// Mounts the kernel's file systems.
pub(crate) fn mount_all() -> Result<()> {
    for mount in Mount::ALL {
        let (kind, place) = mount.names();
        fs::create_dir_all(place).with_context(|| format!("can't make {place}"))?;
        rustix::mount::mount(kind, place, kind, MountFlags::empty(), None)
            .with_context(|| format!("can't mount {place}"))?;
    }
    Ok(())
}

/// Takes away what the program is not to find.
pub(crate) fn unmount_all_but(wanted: &[Mount]) -> Result<()> {
    for mount in Mount::ALL.into_iter().filter(|mount| !wanted.contains(mount)) {
        let (_, place) = mount.names();
        // Lazily: what this process holds open in it (its console) stays open.
        rustix::mount::unmount(place, UnmountFlags::DETACH).with_context(|| format!("can't unmount {place}"))?;
    }
    Ok(())
}

/// Lets this process speak on the kernel's console.
pub(crate) fn console() -> Result<()> {
    let console = OpenOptions::new().read(true).write(true).open("/dev/console").context("no /dev/console")?;
    rustix::stdio::dup2_stdin(&console)?;
    rustix::stdio::dup2_stdout(&console)?;
    rustix::stdio::dup2_stderr(&console)?;
    Ok(())
}

/// Loads a kernel module.
pub(crate) fn load(path: &str) -> Result<()> {
    let image = fs::read(path).with_context(|| format!("can't read the module {path}"))?;
    match rustix::system::init_module(&image, c"") {
        Ok(()) | Err(rustix::io::Errno::EXIST) => Ok(()),
        Err(error) => Err(error).with_context(|| format!("the kernel refuses the module {path}")),
    }
}

/// The kernel's clocksource, where /sys says it.
pub(crate) fn clocksource() -> Option<String> {
    fs::read_to_string(format!("{CLOCKSOURCE}/current_clocksource")).ok().map(|name| name.trim().to_owned())
}

/// Memory that programs can have, MiB.
pub(crate) fn memory_mib() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib / 1024)
}

/// Waits until the kernel uses this clocksource: it decides a second or two after the start.
pub(crate) fn await_clocksource(wanted: &str, longest: Duration) -> Result<()> {
    let file = format!("{CLOCKSOURCE}/current_clocksource");
    wait(longest, &file, |current| current == wanted).with_context(|| format!("the clocksource is not {wanted}"))
}

/// Waits until the kernel offers this clocksource.
pub(crate) fn await_offer(wanted: &str, longest: Duration) -> Result<()> {
    let file = format!("{CLOCKSOURCE}/available_clocksource");
    wait(longest, &file, |offered| offered.split_whitespace().any(|name| name == wanted))
        .with_context(|| format!("the clocksource {wanted} is not offered"))
}

fn wait(longest: Duration, file: &str, is_it: impl Fn(&str) -> bool) -> Result<()> {
    let start = Instant::now();
    loop {
        let text = fs::read_to_string(file).with_context(|| format!("can't read {file}"))?;
        if is_it(text.trim()) {
            return Ok(());
        }
        if start.elapsed() > longest {
            bail!("after {} s {file} still says '{}'", longest.as_secs(), text.trim());
        }
        sleep(Duration::from_millis(20));
    }
}

/// Writes to a file of the kernel's.
pub(crate) fn tell(path: &str, text: &str) -> io::Result<()> {
    fs::write(path, text)
}

/// Switches the machine off; where it has no switch, starts it anew, at which the emulator ends.
pub(crate) fn switch_off() -> ! {
    rustix::fs::sync();
    for command in [RebootCommand::PowerOff, RebootCommand::Restart] {
        let _ = rustix::system::reboot(command);
    }
    // Process 1 must not end: the kernel would panic.
    loop {
        sleep(Duration::from_secs(1));
    }
}
