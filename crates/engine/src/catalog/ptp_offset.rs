//! PTP hardware clocks by the driver's own calls, which read the device between two readings of the system's
//! clock, or together with it (kernel, include/uapi/linux/ptp_clock.h; Documentation/driver-api/ptp.rst).

use libc::{c_int, c_void, ptp_clock_time, ptp_sys_offset_extended, ptp_sys_offset_precise};

use super::clock::clock;
use super::{Clock, Description, ReadError, Register, Unit};
use clockscope_analysis::record::{Kind, Path, Promises};

/// Who makes the ioctl: the kernel on a device, or a test in its place.
pub(super) trait Ask: Copy + Send + 'static {
    /// As `ioctl(2)` on the device: 0, or −1 with `errno` set. `argument` is what `request` takes.
    fn ask(&self, request: libc::Ioctl, argument: *mut c_void) -> c_int;
}

#[derive(Clone, Copy)]
pub(super) struct Device(pub(super) c_int);

impl Ask for Device {
    #[inline(always)]
    fn ask(&self, request: libc::Ioctl, argument: *mut c_void) -> c_int {
        // SAFETY: the callers below pass the structure that belongs to the request.
        unsafe { libc::ioctl(self.0, request, argument) }
    }
}

/// PTP_SYS_OFFSET_EXTENDED with one sample: system, device, system.
#[derive(Clone, Copy)]
struct Extended<A>(A);

/// PTP_SYS_OFFSET_PRECISE: device and system at one instant, latched by the hardware or computed.
#[derive(Clone, Copy)]
struct Precise<A>(A);

const NEVER: ptp_clock_time = ptp_clock_time { sec: 0, nsec: 0, reserved: 0 };

/// Nanoseconds of a device's time; absurd fields wrap.
fn ns(time: &ptp_clock_time) -> u64 {
    (time.sec as u64).wrapping_mul(1_000_000_000).wrapping_add(u64::from(time.nsec))
}

clock!(Extended<A> where [A: Ask], [ptp_clock_time; 3] = [NEVER; 3], |self, out| {
    // The kernel wants all of its 1216 bytes, and zeros where they are reserved.
    let mut offset = ptp_sys_offset_extended {
        n_samples: 1,
        clockid: libc::CLOCK_REALTIME,
        rsv: [0; 2],
        ts: [[NEVER; 3]; 25],
    };
    let status = self.0.ask(libc::PTP_SYS_OFFSET_EXTENDED, (&raw mut offset).cast());
    *out = offset.ts[0];
    status
}, |raw| ns(&raw[1]));

clock!(Precise<A> where [A: Ask], ptp_clock_time = NEVER, |self, out| {
    let mut offset =
        ptp_sys_offset_precise { device: NEVER, sys_realtime: NEVER, sys_monoraw: NEVER, rsv: [0; 4] };
    let status = self.0.ask(libc::PTP_SYS_OFFSET_PRECISE, (&raw mut offset).cast());
    *out = offset.device;
    status
}, |raw| ns(raw));

/// Reads that are tried before a device counts as one that can't be read: some say EAGAIN now and then.
const TRIES: usize = 8;
/// Brackets that the stated width is taken from.
const BRACKETS: usize = 25;

/// Registers `name@extended` and `name@precise`. `Err`: the device could not be opened, for this reason.
pub(super) fn register<R: Register, A: Ask>(register: &mut R, name: &str, device: Result<A, String>) {
    let by_ioctl = |way, call| describe(name, way, &format!("ioctl(/dev/{name}, {call})"), Path::Ioctl);
    let extended = by_ioctl("@extended", "PTP_SYS_OFFSET_EXTENDED");
    let precise = by_ioctl("@precise", "PTP_SYS_OFFSET_PRECISE");
    let first = device.clone().and_then(|device| patiently("EXTENDED", Extended(device)));
    let path_evidence = first.as_ref().map_or(String::new(), |(clock, raw)| brackets(clock, *raw));
    register.found(Description { path_evidence, ..extended }, first.map(|(clock, _)| clock));
    let first = device.and_then(|device| patiently("PRECISE", Precise(device)));
    let path_evidence = "the driver gives device and system time of one instant; no bracket".to_owned();
    register.found(Description { path_evidence, ..precise }, first.map(|(clock, _)| clock));
}

/// A first read.
fn patiently<C: Clock>(which: &str, clock: C) -> Result<(C, C::Raw), String> {
    let mut raw = C::room();
    let mut error = ReadError::last();
    for _ in 0..TRIES {
        if clock.call(&mut raw) == 0 {
            return Ok((clock, raw));
        }
        error = ReadError::last();
        if !error.may_pass() {
            break;
        }
    }
    Err(format!("PTP_SYS_OFFSET_{which}: {error}"))
}

