//! The real-time clock: date and time of day in whole seconds (rtc(4); kernel, Documentation/admin-guide/rtc.rst).

use std::fs::File;
use std::io::ErrorKind;
use std::os::fd::IntoRawFd;
use std::path::Path as FilePath;
use std::sync::OnceLock;

use libc::c_int;

use super::{Clock, Description, Register, Unit};
use crate::record::{Kind, Path, Promises};

/// `struct rtc_time` of include/uapi/linux/rtc.h, which the libc crate lacks: as C's `struct tm`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
struct RtcTime {
    sec: c_int,
    min: c_int,
    hour: c_int,
    /// 1 to 31.
    mday: c_int,
    /// 0 to 11.
    mon: c_int,
    /// Since 1900.
    year: c_int,
    unused: [c_int; 3],
}

/// RTC_RD_TIME.
const READ: libc::Ioctl = libc::_IOR::<RtcTime>(b'p' as u32, 9);

/// The clock by its open device.
#[derive(Clone, Copy)]
struct Rtc(c_int);

impl Clock for Rtc {
    type Raw = RtcTime;
    fn room() -> RtcTime {
        RtcTime { sec: 0, min: 0, hour: 0, mday: 1, mon: 0, year: 70, unused: [0; 3] }
    }
    #[inline(always)]
    fn call(&self, out: &mut RtcTime) -> i32 {
        // SAFETY: RTC_RD_TIME writes one `struct rtc_time`.
        unsafe { libc::ioctl(self.0, READ, std::ptr::from_mut(out)) }
    }
    fn count(raw: &RtcTime) -> u64 {
        seconds(raw) as u64
    }
}

/// Seconds since 1970, by UTC. Fields outside their range count all the same, as `timegm(3)` has it.
fn seconds(time: &RtcTime) -> i64 {
    // SAFETY: plain C data, for which all zeros is a value.
    let mut calendar: libc::tm = unsafe { std::mem::zeroed() };
    calendar.tm_sec = time.sec;
    calendar.tm_min = time.min;
    calendar.tm_hour = time.hour;
    calendar.tm_mday = time.mday;
    calendar.tm_mon = time.mon;
    calendar.tm_year = time.year;
    // SAFETY: timegm reads and normalises this one value.
    unsafe { libc::timegm(&raw mut calendar) }
}

pub(super) fn register<R: Register>(register: &mut R) {
    // One program at a time may hold the device: it is opened once.
    static DEVICE: OnceLock<Result<c_int, String>> = OnceLock::new();
    match DEVICE.get_or_init(|| open(FilePath::new("/dev/rtc0"))) {
        Ok(file) => register.probe(describe(), Rtc(*file)),
        Err(reason) => register.unavailable(describe(), reason.clone()),
    }
}

/// Opens the device, to the process's end.
fn open(device: &FilePath) -> Result<c_int, String> {
    let name = device.display();
    File::open(device).map(IntoRawFd::into_raw_fd).map_err(|error| match error.kind() {
        ErrorKind::NotFound => format!("there is no {name}"),
        ErrorKind::PermissionDenied => {
            format!("{name}: permission denied; root may open it, or whom a udev rule lets")
        }
        ErrorKind::ResourceBusy => format!("{name}: another program holds it, and one at a time may"),
        _ => format!("{name}: {error}"),
    })
}

fn describe() -> Description {
    Description {
        id: "rtc".into(),
        api: "ioctl(/dev/rtc0, RTC_RD_TIME)".into(),
        kind: Kind::Device,
        path: Path::Ioctl,
        path_evidence: "the ioctl is ours".into(),
        promises: Promises { may_step: true, slewed: false, counts_suspend: true, per_cpu: false },
        unit: Unit::Ns(1e9),
        reported_ns: None,
        interposed_by: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(year: c_int, mon: c_int, mday: c_int, hour: c_int, min: c_int, sec: c_int) -> RtcTime {
        RtcTime { sec, min, hour, mday, mon, year: year - 1900, unused: [0; 3] }
    }

    #[test]
    fn dates_are_seconds() {
        assert_eq!(Rtc::count(&time(1970, 0, 1, 0, 0, 0)), 0);
        assert_eq!(Rtc::count(&time(2000, 1, 29, 12, 0, 1)), 951_825_601);
        // Over a leap day and over a year's end.
        let apart = |a: RtcTime, b: RtcTime| Rtc::count(&b) - Rtc::count(&a);
        assert_eq!(apart(time(2028, 1, 28, 23, 59, 59), time(2028, 2, 1, 0, 0, 0)), 86_401);
        assert_eq!(apart(time(2026, 11, 31, 23, 59, 59), time(2027, 0, 1, 0, 0, 0)), 1);
    }

    #[test]
    fn absurd_dates_do_no_harm() {
        for value in [c_int::MIN, -1, 0, 99, c_int::MAX] {
            let [sec, min, hour, mday, mon, year] = [value; 6];
            Rtc::count(&RtcTime { sec, min, hour, mday, mon, year, unused: [value; 3] });
            Rtc::count(&RtcTime { year, ..Rtc::room() });
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
        let clock = Rtc(open(&file).unwrap());
        assert!(clock.read().unwrap_err().to_string().contains("no such call"));
    }
}
