//! KVM's pvclock page: where the host's clock stood at some value of the counter, and how fast it goes (kernel,
//! Documentation/virt/kvm/x86/msr.rst, MSR_KVM_SYSTEM_TIME_NEW; Documentation/virt/kvm/x86/timekeeping.rst). Xen's
//! is the same.

use std::sync::atomic::Ordering::{Acquire, Relaxed};
use std::sync::atomic::fence;

use super::Register;
use super::shared_page::{OfPage, Protocol, TRIES, Words, sane};
use clockscope_analysis::record::Frequency;

/// PVCLOCK_TSC_STABLE_BIT: the CPUs' counters agree, so that CPU 0's page is right on all of them.
const STABLE: u8 = 1;

#[derive(Clone, Copy)]
struct Pvclock;

impl Protocol for Pvclock {
    const PLACE: usize = 0;
    const NAME: &'static str = "pvclock page";
    const HINT: &'static str = "a guest of KVM or Xen has it once kvm-clock was in use";

    /// `None`: the host went on writing, or the page holds for CPU 0 alone.
    #[inline(always)]
    fn read(page: &Words, counter: impl Fn() -> u64) -> Option<u64> {
        let (info, counter) = settled(page, |info| (info, counter()))?;
        (info.flags & STABLE != 0).then(|| info.ns(counter))
    }

    fn check(page: &Words) -> Result<(), String> {
        let info = settled(page, |info| info).ok_or("its version did not settle: someone keeps writing to it")?;
        // The structure's padding, which hosts leave zero.
        if page[0].load(Relaxed) >> 32 != 0 || page[3].load(Relaxed) >> 48 != 0 || info.hz().is_none() {
            return Err("what is there is no pvclock page: it states no frequency that a counter has".into());
        }
        if info.flags & STABLE == 0 {
            let why = "the host does not vouch that the CPUs' counters agree (PVCLOCK_TSC_STABLE_BIT): the page is CPU \
                       0's alone";
            return Err(why.into());
        }
        Ok(())
    }
}

/// `struct pvclock_vcpu_time_info` without its version.
#[derive(Debug, Clone, Copy)]
struct TimeInfo {
    counter_at: u64,
    ns_at: u64,
    multiplier: u32,
    shift: i8,
    flags: u8,
}

impl TimeInfo {
    #[inline(always)]
    fn load(page: &Words) -> Self {
        let last = page[3].load(Relaxed);
        Self {
            counter_at: page[1].load(Relaxed),
            ns_at: page[2].load(Relaxed),
            multiplier: last as u32,
            shift: (last >> 32) as i8,
            flags: (last >> 40) as u8,
        }
    }

    /// The host's clock, ns, when the counter stands at `counter`. Whatever the page says, this does not fail.
    #[inline(always)]
    fn ns(&self, counter: u64) -> u64 {
        let passed = counter.wrapping_sub(self.counter_at);
        let by = u32::from(self.shift.unsigned_abs());
        let shifted = if self.shift < 0 { passed.checked_shr(by) } else { passed.checked_shl(by) };
        let scaled = u128::from(shifted.unwrap_or(0)) * u128::from(self.multiplier);
        self.ns_at.wrapping_add((scaled >> 32) as u64)
    }

    /// The counter's frequency that the page states, Hz; `None` where it states none that a counter has.
    fn hz(&self) -> Option<f64> {
        sane(1e9 / (f64::from(self.multiplier) * 2f64.powi(i32::from(self.shift) - 32)))
    }

    /// What the kernel makes of it, kHz: whole ones, and it cuts before it shifts (arch/x86/kernel/pvclock.c,
    /// `pvclock_tsc_khz`).
    fn kernels_khz(&self) -> Option<u64> {
        let khz = (1_000_000u64 << 32).checked_div(self.multiplier.into())?;
        let by = u32::from(self.shift.unsigned_abs());
        if self.shift < 0 { khz.checked_shl(by) } else { khz.checked_shr(by) }
    }
}

/// What `look` makes of the page while nobody writes to it: an odd version, or another one afterwards, means that the
/// host was writing. `None`: it went on doing so.
#[inline(always)]
fn settled<T>(page: &Words, look: impl Fn(TimeInfo) -> T) -> Option<T> {
    for _ in 0..TRIES {
        let version = page[0].load(Acquire) as u32;
        if version & 1 == 0 {
            let seen = look(TimeInfo::load(page));
            fence(Acquire);
            if page[0].load(Relaxed) as u32 == version {
                return Some(seen);
            }
        }
        std::hint::spin_loop();
    }
    None
}

pub(super) fn register<R: Register>(register: &mut R) {
    register.found(OfPage::<Pvclock>::describe("kvm-pvclock", 1.0), OfPage::open(Pvclock));
}

/// The counter's frequency as the page states it, and as the kernel keeps it.
pub(super) fn stated() -> [(String, Result<Frequency, String>); 2] {
    let info = OfPage::open(Pvclock).and_then(|page| {
        settled(page.0, |info| info).ok_or_else(|| "its version did not settle: someone keeps writing to it".into())
    });
    let [page, kernels] = match &info {
        Ok(info) => frequencies(info).map(|found| found.ok_or_else(|| "the page states no frequency".to_owned())),
        Err(why) => [Err(why.clone()), Err(why.clone())],
    };
    [(PAGE.into(), page), (WHOLE.into(), kernels)]
}

