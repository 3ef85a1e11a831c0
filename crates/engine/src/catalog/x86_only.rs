//! Clocks that other architectures do not have: listed, with that as the reason.

use super::{Description, Register, Unit};
use crate::record::{Kind, Path, Promises};

pub(super) fn register<R: Register>(register: &mut R) {
    for (id, api, path) in [
        ("kvm-pvclock", "pvclock page of the vDSO", Path::Page),
        ("hyperv-tsc-page", "reference TSC page of the vDSO", Path::Page),
        ("acpi-pm", "ACPI PM timer behind its I/O port", Path::Port),
    ] {
        let description = Description {
            id: id.into(),
            api: api.into(),
            kind: Kind::Device,
            path,
            path_evidence: "not looked at".into(),
            promises: Promises { may_step: false, slewed: false, counts_suspend: false, per_cpu: false },
            unit: Unit::Ticks,
            ticks_by: None,
            reported_ns: None,
            interposed_by: None,
        };
        register.unavailable(description, format!("x86-64 alone has it, not {}", std::env::consts::ARCH));
    }
}
