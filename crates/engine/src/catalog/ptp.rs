//! PTP hardware clocks as dynamic posix clocks (clock_gettime(2), "Dynamic clocks").

use std::fs::File;
use std::os::fd::IntoRawFd;

use super::posix::{ByLibc, resolution};
use super::{Description, Register, Unit};
use crate::record::{Kind, Path, Promises};

pub(super) fn register<R: Register>(register: &mut R) {
    let mut devices: Vec<String> = std::fs::read_dir("/dev")
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.strip_prefix("ptp").is_some_and(|n| n.parse::<u32>().is_ok()))
        .collect();
    devices.sort();
    if devices.is_empty() {
        register.unavailable(describe("ptp0", None), "there is no /dev/ptp* device".into());
    }
    for name in devices {
        match File::open(format!("/dev/{name}")) {
            Err(error) => register.unavailable(describe(&name, None), format!("/dev/{name}: {error}")),
            Ok(file) => {
                // The descriptor is the clock's name and must stay open while the clock is used: to the end.
                let clock = (!file.into_raw_fd() << 3) | 3;
                register.probe(describe(&name, resolution(clock)), ByLibc(clock));
            }
        }
    }
}

fn describe(name: &str, reported_ns: Option<f64>) -> Description {
    Description {
        id: name.into(),
        api: format!("clock_gettime(FD_TO_CLOCKID(/dev/{name}))"),
        kind: Kind::Device,
        path: Path::Syscall,
        path_evidence: "dynamic clocks have no other way".into(),
        promises: Promises { may_step: true, slewed: true, counts_suspend: true, per_cpu: false },
        unit: Unit::Ns(1.0),
        reported_ns,
        interposed_by: None,
    }
}
