//! The CPU's counter, one entry an instruction sequence.

use super::clock::clock;
use super::{Description, Register, Unit};
use clockscope_analysis::record::{Kind, Path, Promises};
use truetick::counter;

/// Declares a clock type that reads a counter by one expression.
macro_rules! counter {
    ($name:ident, $read:expr) => {
        #[derive(Clone, Copy)]
        struct $name;
        clock!(
            $name,
            u64 = 0,
            |self, out| {
                *out = $read;
                0
            },
            |raw| *raw
        );
    };
}

/// One instruction sequence that reads the counter called `base`; the bare one, which has its id, keeps no order.
fn description(base: &str, id: &str, api: &str) -> Description {
    Description {
        base: base.into(),
        ordered: id != base,
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
    let tsc = counter_readable()
        .then_some(())
        .ok_or("prctl(PR_SET_TSC) forbids this process to execute RDTSC; it would be killed by SIGSEGV");
    let tscp = tsc.and(has_rdtscp().then_some(()).ok_or("CPUID says that this CPU has no RDTSCP"));
    let describe = |id, api| description("tsc", id, api);
    register.found(describe("tsc", "rdtsc"), tsc.map(|()| Tsc));
    register.found(describe("tsc-fenced", "lfence; rdtsc"), tsc.map(|()| TscFenced));
    register.found(describe("tsc-fenced-both", "lfence; rdtsc; lfence"), tsc.map(|()| TscFencedBoth));
    register.found(describe("tscp", "rdtscp"), tscp.map(|()| Tscp));
    register.found(describe("tsc-serialized", "cpuid; rdtsc"), tsc.map(|()| TscSerialized));
}

/// Whether this process may read the counter: `false` only where `prctl(PR_SET_TSC, PR_TSC_SIGSEGV)` has made RDTSC
/// deadly. Where nobody can forbid it (other architectures) or the kernel does not say: `true`. One system call, see
/// `PR_GET_TSC(2const)`.
pub fn counter_readable() -> bool {
    if !cfg!(any(target_arch = "x86", target_arch = "x86_64")) {
        return true;
    }
    let mut mode: libc::c_int = 0;
    // SAFETY: PR_GET_TSC writes one int to the address given, which is that of a live local.
    let status = unsafe { libc::prctl(libc::PR_GET_TSC, &raw mut mode, 0, 0, 0) };
    status != 0 || mode != libc::PR_TSC_SIGSEGV
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
        unit: ticks_of(counter::cntfrq() as f64),
        ticks_by: Some("CNTFRQ_EL0".into()),
        ..description("cntvct", id, api)
    };
    register.probe(describe("cntvct", "mrs CNTVCT_EL0"), Cntvct);
    register.probe(describe("cntvct-fenced", "isb; mrs CNTVCT_EL0"), CntvctFenced);
    // SAFETY: getauxval reads a word of the process's start-up data.
    let has = unsafe { libc::getauxval(libc::AT_HWCAP2) } & HWCAP2_ECV != 0;
    let clock = has.then_some(Cntvctss).ok_or("the kernel does not report FEAT_ECV (HWCAP2_ECV)");
    register.found(describe("cntvctss", "mrs CNTVCTSS_EL0"), clock);
}

#[cfg(target_arch = "riscv64")]
counter!(Rdtime, counter::rdtime());
#[cfg(target_arch = "riscv64")]
counter!(RdtimeFenced, counter::fence_rdtime_fence());

#[cfg(target_arch = "riscv64")]
pub(super) fn register<R: Register>(register: &mut R) {
    let stated = std::fs::read("/proc/device-tree/cpus/timebase-frequency").ok();
    let hz = stated.and_then(|cells| timebase(&cells)).unwrap_or(0.0);
    let describe = |id, api| Description {
        promises: Promises::default(),
        unit: ticks_of(hz),
        ticks_by: Some("the device tree's timebase-frequency".into()),
        ..description("rdtime", id, api)
    };
    register.probe(describe("rdtime", "rdtime"), Rdtime);
    register.probe(describe("rdtime-fenced", "fence; rdtime; fence"), RdtimeFenced);
}

/// A frequency of the device tree, Hz: one or two cells of 32 bits, the higher one first (Devicetree Specification,
/// 3.8 '/cpus Node Properties').
#[cfg(any(test, target_arch = "riscv64"))]
fn timebase(cells: &[u8]) -> Option<f64> {
    let whole = matches!(cells.len(), 4 | 8);
    whole.then(|| cells.iter().fold(0u64, |hz, byte| hz << 8 | u64::from(*byte)) as f64)
}

/// The unit of a counter of that frequency, Hz; 0: nobody states it.
#[cfg(any(test, target_arch = "aarch64", target_arch = "riscv64"))]
fn ticks_of(hz: f64) -> Unit {
    if hz > 0.0 { Unit::Ns(1e9 / hz) } else { Unit::Ticks }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")))]
pub(super) fn register<R: Register>(register: &mut R) {
    let why = format!("reading the counter of {} is not known here", std::env::consts::ARCH);
    register.unavailable(description("counter", "counter", "the CPU's time counter"), why);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn whether_it_may_be_read_follows_the_threads_setting() {
        assert!(counter_readable());
        // A thread of its own: the setting is the thread's, and ends with it. Nothing in it reads a clock.
        let forbidden = std::thread::spawn(|| {
            // SAFETY: only sets a flag of this thread.
            let set = |mode: libc::c_int| unsafe { libc::prctl(libc::PR_SET_TSC, mode, 0, 0, 0) };
            let status = set(libc::PR_TSC_SIGSEGV);
            let readable = counter_readable();
            set(libc::PR_TSC_ENABLE);
            (status, readable)
        });
        assert_eq!(forbidden.join().unwrap(), (0, false));
    }

    #[test]
    fn a_device_tree_states_the_tick() {
        let unit = |cells: &[u8]| ticks_of(timebase(cells).unwrap_or(0.0));
        assert_eq!(unit(&[0x00, 0x98, 0x96, 0x80]), Unit::Ns(100.0));
        assert_eq!(unit(&[0, 0, 0, 0, 0x00, 0x98, 0x96, 0x80]), Unit::Ns(100.0));
        for nonsense in [&[][..], &[1], &[0; 4], &[1; 12]] {
            assert_eq!(unit(nonsense), Unit::Ticks, "{nonsense:?}");
        }
    }
}
