//! The hypervisor's VMClock: whether it disrupted the counter.

use std::io::ErrorKind;
use std::sync::OnceLock;

use truetick::{Provider, VmClock};

/// Opened once, for it stays where it is.
static OPENED: OnceLock<Result<VmClock, Option<String>>> = OnceLock::new();

/// Another value each time that the counter was disrupted; `Ok(None)` where there is no VMClock, `Err` says why it can't be
/// read. Some system calls the first time, a load from memory then.
pub fn disruption_marker() -> Result<Option<u64>, String> {
    let open = || VmClock::open().map_err(|error| reason(&error));
    match OPENED.get_or_init(open) {
        Ok(vmclock) => Ok(vmclock.disruption_marker()),
        Err(None) => Ok(None),
        Err(Some(reason)) => Err(reason.clone()),
    }
}

fn reason(error: &std::io::Error) -> Option<String> {
    let none = matches!(error.kind(), ErrorKind::NotFound | ErrorKind::Unsupported);
    (!none).then(|| format!("/dev/vmclock0: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_there_is_no_error_and_what_is_forbidden_is() {
        assert_eq!(reason(&ErrorKind::NotFound.into()), None);
        assert!(reason(&ErrorKind::PermissionDenied.into()).is_some_and(|why| why.contains("vmclock0")));
        // Asked twice it says the same.
        assert_eq!(disruption_marker(), disruption_marker());
    }
}
