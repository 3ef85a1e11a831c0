//! The choice and the fit as text for people.

use std::fmt::Write as _;

use super::{
    choice::{Choice, Source},
    choose::{Counter, Evidence, Forced, Kernel},
    gather, system,
};
use crate::{
    Clock,
    chain::{Basis, Reading},
    discipline::{Fit, STEADY},
    hardware::Hardware,
    native::{HAS_COUNTER, Native},
};

pub(crate) fn explain(choice: Option<Choice>, basis: Basis, reading: Reading) -> String {
    let mut text = String::new();
    let source = match choice.map(|c| c.source) {
        Some(Source::Counter) => "the CPU's counter, fitted to the system's monotonic clock",
        Some(Source::System) => "the system's monotonic clock",
        None => "the system's monotonic clock (which fails, so that no choice could be made)",
    };
    // Writing to a String can't fail.
    let _ = writeln!(text, "source: {source}");
    if let Some(choice) = choice {
        let _ = writeln!(text, "because: {}", choice.why);
    }
    let _ = writeln!(text, "evidence:");
    for (what, found) in evidence(gather(true)) {
        let _ = writeln!(text, "  {what}: {found}");
    }
    let _ = match basis {
        Basis::Line(fit) => writeln!(text, "{}", line(&fit)),
        Basis::Starting => writeln!(text, "now: the system's clock, until the first line is found"),
        Basis::System => writeln!(text, "now: the system's clock, for good"),
    };
    let _ = match (reading.uncertainty_ns, reading.uncertainty_if_steady_ns) {
        (Some(any), Some(steady)) => writeln!(
            text,
            "uncertainty: a reading made just now lies within {steady} ns of the kernel's clock if that runs steadily, \
             within {any} ns whatever slew the kernel permits"
        ),
        (None, Some(steady)) => writeln!(
            text,
            "uncertainty: a reading made just now lies within {steady} ns of the kernel's clock if that runs steadily; how \
             it may be slewed here, nobody says"
        ),
        (_, None) => writeln!(text, "uncertainty: not known, because the system's clock fails or was just set back"),
    };
    let epoch = Clock::epoch();
    let _ = writeln!(
        text,
        "so far: the kernel's clock ran unsteadily {} times, {} comparisons came too late to tell, jumps were seen {} times; \
         it was set back by {} ns",
        epoch.unsteady,
        epoch.untold,
        epoch.discontinuities,
        Clock::set_back().as_nanos()
    );
    text
}

fn line(fit: &Fit) -> String {
    let within = |ticks| fit.uncertainty_ns(ticks, Native.step_ns(), STEADY);
    let (mhz, off) = (1e3 / fit.rate, fit.rate_off * 1e3 / fit.rate);
    // No digit finer than the uncertainty. Without a logarithm, for which a C program would have to link -lm.
    let digits = [1.0, 1e1, 1e2, 1e3, 1e4, 1e5].iter().position(|scale| off * scale >= 1.0).unwrap_or(6);
    let len = fit.line.len as f64 * fit.rate;
    format!(
        "frequency: {mhz:.digits$} ± {off:.digits$} MHz\n\
         fit: compared within {:.0} ns; valid for {:.1} ms (at most {:.1}); uncertain by {:.0} ns at its start and \
         {:.0} ns at its end, of which {:.0} ns are for a kernel that may change its rate by {:.0} ppm",
        fit.now.half as f64 * fit.rate * 2.0,
        len / 1e6,
        Native.period_ns() as f64 / 1e6,
        within(fit.line.start),
        within(fit.line.start.wrapping_add(fit.line.len)),
        len * STEADY,
        STEADY * 1e6,
    )
}

fn evidence(e: Evidence) -> [(&'static str, String); 5] {
    let yes = |yes: bool| if yes { "yes" } else { "no" }.to_owned();
    [
        (
            "counter",
            match e.counter {
                Counter::Absent => "none on this kind of CPU",
                Counter::Forbidden => "forbidden to this process (PR_SET_TSC)",
                Counter::Readable if cfg!(target_arch = "x86_64") => "readable (tsc)",
                Counter::Readable if cfg!(target_arch = "aarch64") => "readable (cntvct)",
                Counter::Readable => "readable (time)",
            }
            .into(),
        ),
        (
            "TRUETICK_SOURCE",
            match e.forced {
                None => "not set",
                Some(Forced::Counter) => "asks for the counter",
                Some(Forced::System) => "asks for the system's clock",
                Some(Forced::Unknown) => "neither 'counter' nor 'os', so it counts for nothing",
            }
            .into(),
        ),
        (
            "the kernel's clock",
            match e.kernel {
                Some(Kernel::Uses) => format!("is made of the counter{}", clocksource()),
                Some(Kernel::Rejects) => format!("is not made of the counter{}", clocksource()),
                Some(Kernel::Page) => format!("is a hypervisor's page over the counter{}", clocksource()),
                None => "of what it is made is not said".into(),
            },
        ),
        ("the CPU promises a constant rate", yes(e.invariant && HAS_COUNTER)),
        ("the kernel's clock is read in user space", e.in_user_space.map_or("not to be told".into(), yes)),
    ]
}

/// The clocksource's name in brackets, where there is one.
fn clocksource() -> String {
    let mut buffer = [0; 64];
    match system::clocksource(&mut buffer) {
        0 => String::new(),
        n => format!(" (current clocksource: {})", String::from_utf8_lossy(&buffer[..n])),
    }
}
