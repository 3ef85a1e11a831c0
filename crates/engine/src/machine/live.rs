//! What only the running system can be asked, not files.

use super::ntp;
use crate::{catalog, measure};
use clockscope_analysis::record::{Frequency, Ntp};

/// What to gather.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// Whether the host's name may be put down.
    pub hostname: bool,
    /// The CPU measured on, whose governor is asked for; `None`: the last of the allowed ones.
    pub cpu: Option<u32>,
}

/// Answers of the running system. `Err` says why there is none.
#[derive(Debug, Clone)]
pub(super) struct Live {
    pub(super) release: Result<String, String>,
    /// If asked for.
    pub(super) hostname: Option<String>,
    /// CPUs that this thread may run on.
    pub(super) allowed: Result<Vec<u32>, String>,
    pub(super) ntp: Result<Ntp, String>,
    /// Whether the environment is a Kubernetes pod's.
    pub(super) kubernetes: bool,
    /// Whether RDTSC may be executed.
    pub(super) counter_readable: bool,
    /// The counter's frequency by the hypervisors' pages.
    pub(super) stated_by_pages: Vec<Frequency>,
}

impl Live {
    pub(super) fn ask(options: &Options) -> Self {
        let uname = rustix::system::uname();
        let text = |field: &std::ffi::CStr| field.to_string_lossy().into_owned();
        let hostname = text(uname.nodename());
        Self {
            release: Ok(text(uname.release())),
            hostname: (options.hostname && !hostname.is_empty()).then_some(hostname),
            allowed: measure::allowed_cpus().map_err(|error| format!("sched_getaffinity: {error}")),
            ntp: ntp::read(),
            kubernetes: std::env::var_os("KUBERNETES_SERVICE_HOST").is_some(),
            counter_readable: catalog::counter_readable(),
            stated_by_pages: catalog::stated_tsc_frequencies(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_answers() {
        let live = Live::ask(&Options::default());
        assert!(!live.allowed.unwrap().is_empty());
        assert!(live.release.unwrap().contains('.'));
        assert_eq!(live.hostname, None);
        assert!(Live::ask(&Options { hostname: true, cpu: None }).hostname.is_some());
    }
}
