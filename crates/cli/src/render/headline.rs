//! The machine on one line.

use clockscope_analysis::record::{Machine, TscGeneration};

use super::{View, word};

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
    let model = machine.cpu.model.as_deref().map_or_else(|| machine.arch.clone(), short_model);
    let generation = machine.tsc.as_ref().map(|tsc| tsc.generation).filter(|known| *known != TscGeneration::Unknown);
    let facts = [
        (1, machine.hostname.clone()),
        (0, Some(model)),
        (5, cpus(machine)),
        (3, virtualization(machine)),
        (6, machine.container.as_ref().map(|kind| format!("in {kind}"))),
        (4, Some(kernel(machine))),
        (2, machine.clocksource.current.as_ref().map(|name| format!("clocksource {name}"))),
        (3, generation.map(|generation| format!("TSC {}", word(generation)))),
    ];
    let told = |(rank, text): (u8, Option<String>)| Some((rank, text.filter(|text| !text.is_empty())?));
    facts.into_iter().filter_map(told).collect()
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
    match (&seen.hypervisor, seen.guest) {
        (Some(name), _) => Some(format!("{name} guest")),
        (None, Some(true)) => Some("virtual machine".to_owned()),
        (None, Some(false)) => Some("bare metal".to_owned()),
        (None, None) => None,
    }
}

fn kernel(machine: &Machine) -> String {
    let mut text =
        machine.kernel.as_ref().map_or_else(|| machine.os.clone(), |release| format!("{} {release}", machine.os));
    text.get_mut(..1).into_iter().for_each(str::make_ascii_uppercase);
    text
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
