//! CPU quota of this process's cgroup, versions 1 and 2.

use std::path::PathBuf;

use super::root::Root;

/// One cgroup hierarchy that can limit CPU time: where it is mounted, which of its groups the mount shows as its top,
/// and whether it is of version 2.
struct Hierarchy {
    mount: String,
    top: String,
    unified: bool,
}

/// How many CPUs' time the tightest quota from this process's group up to the top grants; `Ok(None)`: no
/// limit. Sources: the kernel's `admin-guide/cgroup-v2.rst` (`cpu.max`) and `scheduler/sched-bwc.rst`
/// (`cpu.cfs_quota_us`, `cpu.cfs_period_us`).
pub(super) fn quota(root: &Root) -> Result<Option<f64>, String> {
    Ok(limits(root)?.into_iter().map(|(_, cpus)| cpus).min_by(f64::total_cmp))
}

/// The files that tell for how long this process's cgroups were throttled, one a group with a quota; none where there is
/// no limit.
pub fn throttling(root: &Root) -> Vec<PathBuf> {
    let folders = limits(root).unwrap_or_default();
    folders.into_iter().map(|(folder, _)| root.path(&format!("{folder}/cpu.stat"))).collect()
}

/// The folders of this process's cgroups that have a quota, with the CPUs' worth of time that each grants.
fn limits(root: &Root) -> Result<Vec<(String, f64)>, String> {
    let groups = root.text("/proc/self/cgroup")?;
    let mounts = root.text("/proc/self/mountinfo")?;
    let limits = mounts.lines().filter_map(hierarchy).flat_map(|hierarchy| {
        let group = groups.lines().find_map(|line| group(line, hierarchy.unified));
        let folders = group.map(|group| folders(&hierarchy, group)).unwrap_or_default();
        folders.into_iter().filter_map(move |folder| {
            let cpus = limit(root, &folder, hierarchy.unified)?;
            Some((folder, cpus))
        })
    });
    Ok(limits.collect())
}

/// A line of `/proc/self/mountinfo`, if it mounts a hierarchy that can hold a CPU quota. Fields by `proc(5)`.
fn hierarchy(line: &str) -> Option<Hierarchy> {
    let (before, after) = line.split_once(" - ")?;
    let mut fields = before.split(' ').skip(3);
    let (top, mount) = (unescape(fields.next()?), unescape(fields.next()?));
    let mut fields = after.split(' ');
    let (kind, options) = (fields.next()?, fields.nth(1)?);
    let unified = kind == "cgroup2";
    let has_cpu = kind == "cgroup" && options.split(',').any(|option| option == "cpu");
    (unified || has_cpu).then_some(Hierarchy { mount, top, unified })
}

/// The kernel writes blank, tab, newline and backslash as octal escapes.
fn unescape(field: &str) -> String {
    field.replace("\\040", " ").replace("\\011", "\t").replace("\\012", "\n").replace("\\134", "\\")
}

/// The group that a line of `/proc/self/cgroup` names, if it is the one of that version's CPU controller.
fn group(line: &str, unified: bool) -> Option<&str> {
    let [number, controllers, group] = line.splitn(3, ':').collect::<Vec<_>>()[..] else { return None };
    let of_version_1 = || controllers.split(',').any(|name| name == "cpu");
    let ours = if unified { number == "0" && controllers.is_empty() } else { of_version_1() };
    ours.then_some(group)
}

/// The folders from the mount's top down to the group, all of which limit it. A group outside of what is
/// mounted here leaves the top alone.
fn folders(hierarchy: &Hierarchy, group: &str) -> Vec<String> {
    let top = hierarchy.top.trim_end_matches('/');
    let below = group.strip_prefix(top).filter(|rest| rest.is_empty() || rest.starts_with('/')).unwrap_or_default();
    let mut folder = hierarchy.mount.trim_end_matches('/').to_owned();
    let mut all = vec![folder.clone()];
    all.extend(below.split('/').filter(|name| !name.is_empty() && *name != "..").map(|name| {
        folder = format!("{folder}/{name}");
        folder.clone()
    }));
    all
}

fn limit(root: &Root, folder: &str, unified: bool) -> Option<f64> {
    let (quota, period) = if unified {
        let text = root.word(&format!("{folder}/cpu.max")).ok()?;
        let (quota, period) = text.split_once(' ')?;
        (quota.parse::<f64>().ok()?, period.parse::<f64>().ok()?)
    } else {
        let read = |name: &str| root.word(&format!("{folder}/{name}")).ok()?.parse::<f64>().ok();
        (read("cpu.cfs_quota_us")?, read("cpu.cfs_period_us")?)
    };
    // Version 1 writes -1 where there is no limit; version 2 writes `max`, which is no number.
    (quota > 0.0 && period > 0.0 && (quota / period).is_finite()).then(|| quota / period)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::root::tree;

    const V2: &str = "31 23 0:28 / /sys/fs/cgroup rw,relatime shared:4 - cgroup2 cgroup2 rw\n";
    const V1: &str = "32 31 0:29 /docker/abc /sys/fs/cgroup/cpu,cpuacct ro - cgroup cgroup rw,cpu,cpuacct\n";

    /// The quota of a process in that group, by what is mounted and these files below /sys/fs/cgroup.
    fn of(group: &str, mounts: &str, files: &[(&str, &str)]) -> Result<Option<f64>, String> {
        let limits = files.iter().map(|(name, text)| (format!("/sys/fs/cgroup/{name}"), *text));
        let proc = [("/proc/self/cgroup".into(), group), ("/proc/self/mountinfo".into(), mounts)];
        let (_dir, root) = tree(&proc.into_iter().chain(limits).collect::<Vec<_>>());
        quota(&root)
    }

    #[test]
    fn version_2_takes_the_tightest_on_the_way_up() {
        let limits =
            [("cpu.max", "400000 100000\n"), ("a/cpu.max", "150000 100000\n"), ("a/b/cpu.max", "max 100000\n")];
        assert_eq!(of("0::/a/b\n", V2, &limits), Ok(Some(1.5)));
        assert_eq!(of("0::/\n", V2, &[("cpu.max", "max 100000")]), Ok(None));
    }

    #[test]
    fn version_1_seen_from_inside_a_container() {
        let limits = [
            ("cpu,cpuacct/job/cpu.cfs_quota_us", "50000\n"),
            ("cpu,cpuacct/job/cpu.cfs_period_us", "100000\n"),
            ("cpu,cpuacct/cpu.cfs_quota_us", "-1\n"),
            ("cpu,cpuacct/cpu.cfs_period_us", "100000\n"),
        ];
        let groups = "4:memory:/x\n1:cpu,cpuacct:/docker/abc/job\n0::/\n";
        assert_eq!(of(groups, V1, &limits), Ok(Some(0.5)));
    }

    #[test]
    fn garbage_is_no_limit_and_no_proc_a_reason() {
        for text in ["", "0 0", "1 0", "inf 1", "-5 100", "a b", "100000"] {
            let mounts = format!("{V2}garbage - - -\n - cgroup2\n");
            assert_eq!(of("0::/../..\n:::\nx", &mounts, &[("cpu.max", text)]), Ok(None), "{text:?}");
        }
        let (_dir, root) = tree::<&str, &str>(&[]);
        assert_eq!(quota(&root), Err("/proc/self/cgroup is not there".into()));
        let line = r"1 2 0:3 / /sys/fs/c\040group rw - cgroup2 none rw";
        assert_eq!(hierarchy(line).unwrap().mount, "/sys/fs/c group");
    }
}
