//! The rate that the kernel turns the counter's ticks into nanoseconds by, as the vDSO's own data hold it: CLOCK_MONOTONIC_RAW
//! is `ticks · multiplier / 2^shift`. No ABI says where they stand; what is found has to prove itself, and is never guessed.
//!
//! The data of one clock begin with sequence, mode, last count, then, by the kernel's version, the most counts and the mask,
//! then multiplier and shift (kernel, include/vdso/datapage.h). There are two of them, one behind the other: of the clocks
//! that NTP steers, and of the raw one.

use super::shared_page::{PAGE, copy, mapping, sane};
use clockscope_analysis::record::Frequency;

/// The source's name.
pub(crate) const SOURCE: &str = "vdso-page";

/// VDSO_CLOCKMODE_TSC.
const TSC: u32 = 1;
/// The kernel moves the last count on at least this often, in counts: half a minute at 2.5 GHz; a tickless CPU takes seconds.
const RECENT: u64 = 1 << 36;
/// What NTP may steer by, and half again.
const STEERED: f64 = 0.15;
/// Words of 32 bits before the multiplier: without most counts and mask, with one of them, with both.
const BEFORE: [usize; 3] = [4, 6, 8];
/// Words behind the shift: twelve times seconds and nanoseconds, then in older kernels time zone and resolution.
const BEHIND: [usize; 2] = [48, 52];
/// Tries, as the kernel may be writing.
const TRIES: usize = 8;

/// What the raw clock's data say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Raw {
    multiplier: u32,
    shift: u32,
}

impl Raw {
    fn hz(self) -> Option<f64> {
        sane(1e9 * 2f64.powi(i32::try_from(self.shift).ok()?) / f64::from(self.multiplier))
    }
}

/// The counter's frequency that the kernel's raw clock takes it to have.
pub(crate) fn stated() -> Result<Frequency, String> {
    if !super::counter_readable() {
        return Err(
            "prctl(PR_SET_TSC) forbids this process to execute RDTSC, by which the page's data are checked".into()
        );
    }
    let maps = std::fs::read_to_string("/proc/self/maps").map_err(|error| format!("/proc/self/maps: {error}"))?;
    let (start, pages) = mapping(&maps, "[vvar]").ok_or("the kernel maps no data beside the vDSO (vdso=0?)")?;
    for _ in 0..TRIES {
        for page in 0..pages {
            let mut bytes = [0u8; PAGE];
            // Pages that nobody backs are not read.
            if copy(start + page * PAGE, &mut bytes).is_err() {
                continue;
            }
            if let Some((raw, hz)) = find(&words(&bytes), truetick::counter::lfence_rdtsc()) {
                let from = format!("vDSO data, raw clock: multiplier {}, shift {}", raw.multiplier, raw.shift);
                return Ok(Frequency::read(SOURCE, hz, from, hz / f64::from(raw.multiplier)));
            }
        }
    }
    Err("no data in the vDSO's pages are those of a clock that counts the TSC: the kernel keeps time by something else, or lays \
         them out in a way that is not known here"
        .into())
}

fn words(bytes: &[u8; PAGE]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|four| four.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte))).collect()
}

/// The raw clock's data among those words, if they can be nothing else; `now`: the counter, read after them.
fn find(words: &[u32], now: u64) -> Option<(Raw, f64)> {
    let layouts = || BEFORE.into_iter().flat_map(|before| BEHIND.map(|behind| (before, before + 2 + behind)));
    (0..words.len()).step_by(2).find_map(|at| layouts().find_map(|layout| clocks(words.get(at..)?, layout, now)))
}

/// Both clocks' data, if they begin here.
fn clocks(words: &[u32], (before, apart): (usize, usize), now: u64) -> Option<(Raw, f64)> {
    let (steered, raw) = (words.get(..before + 2)?, words.get(apart..apart + before + 2)?);
    let last = |of: &[u32]| u64::from(of[2]) | u64::from(of[3]) << 32;
    let of = |of: &[u32]| Raw { multiplier: of[before], shift: of[before + 1] };
    let is_whole = |of: &[u32]| of[0].is_multiple_of(2) && of[1] == TSC && (1..=32).contains(&of[before + 1]);
    let is_one = steered[0] == raw[0] && last(steered) == last(raw) && of(steered).shift == of(raw).shift;
    let is_recent = last(raw) > 0 && now.wrapping_sub(last(raw)) < RECENT;
    let is_near = (f64::from(of(steered).multiplier) / f64::from(of(raw).multiplier) - 1.0).abs() < STEERED;
    let has_mask = before == BEFORE[0] || words.get(before - 2..before)? == [u32::MAX; 2];
    (is_whole(steered) && is_whole(raw) && is_one && is_recent && is_near && has_mask)
        .then(|| of(raw).hz().map(|hz| (of(raw), hz)))?
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: u64 = 1 << 50;

    /// A page with both clocks' data at `at`, laid out so.
    fn page(at: usize, before: usize, apart: usize, mode: u32) -> Vec<u32> {
        let mut words = vec![0; PAGE / 4];
        for (place, multiplier) in [(at, 6_860_900), (at + apart, 6_860_722)] {
            let last = NOW - 1_000_000;
            words[place..place + 4].copy_from_slice(&[14, mode, last as u32, (last >> 32) as u32]);
            if before > BEFORE[0] {
                words[place + before - 2..place + before].copy_from_slice(&[u32::MAX; 2]);
            }
            words[place + before..place + before + 2].copy_from_slice(&[multiplier, 24]);
        }
        words
    }

    #[test]
    fn each_kernels_layout_is_found_and_gives_the_frequency() {
        for before in BEFORE {
            for behind in BEHIND {
                let (raw, hz) = find(&page(32, before, before + 2 + behind, TSC), NOW).unwrap();
                assert_eq!(raw, Raw { multiplier: 6_860_722, shift: 24 });
                assert!((hz - 2_445_401_700.0).abs() < 1e6, "{hz}");
            }
        }
    }

    #[test]
    fn what_is_not_the_counters_clock_is_not_taken_for_it() {
        // Of another clocksource (pvclock), old, from the future, empty.
        assert_eq!(find(&page(32, 8, 58, 2), NOW), None);
        assert_eq!(find(&page(32, 8, 58, TSC), NOW + (1 << 40)), None);
        assert_eq!(find(&page(32, 8, 58, TSC), NOW - (1 << 30)), None);
        assert_eq!(find(&vec![0; PAGE / 4], NOW), None);
        assert_eq!(find(&vec![u32::MAX; PAGE / 4], NOW), None);
        let mut torn = page(32, 8, 58, TSC);
        torn[32 + 58] += 2;
        assert_eq!(find(&torn, NOW), None);
        let mut odd = page(32, 8, 58, TSC);
        (odd[32 + 8 + 1], odd[32 + 58 + 8 + 1]) = (40, 40);
        assert_eq!(find(&odd, NOW), None);
    }
}
