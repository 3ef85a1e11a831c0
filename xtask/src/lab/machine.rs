//! The machine of a scenario.

use serde::Deserialize;

use crate::setup::Program;

/// The machine that is measured.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Machine {
    /// Its architecture.
    pub(crate) arch: Arch,
    /// CPU model and features, the emulator's way.
    pub(crate) cpu: String,
    /// CPUs.
    pub(crate) cpus: u32,
    /// Memory, MiB.
    pub(crate) memory_mib: u32,
    /// Whether time is what the emulator counts: 8 ns an instruction, and an idle CPU's next timer comes at once. All that
    /// happens is then the same on a slow or busy host as on any other.
    pub(crate) icount: bool,
    /// Whether the guest's kernel is told the rate of its counter, the host's, instead of finding it out: on a busy host it
    /// may find twenty times as much, where a CPU of its own stands still while the other one's timer goes on.
    pub(crate) told_rate: bool,
    /// Further arguments of the emulator.
    pub(crate) options: Vec<String>,
    /// The kernel's command line, after what every guest gets.
    pub(crate) kernel: String,
    /// Kernel modules to load, by name; those that they need are found.
    pub(crate) modules: Vec<String>,
    /// Whether it runs in another guest, under that one's KVM.
    pub(crate) nested: bool,
}

impl Default for Machine {
    fn default() -> Self {
        Self {
            arch: Arch::X86_64,
            cpu: "max".into(),
            cpus: 1,
            memory_mib: 256,
            icount: false,
            told_rate: false,
            options: Vec::new(),
            kernel: String::new(),
            modules: Vec::new(),
            nested: false,
        }
    }
}

impl Machine {
    /// The machine that a nested one runs in: an emulated CPU with AMD's virtualization, and KVM.
    ///
    /// Its kernel keeps a periodic tick. Without one, all of it now and then fell asleep for good in the middle of a run,
    /// as a kernel does whose only timer got lost; the next tick wakes it.
    pub(crate) fn outer(&self) -> Self {
        Self {
            cpu: "max,+svm".into(),
            cpus: self.cpus,
            memory_mib: 1024,
            kernel: "tsc=reliable nohz=off highres=off".into(),
            modules: vec!["kvm-amd".into()],
            ..Self::default()
        }
    }
}

/// An architecture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub(crate) enum Arch {
    /// x86-64
    #[serde(rename = "x86_64")]
    X86_64,
    /// AArch64
    #[serde(rename = "aarch64")]
    Aarch64,
}

impl Arch {
    /// Debian's name of it.
    pub(crate) fn debian(self) -> &'static str {
        match self {
            Self::X86_64 => "amd64",
            Self::Aarch64 => "arm64",
        }
    }

    /// Rust's target for static programs.
    pub(crate) fn target(self) -> &'static str {
        match self {
            Self::X86_64 => "x86_64-unknown-linux-musl",
            Self::Aarch64 => "aarch64-unknown-linux-musl",
        }
    }

    /// The emulator, and what it comes in.
    pub(crate) fn emulator(self) -> Program {
        match self {
            Self::X86_64 => ("qemu-system-x86_64", &["qemu-system-x86"]),
            Self::Aarch64 => ("qemu-system-aarch64", &["qemu-system-arm"]),
        }
    }

    /// The serial line of the console as the guest's kernel names it.
    pub(crate) fn console(self) -> &'static str {
        match self {
            Self::X86_64 => "ttyS0",
            Self::Aarch64 => "ttyAMA0",
        }
    }
}
