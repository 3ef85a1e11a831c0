//! The real-time clock: date and time of day in whole seconds (rtc(4); kernel, Documentation/admin-guide/rtc.rst).

use std::fs::File;
use std::os::fd::AsRawFd;
use std::path::Path as FilePath;
use std::sync::OnceLock;

use libc::{c_int, tm};

use super::clock::{clock, unopened};
use super::{Clock, Description, ReadError, Register, Unit};
use clockscope_analysis::record::{Kind, Path, Promises};

/// RTC_RD_TIME. Its `struct rtc_time` (include/uapi/linux/rtc.h), which the libc crate lacks, is the nine numbers that
/// C's `struct tm` begins with.
const READ: libc::Ioctl = libc::_IOR::<[c_int; 9]>(b'p' as u32, 9);

#[derive(Clone, Copy)]
struct Rtc;

const DEVICE: &str = "/dev/rtc0";
/// The open device, or why it could not be opened. One program at a time may hold it, so that it is opened with the
/// first read that is not only a look whether it can be read.
static HELD: OnceLock<Result<File, c_int>> = OnceLock::new();

clock!(
    Rtc,
    tm = epoch(),
    |self, out| {
        let held = HELD.get_or_init(|| File::open(DEVICE).map_err(|error| error.raw_os_error().unwrap_or(0)));
        held.as_ref().map_or(-1, |file| read(file, out))
    },
    |raw| {
        let mut time = *raw;
        // SAFETY: timegm reads and normalises this one value. Fields outside their range count as well (timegm(3)).
        unsafe { libc::timegm(&raw mut time) as u64 }
    }
);

/// One read: 0, or −1 with `errno` set.
#[inline(always)]
fn read(file: &File, out: &mut tm) -> i32 {
    // SAFETY: RTC_RD_TIME writes one `struct rtc_time`, for which a `struct tm` has room.
    unsafe { libc::ioctl(file.as_raw_fd(), READ, std::ptr::from_mut(out)) }
}

fn epoch() -> tm {
    // SAFETY: plain C data, for which all zeros is a value.
    tm { tm_mday: 1, tm_year: 70, ..unsafe { std::mem::zeroed() } }
}

pub(super) fn register<R: Register>(register: &mut R) {
    let readable = match HELD.get() {
        Some(Ok(file)) => look(file),
        _ => open(FilePath::new(DEVICE)).and_then(|file| look(&file)),
    };
    register.found(describe(), readable.map(|()| Rtc));
}

/// Whether the open device can be read.
fn look(file: &File) -> Result<(), String> {
    let mut time = Rtc::room();
    if read(file, &mut time) == 0 { Ok(()) } else { Err(format!("RTC_RD_TIME: {}", ReadError::last())) }
}

fn open(device: &FilePath) -> Result<File, String> {
    let busy = "another program holds it, and one at a time may";
    File::open(device).map_err(|error| unopened(device.display(), &error, busy))
}

fn describe() -> Description {
    Description {
        path: Path::Ioctl,
        path_evidence: "the ioctl is ours".into(),
        promises: Promises { may_step: true, counts_suspend: true, ..Promises::default() },
        ..Description::new("rtc", "ioctl(/dev/rtc0, RTC_RD_TIME)", Kind::Device, Unit::Ns(1e9))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(year: c_int, tm_mon: c_int, tm_mday: c_int, tm_hour: c_int, tm_min: c_int, tm_sec: c_int) -> tm {
        tm { tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year: year - 1900, ..epoch() }
    }

    #[test]
    fn dates_are_seconds() {
        assert_eq!(Rtc::count(&time(1970, 0, 1, 0, 0, 0)), 0);
        assert_eq!(Rtc::count(&time(2000, 1, 29, 12, 0, 1)), 951_825_601);
        // Over a leap day and over a year's end.
        let apart = |a: tm, b: tm| Rtc::count(&b) - Rtc::count(&a);
        assert_eq!(apart(time(2028, 1, 28, 23, 59, 59), time(2028, 2, 1, 0, 0, 0)), 86_401);
        assert_eq!(apart(time(2026, 11, 31, 23, 59, 59), time(2027, 0, 1, 0, 0, 0)), 1);
    }

    #[test]
    fn absurd_dates_do_no_harm() {
        for value in [c_int::MIN, -1, 0, 99, c_int::MAX] {
            let [tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year] = [value; 6];
            let [tm_wday, tm_yday, tm_isdst] = [value; 3];
            Rtc::count(&tm {
                tm_sec,
                tm_min,
                tm_hour,
                tm_mday,
                tm_mon,
                tm_year,
                tm_wday,
                tm_yday,
                tm_isdst,
                ..epoch()
            });
            Rtc::count(&tm { tm_year, ..epoch() });
        }
    }

    #[test]
    fn the_request_is_the_kernels() {
        assert_eq!(READ as u32, 0x8024_7009);
    }

    #[test]
    fn a_device_that_is_none_gives_the_reason() {
        let folder = tempfile::tempdir().unwrap();
        assert!(open(&folder.path().join("rtc0")).unwrap_err().contains("there is no"));
        let file = folder.path().join("file");
        std::fs::write(&file, "").unwrap();
        assert!(look(&open(&file).unwrap()).unwrap_err().contains("no such call"));
    }
}
