//! Debian's chronyd for guests, with its loader and libraries: fetched once, kept under target/lab.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use lab_guest::plan::{CHRONYD, CHRONYD_LIBRARIES, CHRONYD_LOADER};

use super::apt::{Apt, whole};
use super::image::Image;
use super::machine::Arch;

const PROGRAM: &str = "usr/sbin/chronyd";

/// Fetches it where it is not there yet.
pub(crate) fn fetch(folder: &Path, arch: Arch) -> Result<()> {
    let place = place(folder, arch);
    if place.is_dir() {
        return Ok(());
    }
    let apt = Apt::new(&folder.join("apt").join(arch.debian()), arch.debian())?;
    whole(&place, |half| {
        apt.unpack("chrony", half)?;
        apt.libraries("chrony")?.iter().try_for_each(|library| apt.unpack(library, half))?;
        ensure!(half.join(PROGRAM).is_file(), "the package chrony holds no {PROGRAM}");
        Ok(())
    })
}

fn place(folder: &Path, arch: Arch) -> PathBuf {
    folder.join("chronyd").join(arch.debian())
}

/// Puts it into a guest's image, and the one user that it looks for.
pub(crate) fn add(image: &mut Image, folder: &Path, arch: Arch) -> Result<()> {
    let place = place(folder, arch);
    image.copy(&place.join(PROGRAM), CHRONYD)?;
    for library in libraries(&place)? {
        let name = library.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with("ld-linux") {
            image.copy(&library, CHRONYD_LOADER)?;
        }
        image.copy(&library, &format!("{CHRONYD_LIBRARIES}/{name}"))?;
    }
    image.add("/etc/passwd", b"root:x:0:0::/:\n")
}

/// The libraries under the names that programs ask for.
fn libraries(place: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for above in ["lib", "usr/lib"] {
        for folder in
            entries(&place.join(above))?.into_iter().filter(|path| path.to_string_lossy().ends_with("-linux-gnu"))
        {
            found.extend(entries(&folder)?.into_iter().filter(|path| path.is_file() && is_asked_for(path)));
        }
    }
    Ok(found)
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| format!("can't read {}", folder.display()))?;
    entries.map(|entry| Ok(entry?.path())).collect()
}

/// Programs ask for `libgmp.so.10`, which is a link to `libgmp.so.10.4.1`.
fn is_asked_for(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.split_once(".so.").is_some_and(|(_, version)| !version.contains('.'))
}

#[cfg(test)]
mod tests {
    use super::is_asked_for;
    use std::path::Path;

    #[test]
    fn each_library_goes_in_once() {
        let asked = ["lib/x/libc.so.6", "lib/x/ld-linux-x86-64.so.2", "libgmp.so.10.4.1", "libm.a", "libx.so"];
        assert_eq!(asked.map(|name| is_asked_for(Path::new(name))), [true, true, false, false, false]);
    }
}
