//! The HPET's main counter, mapped from /dev/hpet (IA-PC HPET specification 1.0a, 2.3: 'Memory mapped
//! registers'; kernel, Documentation/timers/hpet.rst).

use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::fd::AsRawFd;
use std::path::Path as FilePath;
use std::sync::OnceLock;

use super::clock::{clock, unopened};
use super::wrap::{Narrow, Wrap};
use super::{Description, Register, Unit};
use clockscope_analysis::record::{Kind, Path};

/// Registers by their offset in bytes: capabilities with the period above, configuration, the counter's halves.
const CAPABILITIES: usize = 0x00;
const PERIOD: usize = 0x04;
const CONFIGURATION: usize = 0x10;
const COUNTER: usize = 0xf0;
const UPPER_HALF: usize = 0xf4;
/// COUNT_SIZE_CAP: the counter has 64 bits.
const IS_WIDE: u32 = 1 << 13;
/// ENABLE_CNF: the counter runs.
const RUNS: u32 = 1;
/// The longest period that the specification allows, fs.
const LONGEST_FS: u32 = 100_000_000;
/// What the registers take up; the driver maps one page.
const LENGTH: usize = 0x400;

#[derive(Clone, Copy)]
struct Hpet {
    counter: Word,
    wrap: &'static Wrap,
}

clock!(
    Hpet,
    Narrow = Narrow::EMPTY,
    |self, out| {
        *out = Narrow { bits: self.counter.get(), wrap: Some(self.wrap) };
        0
    },
    |raw| raw.extended()
);

/// A 32-bit register in a mapping that is never taken down.
#[derive(Clone, Copy)]
struct Word(*const u32);

// SAFETY: the mapping lasts as long as the process, and reading it is all that is done with it.
unsafe impl Send for Word {}
// SAFETY: as above.
unsafe impl Sync for Word {}

impl Word {
    #[inline(always)]
    fn get(self) -> u32 {
        // SAFETY: made by `map` alone, which has checked that the mapping holds the register.
        unsafe { self.0.read_volatile() }
    }
}

/// A counter that was found fit to be read.
#[derive(Clone, Copy)]
struct Found {
    clock: Hpet,
    period_fs: u32,
    wide: bool,
}

pub(super) fn register<R: Register>(register: &mut R) {
    // Each open device takes a comparator, of which a machine has as few as one to give: one mapping for all.
    static FOUND: OnceLock<Result<Found, String>> = OnceLock::new();
    let open = || open(FilePath::new("/dev/hpet"), FilePath::new("/sys/firmware/acpi/tables/HPET"));
    let found = FOUND.get_or_init(open).as_ref();
    register.found(describe(found.ok()), found.map(|found| found.clock));
}

fn describe(found: Option<&Found>) -> Description {
    let period_ns = found.map(|found| f64::from(found.period_fs) / 1e6);
    let path_evidence = found.map_or("not looked at".into(), |found| {
        let width = if found.wide { "of its 64 bits the lower 32 are read" } else { "it has 32 bits" };
        format!(
            "the register is mapped into the process; {width}, and it is reckoned how often they came round; \
             its capability register states {} fs a count",
            found.period_fs
        )
    });
    Description {
        path: Path::Mmio,
        path_evidence,
        ticks_by: Some("the HPET's capability register".into()),
        reported_ns: period_ns,
        ..Description::new(
            "hpet",
            "HPET main counter (/dev/hpet, offset 0F0H)",
            Kind::Device,
            period_ns.map_or(Unit::Ticks, Unit::Ns),
        )
    }
}

/// Maps the device and looks whether it is one. `table` is the firmware's word on it.
fn open(device: &FilePath, table: &FilePath) -> Result<Found, String> {
    let name = device.display();
    let file = File::open(device).map_err(|error| match error.kind() {
        ErrorKind::NotFound if table.exists() => format!(
            "there is no {name}, although the firmware names an HPET: this kernel has no driver for it \
             (CONFIG_HPET), or hpet=disable"
        ),
        ErrorKind::NotFound => format!("there is no {name}, and no ACPI table names an HPET"),
        _ => unopened(&name, &error, "all its comparators are taken by other programs"),
    })?;
    let start = map(&file).map_err(|why| format!("{name}: {why}"))?;
    // SAFETY: `map` gave LENGTH bytes.
    let word = |at: usize| Word(unsafe { start.byte_add(at) });
    let look = || {
        let period_fs = word(PERIOD).get();
        if period_fs == 0 || period_fs > LONGEST_FS {
            return Err(format!(
                "{name}: the capability register states a period of {period_fs} fs; the specification allows 1 \
                 to {LONGEST_FS}"
            ));
        }
        if word(CONFIGURATION).get() & RUNS == 0 {
            return Err(format!("{name}: the counter is halted (ENABLE_CNF is clear)"));
        }
        let wide = word(CAPABILITIES).get() & IS_WIDE != 0;
        let counter = word(COUNTER);
        let base = wide.then(|| whole(counter, word(UPPER_HALF)));
        let wrap = Wrap::new(32, f64::from(period_fs) / 1e6, base);
        Ok(Found { clock: Hpet { counter, wrap }, period_fs, wide })
    };
    look().inspect_err(|_| {
        // SAFETY: the mapping is ours, and no `Word` of it is left.
        unsafe { libc::munmap(start.cast_mut().cast(), LENGTH) };
    })
}

