//! From an entry of the list to a probe that can be run: programs are looked up, files written, and the probe is built.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use clockscope_probes::{Runtime, files};

use super::process::{Failed, run};

/// Longest time for a build; one that fetches packages; and for a version, s.
const BUILD: Duration = Duration::from_secs(60);
const FETCH: Duration = Duration::from_secs(240);
const VERSION: Duration = Duration::from_secs(20);
/// In the folder of what was built: it was built to the end.
const DONE: &str = ".built";

/// A probe that can be run.
pub(super) struct Ready<'a> {
    runtime: &'a Runtime,
    values: BTreeMap<&'a str, String>,
    dir: PathBuf,
    pub(super) version: Option<String>,
}

impl<'a> Ready<'a> {
    /// Looks up what the runtime needs, and builds its probe below `folder`, unless that was done before. `Err`: why it can't
    /// be run.
    pub(super) fn new(
        runtime: &'a Runtime,
        folder: &Path,
        fetch: bool,
        stop: &dyn Fn() -> bool,
    ) -> Result<Self, String> {
        let mut values = BTreeMap::new();
        for (placeholder, names) in &runtime.find {
            let found = names.iter().find_map(|name| on_path(name)).ok_or_else(|| not_there(names, &runtime.debian))?;
            values.insert(placeholder.as_str(), found.display().to_string());
        }
        let mut ready = Self { runtime, values, dir: PathBuf::new(), version: None };
        ready.version = ready.ask_version(stop);
        // Another compiler or another probe is another folder, so that what was built is what would be.
        let mut hasher = DefaultHasher::new();
        (&runtime.build, &runtime.env, &ready.values, &ready.version).hash(&mut hasher);
        files(runtime).for_each(|file| file.hash(&mut hasher));
        let folder = folder.join(format!("{}-{:016x}", runtime.name, hasher.finish()));
        let (dir, out) = (folder.join("probe"), folder.join("out"));
        let write = |error: io::Error| format!("{}: {error}", folder.display());
        fs::create_dir_all(&out).map_err(write)?;
        for (path, bytes) in files(runtime) {
            let path = dir.join(path);
            path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&path, bytes)).map_err(write)?;
        }
        let file = dir.join(runtime.files.first().map_or("", String::as_str));
        for (name, path) in [("dir", &dir), ("file", &file), ("out", &out)] {
            ready.values.insert(name, path.display().to_string());
        }
        ready.dir = dir;
        if !runtime.build.is_empty() && !out.join(DONE).exists() {
            if runtime.fetches && !fetch {
                return Err("its build asks a package registry, which --fetch permits; then it is kept".into());
            }
            let limit = if runtime.fetches { FETCH } else { BUILD };
            let built = run(&mut ready.command(&runtime.build)?, limit, stop, &mut |_| true);
            built.map_err(|why| format!("its build failed: {why}"))?;
            fs::write(out.join(DONE), "").map_err(write)?;
        }
        Ok(ready)
    }

    /// The command that writes so many samples of each clock, and so many pairs of batches.
    pub(super) fn probe(&mut self, samples: u64, pairs: u64) -> Result<Command, String> {
        self.values.insert("samples", samples.to_string());
        self.values.insert("pairs", pairs.to_string());
        self.command(&self.runtime.run)
    }

    fn command(&self, argv: &[String]) -> Result<Command, String> {
        let argv = self.runtime.fill(argv, &self.values).map_err(|error| error.to_string())?;
        let [program, arguments @ ..] = &argv[..] else { return Err("the list has no command".into()) };
        let mut command = Command::new(program);
        command.args(arguments);
        command.envs(self.runtime.variables(&self.values).map_err(|error| error.to_string())?);
        if !self.dir.as_os_str().is_empty() {
            command.current_dir(&self.dir);
        }
        Ok(command)
    }

    /// The first line that is not empty, of standard output or else of standard error.
    fn ask_version(&self, stop: &dyn Fn() -> bool) -> Option<String> {
        let mut out = Vec::new();
        let mut take = |bytes: &[u8]| {
            out.extend_from_slice(&bytes[..bytes.len().min(1 << 16)]);
            out.len() < 1 << 16
        };
        let err = run(&mut self.command(&self.runtime.version).ok()?, VERSION, stop, &mut take);
        let err = match err {
            Ok(err) => err,
            // Its last words are of an error.
            Err(Failed::Ended(_)) => String::new(),
            Err(_) => return None,
        };
        let out = String::from_utf8_lossy(&out);
        let line = out.lines().chain(err.lines()).map(str::trim).find(|line| !line.is_empty())?;
        Some(line.chars().take(120).collect())
    }
}

/// Where probes are built and kept: the user's folder for what can be made again.
pub(super) fn folder() -> Result<PathBuf, String> {
    let absolute = |path: &PathBuf| path.is_absolute();
    let named = |name: &str| env::var_os(name).map(PathBuf::from).filter(absolute);
    let cache = named("XDG_CACHE_HOME").or_else(|| named("HOME").map(|home| home.join(".cache")));
    let folder = cache.ok_or("neither XDG_CACHE_HOME nor HOME names a folder to build probes in")?;
    Ok(folder.join("clockscope").join("probes"))
}

/// The file that the shell would run.
fn on_path(name: &str) -> Option<PathBuf> {
    let is_program =
        |path: &PathBuf| fs::metadata(path).is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0);
    let path = env::var_os("PATH")?;
    env::split_paths(&path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(OsStr::new(name)))
        .find(is_program)
}

fn not_there(names: &[String], debian: &[String]) -> String {
    let packages = if debian.is_empty() { String::new() } else { format!("; Debian has it in {}", debian.join(", ")) };
    format!("{} is not on the PATH{packages}", names.join(" or "))
}
