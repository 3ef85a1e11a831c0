//! Which kind of container this process runs in.

use super::root::Root;

/// Words in a cgroup's path and the engine that writes them.
const PATHS: [(&str, &str); 7] = [
    ("kubepods", "kubernetes"),
    ("libpod", "podman"),
    ("/docker", "docker"),
    ("docker-", "docker"),
    ("/lxc", "lxc"),
    ("containerd", "containerd"),
    ("garden", "garden"),
];

/// The container's kind, if one is seen. `kubernetes`: whether the environment has KUBERNETES_SERVICE_HOST,
/// which every pod has. The files are those that the engines and systemd's container interface put there.
pub(super) fn kind(root: &Root, kubernetes: bool) -> Option<String> {
    if kubernetes || root.has("/var/run/secrets/kubernetes.io/serviceaccount") {
        return Some("kubernetes".into());
    }
    let named = ["/run/systemd/container", "/run/host/container-manager"];
    let named = named.iter().find_map(|path| clean(&root.word(path).ok()?));
    // Only root of the machine may read it; that it can't be read says nothing.
    let environment = root.text("/proc/1/environ").unwrap_or_default();
    let named = named.or_else(|| environment.split('\0').find_map(|entry| clean(entry.strip_prefix("container=")?)));
    if named.is_some() {
        return named;
    }
    if root.has("/run/.containerenv") {
        return Some("podman".into());
    }
    if root.has("/.dockerenv") {
        return Some("docker".into());
    }
    let groups = ["/proc/self/cgroup", "/proc/1/cgroup"].map(|path| root.text(path).unwrap_or_default());
    let found = PATHS.iter().find(|(word, _)| groups.iter().any(|text| text.contains(word)));
    found.map(|(_, name)| (*name).to_owned())
}

/// A container's name as systemd's interface defines it: one short word.
fn clean(text: &str) -> Option<String> {
    let word = text.split_ascii_whitespace().next()?;
    let plain = word.len() <= 32 && word.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b));
    plain.then(|| word.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::root::tree;

    #[test]
    fn each_sign_and_none() {
        for (name, content, expected) in [
            ("/.dockerenv", "", Some("docker")),
            ("/run/.containerenv", "engine=podman", Some("podman")),
            ("/run/systemd/container", "systemd-nspawn\n", Some("systemd-nspawn")),
            ("/run/systemd/container", "\u{1b}[2J", None),
            ("/run/host/container-manager", "toolbox", Some("toolbox")),
            ("/proc/1/environ", "PATH=/bin\0container=lxc\0", Some("lxc")),
            ("/proc/self/cgroup", "0::/kubepods.slice/docker-1.scope", Some("kubernetes")),
            ("/proc/self/cgroup", "0::/user.slice", None),
            ("/proc/1/cgroup", "1:cpu:/docker/0123", Some("docker")),
            ("/var/run/secrets/kubernetes.io/serviceaccount/token", "", Some("kubernetes")),
            ("/etc/hostname", "", None),
        ] {
            let (_dir, root) = tree(&[(name, content)]);
            assert_eq!(kind(&root, false).as_deref(), expected, "{name}");
        }
        let nowhere = Root("/nowhere/at/all".into());
        assert_eq!(kind(&nowhere, true).as_deref(), Some("kubernetes"), "by the environment of a pod");
    }
}