/// A 64-bit counter by halves: again if the upper one moved meanwhile (the specification, 2.4.7). In the timed
/// loops the lower half alone is read, as the kernel does: a bus, or an emulator, may tear a 64-bit read.
fn whole(lower: Word, upper: Word) -> u64 {
    let mut high = upper.get();
    // The lower half takes seconds to come round; twice in a row is no clock's doing.
    for _ in 0..3 {
        let low = lower.get();
        let again = upper.get();
        if again == high {
            return u64::from(high) << 32 | u64::from(low);
        }
        high = again;
    }
    u64::from(high) << 32
}

fn map(file: &File) -> Result<*const u32, String> {
    let kind = file.metadata().map_err(|error| error.to_string())?;
    // Behind the end of a short file there is nothing to read: touching it would raise SIGBUS.
    if kind.is_file() && kind.len() < LENGTH as u64 {
        return Err(format!("only {} bytes long, which is no HPET", kind.len()));
    }
    // SAFETY: a new mapping at a place that the kernel chooses.
    let start =
        unsafe { libc::mmap(std::ptr::null_mut(), LENGTH, libc::PROT_READ, libc::MAP_SHARED, file.as_raw_fd(), 0) };
    if start != libc::MAP_FAILED {
        return Ok(start.cast_const().cast());
    }
    let error = io::Error::last_os_error();
    Err(match error.raw_os_error() {
        Some(libc::EACCES | libc::EPERM) => {
            "the kernel does not let it be mapped; it does when booted with hpet_mmap=1".into()
        }
        Some(libc::ENOSYS | libc::ENODEV) => {
            "the kernel can't map it: built without CONFIG_HPET_MMAP, or the registers do not start on a page".into()
        }
        _ => format!("mmap: {error}"),
    })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::FileExt;

    use super::super::Clock;
    use super::*;

    /// A regular file that stands for the device: its registers by offset, `length` bytes long.
    fn device(registers: &[(u64, u32)], length: u64) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        file.as_file().set_len(length).unwrap();
        for (at, value) in registers {
            set(&file, *at, *value);
        }
        file
    }

    fn set(file: &tempfile::NamedTempFile, at: u64, value: u32) {
        file.as_file().write_all_at(&value.to_le_bytes(), at).unwrap();
    }

    fn opened(file: &tempfile::NamedTempFile) -> Result<Found, String> {
        open(file.path(), FilePath::new("/nothing/here"))
    }

    const WIDE: [(u64, u32); 4] = [(0x00, 0x8086_a201), (0x04, 10_000_000), (0x10, 1), (0xf4, 7)];
    const NARROW: [(u64, u32); 3] = [(0x00, 0x8086_0201), (0x04, 69_841_279), (0x10, 1)];

    #[test]
    fn period_and_width_are_the_capability_registers() {
        for (registers, wide, period_ns) in [(&WIDE[..], true, 10.0), (&NARROW, false, 69.841_279)] {
            let found = opened(&device(registers, 4096)).unwrap();
            let d = describe(Some(&found));
            let seen = (found.wide, d.unit, d.reported_ns, d.path);
            assert_eq!(seen, (wide, Unit::Ns(period_ns), Some(period_ns), Path::Mmio));
        }
    }

    #[test]
    fn a_wide_counter_counts_on_over_its_lower_half() {
        let file = device(&WIDE, 4096);
        set(&file, 0xf0, u32::MAX);
        let clock = opened(&file).unwrap().clock;
        assert_eq!(clock.read(), Ok(0x7_ffff_ffff));
        set(&file, 0xf0, 20);
        assert_eq!(clock.read(), Ok(0x8_0000_0014));
    }

    #[test]
    fn what_is_no_hpet_is_refused_with_the_reason() {
        for (registers, length, reason) in [
            (&[][..], 4096, "a period of 0 fs"),
            (&[(0x04, u32::MAX), (0x10, 1)], 4096, "a period of 4294967295 fs"),
            (&[(0x04, LONGEST_FS + 1), (0x10, 1)], 4096, "100000001 fs"),
            (&WIDE[..2], 4096, "halted"),
            // Nothing behind the file's end is touched: that would be SIGBUS.
            (&[], 0, "only 0 bytes"),
            (&[], 0x3ff, "only 1023 bytes"),
        ] {
            let why = opened(&device(registers, length)).err().unwrap();
            assert!(why.contains(reason), "{why}");
        }
        let folder = tempfile::tempdir().unwrap();
        assert!(open(folder.path(), FilePath::new("/")).is_err());
        // A missing device, and a missing driver.
        let (device, table) = (folder.path().join("hpet"), folder.path().join("HPET"));
        assert!(open(&device, &table).err().unwrap().contains("no ACPI table"));
        std::fs::write(&table, "HPET").unwrap();
        assert!(open(&device, &table).err().unwrap().contains("no driver"));
    }
}
