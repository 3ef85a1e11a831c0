//! CS009: the wall clock is not synchronised, or its error is large.

use super::rule::Draft;
use crate::judge::facts::{Facts, figure};
use crate::judge::say;
use crate::record::{Clock, Kind, Ntp, Severity};

/// The kernel adds 500 µs a second to its maximum error between two updates: 1 s is reached after 2000 s without
/// one, which no healthy client lets pass (the longest usual poll is 1024 s).
const MAX_ERROR_NS: f64 = 1e9;

/// ntpd's step threshold: an offset beyond it is no longer slewed away in good time.
const OFFSET_NS: f64 = 128e6;

/// The kernel corrects by at most 500 ppm; near that the oscillator is out of the discipline's reach.
const FREQUENCY_PPM: f64 = 490.0;

pub(super) fn apply(facts: &Facts) -> Vec<Draft> {
    let Some(ntp) = &facts.machine.ntp else { return Vec::new() };
    let wall: Vec<&Clock> = facts.ordinary().filter(|c| c.kind == Kind::Wall || is_coarse_wall(c)).collect();
    let troubles = troubles(ntp);
    if !troubles.is_empty() {
        return vec![Draft {
            severity: Severity::Warning,
            title: if ntp.synchronised {
                "The wall clock is synchronised, but poorly".into()
            } else {
                "The wall clock is not synchronised".into()
            },
            evidence: troubles.join("; ") + ".",
            why: "Wall time here may be off by any amount: stamps of different machines can't be compared, \
                  certificates and leases expire early or late, and the rate of `monotonic` is uncorrected too (the \
                  oscillator's error, often 10 to 100 ppm: 1 to 9 s a day)."
                .into(),
            fix: fix(facts),
            clocks: say::ids(&wall),
        }];
    }
    match facts.clock("tai") {
        Some(tai) if ntp.tai_offset_s == 0 => vec![Draft {
            severity: Severity::Note,
            title: "CLOCK_TAI equals UTC: nobody has told the kernel the offset".into(),
            evidence: "adjtimex reports a TAI offset of 0 s; since 2017 TAI is 37 s ahead of UTC.".into(),
            why: "A program that reads CLOCK_TAI gets UTC and is 37 s off, and its stamps step with leap seconds \
                  after all."
                .into(),
            fix: "chrony: put `leapsectz right/UTC` (or `leapseclist`) into chrony.conf; ntpd: `leapfile`; linuxptp: \
                  phc2sys sets it."
                .into(),
            clocks: vec![tai.id.clone()],
        }],
        _ => Vec::new(),
    }
}

fn is_coarse_wall(clock: &Clock) -> bool {
    clock.kind == Kind::Coarse && clock.promises.may_step
}

/// What is wrong with the discipline, each with its figure; empty: nothing.
fn troubles(ntp: &Ntp) -> Vec<String> {
    let mut said = Vec::new();
    let max_error = figure(Some(ntp.max_error_ns));
    if !ntp.synchronised {
        let status = if ntp.status.is_empty() { "no flags".into() } else { ntp.status.join(" ") };
        said.push(format!("adjtimex says {} with {status}", ntp.state));
        if let Some(max_error) = max_error {
            said.push(format!("maximum error {}", say::time(max_error)));
        }
    } else if let Some(max_error) = max_error.filter(|e| *e > MAX_ERROR_NS) {
        said.push(format!(
            "maximum error {}: no update for {} or longer at the kernel's 500 ppm",
            say::time(max_error),
            say::time(max_error / 500e-6)
        ));
    }
    if ntp.offset_ns.is_finite() && ntp.offset_ns.abs() > OFFSET_NS {
        said.push(format!("{} still to be slewed", say::time(ntp.offset_ns)));
    }
    if ntp.frequency_ppm.is_finite() && ntp.frequency_ppm.abs() > FREQUENCY_PPM {
        said.push(format!(
            "frequency correction {} ppm, at the kernel's limit of 500 ppm",
            say::number(ntp.frequency_ppm)
        ));
    }
    said
}

fn fix(facts: &Facts) -> String {
    let place =
        if facts.machine.container.is_some() { "On the host, not in the container: run" } else { "Run" };
    let ptp = match facts.guest_of() {
        Some("kvm") => {
            " A KVM guest can take the host's clock instead: `modprobe ptp_kvm`, then `refclock PHC /dev/ptp0` in \
             chrony.conf."
        }
        Some("hyper-v") => {
            " A Hyper-V guest can take the host's clock: `refclock PHC /dev/ptp_hyperv` in chrony.conf."
        }
        _ => "",
    };
    format!(
        "{place} one NTP client (`systemctl enable --now chronyd`) and see `chronyc tracking` and `chronyc sources -v`.{ptp}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::made_up::{clock, findings, healthy};

    #[test]
    fn an_unsynchronised_clock_is_a_warning_with_the_kernels_word() {
        let (mut machine, clocks) = healthy();
        let ntp = machine.ntp.as_mut().unwrap();
        ntp.synchronised = false;
        ntp.state = "TIME_ERROR".into();
        ntp.status = vec!["STA_UNSYNC".into()];
        ntp.max_error_ns = 16e9;
        let found = findings(&machine, &clocks, "CS009");
        assert_eq!((found.len(), found[0].severity), (1, Severity::Warning));
        assert_eq!(found[0].evidence, "adjtimex says TIME_ERROR with STA_UNSYNC; maximum error 16 s.");
        assert!(
            found[0].clocks.contains(&"realtime".into()) && !found[0].clocks.contains(&"monotonic".into())
        );
    }

    #[test]
    fn a_large_error_offset_or_frequency_counts_and_a_small_one_does_not() {
        let (machine, clocks) = healthy();
        assert!(findings(&machine, &clocks, "CS009").is_empty());
        for (max_error, offset, ppm) in [(1.5e9, 0.0, 0.0), (1e6, -0.2e9, 0.0), (1e6, 0.0, -500.0)] {
            let mut bad = machine.clone();
            let ntp = bad.ntp.as_mut().unwrap();
            (ntp.max_error_ns, ntp.offset_ns, ntp.frequency_ppm) = (max_error, offset, ppm);
            assert_eq!(findings(&bad, &clocks, "CS009").len(), 1, "{max_error} {offset} {ppm}");
        }
        let mut polled_long_ago = machine;
        polled_long_ago.ntp.as_mut().unwrap().max_error_ns = 0.55e9;
        assert!(findings(&polled_long_ago, &clocks, "CS009").is_empty());
    }

    #[test]
    fn an_unset_tai_offset_is_a_note_where_tai_is_read() {
        let (mut machine, mut clocks) = healthy();
        machine.ntp.as_mut().unwrap().tai_offset_s = 0;
        assert!(findings(&machine, &clocks, "CS009").is_empty());
        clocks.push(clock("tai").kind(Kind::Wall).build());
        assert_eq!(findings(&machine, &clocks, "CS009")[0].severity, Severity::Note);
        machine.ntp.as_mut().unwrap().tai_offset_s = 37;
        assert!(findings(&machine, &clocks, "CS009").is_empty());
    }
}
