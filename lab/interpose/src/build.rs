//! The C programs, built with `cc` on first use.

use std::path::{Path, PathBuf};
use std::process::{self, Command};
use std::sync::OnceLock;
use std::{env, fs};

use anyhow::{Context, Result, anyhow, ensure};

/// The programs of the folder `c`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Helper {
    /// The library for `LD_PRELOAD`.
    Interposer,
    /// Writes down every read of a clock between two true ones.
    Reader,
    /// Reads from several threads and a signal handler at once.
    Crowd,
    /// Runs a program under a seccomp filter that denies `clock_gettime`.
    Deny,
}

impl Helper {
    fn name(self) -> &'static str {
        ["interpose.so", "reader", "crowd", "deny"][self as usize]
    }

    fn sources(self) -> &'static [&'static str] {
        match self {
            Self::Interposer => &["interpose.c", "inject.c", "script.c", "log.c", "truth.c"],
            Self::Reader => &["reader.c"],
            Self::Crowd => &["crowd.c"],
            Self::Deny => &["deny.c"],
        }
    }

    fn flags(self) -> &'static [&'static str] {
        match self {
            Self::Interposer => &["-shared", "-fPIC", "-fvisibility=hidden"],
            Self::Crowd => &["-pthread"],
            Self::Reader | Self::Deny => &[],
        }
    }
}

/// The helper's path; compiled once a process (0.3 s). Fails where there is no C compiler `cc`.
pub fn built(helper: Helper) -> Result<&'static Path> {
    static BUILT: [OnceLock<Result<PathBuf, String>>; 4] = [const { OnceLock::new() }; 4];
    BUILT[helper as usize]
        .get_or_init(|| compile(helper).map_err(|error| format!("{error:#}")))
        .as_deref()
        .map_err(|error| anyhow!("{error}"))
}

fn compile(helper: Helper) -> Result<PathBuf> {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("c");
    let here = env::current_exe().context("the path of the running program")?;
    let folder = here.parent().unwrap_or(Path::new(".")).join("interpose");
    fs::create_dir_all(&folder).with_context(|| format!("can't make {}", folder.display()))?;
    let output = folder.join(helper.name());
    // Under a name of its own first: another run may be using the finished one.
    let fresh = folder.join(format!("{}.{}", helper.name(), process::id()));
    let built = Command::new("cc")
        .args(["-std=c11", "-O2", "-Wall", "-Wextra", "-Werror"])
        .args(helper.flags())
        .arg("-o")
        .arg(&fresh)
        .args(helper.sources().iter().map(|source| sources.join(source)))
        .args(["-ldl", "-lm"])
        .output()
        .context("a C compiler `cc` (`cargo xtask setup` fetches it)")?;
    ensure!(built.status.success(), "cc could not build {}: {}", helper.name(), String::from_utf8_lossy(&built.stderr));
    fs::rename(&fresh, &output).with_context(|| format!("can't rename {}", fresh.display()))?;
    Ok(output)
}
