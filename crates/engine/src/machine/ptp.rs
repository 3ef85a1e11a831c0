//! PTP hardware clocks.

use super::root::Root;
use clockscope_analysis::record::Ptp;

const CLASS: &str = "/sys/class/ptp";

/// Those of the machine, by number; none where there are none.
pub(super) fn clocks(root: &Root) -> Vec<Ptp> {
    let mut numbers: Vec<u32> =
        root.names(CLASS).iter().filter_map(|name| name.strip_prefix("ptp")?.parse().ok()).collect();
    numbers.sort_unstable();
    numbers.into_iter().map(|number| clock(root, number)).collect()
}

fn clock(root: &Root, number: u32) -> Ptp {
    let device = format!("ptp{number}");
    let word = |file: &str| root.word(&format!("{CLASS}/{device}/{file}")).ok();
    // The network device's own, in ns; it fails while the device knows none.
    let error_bound_ns = word("device/phc_error_bound").and_then(|text| Some(text.parse::<u32>().ok()?.into()));
    Ptp { name: word("clock_name"), error_bound_ns, device }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::root::tree;

    #[test]
    fn clocks_have_their_names_and_bounds() {
        let (_dir, root) = tree(&[
            ("/sys/class/ptp/ptp10/clock_name", "KVM virtual PTP\n"),
            ("/sys/class/ptp/ptp2/clock_name", "ena-ptp-05\n"),
            ("/sys/class/ptp/ptp2/device/phc_error_bound", "12300\n"),
            ("/sys/class/ptp/ptp3/device/phc_error_bound", "unknown\n"),
            ("/sys/class/ptp/other/clock_name", "no\n"),
        ]);
        let found = clocks(&root);
        let said: Vec<_> = found.iter().map(|ptp| (&*ptp.device, ptp.name.as_deref(), ptp.error_bound_ns)).collect();
        let wanted = [
            ("ptp2", Some("ena-ptp-05"), Some(12_300.0)),
            ("ptp3", None, None),
            ("ptp10", Some("KVM virtual PTP"), None),
        ];
        assert_eq!(said, wanted);
        let (_dir, empty) = tree::<&str, &str>(&[]);
        assert!(clocks(&empty).is_empty());
    }
}
