//! CPUs, NUMA nodes and packages, and how far apart CPUs lie.

use std::collections::BTreeMap;

use super::root::Root;
use clockscope_analysis::record::Distance;

const CPU: &str = "/sys/devices/system/cpu";

/// Highest CPU number that is believed; far above what any kernel is built for (8192).
const MOST: u32 = 1 << 20;

/// The numbers of a kernel list such as `0-3,8,10-11`; `None` if it is no such list.
pub fn list(text: &str) -> Option<Vec<u32>> {
    let mut numbers = Vec::new();
    for range in text.trim().split(',') {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last): (u32, u32) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
        if last < first || last > MOST || numbers.len() > MOST as usize {
            return None;
        }
        numbers.extend(first..=last);
    }
    Some(numbers)
}

/// CPUs on line: `/sys/devices/system/cpu/online`, or else the `cpuN` lines of `/proc/stat`.
pub(super) fn online(root: &Root) -> Result<Vec<u32>, String> {
    let path = format!("{CPU}/online");
    let listed = root.word(&path).and_then(|text| list(&text).ok_or(format!("{path} holds no list of CPUs")));
    listed.or_else(|reason| {
        let stat = root.text("/proc/stat").unwrap_or_default();
        let names = stat.lines().filter_map(|line| line.strip_prefix("cpu")?.split(' ').next()?.parse().ok());
        let cpus: Vec<u32> = names.collect();
        if cpus.is_empty() { Err(reason) } else { Ok(cpus) }
    })
}

/// CPUs that the scheduler leaves alone: an empty line where there are none. A kernel before 4.2 has no such file.
pub(super) fn isolated(root: &Root) -> Result<Vec<u32>, String> {
    let path = format!("{CPU}/isolated");
    let text = root.text(&path)?;
    if text.trim().is_empty() { Ok(Vec::new()) } else { list(&text).ok_or(format!("{path} holds no list of CPUs")) }
}

/// NUMA nodes on line. A kernel without NUMA has no such file.
pub(super) fn nodes(root: &Root) -> Result<u32, String> {
    let path = "/sys/devices/system/node/online";
    let nodes = list(&root.word(path)?).ok_or(format!("{path} holds no list of nodes"))?;
    u32::try_from(nodes.len()).map_err(|_| format!("{path} holds too many nodes"))
}

/// Files of the CPUs that share a core, and a package: by their names since Linux 5.3 and before.
const CORE: [&str; 2] = ["core_cpus_list", "thread_siblings_list"];
const PACKAGE: [&str; 2] = ["package_cpus_list", "core_siblings_list"];

/// The CPUs that share one of those with `cpu` (Documentation/admin-guide/cputopology.rst).
fn siblings(root: &Root, cpu: u32, names: [&str; 2]) -> Option<Vec<u32>> {
    let read = |name| root.word(&format!("{CPU}/cpu{cpu}/topology/{name}")).ok();
    names.into_iter().find_map(read).and_then(|text| list(&text))
}

/// CPU packages (sockets) with a CPU on line; reads one file a package. `None` where /sys does not say.
pub(super) fn packages(root: &Root, online: &[u32]) -> Option<u32> {
    let mut left = online.to_vec();
    let mut count = 0;
    while let Some(&cpu) = left.first() {
        let members = siblings(root, cpu, PACKAGE)?;
        left.retain(|other| *other != cpu && members.binary_search(other).is_err());
        count += 1;
    }
    (count > 0).then_some(count)
}

/// Which CPUs share a core and a package, as far as /sys tells.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Topology {
    cores: BTreeMap<u32, Vec<u32>>,
    packages: BTreeMap<u32, Vec<u32>>,
}

impl Topology {
    /// Reads two small files a CPU; those that can't be read are left out.
    pub fn read(root: &Root, cpus: &[u32]) -> Self {
        let shared = |names| cpus.iter().filter_map(move |cpu| Some((*cpu, siblings(root, *cpu, names)?))).collect();
        Self { cores: shared(CORE), packages: shared(PACKAGE) }
    }

    /// How far apart two CPUs lie; `None` where the system does not tell.
    pub fn distance(&self, a: u32, b: u32) -> Option<Distance> {
        if self.cores.get(&a)?.contains(&b) {
            Some(Distance::SameCore)
        } else if self.packages.get(&a)?.contains(&b) {
            Some(Distance::SamePackage)
        } else {
            Some(Distance::OtherPackage)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::root::tree;

    #[test]
    fn lists() {
        assert_eq!(list("0-3,8,10-11\n"), Some(vec![0, 1, 2, 3, 8, 10, 11]));
        assert_eq!(list("2000"), Some(vec![2000]));
        for garbage in ["", "a", "3-1", "0-", "-1", "0-4294967295", "1,,2"] {
            assert_eq!(list(garbage), None, "{garbage:?}");
        }
    }

    #[test]
    fn packages_by_their_members() {
        let (_dir, root) = tree(&[
            ("/sys/devices/system/cpu/cpu0/topology/package_cpus_list", "0,2"),
            ("/sys/devices/system/cpu/cpu1/topology/core_siblings_list", "1,3"),
            ("/sys/devices/system/cpu/cpu2/topology/package_cpus_list", "0,2"),
        ]);
        for (online, expected) in [(&[0, 1, 2, 3][..], Some(2)), (&[0, 2], Some(1)), (&[0, 7], None), (&[], None)] {
            assert_eq!(packages(&root, online), expected, "{online:?}");
        }
    }

    #[test]
    fn siblings_packages_and_what_is_not_known() {
        let file = |cpu: u32, name: &str| format!("{CPU}/cpu{cpu}/topology/{name}");
        let files = [
            (file(0, "core_cpus_list"), "0,4"),
            (file(0, "package_cpus_list"), "0-1,4-5"),
            (file(1, "thread_siblings_list"), "1,5"),
            (file(1, "core_siblings_list"), "0-1,4-5"),
            (file(2, "core_cpus_list"), "rubbish"),
        ];
        let (_dir, root) = tree(&files);
        let topology = Topology::read(&root, &[0, 1, 2, 3]);
        assert_eq!(topology.distance(0, 4), Some(Distance::SameCore));
        assert_eq!(topology.distance(1, 0), Some(Distance::SamePackage));
        assert_eq!(topology.distance(0, 6), Some(Distance::OtherPackage));
        assert_eq!((topology.distance(2, 0), topology.distance(3, 0)), (None, None));
    }
}
