//! What a guest needs that runs a guest itself: the emulator with its libraries and firmware, the inner guest.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use lab_guest::plan::Inner;

use super::emulator::{Console, Files, arguments};
use super::image::Image;
use super::kernel::Kernel;
use super::machine::Machine;
use crate::shell;

/// Where things lie in the outer guest.
const KERNEL: &str = "/inner/vmlinuz";
const IMAGE: &str = "/inner/image";
const CONSOLE: &str = "/inner/console";
const DISK: &str = "/inner/frames";
const FIRMWARE: &str = "/inner/firmware";

/// Firmware that a PC needs here, and the folders where distributions keep it.
const FIRMWARE_FILES: [&str; 3] = ["bios-256k.bin", "linuxboot_dma.bin", "kvmvapic.bin"];
const FIRMWARE_FOLDERS: [&str; 3] = ["/usr/share/seabios", "/usr/share/qemu", "/usr/share/qemu/optionrom"];

/// Puts all of it into the outer guest's image, and says how the inner guest is started.
pub(crate) fn add(
    image: &mut Image,
    machine: &Machine,
    kernel: &Kernel,
    inner_image: &Path,
    limit_s: f64,
) -> Result<Inner> {
    let (name, _) = machine.arch.emulator();
    let emulator = shell::which(name).with_context(|| format!("{name} is missing"))?;
    image.copy(&emulator, "/emulator")?;
    for library in libraries(&emulator)? {
        image.copy(&library, &library.to_string_lossy())?;
    }
    for file in FIRMWARE_FILES {
        let mut places = FIRMWARE_FOLDERS.iter().map(|folder| Path::new(folder).join(file));
        let place = places.find(|place| place.is_file()).with_context(|| format!("no {file} here"))?;
        image.copy(&place, &format!("{FIRMWARE}/{file}"))?;
    }
    image.copy(&kernel.image, KERNEL)?;
    image.copy(inner_image, IMAGE)?;
    let files = Files { kernel: KERNEL, image: IMAGE, console: Console::File(CONSOLE), disk: DISK };
    let mut command = vec!["/emulator".to_owned(), "-L".into(), FIRMWARE.into()];
    command.extend(arguments(machine, "kvm", &files));
    Ok(Inner { command, console: CONSOLE.into(), disk: DISK.into(), limit_s })
}

/// The libraries that a program is linked with, and the loader, by `ldd`.
pub(crate) fn libraries(program: &Path) -> Result<Vec<PathBuf>> {
    let text = shell::output(Command::new("ldd").arg(program))?;
    Ok(paths(&text))
}

fn paths(ldd: &str) -> Vec<PathBuf> {
    ldd.lines()
        .filter_map(|line| line.split_whitespace().find(|word| word.starts_with('/')))
        .map(PathBuf::from)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::paths;
    use std::path::PathBuf;

    #[test]
    fn libraries_and_loader_are_found() {
        let text = "\tlinux-vdso.so.1 (0x7ffd)\n\tlibm.so.6 => /lib/x/libm.so.6 (0x7f)\n\t/lib64/ld-linux-x86-64.so.2 (0x7f)\n";
        assert_eq!(paths(text), ["/lib/x/libm.so.6", "/lib64/ld-linux-x86-64.so.2"].map(PathBuf::from));
    }
}
