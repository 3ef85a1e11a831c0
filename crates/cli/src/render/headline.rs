//! The machine, in the facts that explain its clocks.

use std::fmt::Write;

use clockscope_analysis::judge::clocksource::Clocksource;
use clockscope_analysis::judge::frequencies_disagree;
use clockscope_analysis::record::{Finding, Machine, Run, TscGeneration};

use super::prose::{facts, styled};
use super::{View, capital, number, word};

/// The machine, and how the kernel keeps its time: two lines, more where the width is short.
pub fn headline(machine: &Machine, run: Option<&Run>, findings: &[Finding], view: View) -> String {
    let machine_facts = of_machine(machine);
    let disagree =
        frequencies_disagree(findings).then(|| "sources of its frequency disagree (clockscope frequency)".to_owned());
    let time = [source(machine), counter(machine, run), disagree].into_iter().flatten().collect::<Vec<_>>();
    styled(view.strong(), &facts(view, &machine_facts)) + &facts(view, &time)
}

fn of_machine(machine: &Machine) -> Vec<String> {
    let model = machine.cpu.model.as_deref().map_or_else(|| machine.arch.clone(), short_model);
    let around = [virtualization(machine), machine.container.as_ref().map(|kind| capital(kind))];
    let around: Vec<String> = around.into_iter().flatten().collect();
    let around = Some(around.join(", "));
    let all = [machine.hostname.clone(), Some(model), cpus(machine), around, Some(kernel(machine))];
    all.into_iter().flatten().filter(|text| !text.is_empty()).collect()
}

/// `clocksource tsc (kernel time runs on the TSC)`.
fn source(machine: &Machine) -> Option<String> {
    let name = machine.clocksource.current.as_ref()?;
    let means = Clocksource::of(name).map_or_else(String::new, |source| {
        let slow = if source.fast == Some(false) { ", slow to read" } else { "" };
        format!(" (kernel time runs on the {}{slow})", source.timer)
    });
    Some(format!("clocksource {name}{means}"))
}

/// `TSC invariant, 2600 MHz`: the frequency as the run measured it.
fn counter(machine: &Machine, run: Option<&Run>) -> Option<String> {
    let tsc = machine.tsc.as_ref()?;
    let known = Some(tsc.generation).filter(|known| *known != TscGeneration::Unknown);
    let mut text = "TSC".to_owned();
    if let Some(generation) = known {
        let _ = write!(text, " {}", word(generation));
    }
    let mhz = run.filter(|run| run.witness_base == "tsc").and_then(megahertz);
    if let Some(mhz) = &mhz {
        let comma = if known.is_some() { ", " } else { " " };
        let _ = write!(text, "{comma}{mhz} MHz");
    }
    (known.is_some() || mhz.is_some()).then_some(text)
}

/// The frequency of the counter that the witness is, with the digits that are known.
fn megahertz(run: &Run) -> Option<String> {
    let tick = run.witness_tick_ns.filter(|tick| tick.low > 0.0 && tick.high.is_finite())?;
    let half = (1e3 / tick.low - 1e3 / tick.high) / 2.0;
    Some(number::measured(1e3 / tick.value, half, 3))
}

fn cpus(machine: &Machine) -> Option<String> {
    let allowed = machine.cpus.allowed.len();
    match (allowed, machine.cpus.online.map_or(allowed, |n| n as usize)) {
        (0, 0) => None,
        (_, 1) => Some("1 CPU".to_owned()),
        (some, all) if 0 < some && some < all => Some(format!("{some} of {all} CPUs")),
        (_, n) => Some(format!("{n} CPUs")),
    }
}

fn virtualization(machine: &Machine) -> Option<String> {
    let seen = &machine.virtualization;
    match (seen.hypervisor.as_deref(), seen.guest) {
        (Some("kvm"), _) => Some("KVM guest".to_owned()),
        (Some(name), _) => Some(format!("{} guest", capital(name))),
        (None, Some(true)) => Some("virtual machine".to_owned()),
        (None, Some(false)) => Some("bare metal".to_owned()),
        (None, None) => None,
    }
}

fn kernel(machine: &Machine) -> String {
    let text =
        machine.kernel.as_ref().map_or_else(|| machine.os.clone(), |release| format!("{} {release}", machine.os));
    capital(&text)
}

/// A model name without its trade marks and what every one of them says.
fn short_model(model: &str) -> String {
    let model = model.split(" @ ").next().unwrap_or(model);
    let model = model.replace("(R)", "").replace("(TM)", "").replace("(tm)", "");
    let words = model
        .split_whitespace()
        .filter(|word| !matches!(*word, "Processor" | "CPU") && !word.to_ascii_lowercase().ends_with("-core"));
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use clockscope_analysis::record::Interval;

    #[test]
    fn models_lose_their_ornaments() {
        assert_eq!(short_model("AMD EPYC 9B14 96-Core Processor"), "AMD EPYC 9B14");
        assert_eq!(short_model("Intel(R) Xeon(R) CPU @ 2.20GHz"), "Intel Xeon");
        assert_eq!(short_model("Intel(R) Core(TM) i7-8650U CPU @ 1.90GHz"), "Intel Core i7-8650U");
    }

    #[test]
    fn a_machine_of_which_nothing_is_known_still_has_a_line() {
        let machine = Machine { os: "linux".into(), arch: "x86_64".into(), ..Machine::default() };
        assert_eq!(headline(&machine, None, &[], View::default()), "x86_64 · Linux\n");
    }

    #[test]
    fn where_sources_of_the_frequency_disagree_the_way_to_them_is_named() {
        let machine = Machine { os: "linux".into(), arch: "x86_64".into(), ..Machine::default() };
        let finding: Finding = serde_json::from_value(serde_json::json!({
            "code": "CS019", "severity": "note", "title": "", "evidence": "", "why": "", "fix": "", "clocks": [],
            "of_run": false, "usual": false
        }))
        .unwrap();
        let slewed = Finding { severity: clockscope_analysis::record::Severity::Warning, ..finding.clone() };
        for (findings, points) in [(&[finding][..], true), (&[slewed], false), (&[], false)] {
            let text = headline(&machine, None, findings, View::default());
            assert_eq!(text.contains("disagree (clockscope frequency)"), points, "{text}");
        }
    }

    #[test]
    fn a_frequency_has_the_digits_that_are_known() {
        for (low, high, text) in
            [(0.384_6, 0.384_63, "2600.00"), (0.38, 0.39, "2600"), (0.384_615_38, 0.384_615_39, "2600.000")]
        {
            let tick = Interval { value: f64::midpoint(low, high), low, high };
            assert_eq!(megahertz(&Run { witness_tick_ns: Some(tick), ..Run::default() }).unwrap(), text);
        }
    }
}