/// How far apart the system's readings before and after the device's are: where the device's reading lies
/// between them is not known, so that is its uncertainty.
fn brackets<A: Ask>(clock: &Extended<A>, first: [ptp_clock_time; 3]) -> String {
    let width = |raw: &[ptp_clock_time; 3]| ns(&raw[2]).wrapping_sub(ns(&raw[0])) as i64;
    let mut widths = vec![width(&first)];
    for _ in 1..BRACKETS {
        let mut raw = [NEVER; 3];
        if clock.call(&mut raw) == 0 {
            widths.push(width(&raw));
        }
    }
    widths.sort_unstable();
    let (least, median) = (widths[0], widths[widths.len() / 2]);
    format!(
        "the driver reads the system's clock before and after the device: brackets of {median} ns by the median \
         of {}, {least} ns at least; a reading is that uncertain",
        widths.len()
    )
}

/// A way of reading the device: `way` is what its id has behind the name, empty for the usual one.
pub(super) fn describe(name: &str, way: &str, api: &str, path: Path) -> Description {
    Description {
        base: name.into(),
        forced: !way.is_empty(),
        path,
        promises: Promises { may_step: true, slewed: true, counts_suspend: true, per_cpu: false },
        ..Description::new(&format!("{name}{way}"), api, Kind::Device, Unit::Ns(1.0))
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::session::Readable;

    thread_local! {
        /// What a device answers, each call the next, the last one for ever: an error number, or a time in ns.
        static SCRIPT: Cell<&'static [Result<u64, c_int>]> = const { Cell::new(&[]) };
    }

    /// A device that answers by the script.
    #[derive(Clone, Copy)]
    struct Scripted;

    impl Ask for Scripted {
        fn ask(&self, request: libc::Ioctl, argument: *mut c_void) -> c_int {
            let script = SCRIPT.get();
            let answer = script[0];
            if script.len() > 1 {
                SCRIPT.set(&script[1..]);
            }
            let time = |ns: u64| ptp_clock_time {
                sec: (ns / 1_000_000_000) as i64,
                nsec: (ns % 1_000_000_000) as u32,
                reserved: 0,
            };
            match answer {
                Ok(now) => {
                    // SAFETY: each request comes with its own structure.
                    unsafe {
                        if request == libc::PTP_SYS_OFFSET_EXTENDED {
                            let offset = argument.cast::<ptp_sys_offset_extended>();
                            (*offset).ts[0] = [time(now - 40), time(now), time(now + 60)];
                        } else {
                            (*argument.cast::<ptp_sys_offset_precise>()).device = time(now);
                        }
                    }
                    0
                }
                Err(number) => {
                    // SAFETY: errno is this thread's own.
                    unsafe { *libc::__errno_location() = number };
                    -1
                }
            }
        }
    }

    fn registered(script: &'static [Result<u64, c_int>]) -> Readable {
        SCRIPT.set(script);
        let mut readable = Readable::default();
        register(&mut readable, "ptp3", Ok(Scripted));
        readable
    }

    #[test]
    fn the_device_is_read_and_its_bracket_stated() {
        let readable = registered(&[Ok(5_000_000_123)]);
        let [extended, precise] = [0, 1].map(|at| readable.meters[at].description());
        assert_eq!([&extended.id, &precise.id], ["ptp3@extended", "ptp3@precise"]);
        assert!(extended.path_evidence.contains("brackets of 100 ns"), "{extended:?}");
        assert_eq!(Extended(Scripted).read(), Ok(5_000_000_123));
        assert_eq!(Precise(Scripted).read(), Ok(5_000_000_123));
    }

    #[test]
    fn what_the_device_says_to_a_first_read() {
        let always: &[_] = &[Err(libc::EAGAIN)];
        let now_and_then: &[_] = &[Err(libc::EAGAIN), Err(libc::EAGAIN), Ok(9_000)];
        let never: &[_] = &[Err(libc::EOPNOTSUPP), Err(libc::ENOTTY), Ok(9_000)];
        for (script, reasons) in [
            (always, &["hold still", "hold still"][..]),
            (now_and_then, &[]),
            (never, &["does not offer it", "no such call"]),
        ] {
            let Readable { meters, unavailable } = registered(script);
            assert_eq!((meters.len(), unavailable.len()), (2 - reasons.len(), reasons.len()));
            for (seen, reason) in unavailable.iter().zip(reasons) {
                assert!(seen.reason.contains(reason), "{}", seen.reason);
            }
        }
    }

    #[test]
    fn reads_that_fail_later_say_so() {
        SCRIPT.set(&[Ok(100), Err(libc::EAGAIN), Ok(200)]);
        let seen = [(); 3].map(|()| Extended(Scripted).read().ok());
        assert_eq!(seen, [Some(100), None, Some(200)]);
    }

    #[test]
    fn an_absurd_time_wraps() {
        let absurd = ptp_clock_time { sec: i64::MIN, nsec: u32::MAX, reserved: 7 };
        assert_eq!(Precise::<Scripted>::count(&absurd), u64::from(u32::MAX));
    }
}
