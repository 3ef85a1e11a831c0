//! What a clock is to the rest of the engine.

use std::io;

use clockscope_analysis::trace::Description;

/// A clock that can be read, on any thread.
pub trait Clock: Copy + Send + 'static {
    /// What one call writes: a counter's value, a `timespec`, a `timeval` ….
    type Raw: Copy;

    /// Room for one call's result.
    fn room() -> Self::Raw;

    /// One read exactly as a program makes it; 0 if it worked, as the C functions say it. The hot path: no
    /// conversion, no allocation, no branch of our own.
    fn call(&self, out: &mut Self::Raw) -> i32;

    /// What was written, in the clock's own counts ([`Description::unit`]). Whatever the call wrote, this
    /// does not fail: absurd fields wrap.
    fn count(raw: &Self::Raw) -> u64;

    /// One read, checked.
    fn read(&self) -> Result<u64, ReadError> {
        let mut raw = Self::room();
        if self.call(&mut raw) == 0 { Ok(Self::count(&raw)) } else { Err(ReadError::last()) }
    }
}

/// Makes a type a clock: the room for one call's result, the call, and what it wrote as a count.
macro_rules! clock {
    ($name:ty $(where [$($generic:tt)*])?, $raw:ty = $room:expr, |$self:ident, $out:ident| $call:expr, |$r:ident| $count:expr) => {
        impl$(<$($generic)*>)? $crate::catalog::Clock for $name {
            type Raw = $raw;
            fn room() -> $raw {
                $room
            }
            #[inline(always)]
            fn call(&$self, $out: &mut $raw) -> i32 {
                $call
            }
            fn count($r: &$raw) -> u64 {
                $count
            }
        }
    };
}
pub(crate) use clock;

/// Who takes each clock.
pub trait Register {
    /// A clock that has been read once.
    fn clock<C: Clock>(&mut self, description: Description, clock: C);
    /// A clock that can't be read here.
    fn unavailable(&mut self, description: Description, reason: String);

    /// Registers the clock as one or the other.
    fn found<C: Clock, E: ToString>(&mut self, description: Description, clock: Result<C, E>) {
        match clock {
            Ok(clock) => self.clock(description, clock),
            Err(reason) => self.unavailable(description, reason.to_string()),
        }
    }

    /// Reads the clock once and registers it as one or the other.
    fn probe<C: Clock>(&mut self, description: Description, clock: C) {
        self.found(description, clock.read().map(|_| clock));
    }
}

/// A call that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadError(i32);

impl ReadError {
    /// The error that the calling thread's `errno` holds.
    pub fn last() -> Self {
        Self(io::Error::last_os_error().raw_os_error().unwrap_or(0))
    }

    /// Whether the next try may go better.
    pub(super) fn may_pass(self) -> bool {
        matches!(self.0, libc::EAGAIN | libc::EBUSY | libc::EINTR)
    }
}

impl std::fmt::Display for ReadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let hint = match self.0 {
            0 => return f.write_str("the call failed without an error number"),
            libc::EINVAL => "; the kernel does not have this clock, or not the device behind it",
            libc::EPERM | libc::EACCES => "; a security filter (seccomp, LSM) or missing privilege denies it",
            libc::ENOSYS => "; the kernel, or a seccomp filter in its name, says there is no such call",
            libc::ENODEV | libc::EOPNOTSUPP => "; the device does not offer it",
            libc::ENOTTY => "; its driver has no such call",
            libc::EAGAIN => "; the device was busy, or its time did not hold still",
            _ => "",
        };
        write!(f, "{}{hint}", io::Error::from_raw_os_error(self.0))
    }
}

/// Why a device could not be opened, `busy` being why others may hold it.
pub(super) fn unopened(name: impl std::fmt::Display, error: &io::Error, busy: &str) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => format!("there is no {name}"),
        io::ErrorKind::PermissionDenied => {
            format!("{name}: permission denied; root may open it, or whom a udev rule lets")
        }
        io::ErrorKind::ResourceBusy => format!("{name}: {busy}"),
        _ => format!("{name}: {error}"),
    }
}
