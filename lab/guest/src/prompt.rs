//! A prompt for a person at the console: each line is clockscope's arguments.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Write, stdin, stdout};
use std::process::Command;

use anyhow::{Context, Result};
use lab_guest::notes::Notes;
use lab_guest::plan::{Guest, PROGRAM};

use crate::{faults, machine};

/// Does what the scenario does before its program, then serves until `off` or the line's end.
pub(crate) fn serve(guest: &Guest, environment: &BTreeMap<String, String>) -> Result<()> {
    faults::Faults::new(&guest.faults).before(&mut Notes::default())?;
    machine::unmount_all_but(&guest.mounts)?;
    println!("Arguments of clockscope; 'cat FILE'; 'off' switches the guest off.");
    loop {
        print!("clockscope> ");
        stdout().flush().context("can't write to the console")?;
        let mut line = String::new();
        if stdin().read_line(&mut line).context("can't read the console")? == 0 {
            return Ok(());
        }
        match line.split_whitespace().collect::<Vec<_>>()[..] {
            ["off"] => return Ok(()),
            ["cat", file] => match fs::read(file) {
                Ok(bytes) => print!("{}", String::from_utf8_lossy(&bytes)),
                Err(error) => println!("{file}: {error}"),
            },
            ref arguments => {
                if let Err(error) = Command::new(PROGRAM).args(arguments).envs(environment).status() {
                    println!("{PROGRAM}: {error}");
                }
            }
        }
    }
}
