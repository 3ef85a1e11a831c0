//! Runs the program and reads its record.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use clockscope_analysis::record::Record;
use tempfile::TempDir;

use crate::Injection;

/// A survey that takes longer hangs.
const LONGEST: Duration = Duration::from_secs(60);

/// Runs `clockscope` with `arguments`, under the injection if there is one, and returns its record.
pub fn survey(clockscope: &Path, arguments: &[&str], injection: Option<&Injection>) -> Result<Record> {
    let folder = TempDir::new().context("a temporary folder")?;
    let (record, complaints) = (folder.path().join("record.json"), folder.path().join("stderr"));
    let mut command = Command::new(clockscope);
    command.args(arguments).args(["--format", "json", "--no-progress", "--output"]).arg(&record);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(File::create(&complaints)?);
    if let Some(injection) = injection {
        command.envs(injection.variables()?);
    }
    let mut child = command.spawn().with_context(|| format!("can't run {}", clockscope.display()))?;
    let status = end_within(&mut child, LONGEST)?;
    if !status.success() {
        bail!("clockscope ended with {status}: {}", fs::read_to_string(&complaints)?.trim());
    }
    let text = fs::read_to_string(&record).context("clockscope's record")?;
    serde_json::from_str(&text).context("clockscope's record")
}

/// Waits for the child's end; kills it, and fails, after `longest`.
pub fn end_within(child: &mut Child, longest: Duration) -> Result<ExitStatus> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if start.elapsed() > longest {
            child.kill()?;
            child.wait()?;
            bail!("it was still running after {} s", longest.as_secs());
        }
        sleep(Duration::from_millis(5));
    }
}
