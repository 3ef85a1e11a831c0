//! A program's environment under the interposer, and where its log goes.

use std::ffi::OsString;
use std::fs;

use anyhow::{Context, Result};
use tempfile::TempDir;

use crate::{Helper, Log, built};

/// One script with one seed. The log lives as long as this does.
pub struct Injection {
    script: String,
    seed: u64,
    folder: TempDir,
}

impl Injection {
    /// `script` as README.md describes it.
    pub fn new(script: impl Into<String>, seed: u64) -> Result<Self> {
        let folder = TempDir::new().context("a temporary folder")?;
        Ok(Self { script: script.into(), seed, folder })
    }

    /// The script.
    pub fn script(&self) -> &str {
        &self.script
    }

    /// The variables that the program to be lied to needs.
    pub fn variables(&self) -> Result<Vec<(&'static str, OsString)>> {
        Ok(vec![
            ("LD_PRELOAD", built(Helper::Interposer)?.into()),
            ("INTERPOSE", OsString::from(&self.script)),
            ("INTERPOSE_SEED", self.seed.to_string().into()),
            ("INTERPOSE_LOG", self.folder.path().join("log").into()),
        ])
    }

    /// What was injected, once the program has ended.
    pub fn log(&self) -> Result<Log> {
        let path = self.folder.path().join("log");
        let bytes = fs::read(&path).with_context(|| format!("the interposer's log {}", path.display()))?;
        // A killed program leaves NUL bytes behind the last line.
        let length = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
        Log::parse(&String::from_utf8_lossy(&bytes[..length]))
    }
}