const PAGE: &str = "pvclock-page";
const WHOLE: &str = "pvclock-whole-khz";

fn frequencies(info: &TimeInfo) -> [Option<Frequency>; 2] {
    let TimeInfo { multiplier, shift, .. } = *info;
    let from = format!("pvclock page: multiplier {multiplier}, shift {shift}");
    let page = info.hz().map(|hz| Frequency::read(PAGE, hz, from, hz / f64::from(multiplier)));
    // It cuts before it shifts.
    let step = 1e3 * 2f64.powi(i32::from(shift).min(0).abs());
    let kernels = info.kernels_khz().map(|khz| {
        let from = format!("what the kernel keeps of the pvclock page's: {khz} kHz");
        Frequency::read(WHOLE, khz as f64 * 1e3, from, step)
    });
    [page, kernels]
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;

    use super::*;

    /// A page as the host writes it, the counter at 1000 when its clock stood at 5 s.
    fn page(version: u64, multiplier: u32, shift: i8, flags: u8) -> Words {
        let last = u64::from(multiplier) | u64::from(shift as u8) << 32 | u64::from(flags) << 40;
        [version, 1_000, 5_000_000_000, last].map(AtomicU64::new)
    }

    /// 2 GHz: half a nanosecond a count.
    const TWO_GHZ: (u32, i8) = (1 << 31, 0);
    /// 2 596 145 000.6 Hz as a host stated it; above 2 GHz the counts are halved first.
    const STATED: (u32, i8) = (3_308_726_820, -1);

    #[test]
    fn time_is_the_line_through_the_page_and_shifts_go_both_ways() {
        for ((multiplier, shift), passed, ns) in [
            (TWO_GHZ, 0, 0),
            (TWO_GHZ, 2_000_000_000, 1_000_000_000),
            ((1 << 31, 3), 100, 400),
            ((1 << 31, -2), 800, 100),
        ] {
            let page = page(2, multiplier, shift, STABLE);
            assert_eq!(Pvclock::read(&page, || 1_000 + passed), Some(5_000_000_000 + ns), "{multiplier} {shift}");
        }
    }

    #[test]
    fn frequency_and_what_the_kernel_keeps_of_it() {
        let info = TimeInfo::load(&page(0, STATED.0, STATED.1, STABLE));
        let seen = frequencies(&info).map(Option::unwrap);
        assert_eq!(seen[0].source, "pvclock-page");
        assert!((seen[0].hz - 2_596_145_000.6).abs() < 0.5, "{seen:?}");
        // Cut to whole kHz of half the frequency, then doubled.
        assert_eq!((seen[1].source.as_str(), seen[1].hz), ("pvclock-whole-khz", 2_596_144_000.0));
        // Ones that differ by less than the multiplier's unit, and the next kHz that survives the shift.
        assert!(seen[0].step_hz.unwrap() < 1.0 && seen[1].step_hz == Some(2000.0), "{seen:?}");
    }

    #[test]
    fn a_page_that_never_settles_is_a_failed_read() {
        let odd = page(7, TWO_GHZ.0, TWO_GHZ.1, STABLE);
        assert_eq!(Pvclock::read(&odd, || 1_000), None);
        assert!(Pvclock::check(&odd).unwrap_err().contains("did not settle"));
        let page = page(2, TWO_GHZ.0, TWO_GHZ.1, STABLE);
        assert_eq!(Pvclock::read(&page, || page[0].fetch_add(2, Relaxed)), None);
        assert_eq!(page[0].load(Relaxed), 2 + 2 * u64::from(TRIES));
    }

    #[test]
    fn one_update_meanwhile_is_read_again() {
        let page = page(2, TWO_GHZ.0, TWO_GHZ.1, STABLE);
        let first = std::cell::Cell::new(true);
        let updated = || {
            if first.replace(false) {
                page[2].store(9_000_000_000, Relaxed);
                page[0].store(4, Relaxed);
            }
            1_000
        };
        assert_eq!(Pvclock::read(&page, updated), Some(9_000_000_000));
    }

    #[test]
    fn a_page_for_one_cpu_only_is_not_read() {
        let page = page(2, TWO_GHZ.0, TWO_GHZ.1, 0);
        assert_eq!(Pvclock::read(&page, || 1_000), None);
        assert!(Pvclock::check(&page).unwrap_err().contains("CPU 0's alone"));
    }

    #[test]
    fn what_is_no_pvclock_page_is_refused() {
        for (multiplier, shift) in [(0, 0), (1, -100), (u32::MAX, 127), (1 << 31, -31), (u32::MAX, 20)] {
            let page = page(0, multiplier, shift, STABLE);
            assert!(Pvclock::check(&page).unwrap_err().contains("no pvclock page"), "{multiplier} {shift}");
            Pvclock::read(&page, || u64::MAX);
            frequencies(&TimeInfo::load(&page));
        }
        let ones = [u64::MAX - 1; 4].map(AtomicU64::new);
        assert!(Pvclock::check(&ones).is_err());
        Pvclock::read(&ones, || 0);
    }
}
