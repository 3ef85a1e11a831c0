//! The frequency that the kernel takes the counter to have (its `tsc_khz`), wherever it lets it be seen.

use clockscope_analysis::record::{Frequency, Tsc};

use crate::catalog;
use crate::machine::root::Root;
use crate::machine::{cpu, kernel_log, perf};

/// Asks every place; those that say nothing are put down with the reason. Costs a few ms at most, for the kernel's log.
pub(super) fn ask(root: &Root, cpuinfo: Option<&str>, tsc: &mut Tsc) {
    let cpuinfo =
        cpuinfo.ok_or("/proc/cpuinfo can't be read").and_then(|text| cpu::khz(text).ok_or("it has no 'cpu MHz'"));
    let cpuinfo = cpuinfo.map(|khz| {
        let from =
            "/proc/cpuinfo, cpu MHz: the core's, which is the counter's where the core's does not change".to_owned();
        Frequency::read("cpuinfo", khz * 1e3, from, 1e3)
    });
    let words = [
        (perf::SOURCE, perf::stated()),
        catalog::kernels_tsc_frequency(),
        (kernel_log::SOURCE, kernel_log::stated(root)),
        ("cpuinfo", cpuinfo.map_err(str::to_owned)),
    ];
    for (source, word) in words {
        match word {
            Ok(frequency) => tsc.kernel_frequencies_hz.push(frequency),
            Err(why) => drop(tsc.frequencies_missing.insert(source.to_owned(), why)),
        }
    }
}
