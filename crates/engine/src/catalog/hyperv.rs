//! Hyper-V's reference TSC page: 100 ns units as scale and offset of the counter (Hypervisor Top-Level Functional
//! Specification, 'Partition Reference Time Enlightenment').

use std::sync::atomic::Ordering::{Acquire, Relaxed};
use std::sync::atomic::fence;

use super::shared_page::{OfPage, Protocol, TRIES, Words, sane};
use super::{Description, Register};
use clockscope_analysis::record::Frequency;

const UNIT_NS: f64 = 100.0;
const INVALID: u32 = 0;

#[derive(Clone, Copy)]
struct ReferenceTsc;

impl Protocol for ReferenceTsc {
    const PLACE: usize = 1;
    const NAME: &'static str = "reference TSC page";
    const HINT: &'static str = "a guest of Hyper-V has it once hyperv_clocksource_tsc_page was in use";

    /// `None`: the page is marked as invalid, or its sequence did not settle.
    #[inline(always)]
    fn read(page: &Words, counter: impl Fn() -> u64) -> Option<u64> {
        for _ in 0..TRIES {
            let sequence = page[0].load(Acquire) as u32;
            if sequence == INVALID {
                return None;
            }
            let (scale, offset) = (page[1].load(Relaxed), page[2].load(Relaxed));
            let counter = counter();
            fence(Acquire);
            if page[0].load(Relaxed) as u32 == sequence {
                let scaled = (u128::from(counter) * u128::from(scale)) >> 64;
                return Some((scaled as u64).wrapping_add(offset));
            }
            std::hint::spin_loop();
        }
        None
    }

    fn check(page: &Words) -> Result<(), String> {
        if page[0].load(Relaxed) as u32 == INVALID {
            let why = "the hypervisor marks it as invalid (sequence 0): its reference counter's MSR is to be read";
            return Err(why.into());
        }
        let none = "what is there is no reference TSC page: its scale is that of no frequency that a counter has";
        hz(page).map(drop).ok_or_else(|| none.into())
    }
}

/// The counter's frequency by the page's scale, Hz; `None` where it is none that a counter has.
fn hz(page: &Words) -> Option<f64> {
    sane(1e9 / UNIT_NS * 2f64.powi(64) / page[1].load(Relaxed) as f64)
}

pub(super) fn register<R: Register>(register: &mut R) {
    let description = OfPage::<ReferenceTsc>::describe("hyperv-tsc-page", UNIT_NS);
    let ticks_by = Some("Hyper-V's specification".into());
    register.found(Description { ticks_by, ..description }, OfPage::open(ReferenceTsc));
}

/// The counter's frequency as the page states it.
pub(super) fn stated() -> Result<Frequency, String> {
    let page = OfPage::open(ReferenceTsc)?;
    let scale = page.0[1].load(Relaxed);
    let hz = hz(page.0).ok_or("its scale changed to one that no counter has")?;
    let from = format!("reference TSC page: scale {scale}");
    Ok(Frequency::read("hyperv-tsc-page", hz, from, hz / scale as f64))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;

    use super::*;

    /// A page for a counter of 2 GHz: 200 counts a unit.
    fn page(sequence: u64) -> Words {
        [sequence, u64::MAX / 200 + 1, 70, 0].map(AtomicU64::new)
    }

    #[test]
    fn time_is_the_scaled_counter() {
        let page = page(1);
        assert_eq!(ReferenceTsc::read(&page, || 2_000_000_000), Some(10_000_070));
        assert_eq!(ReferenceTsc::check(&page), Ok(()));
        let hz = hz(&page).unwrap();
        assert!((hz - 2e9).abs() < 1e-3, "{hz}");
        // A negative offset.
        page[2].store((-20i64) as u64, Relaxed);
        assert_eq!(ReferenceTsc::read(&page, || 200 * 50), Some(30));
        assert_eq!(ReferenceTsc::read(&page, || 0), Some((-20i64) as u64));
    }

    #[test]
    fn a_page_that_is_invalid_or_becomes_it_or_never_settles_is_a_failed_read() {
        assert!(ReferenceTsc::check(&page(0)).unwrap_err().contains("invalid (sequence 0)"));
        // What stands above the sequence is reserved.
        for sequence in [0, 9 << 32] {
            assert_eq!(ReferenceTsc::read(&page(sequence), || 5), None);
        }
        let going = page(3);
        assert_eq!(ReferenceTsc::read(&going, || going[0].swap(0, Relaxed)), None);
        let writing = page(3);
        assert_eq!(ReferenceTsc::read(&writing, || writing[0].fetch_add(1, Relaxed)), None);
        assert_eq!(writing[0].load(Relaxed), 3 + u64::from(TRIES));
    }

    #[test]
    fn what_is_no_reference_page_is_refused() {
        for scale in [0, 1, u64::MAX] {
            let page = page(1);
            page[1].store(scale, Relaxed);
            assert!(ReferenceTsc::check(&page).unwrap_err().contains("no reference TSC page"), "{scale}");
            ReferenceTsc::read(&page, || u64::MAX);
        }
    }
}
