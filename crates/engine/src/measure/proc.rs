//! Numbers out of /proc's files and the cgroups'.

use std::collections::BTreeMap;
use std::fs::File;
use std::os::unix::fs::FileExt;

/// No file is longer: /proc/interrupts has a line of 11 bytes a CPU for each of some thousand interrupts.
const LONGEST: usize = 64 << 20;

/// A whole /proc file, from its start; empty if it can't be read, or not whole: what stands at its end counts as well.
pub(super) fn read<'a>(file: Option<&File>, buffer: &'a mut Vec<u8>) -> &'a str {
    buffer.clear();
    if let Some(file) = file {
        let mut filled = 0;
        while filled < LONGEST {
            buffer.resize(filled + (16 << 10), 0);
            match file.read_at(&mut buffer[filled..], filled as u64) {
                Ok(0) | Err(_) => break,
                Ok(n) => filled += n,
            }
        }
        buffer.truncate(if filled < LONGEST { filled } else { 0 });
    }
    std::str::from_utf8(buffer).unwrap_or("")
}

pub(super) fn field(text: &str, index: usize) -> Option<u64> {
    text.split_ascii_whitespace().nth(index)?.parse().ok()
}

/// A field of a CPU's line in /proc/stat (proc_stat(5)).
pub(super) fn cpu_field(stat: &str, cpu: u32, index: usize) -> Option<u64> {
    let name = format!("cpu{cpu}");
    let line = stat.lines().find(|line| line.split_ascii_whitespace().next() == Some(&name))?;
    field(line, index)
}

/// Sum of a CPU's column in /proc/interrupts.
pub(super) fn interrupts_taken(interrupts: &str, cpu: u32) -> Option<u64> {
    let mut lines = interrupts.lines();
    let name = format!("CPU{cpu}");
    let column = lines.next()?.split_ascii_whitespace().position(|head| head == name)?;
    Some(lines.filter_map(|line| field(line, column + 1)).sum())
}

/// A CPU's interrupts by what they are for: what the kernel calls them, or the devices that they come from.
fn by_name(interrupts: &str, cpu: u32) -> BTreeMap<String, u64> {
    let mut lines = interrupts.lines();
    let heads: Vec<&str> = lines.next().unwrap_or_default().split_ascii_whitespace().collect();
    let name = format!("CPU{cpu}");
    let Some(column) = heads.iter().position(|head| *head == name) else { return BTreeMap::new() };
    let mut all = BTreeMap::new();
    for line in lines {
        let Some((number, rest)) = line.split_once(':') else { continue };
        let words: Vec<&str> = rest.split_ascii_whitespace().collect();
        let Some(count) = words.get(column).and_then(|word| word.parse::<u64>().ok()) else { continue };
        // After the counts: of a device its controller and how it asks, then its drivers; of the others what they are.
        let said = words.get(heads.len()..).unwrap_or_default();
        let is_device = number.trim().bytes().all(|byte| byte.is_ascii_digit());
        let what = if is_device { said.get(2..).filter(|what| !what.is_empty()).unwrap_or(said) } else { said };
        let what = if what.is_empty() { number.trim().to_owned() } else { what.join(" ") };
        *all.entry(what).or_default() += count;
    }
    all
}

/// The same of this machine.
pub fn interrupts_by_name(cpu: u32) -> BTreeMap<String, u64> {
    by_name(read(File::open("/proc/interrupts").ok().as_ref(), &mut Vec::new()), cpu)
}

/// The time in a cgroup's `cpu.stat`: of version 2 in µs, of version 1 in ns (admin-guide/cgroup-v2.rst,
/// scheduler/sched-bwc.rst).
pub(super) fn throttled_ns(stat: &str) -> Option<u64> {
    let of = |name: &str| stat.lines().find_map(|line| line.strip_prefix(name)?.trim().parse::<u64>().ok());
    of("throttled_usec ").map(|us| us.saturating_mul(1000)).or_else(|| of("throttled_time "))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn columns_are_found_by_name() {
        let interrupts = "      CPU0  CPU2\n  0:   5  7  IO-APIC timer\nLOC: 100 200 Local timer\nERR: 3\n";
        assert_eq!(interrupts_taken(interrupts, 2), Some(207));
        assert_eq!(interrupts_taken(interrupts, 0), Some(108));
        assert_eq!(interrupts_taken(interrupts, 1), None);
        let stat = "cpu  1 2 3 4 5 6 7 8 9\ncpu1 1 2 3 4 5 6 7 88 9\ncpu10 0 0 0 0 0 0 0 99 0\n";
        assert_eq!(cpu_field(stat, 1, 8), Some(88));
        assert_eq!(cpu_field("garbage", 1, 8), None);
    }

    #[test]
    fn a_long_file_is_read_to_its_end() {
        // 256 CPUs, 600 interrupts of devices, and the timer's after them.
        let line = |name: &str| format!("{name}: {}\n", "1 ".repeat(256));
        let heads = (0..256).map(|cpu| format!("CPU{cpu}")).collect::<Vec<_>>().join(" ");
        let device = line("9") + &" ".repeat(3000);
        let text = format!("{heads}\n{}{}", device.repeat(600), line("LOC"));
        assert!(text.len() > 2 << 20);
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        assert_eq!(interrupts_taken(read(Some(&file), &mut Vec::new()), 255), Some(601));
    }

    #[test]
    fn interrupts_go_by_what_they_are_for() {
        let text = "      CPU0  CPU2\n  9:   5  7  IO-APIC   5-edge  ACPI:Ged\n 33: 1 2 PCI-MSIX-0000:00:05.0 0-edge nvme0q1\n 34: 0 3 \
                    x y nvme0q1\nLOC: 100 200 Local timer interrupts\nERR: 3\n";
        let seen: Vec<(String, u64)> = by_name(text, 2).into_iter().collect();
        let wanted = [("ACPI:Ged", 7), ("Local timer interrupts", 200), ("nvme0q1", 5)];
        assert_eq!(seen, wanted.map(|(name, count)| (name.to_owned(), count)));
        assert!(by_name(text, 1).is_empty() && by_name("", 0).is_empty());
    }

    #[test]
    fn both_versions_of_cgroups_tell_how_long_they_throttled() {
        assert_eq!(throttled_ns("usage_usec 9\nnr_throttled 2\nthrottled_usec 17\n"), Some(17_000));
        assert_eq!(throttled_ns("nr_periods 9\nnr_throttled 2\nthrottled_time 17\n"), Some(17));
        assert_eq!(throttled_ns("usage_usec 9\n"), None);
    }
}
