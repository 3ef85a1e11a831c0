//! The header is in step with the code, and the examples compile and run.
#![cfg(not(miri))]

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

const HERE: &str = env!("CARGO_MANIFEST_DIR");

#[test]
fn the_header_is_in_step() {
    let config = cbindgen::Config::from_file(Path::new(HERE).join("cbindgen.toml")).expect("cbindgen.toml");
    let mut header = Vec::new();
    cbindgen::generate_with_config(HERE, config).expect("bindings").write(&mut header);
    let path = Path::new(HERE).join("include/truetick.h");
    if env::var_os("TRUETICK_BLESS").is_some() {
        fs::write(&path, &header).expect("the header is written");
    }
    let kept = fs::read(&path).unwrap_or_default();
    assert!(
        kept == header,
        "include/truetick.h is not what cbindgen makes of src/lib.rs: TRUETICK_BLESS=1 writes it anew"
    );
}

/// Builds the libraries and returns the folder that they lie in.
fn libraries() -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("capi");
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["build", "--quiet", "--manifest-path"])
        .arg(Path::new(HERE).join("Cargo.toml"))
        .arg("--target-dir")
        .arg(&target)
        .env_remove("RUSTFLAGS")
        .status()
        .expect("cargo starts");
    assert!(status.success());
    target.join("debug")
}

/// Compiles a program against the static and the shared library, and runs both.
fn compile_and_run(variable: &str, compiler: &str, standard: &str, source: &str) {
    compile(variable, compiler, standard, source, &[], |mut program| {
        ran(&mut program);
    });
}

/// What a program prints that ends well.
fn ran(program: &mut Command) -> String {
    let output = program.output().expect("it starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{program:?}: {}: {text}", output.status);
    println!("{text}");
    text
}

/// Compiles a program with some objects against the static and the shared library, and hands over each.
fn compile(variable: &str, compiler: &str, standard: &str, source: &str, objects: &[&Path], run: impl Fn(Command)) {
    let compiler = env::var(variable).unwrap_or_else(|_| compiler.to_owned());
    let libraries = libraries();
    for library in ["libtruetick_capi.a", "libtruetick_capi.so"] {
        let program =
            Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}{standard}-{library}", source.replace('/', "-")));
        let mut command = Command::new(&compiler);
        command.args([standard, "-Wall", "-Wextra", "-Werror", "-pedantic", "-O1", "-o"]).arg(&program);
        command.arg("-I").arg(Path::new(HERE).join("include")).arg(Path::new(HERE).join(source));
        command.args(objects).arg(libraries.join(library)).args(["-lpthread", "-ldl", "-lm"]);
        let status = command.status();
        assert!(status.as_ref().is_ok_and(std::process::ExitStatus::success), "{command:?}: {status:?}");
        let mut program = Command::new(&program);
        program.env("LD_LIBRARY_PATH", &libraries);
        run(program);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn the_c_example_runs() {
    compile_and_run("CC", "cc", "-std=c11", "examples/stamp.c");
}

#[cfg(target_os = "linux")]
#[test]
fn the_cpp_example_runs() {
    compile_and_run("CXX", "c++", "-std=c++17", "examples/clock.cpp");
}

#[cfg(target_os = "linux")]
#[test]
fn inline_readings_and_the_librarys_are_one_clock() {
    compile_and_run("CC", "cc", "-std=c11", "tests/c/inline.c");
    compile_and_run("CXX", "c++", "-std=c++11", "examples/clock.cpp");
}

/// The object that makes the kernel call its clock synchronized, or not (tests/c/synchronized.c).
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
fn synchronized(name: &str) -> PathBuf {
    let object = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-synchronized.o"));
    let mut command = Command::new(env::var("CC").unwrap_or_else(|_| "cc".to_owned()));
    command.args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-c", "-o"]).arg(&object);
    let status = command.arg(Path::new(HERE).join("tests/c/synchronized.c")).status();
    assert!(status.as_ref().is_ok_and(std::process::ExitStatus::success), "{command:?}: {status:?}");
    object
}

#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
#[test]
fn the_examples_commit_where_there_is_a_bound_and_say_why_where_there_is_none() {
    for (variable, compiler, standard, source) in
        [("CC", "cc", "-std=c11", "examples/commit.c"), ("CXX", "c++", "-std=c++11", "examples/commit.cpp")]
    {
        compile(variable, compiler, standard, source, &[&synchronized("examples")], |mut program| {
            let text = ran(&mut program);
            assert!(text.contains("\nnot committed: nothing synchronizes the clock\n"), "{text}");
            let text = ran(program.env("SAYS", "300"));
            assert!(text.contains("\ncommitted"), "{text}");
        });
    }
}

#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
#[test]
fn wall_time_is_one_clock_with_one_bound() {
    compile("CC", "cc", "-std=c11", "tests/c/utc.c", &[&synchronized("utc")], |mut program| {
        ran(&mut program);
        ran(program.env("SAYS", "300"));
        ran(program.env("TRUETICK_SOURCE", "os"));
    });
}

#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
#[test]
fn a_reading_makes_no_call_on_its_way() {
    let compiler = env::var("CXX").unwrap_or_else(|_| "c++".to_owned());
    let mut command = Command::new(&compiler);
    command.args(["-std=c++17", "-O2", "-S", "-o", "-", "-I"]).arg(Path::new(HERE).join("include"));
    let output = command.arg(Path::new(HERE).join("tests/c/probe.cpp")).output().expect("the compiler starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout);
    for (name, fenced) in [("probe", true), ("probe_relaxed", false), ("probe_utc", true), ("probe_bounds", true)] {
        // From the function's beginning to its first return: what happens where a line is in use.
        let way = text.split_once(&format!("\n{name}:\n")).and_then(|(_, rest)| rest.split_once("\tret"));
        let (way, rest) = way.unwrap_or_else(|| panic!("no {name} in {text}"));
        let (read, fence, calls) = if cfg!(target_arch = "x86_64") {
            ("rdtsc", "lfence", ["\tcall", "\tjmp\ttruetick"])
        } else {
            ("cntvct_el0", "isb", ["\tbl\t", "\tb\ttruetick"])
        };
        assert!(way.contains(read) && way.contains(fence) == fenced, "{name}: {way}");
        assert!(!calls.iter().any(|call| way.contains(call)), "{name}: {way}");
        assert!(rest.contains("truetick_"), "{name} knows no way out: {rest}");
    }
}
