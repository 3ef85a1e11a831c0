//! Finds, builds and runs a probe, as little as a test needs.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, thread};

use clockscope_probes::{Runtime, files};

pub(crate) struct Prepared<'a> {
    runtime: &'a Runtime,
    values: BTreeMap<&'a str, String>,
    dir: PathBuf,
}

impl<'a> Prepared<'a> {
    /// With its files written below `folder`; or why the runtime isn't here.
    pub(crate) fn of(
        runtime: &'a Runtime,
        folder: &Path,
        samples: usize,
        pairs: usize,
    ) -> Result<Result<Self, String>, String> {
        let mut values = BTreeMap::from([("samples", samples.to_string()), ("pairs", pairs.to_string())]);
        for (placeholder, programs) in &runtime.find {
            match programs.iter().find_map(|program| on_path(program)) {
                Some(path) => values.insert(placeholder.as_str(), text(&path)),
                None => return Ok(Err(format!("none of {} is on PATH", programs.join(", ")))),
            };
        }
        let (dir, out) = (folder.join("files"), folder.join("out"));
        fs::create_dir_all(&out).map_err(|error| error.to_string())?;
        for (path, content) in files(runtime) {
            let path = dir.join(path);
            fs::create_dir_all(path.parent().unwrap_or(&dir)).map_err(|error| error.to_string())?;
            fs::write(path, content).map_err(|error| error.to_string())?;
        }
        values.insert("file", text(&dir.join(&runtime.files[0])));
        values.insert("dir", text(&dir));
        values.insert("out", text(&out));
        Ok(Ok(Self { runtime, values, dir }))
    }

    /// What the runtime calls itself.
    pub(crate) fn version(&self) -> Result<String, String> {
        let (out, err) = self.output(&self.runtime.version, Duration::from_secs(20))?;
        let line = |text: &str| text.lines().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned);
        line(&out).or_else(|| line(&err)).ok_or_else(|| "it prints no version".to_owned())
    }

    pub(crate) fn build(&self, limit: Duration) -> Result<(), String> {
        if self.runtime.build.is_empty() { Ok(()) } else { self.output(&self.runtime.build, limit).map(drop) }
    }

    /// Its runs from now on time no batches.
    pub(crate) fn without_pairs(&mut self) {
        self.values.insert("pairs", 0.to_string());
    }

    /// What the probe wrote.
    pub(crate) fn run(&self, limit: Duration) -> Result<String, String> {
        match self.output(&self.runtime.run, limit)? {
            (out, err) if err.is_empty() => Ok(out),
            (_, err) => Err(format!("it complains: {err}")),
        }
    }

    fn output(&self, argv: &[String], limit: Duration) -> Result<(String, String), String> {
        let argv = self.runtime.fill(argv, &self.values).map_err(|error| error.to_string())?;
        let env = self.runtime.variables(&self.values).map_err(|error| error.to_string())?;
        // Into files, so that no pipe is ever full.
        let (out, err) = (self.dir.join("stdout"), self.dir.join("stderr"));
        let file = |path: &Path| File::create(path).map_err(|error| error.to_string());
        let mut command = Command::new(&argv[0]);
        command.args(&argv[1..]).envs(env).current_dir(&self.dir);
        command.stdin(Stdio::null()).stdout(file(&out)?).stderr(file(&err)?);
        let mut child = command.spawn().map_err(|error| format!("{}: {error}", argv[0]))?;
        let end = Instant::now() + limit;
        let status = loop {
            if let Some(status) = child.try_wait().map_err(|error| error.to_string())? {
                break status;
            }
            if Instant::now() >= end {
                child.kill().and_then(|()| child.wait()).map_err(|error| error.to_string())?;
                return Err(format!("not done in {} s: {}", limit.as_secs(), argv.join(" ")));
            }
            thread::sleep(Duration::from_millis(5));
        };
        let read = |path: &Path| fs::read(path).map_err(|error| error.to_string());
        let out = String::from_utf8(read(&out)?).map_err(|error| error.to_string())?;
        let err = String::from_utf8_lossy(&read(&err)?).into_owned();
        if status.success() { Ok((out, err)) } else { Err(format!("{status} of {}\n{out}{err}", argv.join(" "))) }
    }
}

fn on_path(program: &str) -> Option<PathBuf> {
    env::split_paths(&env::var_os("PATH")?).map(|folder| folder.join(program)).find(|path| path.is_file())
}

fn text(path: &Path) -> String {
    path.to_str().expect("the paths of a test are text").to_owned()
}
