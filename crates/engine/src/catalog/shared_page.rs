//! The pages that a hypervisor keeps its clock in and the kernel maps beside the vDSO, for the vDSO's own use. No
//! ABI says where they are; what is found there has to prove itself.

use std::io::Read;
use std::os::fd::AsRawFd;
use std::sync::atomic::AtomicU64;

use super::clock::clock;
use super::{Description, Unit};
use clockscope_analysis::record::{Kind, Path, Promises};

/// The beginning of such a page: all of it that anyone uses.
pub(super) type Words = [AtomicU64; 4];

/// Tries before a page that some hypervisor is writing to counts as one that never settles: some ten
/// microseconds; an update takes less than one.
pub(super) const TRIES: u32 = 256;

pub(super) const PAGE: usize = 4096;

/// How one hypervisor's page is read.
pub(super) trait Protocol: Copy + Send + 'static {
    /// Its place among the hypervisors' pages.
    const PLACE: usize;
    const NAME: &'static str;
    /// Who has it.
    const HINT: &'static str;

    /// One read, `counter` being that of the CPU. `None`: the page can't be read now.
    fn read(page: &Words, counter: impl Fn() -> u64) -> Option<u64>;

    /// Whether the page is one, and can be read on every CPU.
    fn check(page: &Words) -> Result<(), String>;
}

#[derive(Clone, Copy)]
pub(super) struct OfPage<P>(pub(super) &'static Words, P);

impl<P: Protocol> OfPage<P> {
    /// The page, if there is one and it is sound.
    pub(super) fn open(protocol: P) -> Result<Self, String> {
        if !super::counter_readable() {
            return Err("prctl(PR_SET_TSC) forbids this process to execute RDTSC, which the page needs".into());
        }
        let page = open(P::PLACE).map_err(|why| format!("{}: {why}; {}", P::NAME, P::HINT))?;
        P::check(page).map(|()| Self(page, protocol)).map_err(|why| format!("{}: {why}", P::NAME))
    }

    pub(super) fn describe(id: &str, unit_ns: f64) -> Description {
        let api = format!("{} of the vDSO, and lfence; rdtsc", P::NAME);
        Description {
            path: Path::Page,
            path_evidence: "our own code reads the page that the kernel maps beside the vDSO, and the counter".into(),
            promises: Promises { counts_suspend: true, ..Promises::default() },
            ..Description::new(id, &api, Kind::Device, Unit::Ns(unit_ns))
        }
    }
}

clock!(OfPage<P> where [P: Protocol], u64 = 0, |self, out| {
    match P::read(self.0, truetick::counter::lfence_rdtsc) {
        Some(value) => {
            *out = value;
            0
        }
        None => -1,
    }
}, |raw| *raw);

/// A frequency that the page of a counter may state, Hz; `None`: none that a counter has.
pub(super) fn sane(hz: f64) -> Option<f64> {
    (hz > 1e8 && hz < 1e11).then_some(hz)
}

/// The page, if the kernel has put anything there.
fn open(place: usize) -> Result<&'static Words, String> {
    let maps = std::fs::read_to_string("/proc/self/maps")
        .map_err(|error| format!("/proc/self/maps, which tells where the page is: {error}"))?;
    let address = locate(&maps, place)?;
    peek(address)?;
    // SAFETY: the kernel has just read the words of this page, which starts a page and so is aligned for them; it
    // never unmaps it, and the process does not either. They change under us, hence atomic, and are loaded only,
    // by loads that x86 does not fault on read-only memory.
    Ok(unsafe { &*(address as *const Words) })
}

/// The page's address, by /proc/self/maps: the layouts are told in docs/method/devices.md, 'Pages of hypervisors'
/// (arch/x86/include/asm/vdso/vsyscall.h; before, arch/x86/entry/vdso/vdso-layout.lds.S). `[vvar]` has two pages
/// (pvclock alone), three, or four with that of the time namespaces.
fn locate(maps: &str, place: usize) -> Result<usize, String> {
    let own = mapping(maps, "[vvar_vclock]");
    let (start, pages, first) = match (own, mapping(maps, "[vvar]")) {
        (Some((start, pages)), _) => (start, pages, 0),
        (None, Some((start, pages @ 2..=4))) => (start, pages, 1),
        (None, Some((_, pages))) => {
            return Err(format!("[vvar] has {pages} pages; where a hypervisor's would be is not known"));
        }
        (None, None) => return Err("the kernel maps no data beside the vDSO (vdso=0?)".into()),
    };
    let at = first + place;
    if at >= pages {
        return Err("this kernel's vDSO has no such page".into());
    }
    start.checked_add(at * PAGE).ok_or_else(|| "/proc/self/maps makes no sense".into())
}

