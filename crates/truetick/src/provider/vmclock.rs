//! The hypervisor's VMClock.

use std::{io, path::Path};

use super::{
    Provider,
    page::Page,
    vmclock_page::{Copy, MARKER, WORDS},
};
use crate::{
    Clock, Why,
    clock::CLOCK,
    native::{self, HAS_COUNTER},
    os,
    wall::{Accuracy, Unbounded, Within},
};

/// The hypervisor's VMClock: a page of memory that tells a guest when the counter was disrupted (a live migration, a
/// snapshot restored), and, where the host fills that in, what UTC is by the counter and how well that is known.
///
/// As a [`Provider`] it compares the system's wall clock with the page's: the bound is their difference and the page's own
/// error. Where the page has no time ([`Unbounded::NoAnswer`]; AWS fills in the marker alone),
/// [`Kernel::until_disrupted`](super::Kernel::until_disrupted) and [`ClockBound::with_vmclock`](super::ClockBound::with_vmclock)
/// use the marker. On Linux, x86-64 and AArch64.
#[derive(Debug)]
pub struct VmClock {
    page: Page,
    marker: u64,
}

impl VmClock {
    /// `/dev/vmclock0`. Opens and maps it: some system calls; and does what [`Clock::init`] does, as it says UTC by the
    /// counter and has to know whether that may be read.
    ///
    /// # Errors
    /// It is not there or may not be read, or what is there is no VMClock.
    pub fn open() -> io::Result<Self> {
        Self::open_at("/dev/vmclock0")
    }

    /// The device at `path`.
    ///
    /// # Errors
    /// As [`open`](Self::open). A regular file is refused: one that is cut short would end the program.
    pub fn open_at(path: impl AsRef<Path>) -> io::Result<Self> {
        Self::of_page(Page::open(path.as_ref(), WORDS)?)
    }

    fn of_page(page: Page) -> io::Result<Self> {
        let no_clock = || io::Error::new(io::ErrorKind::InvalidData, "no VMClock of version 1, or updated without end");
        let marker = Copy::take(|i| page.load(i)).ok_or_else(no_clock)?.marker();
        // Not when it is asked, which may be from within a reading.
        Clock::init();
        Ok(Self { page, marker })
    }

    /// Whether the counter was disrupted since this was opened. A load from memory.
    #[must_use]
    pub fn is_disrupted(&self) -> bool {
        self.marker_now() != self.marker
    }

    /// The marker when this was opened, and now.
    pub(super) fn markers(&self) -> [u64; 2] {
        [self.marker, self.marker_now()]
    }

    fn marker_now(&self) -> u64 {
        u64::from_le(self.page.load(MARKER))
    }

    /// The difference between the system's wall clock and the page's, and the page's error.
    fn compare(&self) -> Option<Accuracy> {
        let readable = HAS_COUNTER && CLOCK.choice().is_some_and(|choice| choice.why != Why::Forbidden);
        if !readable {
            return None;
        }
        let copy = Copy::take(|i| self.page.load(i))?;
        let before = native::ordered();
        let wall = os::wall_ns()?;
        let after = native::ordered();
        // What was read is of the counter that the copy is about.
        let same = Copy::take(|i| self.page.load(i))?.sequence() == copy.sequence();
        let (before, after) = (copy.utc(before)?, copy.utc(after)?);
        let off = wall.abs_diff(before.ns).max(wall.abs_diff(after.ns));
        let ns = off.checked_add(before.error.max(after.error))?;
        // Between two answers (one a line) the wall clock goes by at most 500 ppm, or the bound for any slew holds.
        same.then_some(Accuracy { error: Ok(Within { ns, growth_ppb: 500_000 }), leap: copy.leap() })
    }
}

impl Provider for VmClock {
    fn accuracy(&self) -> Accuracy {
        self.compare().unwrap_or(Accuracy::unbounded(Unbounded::NoAnswer))
    }

    fn disruption_marker(&self) -> Option<u64> {
        Some(self.marker_now())
    }
}

#[cfg(all(test, target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"), not(any(loom, miri))))]
mod tests {
    use std::{env, process::Command};

    use super::*;

    #[test]
    fn the_first_of_all_calls_is_answered() {
        // In a process of its own: no other test has read the clock there.
        const ALONE: &str = "TRUETICK_TEST_ALONE";
        if env::var_os(ALONE).is_none() {
            let name = "provider::vmclock::tests::the_first_of_all_calls_is_answered";
            let run =
                Command::new(env::current_exe().unwrap()).args([name, "--exact"]).env(ALONE, "1").output().unwrap();
            assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stdout));
            return;
        }
        let (page, _file) = Page::of(&super::super::vmclock_page::tests::page());
        assert_eq!(CLOCK.choice(), None);
        let said = VmClock::of_page(page).unwrap().accuracy().error;
        assert_eq!(said.is_ok(), HAS_COUNTER && Clock::why() != Why::Forbidden, "{said:?}");
    }
}
