//! What the kernel's log says of the counter's frequency: the line that the kernel writes when it has found it.

use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;

use super::root::Root;
use clockscope_analysis::record::Frequency;

/// The source's name.
pub(super) const SOURCE: &str = "kernel-log";

/// Lines that tell it, the best first: calibrated again over a second by a timer; the counter's own; the processor's, which the
/// kernel takes for the counter's unless it names both (arch/x86/kernel/tsc.c).
const LINES: [(&str, &str); 3] = [
    ("tsc: Refined TSC clocksource calibration: ", " MHz"),
    ("tsc: Detected ", " MHz TSC"),
    ("tsc: Detected ", " MHz processor"),
];
/// Records that are read at most; it is written at boot, and those are the oldest.
const MOST: usize = 20_000;
/// Longest record that the kernel hands out (its PRINTKRB_RECORD_MAX).
const RECORD: usize = 8192;

/// The frequency, kHz, and the line that says so.
fn parse(text: &str) -> Option<(f64, &str)> {
    LINES.into_iter().find_map(|(head, tail)| {
        text.lines().find_map(|line| {
            let said = &line[line.find(head)?..];
            let text = said[head.len()..].strip_suffix(tail)?;
            let mhz: f64 = text.parse().ok()?;
            (mhz.is_finite() && mhz > 100.0).then(|| ((mhz * 1e3).round(), said))
        })
    })
}

/// The frequency that the kernel says it has found.
pub(super) fn stated(root: &Root) -> Result<Frequency, String> {
    let text = log(root)?;
    let none = "the log holds no line on it: it was written over, or the hypervisor told the kernel";
    let (khz, line) = parse(&text).ok_or(none)?;
    Ok(Frequency::read(SOURCE, khz * 1e3, format!("/dev/kmsg: '{line}'"), 1e3))
}

/// The log's lines that speak of the counter, oldest first.
fn log(root: &Root) -> Result<String, String> {
    let mut options = std::fs::OpenOptions::new();
    let open = options.read(true).custom_flags(libc::O_NONBLOCK).open(root.path("/dev/kmsg"));
    let mut file = open.map_err(|error| format!("/dev/kmsg: {error}"))?;
    let (mut text, mut record) = (String::new(), [0u8; RECORD]);
    for _ in 0..MOST {
        match file.read(&mut record) {
            Ok(1..) => {}
            // The record was written over meanwhile: the next read goes on behind it.
            Err(error) if error.raw_os_error() == Some(libc::EPIPE) => continue,
            // Its end.
            Ok(_) => break,
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => break,
            Err(error) => return Err(format!("/dev/kmsg: {error}")),
        }
        let end = record.iter().position(|byte| matches!(byte, b'\n' | 0)).unwrap_or(RECORD);
        let line = String::from_utf8_lossy(&record[..end]);
        if line.contains(";tsc: ") {
            text.push_str(&line);
            text.push('\n');
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::root::tree;

    #[test]
    fn the_line_that_tells_it_best_counts() {
        let processor = "6,3,69,-;tsc: Detected 2445.424 MHz processor";
        let own = "6,4,70,-;tsc: Detected 2450.000 MHz TSC";
        let refined = "6,900,1700000,-;tsc: Refined TSC clocksource calibration: 2449.998 MHz";
        let khz = |lines: &[&str]| parse(&lines.join("\n")).map(|(khz, _)| khz);
        assert_eq!(khz(&[processor]), Some(2_445_424.0));
        assert_eq!(khz(&[processor, own]), Some(2_450_000.0));
        assert_eq!(khz(&[processor, own, refined]), Some(2_449_998.0));
        assert_eq!(khz(&["6,1,0,-;tsc: Detected x MHz TSC", "6,1,0,-;clocksource: tsc: mask", ""]), None);
        assert_eq!(parse(refined).unwrap().1, &refined[16..]);
    }

    #[test]
    fn a_log_that_is_not_there_or_says_nothing_is_a_reason() {
        let (_dir, root) = tree(&[("/dev/kmsg", "6,1,0,-;usb 1-1: new device\n")]);
        assert!(stated(&root).unwrap_err().contains("no line"));
        let (_dir, root) = tree::<&str, &str>(&[]);
        assert!(stated(&root).unwrap_err().contains("/dev/kmsg"));
    }
}
