//! Embeds the probes, so that an installed `clockscope` has them: every file of every folder beside this one, deflated.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use flate2::Compression;
use flate2::read::ZlibEncoder;

/// Folders that are this crate's own.
const OWN: [&str; 3] = ["src", "tests", "target"];

fn main() -> io::Result<()> {
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let mut found = Vec::new();
    for entry in fs::read_dir(&here)? {
        let entry = entry?;
        let name = entry.file_name().into_string().expect("probes' names are text");
        if entry.file_type()?.is_dir() && !OWN.contains(&name.as_str()) {
            walk(&entry.path(), &name, &mut found)?;
        }
    }
    // truetick is in no registry: the probe of the Rust crates gets the source that this program itself is built with.
    walk(&here.join("../crates/truetick/src"), "rust-crates/truetick/src", &mut found)?;
    found.sort();

    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let mut table = String::from("&[\n");
    for (number, (name, path)) in found.iter().enumerate() {
        let deflated = format!("{number}.z");
        let mut reader = ZlibEncoder::new(fs::File::open(path)?, Compression::best());
        io::copy(&mut reader, &mut fs::File::create(out.join(&deflated))?)?;
        writeln!(table, "    ({name:?}, include_bytes!({deflated:?})),").expect("a String takes all");
    }
    table.push(']');
    fs::write(out.join("files.rs"), table)?;
    println!("cargo::rerun-if-changed=.");
    println!("cargo::rerun-if-changed=../crates/truetick/src");
    Ok(())
}

/// Every file below `folder`, with the name that it goes by in the list: parts joined by '/' on every system.
fn walk(folder: &Path, name: &str, found: &mut Vec<(String, PathBuf)>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let below = format!("{name}/{}", entry.file_name().into_string().expect("probes' names are text"));
        if entry.file_type()?.is_dir() {
            walk(&entry.path(), &below, found)?;
        } else {
            found.push((below, entry.path()));
        }
    }
    Ok(())
}
