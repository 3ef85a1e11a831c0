//! Debian packages, fetched and unpacked without root: apt with lists and cache of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::shell;

/// apt for one architecture, whatever the machine's own.
pub(crate) struct Apt {
    folder: PathBuf,
    options: Vec<String>,
}

impl Apt {
    /// Fetches the lists of packages.
    pub(crate) fn new(folder: &Path, architecture: &str) -> Result<Self> {
        if shell::which("apt-get").is_none() || shell::which("dpkg-deb").is_none() {
            bail!("Debian's kernels are fetched by apt-get, which is not here");
        }
        for part in ["state/lists/partial", "cache/archives/partial"] {
            let part = folder.join(part);
            fs::create_dir_all(&part).with_context(|| format!("can't make {}", part.display()))?;
        }
        fs::write(folder.join("status"), "").context("can't write apt's status")?;
        let at = |name: &str| folder.join(name).display().to_string();
        let options = [
            format!("Dir::State={}", at("state")),
            format!("Dir::State::status={}", at("status")),
            format!("Dir::Cache={}", at("cache")),
            format!("APT::Architecture={architecture}"),
            format!("APT::Architectures={architecture}"),
            // What is fetched goes into this folder, which apt's own user may not be able to enter.
            "APT::Sandbox::User=root".into(),
        ];
        let options = options.into_iter().flat_map(|option| ["-o".into(), option]).collect();
        let apt = Self { folder: folder.into(), options };
        shell::output(apt.command("apt-get").args(["-qq", "update"])).context("no lists of packages")?;
        Ok(apt)
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.args(&self.options).env("LC_ALL", "C");
        command
    }

    /// The package that this one stands for: the first that it depends on with this beginning.
    pub(crate) fn behind(&self, package: &str, beginning: &str) -> Result<String> {
        let text = shell::output(self.command("apt-cache").args(["depends", package]))?;
        behind(&text, beginning).with_context(|| format!("{package} depends on no package called {beginning}… here"))
    }

    /// The packages of libraries that this one needs, directly and by others of them.
    pub(crate) fn libraries(&self, package: &str) -> Result<Vec<String>> {
        let mut found: Vec<String> = Vec::new();
        let mut next = 0;
        let mut of = package.to_owned();
        loop {
            let text = shell::output(self.command("apt-cache").args(["depends", &of]))?;
            for package in depends(&text).filter(|package| package.starts_with("lib")) {
                if !found.iter().any(|known| known == package) {
                    found.push(package.to_owned());
                }
            }
            let Some(package) = found.get(next) else { return Ok(found) };
            of.clone_from(package);
            next += 1;
        }
    }

    /// Fetches a package and unpacks it into a folder.
    pub(crate) fn unpack(&self, package: &str, into: &Path) -> Result<()> {
        let folder = self.folder.join("packages");
        fs::create_dir_all(&folder).with_context(|| format!("can't make {}", folder.display()))?;
        println!("fetching {package}");
        shell::output(self.command("apt-get").args(["-qq", "download", package]).current_dir(&folder))?;
        let mut files = fs::read_dir(&folder)?.filter_map(Result::ok).map(|entry| entry.path());
        let is_it = |file: &PathBuf| {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with(&format!("{package}_"))
        };
        let file = files.find(is_it).with_context(|| format!("apt-get left no file of {package}"))?;
        let unpacked = shell::output(Command::new("dpkg-deb").arg("-x").arg(&file).arg(into));
        fs::remove_file(&file).with_context(|| format!("can't remove {}", file.display()))?;
        ensure!(into.is_dir(), "{package} is empty");
        unpacked.map(drop)
    }
}

fn behind(text: &str, beginning: &str) -> Option<String> {
    depends(text).find(|package| package.starts_with(beginning)).map(str::to_owned)
}

/// What a package depends on, by `apt-cache depends`.
fn depends(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| line.trim().strip_prefix("Depends: ")).map(str::trim)
}

/// Fills a folder, whole or not at all: an interrupted run leaves no half of it behind.
pub(crate) fn whole(place: &Path, fill: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
    let half = place.with_extension("part");
    if half.exists() {
        fs::remove_dir_all(&half).with_context(|| format!("can't remove {}", half.display()))?;
    }
    fs::create_dir_all(&half).with_context(|| format!("can't make {}", half.display()))?;
    fill(&half)?;
    fs::rename(&half, place).with_context(|| format!("can't rename {}", half.display()))
}

#[cfg(test)]
mod tests {
    use super::{behind, depends};

    #[test]
    fn the_package_behind_is_the_one_it_depends_on() {
        let text = "linux-image-cloud-amd64\n  Depends: linux-image-6.1.0-56-cloud-amd64\n  Suggests: a\n";
        assert_eq!(behind(text, "linux-image-").as_deref(), Some("linux-image-6.1.0-56-cloud-amd64"));
        assert_eq!(behind("linux-image-cloud-amd64\n", "linux-image-"), None);
        let text = "chrony\n  PreDepends: a\n  Depends: adduser\n |Depends: b\n  Depends: libc6\n  Conflicts: c\n";
        assert_eq!(depends(text).collect::<Vec<_>>(), ["adduser", "libc6"]);
    }
}
