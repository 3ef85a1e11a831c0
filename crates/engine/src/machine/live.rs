//! What only the running system can be asked, not files.

use super::ntp;
use crate::catalog;
use clockscope_analysis::record::{Frequency, Ntp};

/// What to gather.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// Whether the host's name may be told.
    pub hostname: bool,
    /// The CPU measured on, whose governor is told; `None`: the last of the allowed ones.
    pub cpu: Option<u32>,
}

/// Answers of the running system. `Err` says why there is none.
#[derive(Debug, Clone)]
pub(super) struct Live {
    /// Kernel release.
    pub(super) release: Result<String, String>,
    /// Host name, if asked for.
    pub(super) hostname: Option<String>,
    /// CPUs that this thread may run on.
    pub(super) allowed: Result<Vec<u32>, String>,
    /// Clock discipline.
    pub(super) ntp: Result<Ntp, String>,
    /// Whether the environment is a Kubernetes pod's.
    pub(super) kubernetes: bool,
    /// Whether RDTSC may be executed.
    pub(super) counter_readable: bool,
    /// The counter's frequency by the hypervisors' pages.
    pub(super) stated_by_pages: Vec<Frequency>,
}

impl Live {
    /// Asks.
    pub(super) fn ask(options: &Options) -> Self {
        let (release, hostname) = names();
        Self {
            release,
            hostname: hostname.filter(|_| options.hostname),
            allowed: allowed(),
            ntp: ntp::read(),
            kubernetes: std::env::var_os("KUBERNETES_SERVICE_HOST").is_some(),
            counter_readable: catalog::counter_readable(),
            stated_by_pages: catalog::stated_tsc_frequencies(),
        }
    }
}

/// Kernel release and host name, by uname.
#[cfg(unix)]
fn names() -> (Result<String, String>, Option<String>) {
    let uname = rustix::system::uname();
    let text = |field: &std::ffi::CStr| field.to_string_lossy().into_owned();
    (Ok(text(uname.release())), Some(text(uname.nodename())).filter(|name| !name.is_empty()))
}

/// No uname here.
#[cfg(not(unix))]
fn names() -> (Result<String, String>, Option<String>) {
    (Err("this system has no uname".into()), None)
}

/// CPUs that this thread may run on. The kernel refuses a set smaller than its own with EINVAL; its own may
/// have more than the C library's fixed 1024, so the set grows until it fits.
#[cfg(target_os = "linux")]
fn allowed() -> Result<Vec<u32>, String> {
    const WORD: usize = libc::c_ulong::BITS as usize;
    let mut words = vec![0 as libc::c_ulong; 1024 / WORD];
    loop {
        let bytes = size_of_val(words.as_slice());
        // SAFETY: the call writes at most `bytes` bytes to the buffer, which has that many and is aligned as
        // the kernel's set, an array of unsigned long.
        let status = unsafe { libc::sched_getaffinity(0, bytes, words.as_mut_ptr().cast()) };
        if status == 0 {
            return Ok(set(&words));
        }
        let error = std::io::Error::last_os_error();
        if error.raw_os_error() != Some(libc::EINVAL) || bytes > 1 << 20 {
            return Err(format!("sched_getaffinity: {error}"));
        }
        words.resize(words.len() * 2, 0);
    }
}

/// No such call here.
#[cfg(not(target_os = "linux"))]
fn allowed() -> Result<Vec<u32>, String> {
    Err("sched_getaffinity is Linux's".into())
}

/// The numbers of a set's bits.
#[cfg(target_os = "linux")]
fn set(words: &[libc::c_ulong]) -> Vec<u32> {
    let bits = words.iter().zip((0u32..).step_by(libc::c_ulong::BITS as usize));
    bits.flat_map(|(word, first)| {
        (0..libc::c_ulong::BITS).filter(move |bit| word >> bit & 1 == 1).map(move |bit| first + bit)
    })
    .collect()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn sets_beyond_1024_cpus() {
        let mut words = vec![0 as libc::c_ulong; 2048 / libc::c_ulong::BITS as usize];
        words[0] = 0b101;
        let last = words.len() - 1;
        words[last] = 1 << (libc::c_ulong::BITS - 1);
        assert_eq!(set(&words), [0, 2, 2047]);
    }

    #[test]
    fn this_machine_answers() {
        let live = Live::ask(&Options::default());
        assert!(!live.allowed.unwrap().is_empty());
        assert!(live.release.unwrap().contains('.'));
        assert_eq!(live.hostname, None);
        assert!(Live::ask(&Options { hostname: true, cpu: None }).hostname.is_some());
    }
}
