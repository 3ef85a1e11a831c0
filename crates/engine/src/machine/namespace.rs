//! The process's time namespace.

use super::root::Root;
use clockscope_analysis::record::TimeNamespace;

/// Offsets of this process's clocks; `None` if both are zero or the kernel has no time namespaces.
///
/// `/proc/self/timens_offsets` speaks of the namespace that *children* will get (`time_namespaces(7)`): between
/// `unshare` and the next fork that is another one than the process's own, and then its offsets are not known.
pub(super) fn offsets(root: &Root) -> Result<Option<TimeNamespace>, String> {
    let link = |name: &str| std::fs::read_link(root.path(&format!("/proc/self/ns/{name}"))).ok();
    if let (Some(own), Some(children)) = (link("time"), link("time_for_children"))
        && own != children
    {
        return Err("the process has unshared its time namespace but not yet entered the new one".into());
    }
    match root.text("/proc/self/timens_offsets") {
        Ok(text) => Ok(parse(&text)),
        // A kernel without time namespaces has a /proc without the file.
        Err(_) if root.has("/proc/self") => Ok(None),
        Err(reason) => Err(reason),
    }
}

/// Lines of clock, seconds, nanoseconds; the nanoseconds are always forward of the seconds.
fn parse(text: &str) -> Option<TimeNamespace> {
    let offset = |names: [&str; 2]| {
        text.lines().find_map(|line| {
            let [clock, seconds, nanos, ..] = line.split_ascii_whitespace().collect::<Vec<_>>()[..] else {
                return None;
            };
            let (seconds, nanos): (i64, i64) = (seconds.parse().ok()?, nanos.parse().ok()?);
            names.contains(&clock).then_some(seconds as f64 * 1e9 + nanos as f64)
        })
    };
    // Linux before 5.7 wrote the clocks' numbers.
    let monotonic_ns = offset(["monotonic", "1"]).unwrap_or(0.0);
    let boottime_ns = offset(["boottime", "7"]).unwrap_or(0.0);
    (monotonic_ns != 0.0 || boottime_ns != 0.0).then_some(TimeNamespace { monotonic_ns, boottime_ns })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::root::tree;

    #[test]
    fn zero_is_none() {
        assert_eq!(parse("monotonic           0         0\nboottime            0         0\n"), None);
        assert_eq!(parse("garbage\n\nmonotonic x y\nmonotonic 1"), None);
    }

    #[test]
    fn negative_seconds_count_back_and_nanoseconds_forward() {
        let found = parse("monotonic          -2 500000000\nboottime       86400         7\n").unwrap();
        assert_eq!(found, TimeNamespace { monotonic_ns: -1.5e9, boottime_ns: 86_400_000_000_007.0 });
    }

    #[test]
    fn a_namespace_not_yet_entered_is_not_ours() {
        let offsets_file = ("/proc/self/timens_offsets", "monotonic 5 0\nboottime 0 0\n");
        let (_dir, root) = tree(&[offsets_file, ("/proc/self/ns/mnt", "")]);
        let link = |to: &str, name: &str| std::os::unix::fs::symlink(to, root.path("/proc/self/ns").join(name));
        link("time:[1]", "time").unwrap();
        link("time:[1]", "time_for_children").unwrap();
        assert_eq!(offsets(&root).unwrap().unwrap().monotonic_ns, 5e9);
        std::fs::remove_file(root.path("/proc/self/ns/time_for_children")).unwrap();
        link("time:[2]", "time_for_children").unwrap();
        assert!(offsets(&root).is_err());
    }
}
