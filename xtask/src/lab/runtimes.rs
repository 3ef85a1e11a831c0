//! Language runtimes for guests: their probes, built here, and all files that they need.
//!
//! Nobody has to know which files those are: the probes run here once, watched by strace, and what they opened goes into the
//! guest, at the same place.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::env;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::path::{Component, Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, anyhow};
use serde_json::Value;

use super::apt::whole;
use super::image::Image;
use super::machine::Arch;
use super::nested;
use crate::{languages, setup, shell};

const STRACE: &str = "strace";
/// Files up to so many bytes are copied whole.
const SMALL: u64 = 256 << 10;
/// The kernel's own file systems, and what a guest has of its own.
const NOT_FILES: [&str; 3] = ["/proc", "/sys", "/dev"];

/// What guests get.
#[derive(Default)]
pub(crate) struct Runtimes {
    /// By paths, which are the same here and there.
    entries: BTreeMap<PathBuf, Entry>,
    /// For clockscope, to find all of it.
    environment: BTreeMap<String, String>,
    /// Runtimes that are not here, and why.
    pub(crate) missing: BTreeMap<String, String>,
}

/// What stands at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Entry {
    Folder,
    /// To this path.
    Link(String),
    /// A file. A large one that was asked for its presence alone is empty there; of small ones size and text may count (Python
    /// reads a module again whose source is not as long as when it was compiled).
    File {
        opened: bool,
    },
}

impl Runtimes {
    /// Builds the probes of these runtimes and looks what they need. A runtime that can't be had is no error.
    pub(crate) fn prepare(folder: &Path, arch: Arch, clockscope: &Path, wanted: &BTreeSet<&str>) -> Result<Self> {
        let mut all = Self::default();
        if wanted.is_empty() {
            return Ok(all);
        }
        let mut miss = |why: &str| {
            all.missing = wanted.iter().map(|name| ((*name).to_owned(), why.to_owned())).collect();
        };
        if !arch.target().starts_with(env::consts::ARCH) {
            miss("this machine's runtimes are of another architecture");
            return Ok(all);
        }
        if let Err(error) = setup::programs(&[(STRACE, &[STRACE])]) {
            miss(&format!("{error:#}"));
            return Ok(all);
        }
        let folder = folder.join("runtimes");
        // Builds of an earlier run would be looked at too, and go into the guest, where all files are equally old.
        for old in ["clockscope", "seen"].map(|name| folder.join(name)) {
            if old.exists() {
                fs::remove_dir_all(&old).with_context(|| format!("can't remove {}", old.display()))?;
            }
        }
        fs::create_dir_all(&folder).with_context(|| format!("can't make {}", folder.display()))?;
        let variable = |name: &str, value: String| (name.to_owned(), value);
        all.environment = BTreeMap::from([
            variable("PATH", languages::path()?.into_string().map_err(|path| anyhow!("PATH: {}", path.display()))?),
            variable("XDG_CACHE_HOME", folder.display().to_string()),
        ]);
        // What is built here is kept; then only what runs is watched, no compiler.
        all.missing = all.probes(Command::new(clockscope), &[], wanted)?;
        let here: BTreeSet<&str> = wanted.iter().copied().filter(|name| !all.missing.contains_key(*name)).collect();
        if here.is_empty() {
            return Ok(all);
        }
        let seen = folder.join("seen");
        whole(&seen, |half| {
            let mut strace = Command::new(STRACE);
            strace
                .args(["-ff", "-qq", "-s", "4096", "-e", "trace=%file", "-o"])
                .arg(half.join("calls"))
                .arg(clockscope);
            let failed = all.probes(strace, &["--no-build"], &here)?;
            all.missing.extend(failed);
            Ok(())
        })?;
        for file in fs::read_dir(&seen).with_context(|| format!("can't read {}", seen.display()))? {
            let file = file?.path();
            let calls = fs::read(&file).with_context(|| format!("can't read {}", file.display()))?;
            for call in String::from_utf8_lossy(&calls).lines().filter_map(call) {
                all.note(&call, clockscope);
            }
        }
        Ok(all)
    }