/// Start and number of pages of the mapping called `name`.
pub(super) fn mapping(maps: &str, name: &str) -> Option<(usize, usize)> {
    let line = maps.lines().find(|line| line.ends_with(name))?;
    let (start, end) = line.split_whitespace().next()?.split_once('-')?;
    let [start, end] = [start, end].map(|text| usize::from_str_radix(text, 16).ok());
    let (start, length) = (start?, end?.checked_sub(start?)?);
    (start % PAGE == 0).then_some((start, length / PAGE))
}

/// Lets the kernel read the words, which fails where touching them would raise SIGBUS: the kernel backs a page
/// only where its hypervisor has one and its clocksource has been used.
fn peek(address: usize) -> Result<[u64; 4], String> {
    let mut words = [[0u8; 8]; 4];
    copy(address, words.as_flattened_mut())?;
    Ok(words.map(u64::from_ne_bytes))
}

/// Lets the kernel copy what stands there, at most a page of it; fails where touching it would raise a signal.
pub(super) fn copy(address: usize, bytes: &mut [u8]) -> Result<(), String> {
    let (mut reader, writer) = std::io::pipe().map_err(|error| format!("pipe: {error}"))?;
    let size = bytes.len().min(PAGE);
    // SAFETY: the kernel checks the address; a pipe holds as many bytes without a reader.
    let wrote = unsafe { libc::write(writer.as_raw_fd(), address as *const libc::c_void, size) };
    if wrote != size as isize {
        return Err("the kernel has put nothing there".into());
    }
    reader.read_exact(&mut bytes[..size]).map_err(|error| format!("pipe: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PVCLOCK: usize = 0;
    const HYPER_V: usize = 1;
    const NEW: &str = "\
7fe862d36000-7fe862d3a000 r--p 00000000 00:00 0                          [vvar]
7fe862d3a000-7fe862d3c000 r--p 00000000 00:00 0                          [vvar_vclock]
7fe862d3c000-7fe862d3e000 r-xp 00000000 00:00 0                          [vdso]
";

    fn old(pages: usize) -> String {
        format!("{:x}-{:x} r--p 00000000 00:00 0   [vvar]\n", 0x7000_0000, 0x7000_0000 + pages * PAGE)
    }

    #[test]
    fn each_kernels_layout() {
        assert_eq!(locate(NEW, PVCLOCK), Ok(0x7fe8_62d3_a000));
        assert_eq!(locate(NEW, HYPER_V), Ok(0x7fe8_62d3_b000));
        for pages in [3, 4] {
            assert_eq!(locate(&old(pages), PVCLOCK), Ok(0x7000_1000));
            assert_eq!(locate(&old(pages), HYPER_V), Ok(0x7000_2000));
        }
        assert_eq!(locate(&old(2), PVCLOCK), Ok(0x7000_1000));
        assert!(locate(&old(2), HYPER_V).unwrap_err().contains("no such page"));
    }

    #[test]
    fn unknown_layouts_are_not_guessed_at() {
        assert!(locate(&old(1), PVCLOCK).is_err());
        assert!(locate(&old(7), PVCLOCK).unwrap_err().contains("7 pages"));
        assert!(locate("", PVCLOCK).unwrap_err().contains("vdso=0"));
        for line in ["-  [vvar]", "zz-1000 [vvar]", "2000-1000 [vvar]", "[vvar]", "801-5801 [vvar]"] {
            assert!(locate(line, PVCLOCK).is_err(), "{line}");
        }
        let last = format!("{:x}-{:x} [vvar]", usize::MAX - PAGE + 1, usize::MAX);
        assert!(locate(&last, PVCLOCK).is_err());
    }

    #[test]
    fn a_page_that_nobody_backs_is_seen_without_touching_it() {
        let page = std::mem::ManuallyDrop::new(Box::new([1u64, 2, 3, 4]));
        assert_eq!(peek(std::ptr::from_ref(&**page) as usize), Ok([1, 2, 3, 4]));
        assert!(peek(0).unwrap_err().contains("nothing there"));
        // A file's mapping behind the file's end raises SIGBUS when touched, as an unbacked page of the vDSO does.
        let file = tempfile::tempfile().unwrap();
        // SAFETY: a new mapping at a place that the kernel chooses.
        let hole =
            unsafe { libc::mmap(std::ptr::null_mut(), PAGE, libc::PROT_READ, libc::MAP_SHARED, file.as_raw_fd(), 0) };
        assert_ne!(hole, libc::MAP_FAILED);
        assert!(peek(hole as usize).unwrap_err().contains("nothing there"));
        // SAFETY: the mapping is ours, and nothing refers to it.
        unsafe { libc::munmap(hole, PAGE) };
    }
}
