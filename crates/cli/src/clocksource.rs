//! The right to change this machine's clocksource for a while.

use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use clockscope_engine::sweep::{Error, FOLDER, Held, Plan, Restored, Sysfs};

use crate::failure::{Failure, reason};
use crate::guard::Guard;

/// Names a folder that stands for the kernel's, for tests.
const FOLDER_VARIABLE: &str = "CLOCKSCOPE_CLOCKSOURCE_DIR";

/// Where the kernel tells its clocksources.
pub fn folder() -> Result<PathBuf, Failure> {
    let folder = std::env::var_os(FOLDER_VARIABLE).map_or_else(|| PathBuf::from(FOLDER), PathBuf::from);
    // The guard looks for it from another working folder.
    std::path::absolute(&folder).map_err(|error| unreadable(Error::Read { path: folder, error }))
}

/// Does the work while the kernel uses that clocksource; then the old one comes back, on every way out. `Err` says so where it
/// did not.
pub fn under<T>(name: &str, work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    let folder = folder()?;
    let sysfs = Sysfs::new(&folder);
    let plan = Plan::of(&sysfs).map_err(unreadable)?;
    if !plan.sources().any(|offered| offered == name) {
        let offered: Vec<&str> = plan.sources().collect();
        return Err(Failure::Usage(format!(
            "the kernel offers no clocksource '{name}', but {}; nothing was changed",
            offered.join(", ")
        )));
    }
    if plan.before == name {
        return work();
    }
    let guard = guard(&folder, &plan.before, lock(&sysfs)?)?;
    let mut held = Held::new(&sysfs, &plan.before);
    let done = held.change_to(name).map_err(|error| Failure::Machine(error.to_string())).and_then(|()| work());
    let restored = held.release();
    guard.dismiss();
    match restored {
        Restored::AsBefore => done,
        Restored::LeftToKernel => Err(Failure::Machine(format!(
            "the kernel no longer offers {}, the clocksource of before, and was left the choice",
            plan.before
        ))),
        Restored::Failed(why) => Err(Failure::Machine(format!("{} could not be restored: {why}", plan.before))),
    }
}

/// A process that restores the clocksource should this one be killed.
pub fn guard(folder: &Path, before: &str, lock: File) -> Result<Guard, Failure> {
    Guard::start(folder, before, lock).map_err(|error| {
        Failure::Machine(format!(
            "can't start the process that would restore the clocksource if this one were killed: {}; nothing was \
             changed",
            reason(&error)
        ))
    })
}

/// The right to change the clocksource, for this process alone.
pub fn lock(sysfs: &Sysfs) -> Result<File, Failure> {
    let path = sysfs.current_path();
    let path = path.display();
    let refused = match sysfs.check_writable().map(|()| sysfs.lock()) {
        Err(error) => {
            let way_out = match error.kind() {
                ErrorKind::PermissionDenied => "run it as root, with sudo",
                ErrorKind::ReadOnlyFilesystem => {
                    "in a container /sys is read-only: run it on the host, or in a privileged container"
                }
                _ => "it has to be a file that root may write",
            };
            format!("can't write {path}: {}; {way_out}", reason(&error))
        }
        Ok(Ok(Some(lock))) => return Ok(lock),
        Ok(Ok(None)) => "another sweep is under way on this machine; wait for its end".into(),
        Ok(Err(error)) => format!("can't lock {path}: {}", reason(&error)),
    };
    Err(Failure::Machine(refused))
}

/// The kernel's clocksources can't be told, so nothing can be planned.
pub fn unreadable(error: Error) -> Failure {
    let (text, way_out) = match error {
        Error::Read { path, error } => (
            format!("can't read {}: {}", path.display(), reason(&error)),
            if error.kind() == ErrorKind::NotFound { "; this needs Linux with /sys mounted" } else { "" },
        ),
        other => (other.to_string(), ""),
    };
    Failure::Machine(format!("{text}{way_out}; nothing was changed"))
}
