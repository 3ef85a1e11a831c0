//! The CPU's counter, one entry an instruction sequence.

use truetick::counter;

use super::{Clock, Description, Register, Unit};
use clockscope_analysis::record::{Kind, Path, Promises};

/// Declares a clock type that reads a counter by one expression.
macro_rules! counter {
    ($name:ident, $read:expr) => {
        #[derive(Clone, Copy)]
        struct $name;
        impl Clock for $name {
            type Raw = u64;
            fn room() -> u64 {
                0
            }
            #[inline(always)]
            fn call(&self, out: &mut u64) -> i32 {
                *out = $read;
                0
            }
            fn count(raw: &u64) -> u64 {
                *raw
            }
        }
    };
}

/// One instruction sequence that reads the counter called `base`.
fn description(base: &str, id: &str, api: &str, ordered: bool) -> Description {
    Description {
        base: base.into(),
        ordered,
        path: Path::Instruction,
        path_evidence: "the instruction stands in our own code".into(),
        promises: Promises { per_cpu: true, ..Promises::default() },
        ..Description::new(id, api, Kind::Counter, Unit::Ticks)
    }
}

#[cfg(target_arch = "x86_64")]
counter!(Tsc, counter::rdtsc());
#[cfg(target_arch = "x86_64")]
counter!(TscFenced, counter::lfence_rdtsc());
#[cfg(target_arch = "x86_64")]
counter!(TscFencedBoth, counter::lfence_rdtsc_lfence());
#[cfg(target_arch = "x86_64")]
counter!(Tscp, counter::rdtscp().0);
#[cfg(target_arch = "x86_64")]
counter!(TscSerialized, counter::cpuid_rdtsc());

#[cfg(target_arch = "x86_64")]
pub(super) fn register<R: Register>(register: &mut R) {
    let mut add = |id, api, usable: Result<(), &str>, add: fn(&mut R, Description)| {
        let description = description("tsc", id, api, id != "tsc");
        match usable {
            Ok(()) => add(register, description),
            Err(reason) => register.unavailable(description, reason.into()),
        }
    };
    let tsc = if crate::machine::counter_readable() {
        Ok(())
    } else {
        Err("prctl(PR_SET_TSC) forbids this process to execute RDTSC; it would be killed by SIGSEGV")
    };
    let tscp = tsc.and(if has_rdtscp() { Ok(()) } else { Err("CPUID says that this CPU has no RDTSCP") });
    add("tsc", "rdtsc", tsc, |r, d| r.probe(d, Tsc));
    add("tsc-fenced", "lfence; rdtsc", tsc, |r, d| r.probe(d, TscFenced));
    add("tsc-fenced-both", "lfence; rdtsc; lfence", tsc, |r, d| r.probe(d, TscFencedBoth));
    add("tscp", "rdtscp", tscp, |r, d| r.probe(d, Tscp));
    add("tsc-serialized", "cpuid; rdtsc", tsc, |r, d| r.probe(d, TscSerialized));
}

/// Whether the CPU has RDTSCP (CPUID 8000_0001H:EDX\[27\]).
#[cfg(target_arch = "x86_64")]
pub(crate) fn has_rdtscp() -> bool {
    raw_cpuid::CpuId::new().get_extended_processor_and_feature_identifiers().is_some_and(|f| f.has_rdtscp())
}

#[cfg(target_arch = "aarch64")]
counter!(Cntvct, counter::cntvct());
#[cfg(target_arch = "aarch64")]
counter!(CntvctFenced, counter::isb_cntvct());
// SAFETY: registered only where HWCAP2_ECV says that the register exists.
#[cfg(target_arch = "aarch64")]
counter!(Cntvctss, unsafe { counter::cntvctss() });

/// The kernel's word that CNTVCTSS_EL0 exists (arch/arm64/include/uapi/asm/hwcap.h); the libc crate lacks it.
#[cfg(target_arch = "aarch64")]
const HWCAP2_ECV: libc::c_ulong = 1 << 19;

#[cfg(target_arch = "aarch64")]
pub(super) fn register<R: Register>(register: &mut R) {
    let describe = |id, api| Description {
        promises: Promises { counts_suspend: true, ..Promises::default() },
        unit: match counter::cntfrq() {
            0 => Unit::Ticks,
            hz => Unit::Ns(1e9 / hz as f64),
        },
        ticks_by: Some("CNTFRQ_EL0".into()),
        ..description("cntvct", id, api, id != "cntvct")
    };
    register.probe(describe("cntvct", "mrs CNTVCT_EL0"), Cntvct);
    register.probe(describe("cntvct-fenced", "isb; mrs CNTVCT_EL0"), CntvctFenced);
    let self_synchronized = describe("cntvctss", "mrs CNTVCTSS_EL0");
    // SAFETY: getauxval reads a word of the process's start-up data.
    if unsafe { libc::getauxval(libc::AT_HWCAP2) } & HWCAP2_ECV != 0 {
        register.probe(self_synchronized, Cntvctss);
    } else {
        register.unavailable(self_synchronized, "the kernel does not report FEAT_ECV (HWCAP2_ECV)".into());
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(super) fn register<R: Register>(register: &mut R) {
    register.unavailable(
        description("counter", "counter", "the CPU's time counter", false),
        format!("reading the counter of {} is not known here", std::env::consts::ARCH),
    );
}
