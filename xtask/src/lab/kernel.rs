//! Debian's kernel for guests ("cloud"): fetched once, kept under target/lab.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::apt::{Apt, whole};
use super::machine::Arch;

/// A kernel at hand.
pub(crate) struct Kernel {
    /// What the emulator loads.
    pub(crate) image: PathBuf,
    /// Its modules' folder.
    pub(crate) modules: PathBuf,
}

/// The kernel, fetched where it is not there yet.
pub(crate) fn fetch(folder: &Path, arch: Arch) -> Result<Kernel> {
    let place = folder.join("kernel").join(arch.debian());
    if let Some(kernel) = look(&place) {
        return Ok(kernel);
    }
    let apt = Apt::new(&folder.join("apt").join(arch.debian()), arch.debian())?;
    // The name of the package with the kernel in it moves with every version.
    let package = apt.behind(&format!("linux-image-cloud-{}", arch.debian()), "linux-image-")?;
    whole(&place, |half| apt.unpack(&package, half))?;
    look(&place).with_context(|| format!("{package} holds no kernel"))
}

fn look(place: &Path) -> Option<Kernel> {
    let entries = fs::read_dir(place.join("boot")).ok()?;
    let mut names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let release = names.find_map(|name| Some(name.strip_prefix("vmlinuz-")?.to_owned()))?;
    let image = place.join("boot").join(format!("vmlinuz-{release}"));
    Some(Kernel { image, modules: place.join("lib/modules").join(release) })
}