    /// Runs the probes, shortly; which of them failed, and why.
    fn probes(
        &self,
        mut command: Command,
        options: &[&str],
        names: &BTreeSet<&str>,
    ) -> Result<BTreeMap<String, String>> {
        command.args(["runtimes", "--format", "json", "--no-progress", "--reads", "1000", "--limit", "60s"]);
        let text = shell::output(command.args(options).args(names).envs(&self.environment))?;
        let report: Value = serde_json::from_str(&text).context("the report on the runtimes is no JSON")?;
        let missing = |entry: &Value| Some((entry["name"].as_str()?.into(), entry["missing"].as_str()?.into()));
        Ok(report["runtimes"].as_array().into_iter().flatten().filter_map(missing).collect())
    }

    /// Takes note of what a call was about, if it is a file that guests need.
    fn note(&mut self, call: &Call, clockscope: &Path) {
        let path = Path::new(&call.path);
        if path == clockscope || NOT_FILES.iter().any(|folder| path.starts_with(folder)) {
            return;
        }
        self.enter(path, call.opens);
        if call.executes {
            // The kernel starts a script's interpreter by itself, too.
            if let Some(interpreter) = interpreter(path).filter(|interpreter| interpreter != path) {
                let path = interpreter.display().to_string();
                self.note(&Call { path, opens: true, executes: true }, clockscope);
            }
            // The kernel loads the loader by itself. A static program has none, which ldd calls an error.
            for library in nested::libraries(path).unwrap_or_default() {
                self.enter(&library, true);
            }
        }
    }

    /// Enters what the path leads to, and the links on the way there.
    fn enter(&mut self, path: &Path, opened: bool) {
        // What is not there, or was removed again; links in a circle as well.
        let Ok(about) = fs::metadata(path) else { return };
        let mut at = PathBuf::from("/");
        let mut ahead: VecDeque<PathBuf> = parts(path).collect();
        while let Some(part) = ahead.pop_front() {
            if part.as_os_str() == ".." {
                at.pop();
                continue;
            }
            let next = at.join(part);
            match fs::read_link(&next) {
                Ok(target) => {
                    self.entries.insert(next, Entry::Link(target.display().to_string()));
                    if target.is_absolute() {
                        at = PathBuf::from("/");
                    }
                    parts(&target).collect::<Vec<_>>().into_iter().rev().for_each(|part| ahead.push_front(part));
                }
                Err(_) => at = next,
            }
        }
        if about.is_dir() {
            self.entries.insert(at, Entry::Folder);
        } else if about.is_file() {
            let opened = opened || about.len() <= SMALL;
            let before = self.entries.get(&at) == Some(&Entry::File { opened: true });
            self.entries.insert(at, Entry::File { opened: opened || before });
        }
    }

    /// Puts all of it into a guest's image; the environment in which clockscope finds it.
    pub(crate) fn add(&self, image: &mut Image) -> Result<BTreeMap<String, String>> {
        image.folder("/tmp")?;
        for (path, entry) in &self.entries {
            let name = path.to_string_lossy();
            match entry {
                Entry::Folder => image.folder(&name)?,
                Entry::Link(target) => image.link(&name, target)?,
                Entry::File { opened: true } => image.copy(path, &name)?,
                Entry::File { opened: false } => image.add(&name, &[])?,
            }
        }
        Ok(self.environment.clone())
    }
}

/// Why what this path leads to, into a record of runtimes, can't be there: the host lacks that runtime.
pub(crate) fn missing<'a>(all: &'a Value, path: &str) -> Option<&'a str> {
    let (name, _) = path.strip_prefix("runtimes[")?.split_once(']')?;
    all["host"]["missing"][name].as_str()
}

