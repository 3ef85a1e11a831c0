//! How far apart CPUs lie.

use std::collections::BTreeMap;

use super::cpus::{CORE, PACKAGE, siblings};
use super::root::Root;
use clockscope_analysis::record::Distance;

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
    use super::super::{cpus::CPU, root::tree};
    use super::*;

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
