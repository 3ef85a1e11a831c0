//! The functions of the vDSO: the kernel's code that reads clocks without a system call.

use std::ffi::c_void;

use object::read::elf::{ElfFile64, FileHeader};
use object::{Endianness, Object, ObjectSymbol, elf};

pub(super) type ClockGettime = unsafe extern "C" fn(libc::clockid_t, *mut libc::timespec) -> i32;
pub(super) type GetTimeOfDay = unsafe extern "C" fn(*mut libc::timeval, *mut c_void) -> i32;
/// `time` as the vDSO exports it (x86 only).
pub(super) type Time = unsafe extern "C" fn(*mut libc::time_t) -> libc::time_t;

const PREFIX: &str = if cfg!(target_arch = "aarch64") { "__kernel_" } else { "__vdso_" };

macro_rules! function {
    ($name:ident, $type:ty) => {
        /// The function, if the vDSO has it.
        pub(super) fn $name() -> Option<$type> {
            // SAFETY: the kernel's ABI (Documentation/ABI/stable/vdso) gives this name this signature.
            symbol(stringify!($name)).map(|p| unsafe { std::mem::transmute::<*const c_void, $type>(p) })
        }
    };
}

function!(clock_gettime, ClockGettime);
function!(gettimeofday, GetTimeOfDay);
function!(time, Time);

fn symbol(name: &str) -> Option<*const c_void> {
    let image = image()?;
    let file = ElfFile64::<Endianness>::parse(image).ok()?;
    let wanted = format!("{PREFIX}{name}");
    let found = file.dynamic_symbols().find(|s| s.is_definition() && s.name() == Ok(wanted.as_str()))?;
    // The image is linked at its lowest segment's address, usually 0.
    let linked_at = file
        .elf_program_headers()
        .iter()
        .filter(|s| s.p_type.get(Endianness::Little) == elf::PT_LOAD)
        .map(|s| s.p_vaddr.get(Endianness::Little))
        .min()?;
    let offset = usize::try_from(found.address().checked_sub(linked_at)?).ok()?;
    image.get(offset).map(|byte| std::ptr::from_ref(byte).cast())
}

/// The vDSO's ELF image, as the kernel mapped it.
fn image() -> Option<&'static [u8]> {
    // SAFETY: reads a word of the process's start-up data.
    let base = unsafe { libc::getauxval(libc::AT_SYSINFO_EHDR) } as *const u8;
    if base.is_null() {
        return None;
    }
    let header_len = size_of::<elf::FileHeader64<Endianness>>();
    // SAFETY: AT_SYSINFO_EHDR points to a mapped, read-only ELF image that is never unmapped by us; its header
    // is whole, for the mapping starts on a page.
    let header = unsafe { std::slice::from_raw_parts(base, header_len) };
    let header = elf::FileHeader64::<Endianness>::parse(header).ok()?;
    let endian = header.endian().ok()?;
    let sections = u64::from(header.e_shnum(endian)) * u64::from(header.e_shentsize(endian));
    let end = usize::try_from(header.e_shoff(endian).checked_add(sections)?).ok()?;
    // A vDSO is a few pages; anything else is not one that we know how to read.
    if header.e_shnum(endian) == 0 || end > 1 << 20 {
        return None;
    }
    // SAFETY: the kernel maps the whole file, and the section headers are its end.
    Some(unsafe { std::slice::from_raw_parts(base, end) })
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;

    #[test]
    fn the_vdso_tells_the_kernels_time() {
        let Some(vdso) = clock_gettime() else { return };
        let mut direct = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        let mut kernel = direct;
        // SAFETY: both write one timespec.
        unsafe {
            assert_eq!(vdso(libc::CLOCK_MONOTONIC, &raw mut direct), 0);
            assert_eq!(libc::syscall(libc::SYS_clock_gettime, libc::CLOCK_MONOTONIC, &raw mut kernel), 0);
        }
        let apart = (kernel.tv_sec - direct.tv_sec) * 1_000_000_000 + kernel.tv_nsec - direct.tv_nsec;
        assert!((0..60_000_000_000).contains(&apart), "the later read is {apart} ns after the earlier one");
        assert!(symbol("no_such_function").is_none());
    }
}
