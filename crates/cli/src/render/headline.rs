//! The machine on one line.

use clockscope_analysis::record::{Machine, TscGeneration};

use super::View;

/// What stands between two facts.
const BETWEEN: &str = " · ";

/// The facts of the machine that explain its clocks, on one line; where they find no room the least telling
/// are left out.
pub fn headline(machine: &Machine, view: View) -> String {
    let mut facts = facts(machine);
    let length = |facts: &[(u8, String)]| {
        facts.iter().map(|(_, text)| text.chars().count()).sum::<usize>()
            + BETWEEN.chars().count() * facts.len().saturating_sub(1)
    };
    while facts.len() > 1 && view.width.is_some_and(|width| length(&facts) > width) {
        let least = facts.iter().enumerate().max_by_key(|(_, (rank, _))| *rank).map_or(0, |(i, _)| i);
        facts.remove(least);
    }
    let style = view.strong();
    let line = facts.into_iter().map(|(_, text)| text).collect::<Vec<_>>().join(BETWEEN);
    format!("{style}{line}{style:#}\n")
}

/// Facts with the rank by which they are left out (highest first).
fn facts(machine: &Machine) -> Vec<(u8, String)> {
    let mut facts = Vec::new();
    let mut fact = |rank: u8, text: Option<String>| {
        if let Some(text) = text.filter(|text| !text.is_empty()) {
            facts.push((rank, text));
        }
    };
    fact(1, machine.hostname.clone());
    fact(0, Some(machine.cpu.model.as_deref().map_or_else(|| machine.arch.clone(), short_model)));
    fact(5, cpus(machine));
    fact(3, virtualization(machine));
    fact(6, machine.container.as_ref().map(|kind| format!("in {kind}")));
    fact(4, Some(kernel(machine)));
    fact(2, machine.clocksource.current.as_ref().map(|name| format!("clocksource {name}")));
    fact(
        3,
        machine.tsc.as_ref().and_then(|tsc| match tsc.generation {
            TscGeneration::Variant => Some("TSC variant".to_owned()),
            TscGeneration::Constant => Some("TSC constant".to_owned()),
            TscGeneration::Invariant => Some("TSC invariant".to_owned()),
            TscGeneration::Unknown => None,
        }),
    );
    facts
}

fn cpus(machine: &Machine) -> Option<String> {
    let allowed = machine.cpus.allowed.len();
    let online = machine.cpus.online.map_or(allowed, |n| n as usize);
    match (allowed, online) {
        (0, 0) => None,
        (_, 1) => Some("1 CPU".to_owned()),
        (0, n) => Some(format!("{n} CPUs")),
        (some, all) if some < all => Some(format!("{some} of {all} CPUs")),
        (_, n) => Some(format!("{n} CPUs")),
    }
}

fn virtualization(machine: &Machine) -> Option<String> {
    let seen = &machine.virtualization;
    match (&seen.hypervisor, seen.guest) {
        (Some(name), _) => Some(format!("{name} guest")),
        (None, Some(true)) => Some("virtual machine".to_owned()),
        (None, Some(false)) => Some("bare metal".to_owned()),
        (None, None) => None,
    }
}

fn kernel(machine: &Machine) -> String {
    let mut os = machine.os.clone();
    if let Some(first) = os.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    machine.kernel.as_ref().map_or_else(|| os.clone(), |release| format!("{os} {release}"))
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

    #[test]
    fn models_lose_their_ornaments() {
        assert_eq!(short_model("AMD EPYC 9B14 96-Core Processor"), "AMD EPYC 9B14");
        assert_eq!(short_model("Intel(R) Xeon(R) CPU @ 2.20GHz"), "Intel Xeon");
        assert_eq!(short_model("Intel(R) Core(TM) i7-8650U CPU @ 1.90GHz"), "Intel Core i7-8650U");
    }

    #[test]
    fn a_machine_of_which_nothing_is_known_still_has_a_line() {
        let machine = Machine { os: "linux".into(), arch: "x86_64".into(), ..Machine::default() };
        assert_eq!(headline(&machine, View::default()), "x86_64 · Linux\n");
    }
}
