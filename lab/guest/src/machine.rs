//! The guest's machine: mounts, modules, clocksource, the end.

use std::fs::{self, OpenOptions};
use std::io;
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use lab_guest::plan::Mount;
use rustix::mount::{MountFlags, UnmountFlags};
use rustix::system::RebootCommand;

const CLOCKSOURCE: &str = "/sys/devices/system/clocksource/clocksource0/current_clocksource";

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
        rustix::mount::unmount(place, UnmountFlags::DETACH)
            .with_context(|| format!("can't unmount {place}"))?;
    }
    Ok(())
}

/// Lets this process speak on the kernel's console.
pub(crate) fn console() -> Result<()> {
    let console =
        OpenOptions::new().read(true).write(true).open("/dev/console").context("no /dev/console")?;
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
    fs::read_to_string(CLOCKSOURCE).ok().map(|name| name.trim().to_owned())
}

/// Waits until the kernel uses this clocksource: it decides a second or two after the start.
pub(crate) fn await_clocksource(wanted: &str, longest: Duration) -> Result<()> {
    let start = Instant::now();
    loop {
        let current = clocksource();
        if current.as_deref() == Some(wanted) {
            return Ok(());
        }
        if start.elapsed() > longest {
            bail!("the kernel uses the clocksource {}, not {wanted}", current.unwrap_or("unknown".into()));
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
