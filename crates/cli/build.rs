//! What makes the program small: deflates the texts that it holds and seldom shows (schemas, the report's scripts), leaves out the
//! tables by which a stack is unwound and the list of what moves with the program, and merges equal functions.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

use flate2::Compression;
use flate2::read::ZlibEncoder;

const DOCS: &str = "../../docs";
const ASSETS: [&str; 2] = ["assets/uplot/uPlot.iife.min.js", "assets/report.js"];

/// A linker script: without the tables.
const NO_TABLES: &str = "SECTIONS { /DISCARD/ : { *(.eh_frame) *(.eh_frame_hdr) } } INSERT AFTER .comment;\n";

/// Functions whose code is equal become one, as gold and lld can.
const FOLD: &str = "-Wl,--icf=all";

fn main() -> io::Result<()> {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    for entry in fs::read_dir(DOCS)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if name.ends_with(".schema.json") {
            deflate(&path, &out)?;
        }
    }
    println!("cargo::rerun-if-changed={DOCS}");
    for asset in ASSETS {
        deflate(Path::new(asset), &out)?;
    }
    if panics_abort() {
        let script = out.join("no-tables.ld");
        fs::write(&script, NO_TABLES)?;
        println!("cargo::rustc-link-arg-bins=-Wl,--no-eh-frame-hdr,--script={}", script.display());
        // At one address, for which nothing has to be put right as it is loaded: the list of what would is 0.25 MiB. But not where
        // somebody chose how code lies: of a static program the word would make one that is none.
        let features = env::var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default();
        if !features.contains("crt-static") && !flags().contains("relocation-model") {
            println!("cargo::rustc-link-arg-bins=-no-pie");
        }
        if folds(&out)? {
            println!("cargo::rustc-link-arg-bins={FOLD}");
        }
    }
    Ok(())
}

/// Whether the linker that rustc takes for this target, by the flags of this build, folds equal functions: tried, for GNU's refuses
/// the word.
fn folds(out: &Path) -> io::Result<bool> {
    let source = out.join("folds.rs");
    fs::write(&source, "fn main() {}\n")?;
    let variable = |name| env::var_os(name).unwrap_or_default();
    let mut rustc = Command::new(variable("RUSTC"));
    rustc.arg(&source).arg("--target").arg(variable("TARGET")).arg("-o").arg(out.join("folds"));
    rustc.args(flags().split('\u{1f}').filter(|flag| !flag.is_empty())).arg(format!("-Clink-arg={FOLD}"));
    Ok(rustc.output().is_ok_and(|it| it.status.success()))
}

fn flags() -> String {
    env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default()
}

/// Writes a file deflated under its own name.
fn deflate(path: &Path, out: &Path) -> io::Result<()> {
    let mut reader = ZlibEncoder::new(fs::File::open(path)?, Compression::best());
    io::copy(&mut reader, &mut fs::File::create(out.join(path.file_name().unwrap_or_default()))?)?;
    println!("cargo::rerun-if-changed={}", path.display());
    Ok(())
}

/// Whether this is the release profile's program, which nothing unwinds: a panic aborts it, and the names that a backtrace would show
/// are stripped as well. The other profiles are not optimized for size. Elsewhere than by the usual linkers of glibc's Linux it is
/// not tried: musl's start files refer to the tables, and a linker that somebody names, as for the wheel, or mold in the flags,
/// may take no script.
fn panics_abort() -> bool {
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|it| it == value);
    let usual = env::var_os("RUSTC_LINKER").is_none() && !flags().contains("fuse-ld");
    is("OPT_LEVEL", "z") && is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu") && usual
}