/// The names in a path, and `..`.
fn parts(path: &Path) -> impl Iterator<Item = PathBuf> {
    let is_part = |part: &Component<'_>| matches!(part, Component::Normal(_) | Component::ParentDir);
    path.components().filter(is_part).map(|part| PathBuf::from(part.as_os_str()))
}

/// A system call that names a file.
#[derive(Debug, PartialEq, Eq)]
struct Call {
    path: String,
    opens: bool,
    executes: bool,
}

/// What a script's first line names: `#!/usr/bin/env bash`.
fn interpreter(script: &Path) -> Option<PathBuf> {
    let mut first = Vec::new();
    BufReader::new(File::open(script).ok()?).take(256).read_until(b'\n', &mut first).ok()?;
    let line = String::from_utf8(first).ok()?;
    line.strip_prefix("#!")?.split_whitespace().next().map(PathBuf::from)
}

/// A line of strace's: `openat(AT_FDCWD, "/etc/mono/config", O_RDONLY) = 3`.
fn call(line: &str) -> Option<Call> {
    let (name, rest) = line.split_once('(')?;
    let path = rest.split('"').nth(1).filter(|path| path.starts_with('/'))?.to_owned();
    let executes = name.starts_with("execve");
    Some(Call { path, opens: executes || name.starts_with("open"), executes })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_line_of_strace_tells_the_file() {
        let told = |line| call(line).map(|call| (call.path, call.opens, call.executes));
        let file = |path: &str, opens, executes| Some((path.to_owned(), opens, executes));
        assert_eq!(told("openat(AT_FDCWD, \"/a/b\", O_RDONLY) = 3"), file("/a/b", true, false));
        assert_eq!(told("execve(\"/bin/x\", [\"x\", \"/y\"], 0x7f /* 9 vars */) = 0"), file("/bin/x", true, true));
        assert_eq!(told("readlink(\"/a\", \"/b\", 4096) = 2"), file("/a", false, false));
        assert_eq!(told("stat(\"b\", 0x7f) = 0"), None);
        assert_eq!(told("+++ exited with 0 +++"), None);
    }

    #[test]
    fn a_script_names_its_interpreter() {
        let file = env::temp_dir().join(format!("lab-script-{}", std::process::id()));
        for (text, named) in
            [("#!/usr/bin/env bash\nx", Some("/usr/bin/env")), ("#! /bin/sh", Some("/bin/sh")), ("\x7fELF", None)]
        {
            fs::write(&file, text).unwrap();
            assert_eq!(interpreter(&file).as_deref(), named.map(Path::new), "{text}");
        }
        fs::remove_file(&file).unwrap();
    }

    #[test]
    fn links_are_kept_and_what_they_lead_to_stands_once() {
        let folder = env::temp_dir().join(format!("lab-runtimes-{}", std::process::id()));
        let at = |name: &str| folder.join(name);
        fs::create_dir_all(at("real")).unwrap();
        fs::write(at("real/file"), "x").unwrap();
        std::os::unix::fs::symlink("real", at("link")).unwrap();
        let mut all = Runtimes::default();
        all.enter(&at("real/file"), true);
        all.enter(&at("link/../link/file"), false);
        all.enter(&at("nowhere"), true);
        let canonical = fs::canonicalize(at("real/file")).unwrap();
        assert_eq!(all.entries.get(&canonical), Some(&Entry::File { opened: true }));
        let link = canonical.parent().unwrap().parent().unwrap().join("link");
        assert_eq!(all.entries.get(&link), Some(&Entry::Link("real".into())));
        assert_eq!(all.entries.values().filter(|entry| matches!(entry, Entry::File { .. })).count(), 1);
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn what_the_host_lacks_is_known_by_the_path() {
        let all = json!({ "host": { "missing": { "dotnet": "why" } } });
        assert_eq!(missing(&all, "runtimes[dotnet].clocks[0]"), Some("why"));
        assert_eq!(missing(&all, "runtimes[c].clocks[0]"), None);
        assert_eq!(missing(&all, "clocks[dotnet]"), None);
    }
}
