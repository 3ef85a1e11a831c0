//! The clocksource of before comes back.

use super::kernel::{Error, Kernel};

/// What became of the clocksource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Restored {
    /// The kernel uses the old one, or nothing had been changed.
    AsBefore,
    /// The kernel no longer offers the old one (its watchdog found it unstable), so that it was left the choice.
    LeftToKernel,
    /// It did not work, and why.
    Failed(String),
}

/// Makes `old` the clocksource again. Where the kernel no longer offers it, it is not asked for: it would be ignored,
/// or taken although it is unstable where there are no high-resolution timers. The kernel then chooses.
pub fn restore(kernel: &dyn Kernel, old: &str) -> Restored {
    let back = || {
        if kernel.available().is_ok_and(|offered| !offered.iter().any(|name| name == old)) {
            return kernel.ask_for("").map(|()| Restored::LeftToKernel);
        }
        kernel.ask_for(old)?;
        let now = kernel.current()?;
        let stays = || Restored::Failed(format!("the kernel was told '{old}' but stays with {now}"));
        Ok(if now == old { Restored::AsBefore } else { stays() })
    };
    back().unwrap_or_else(|error: Error| Restored::Failed(error.to_string()))
}

/// The right to change the clocksource; when it goes, by a panic too, the old one comes back.
pub struct Held<'a> {
    kernel: &'a dyn Kernel,
    old: String,
    changed: bool,
}

impl<'a> Held<'a> {
    /// Notes what to go back to; changes nothing.
    pub fn new(kernel: &'a dyn Kernel, old: &str) -> Self {
        Self { kernel, old: old.to_owned(), changed: false }
    }

    /// Changes to `name`. `Err`: why the kernel does not use it now.
    pub fn change_to(&mut self, name: &str) -> Result<(), Error> {
        // Before the write: one that failed may yet have left something to be undone.
        self.changed = true;
        self.kernel.ask_for(name)?;
        let now = self.kernel.current()?;
        let stays =
            || format!("the kernel does not take it and stays with {now}; `dmesg | grep -i clocksource` may say why");
        if now == name { Ok(()) } else { Err(Error::Refused(stays())) }
    }

    /// Goes back now, and says how that went.
    pub fn release(mut self) -> Restored {
        self.back()
    }

    fn back(&mut self) -> Restored {
        if std::mem::take(&mut self.changed) { restore(self.kernel, &self.old) } else { Restored::AsBefore }
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        // Nobody is left to hear of it on this way out.
        self.back();
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::super::made_up::MadeUp;
    use super::*;

    #[test]
    fn a_panic_restores_it() {
        let kernel = MadeUp::new("tsc hpet", "tsc");
        let caught = catch_unwind(AssertUnwindSafe(|| {
            let mut held = Held::new(&kernel, "tsc");
            held.change_to("hpet").unwrap();
            assert_eq!(kernel.state().current, "hpet");
            panic!("on purpose");
        }));
        assert!(caught.is_err());
        let state = kernel.state();
        assert_eq!((state.current.as_str(), state.asked.join(" ")), ("tsc", "hpet tsc".into()));
    }

    #[test]
    fn what_can_not_be_written_is_said() {
        let kernel = MadeUp::new("tsc hpet", "hpet");
        kernel.state().refused = "tsc".into();
        assert!(matches!(restore(&kernel, "tsc"), Restored::Failed(why) if why.contains("can't write 'tsc'")));
    }
}
