//! CPU time stolen by the hypervisor.

use super::root::Root;

/// The machine's CPU time since boot, as the kernel's `/proc/stat` counts it (units of 1/`_SC_CLK_TCK` s).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    total: u64,
    stolen: u64,
}

impl Usage {
    /// As of now; reads one file (about 50 µs). `None` where the kernel does not say.
    pub fn now(root: &Root) -> Option<Self> {
        Self::parse(&root.text("/proc/stat").ok()?)
    }

    /// The `cpu` line: user, nice, system, idle, iowait, irq, softirq, steal (`proc(5)`). Guest time, which
    /// follows, is already in user and nice.
    fn parse(stat: &str) -> Option<Self> {
        let line = stat.lines().find_map(|line| line.strip_prefix("cpu "))?;
        let fields = line.split_ascii_whitespace().take(8).map(|word| word.parse().ok());
        let fields: [u64; 8] = fields.collect::<Option<Vec<_>>>()?.try_into().ok()?;
        let total = fields.iter().try_fold(0u64, |sum, field| sum.checked_add(*field))?;
        Some(Self { total, stolen: fields[7] })
    }

    /// Share of the CPU time since `earlier` that was stolen, 0 to 1. `None` if the kernel counted no time
    /// between the two (it counts in ticks of some 10 ms), or went back (it may: iowait is not monotonic).
    pub fn since(&self, earlier: &Self) -> Option<f64> {
        let total = self.total.checked_sub(earlier.total)?;
        let stolen = self.stolen.checked_sub(earlier.stolen)?;
        (total > 0 && stolen <= total).then(|| stolen as f64 / total as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn share_of_the_time_between() {
        let earlier = Usage::parse("cpu  100 0 50 800 10 0 5 35 99 0\ncpu0 1 2 3\n").unwrap();
        let later = Usage::parse("cpu  140 0 60 830 10 0 5 55 500 0\n").unwrap();
        assert_eq!(later.since(&earlier), Some(0.2));
        assert_eq!(later.since(&later), None);
        assert_eq!(earlier.since(&later), None);
    }

    #[test]
    fn what_is_not_there_is_none() {
        for text in ["", "cpu", "cpu  1 2 3 4 5 6 7", "cpu  1 2 3 4 5 6 7 x", "cpu0 1 2 3 4 5 6 7 8"] {
            assert_eq!(Usage::parse(text), None, "{text:?}");
        }
        let most = u64::MAX;
        assert_eq!(Usage::parse(&format!("cpu  {most} 1 0 0 0 0 0 0")), None);
    }
}
