//! Kernel modules with those that they need, in the order in which they are loaded.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

/// The driver of the disk that every guest writes its frames to.
const DISK: [&str; 2] = ["virtio_pci", "virtio_blk"];

/// The files of these modules, of the disk's and of all that they need, the needed ones first.
pub(crate) fn in_order(folder: &Path, names: &[String]) -> Result<Vec<PathBuf>> {
    let mut files = BTreeMap::new();
    index(&folder.join("kernel"), &mut files)?;
    let mut order = Vec::new();
    for name in DISK.into_iter().chain(names.iter().map(String::as_str)) {
        add(&files, &plain(name), &mut order, 0)?;
    }
    Ok(order)
}

fn index(folder: &Path, files: &mut BTreeMap<String, PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| format!("can't read {}", folder.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            index(&path, files)?;
        } else if path.extension().is_some_and(|ending| ending == "ko") {
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            files.insert(plain(&name), path);
        }
    }
    Ok(())
}

fn add(files: &BTreeMap<String, PathBuf>, name: &str, order: &mut Vec<PathBuf>, depth: u32) -> Result<()> {
    let Some(path) = files.get(name) else { bail!("the kernel's package has no module {name}") };
    if order.contains(path) {
        return Ok(());
    }
    if depth > 16 {
        bail!("the modules that {name} needs need each other");
    }
    let image = fs::read(path).with_context(|| format!("can't read {}", path.display()))?;
    for needed in needs(&image) {
        add(files, &needed, order, depth + 1)?;
    }
    order.push(path.clone());
    Ok(())
}

/// The names after `depends=` in the module's own description.
fn needs(image: &[u8]) -> Vec<String> {
    const KEY: &[u8] = b"\0depends=";
    let Some(at) = image.windows(KEY.len()).position(|bytes| bytes == KEY) else { return Vec::new() };
    let list = image[at + KEY.len()..].split(|byte| *byte == 0).next().unwrap_or_default();
    let list = String::from_utf8_lossy(list);
    list.split(',').filter(|name| !name.is_empty()).map(plain).collect()
}

/// The kernel takes `-` and `_` in a module's name for the same.
fn plain(name: &str) -> String {
    name.replace('-', "_")
}

#[cfg(test)]
mod tests {
    use super::needs;

    #[test]
    fn a_module_says_what_it_needs() {
        assert_eq!(needs(b"x\0license=GPL\0depends=kvm,ccp-x\0retpoline=Y\0"), ["kvm", "ccp_x"]);
        assert!(needs(b"x\0depends=\0").is_empty());
        assert!(needs(b"no module").is_empty());
    }
}
