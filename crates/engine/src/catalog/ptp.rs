//! PTP hardware clocks as dynamic posix clocks (clock_gettime(2), "Dynamic clocks").

use std::fs::File;
use std::os::fd::IntoRawFd;

use super::clock::unopened;
use super::posix::{ByLibc, resolution};
use super::{Description, Register, ptp_offset};
use clockscope_analysis::record::Path;

pub(super) fn register<R: Register>(register: &mut R) {
    let mut devices: Vec<(u32, String)> = std::fs::read_dir("/dev")
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter_map(|name| Some((name.strip_prefix("ptp")?.parse().ok()?, name)))
        .collect();
    devices.sort();
    if devices.is_empty() {
        missing(register, "ptp0", "there is no /dev/ptp* device".into());
    }
    for (_, name) in devices {
        match File::open(format!("/dev/{name}")) {
            Err(error) => missing(register, &name, unopened(format!("/dev/{name}"), &error, "it is busy")),
            Ok(file) => {
                // The descriptor is the clock's name and must stay open while the clock is used: to the end.
                let file = file.into_raw_fd();
                let clock = (!file << 3) | 3;
                register.probe(describe(&name, resolution(clock)), ByLibc(clock));
                ptp_offset::register(register, &name, Ok(ptp_offset::Device(file)));
            }
        }
    }
}

/// A device that is not there, or not for us.
fn missing<R: Register>(register: &mut R, name: &str, reason: String) {
    register.unavailable(describe(name, None), reason.clone());
    ptp_offset::register::<R, ptp_offset::Device>(register, name, Err(reason));
}

fn describe(name: &str, reported_ns: Option<f64>) -> Description {
    let path_evidence = "dynamic clocks have no other way".into();
    let api = format!("clock_gettime(FD_TO_CLOCKID(/dev/{name}))");
    Description { path_evidence, reported_ns, ..ptp_offset::describe(name, "", &api, Path::Syscall) }
}
