//! Clocks that other architectures do not have: listed, with that as the reason.

use super::{Description, Register, Unit};
use clockscope_analysis::record::{Kind, Path};

pub(super) fn register<R: Register>(register: &mut R) {
    for (id, api, path) in [
        ("kvm-pvclock", "pvclock page of the vDSO", Path::Page),
        ("hyperv-tsc-page", "reference TSC page of the vDSO", Path::Page),
        ("acpi-pm", "ACPI PM timer behind its I/O port", Path::Port),
    ] {
        let description = Description { path, ..Description::new(id, api, Kind::Device, Unit::Ticks) };
        register.unavailable(description, format!("x86-64 alone has it, not {}", std::env::consts::ARCH));
    }
}
