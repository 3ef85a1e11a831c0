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
use std::time::{Duration, SystemTime};

use clockscope_probes::{Runtime, files};

use super::Builds;
use super::process::{Failed, run};

/// Longest time for a build; one that fetches packages; and for a version, s.
const BUILD: Duration = Duration::from_secs(60);
const FETCH: Duration = Duration::from_secs(240);
const VERSION: Duration = Duration::from_secs(20);
/// In the folder of what was built: it was built to the end. In it is the version of what it was built with.
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
        builds: Builds,
        stop: &dyn Fn() -> bool,
    ) -> Result<Self, String> {
        let is_kept = builds == Builds::Kept && !runtime.build.is_empty();
        let mut values = BTreeMap::new();
        for (placeholder, names) in &runtime.find {
            // What only builds need not be there.
            if is_kept && !runtime.run.iter().any(|word| word.contains(&format!("{{{placeholder}}}"))) {
                continue;
            }
            let found = names.iter().find_map(|name| on_path(name)).ok_or_else(|| not_there(names, &runtime.debian))?;
            values.insert(placeholder.as_str(), found.display().to_string());
        }
        let mut ready = Self { runtime, values, dir: PathBuf::new(), version: None };
        if is_kept {
            let why = || format!("nothing that was built for it lies in {}", folder.display());
            let (kept, version) = last_built(folder, &runtime.name).ok_or_else(why)?;
            ready.version = Some(version).filter(|version| !version.is_empty());
            ready.lies_in(&kept);
        } else {
            ready.version = ready.ask_version(stop);
            ready.write(folder, builds, stop)?;
        }
        Ok(ready)
    }

    /// Writes the files and builds.
    fn write(&mut self, folder: &Path, builds: Builds, stop: &dyn Fn() -> bool) -> Result<(), String> {
        let runtime = self.runtime;
        // Another compiler or another probe is another folder, so that what was built is what would be.
        let mut hasher = DefaultHasher::new();
        (&runtime.build, &runtime.env, &self.values, &self.version).hash(&mut hasher);
        files(runtime).for_each(|file| file.hash(&mut hasher));
        let folder = folder.join(format!("{}-{:016x}", runtime.name, hasher.finish()));
        let out = self.lies_in(&folder);
        let write = |error: io::Error| format!("{}: {error}", folder.display());
        fs::create_dir_all(&out).map_err(write)?;
        for (path, bytes) in files(runtime) {
            let path = self.dir.join(path);
            path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&path, bytes)).map_err(write)?;
        }
        if runtime.build.is_empty() || out.join(DONE).exists() {
            return Ok(());
        }
        if runtime.fetches && builds != Builds::Fetched {
            return Err("its build asks a package registry, which --fetch permits; then it is kept".into());
        }
        let limit = if runtime.fetches { FETCH } else { BUILD };
        let built = run(&mut self.command(&runtime.build)?, limit, stop, &mut |_| true);
        built.map_err(|why| format!("its build failed: {why}"))?;
        fs::write(out.join(DONE), self.version.as_deref().unwrap_or_default()).map_err(write)
    }

    /// Notes where files and build lie; returns where the build does.
    fn lies_in(&mut self, folder: &Path) -> PathBuf {
        let (dir, out) = (folder.join("probe"), folder.join("out"));
        let file = dir.join(self.runtime.files.first().map_or("", String::as_str));
        for (name, path) in [("dir", &dir), ("file", &file), ("out", &out)] {
            self.values.insert(name, path.display().to_string());
        }
        self.dir = dir;
        out
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

/// The folder of the last build of this runtime's probe, and the version of what it was built with.
fn last_built(folder: &Path, name: &str) -> Option<(PathBuf, String)> {
    let when = |entry: &fs::DirEntry| -> Option<SystemTime> {
        let named = entry.file_name();
        let hash = named.to_str()?.strip_prefix(name)?.strip_prefix('-')?;
        // `rust` is not `rust-crates`.
        let is_hash = hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
        let done = is_hash.then(|| entry.path().join("out").join(DONE))?;
        fs::metadata(done).ok()?.modified().ok()
    };
    let entries = fs::read_dir(folder).ok()?.filter_map(Result::ok);
    let (_, last) = entries.filter_map(|entry| Some((when(&entry)?, entry.path()))).max()?;
    let version = fs::read_to_string(last.join("out").join(DONE)).ok()?;
    Some((last, version))
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
    let packages = if debian.is_empty() {
        String::new()
    } else {
        format!("; of Debian's packages its probe takes {}", debian.join(", "))
    };
    format!("{} is not on the PATH{packages}", names.join(" or "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_build_of_this_very_name_is_taken() {
        let folder = tempfile::tempdir().unwrap();
        let built = |name: &str, version: &str, age_s: u64| {
            let out = folder.path().join(name).join("out");
            fs::create_dir_all(&out).unwrap();
            fs::write(out.join(DONE), version).unwrap();
            let file = fs::File::options().write(true).open(out.join(DONE)).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_secs(age_s)).unwrap();
        };
        built("rust-0123456789abcdef", "1.0", 20);
        built("rust-fedcba9876543210", "2.0", 30);
        built("rust-crates-0123456789abcdef", "3.0", 10);
        fs::create_dir_all(folder.path().join("go-0123456789abcdef/out")).unwrap();
        let last = |name| last_built(folder.path(), name).map(|(_, version)| version);
        assert_eq!((last("rust").as_deref(), last("rust-crates").as_deref()), (Some("1.0"), Some("3.0")));
        assert_eq!((last("go"), last("c")), (None, None));
    }
}
