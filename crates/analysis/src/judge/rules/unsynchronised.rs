//! CS009: the wall clock is not synchronised, or its error is large.

use super::prelude::*;
use crate::record::Ntp;

/// The kernel adds 500 µs a second to its maximum error between two updates: 1 s is reached after 2000 s without
/// one, which no healthy client lets pass (the longest usual poll is 1024 s).
const MAX_ERROR_NS: f64 = 1e9;

/// ntpd's step threshold: an offset beyond it is no longer slewed away in good time.
const OFFSET_NS: f64 = 128e6;

/// The kernel corrects by at most 500 ppm; near that the oscillator is out of the discipline's reach.
const FREQUENCY_PPM: f64 = 490.0;

pub(super) fn apply(facts: &Facts) -> Option<Draft> {
    let ntp = facts.machine.ntp.as_ref()?;
    let evidence = troubles(ntp);
    if !evidence.is_empty() {
        // What adjtimex says is not of auxiliary clocks, which are steered one by one.
        let wall = |c: &&Clock| match c.kind {
            Kind::Wall => c.for_timing,
            kind => kind == Kind::Coarse && c.promises.may_step,
        };
        let state = if ntp.synchronised { "synchronised, but poorly" } else { "not synchronised" };
        return Some(Draft {
            severity: Warning,
            title: format!("The wall clock is {state}"),
            evidence,
            why: "Wall time here may be off by any amount: stamps of different machines can't be compared, \
                  certificates and leases expire early or late, and the rate of `monotonic` is uncorrected too (the \
                  oscillator's error, often 10 to 100 ppm: 1 to 9 s a day)."
                .into(),
            fix: fix(facts),
            clocks: ids(facts.ordinary().filter(wall)),
        });
    }
    let tai = facts.clock("tai").filter(|_| ntp.tai_offset_s == 0)?;
    Some(Draft {
        severity: Note,
        title: "CLOCK_TAI equals UTC: nobody has told the kernel the offset".into(),
        evidence: vec!["adjtimex reports a TAI offset of 0 s; since 2017 TAI is 37 s ahead of UTC".into()],
        why: "A program that reads CLOCK_TAI gets UTC and is 37 s off, and its stamps step with leap seconds after \
              all."
            .into(),
        fix: "chrony: put `leapsectz right/UTC` (or `leapseclist`) into chrony.conf; ntpd: `leapfile`; linuxptp: \
              phc2sys sets it."
            .into(),
        clocks: ids([tai]),
    })
}

/// What is wrong with the discipline, each with its figure; empty: nothing.
fn troubles(ntp: &Ntp) -> Vec<String> {
    let state = (!ntp.synchronised).then(|| {
        let status = if ntp.status.is_empty() { "no flags".into() } else { ntp.status.join(" ") };
        format!("adjtimex says {} with {status}", ntp.state)
    });
    let max_error = figure(Some(ntp.max_error_ns)).filter(|ns| !ntp.synchronised || *ns > MAX_ERROR_NS);
    let max_error = max_error.map(|ns| {
        let since = || format!(": no update for {} or longer at the kernel's 500 ppm", text::time(ns / 500e-6));
        let since = if ntp.synchronised { since() } else { String::new() };
        format!("maximum error {}{since}", text::time(ns))
    });
    let beyond = |value: f64, limit: f64| Some(value).filter(|value| value.is_finite() && value.abs() > limit);
    let offset = beyond(ntp.offset_ns, OFFSET_NS).map(|ns| format!("{} still to be slewed", text::time(ns)));
    let frequency = beyond(ntp.frequency_ppm, FREQUENCY_PPM).map(text::number);
    let frequency = frequency.map(|ppm| format!("frequency correction {ppm} ppm, at the kernel's limit of 500 ppm"));
    [state, max_error, offset, frequency].into_iter().flatten().collect()
}

fn fix(facts: &Facts) -> String {
    let place = if facts.machine.container.is_some() { "On the host, not in the container: run" } else { "Run" };
    let ptp = match facts.guest_of() {
        Some("kvm") => {
            " A KVM guest can take the host's clock instead: `modprobe ptp_kvm`, then `refclock PHC /dev/ptp0` in \
             chrony.conf."
        }
        Some("hyper-v") => " A Hyper-V guest can take the host's clock: `refclock PHC /dev/ptp_hyperv` in chrony.conf.",
        _ => "",
    };
    format!(
        "{place} one NTP client (`systemctl enable --now chronyd`) and see `chronyc tracking` and `chronyc sources -v`.{ptp}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(change: impl FnOnce(&mut Ntp)) -> Case {
        Case::healthy().but(|case| change(case.ntp()))
    }

    #[test]
    fn an_unsynchronised_clock_is_a_warning_with_the_kernels_word() {
        let parts = ["\nadjtimex says TIME_ERROR with STA_UNSYNC; maximum error 16 s.\n", "[realtime]"];
        kept(|ntp| {
            (ntp.synchronised, ntp.state) = (false, "TIME_ERROR".into());
            (ntp.status, ntp.max_error_ns) = (vec!["STA_UNSYNC".into()], 16e9);
        })
        .finds("CS009", Warning, &parts);
    }

    #[test]
    fn a_large_error_offset_or_frequency_counts_and_a_small_one_does_not() {
        Case::healthy().silent("CS009");
        for (max_error, offset, ppm) in [(1.5e9, 0.0, 0.0), (1e6, -0.2e9, 0.0), (1e6, 0.0, -500.0)] {
            kept(|ntp| (ntp.max_error_ns, ntp.offset_ns, ntp.frequency_ppm) = (max_error, offset, ppm)).finds(
                "CS009",
                Warning,
                &["but poorly"],
            );
        }
        // Polled long ago.
        kept(|ntp| ntp.max_error_ns = 0.55e9).silent("CS009");
    }

    #[test]
    fn an_unset_tai_offset_is_a_note_where_tai_is_read() {
        let mut case = kept(|ntp| ntp.tai_offset_s = 0).silent("CS009");
        case.clocks.push(clock("tai").kind(Kind::Wall));
        case.finds("CS009", Note, &["[tai]"]).but(|case| case.ntp().tai_offset_s = 37).silent("CS009");
    }
}
