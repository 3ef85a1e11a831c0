//! The kernel's clocksource.

use super::root::Root;
use clockscope_analysis::record::Clocksource;

const FOLDER: &str = "/sys/devices/system/clocksource/clocksource0";

/// The current and the available clocksources; what can't be read goes to `unreadable`.
pub(super) fn read(root: &Root, unreadable: &mut Vec<String>) -> Clocksource {
    let mut word = |name: &str| {
        let text = root.word(&format!("{FOLDER}/{name}_clocksource"));
        text.map_err(|reason| unreadable.push(format!("clocksource.{name}: {reason}"))).ok()
    };
    let available = word("available").unwrap_or_default();
    Clocksource { current: word("current"), available: available.split_ascii_whitespace().map(str::to_owned).collect() }
}

/// The clocksource in use; `None` where that can't be read. Costs some microseconds.
pub fn current_clocksource() -> Option<String> {
    Root::default().word(&format!("{FOLDER}/current_clocksource")).ok()
}
