//! Deflates the schemas, which the program holds: as text they are a tenth of it.

use std::path::PathBuf;
use std::{env, fs, io};

use flate2::Compression;
use flate2::read::ZlibEncoder;

const DOCS: &str = "../../docs";

fn main() -> io::Result<()> {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    for entry in fs::read_dir(DOCS)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if name.ends_with(".schema.json") {
            let mut reader = ZlibEncoder::new(fs::File::open(&path)?, Compression::best());
            io::copy(&mut reader, &mut fs::File::create(out.join(name))?)?;
            println!("cargo::rerun-if-changed={DOCS}/{name}");
        }
    }
    println!("cargo::rerun-if-changed={DOCS}");
    Ok(())
}
