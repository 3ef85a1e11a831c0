//! What the machine is, and how the run went.

use super::asked::{Kernel, Least, OneOf, Version};
use super::figures::{Bounds, Unit};
use super::format::{MachineAsked, Policy, RunAsked};
use super::sheet::{Answer, Sheet};
use crate::judge::clocksource::Clocksource;
use crate::record::{Machine, Record, Run, TscGeneration};
use crate::text;

/// What stands for a hypervisor, or a container, where there is none.
const NONE: &str = "none";

pub(super) fn ask(policy: &Policy, record: &Record, sheet: &mut Sheet) {
    machine(&policy.machine, &record.machine, sheet);
    run(&policy.run, &record.run, sheet);
}

fn machine(asked: &MachineAsked, machine: &Machine, sheet: &mut Sheet) {
    let absent = |fact: &str| absent(machine, fact);
    let known = |fact: &Option<String>, name: &str| fact.clone().ok_or_else(|| absent(name));
    let stated =
        |fact: &String, name: &str| Some(fact.clone()).filter(|fact| !fact.is_empty()).ok_or_else(|| absent(name));
    let tsc = || machine.tsc.as_ref().ok_or_else(|| format!("{} has no TSC, or nothing is known of it", machine.arch));
    let source = || known(&machine.clocksource.current, "clocksource");
    let ntp = || machine.ntp.as_ref().ok_or_else(|| absent("ntp"));

    sheet.word("machine.os", asked.os.as_ref(), || stated(&machine.os, "os"));
    sheet.word("machine.arch", asked.arch.as_ref(), || stated(&machine.arch, "arch"));
    kernel(asked.kernel.as_ref(), machine, sheet);
    sheet.word("machine.cpu_vendor", asked.cpu_vendor.as_ref(), || known(&machine.cpu.vendor, "cpu"));
    cpus(asked.cpus.as_ref(), machine, sheet);
    let guest = || machine.virtualization.guest.ok_or_else(|| absent("virtualization"));
    sheet.flag("machine.guest", asked.guest.as_ref(), guest);
    sheet.word("machine.hypervisor", asked.hypervisor.as_ref(), || {
        let named =
            || machine.virtualization.hypervisor.clone().ok_or_else(|| "a guest of an unknown hypervisor".into());
        if guest()? { named() } else { Ok(NONE.into()) }
    });
    let container = || Ok(machine.container.clone().unwrap_or_else(|| NONE.into()));
    sheet.word("machine.container", asked.container.as_ref(), container);
    sheet.word("machine.clocksource", asked.clocksource.as_ref(), source);
    available(asked.clocksource_available.as_ref(), machine, sheet);
    sheet.flag("machine.runs_on_tsc", asked.runs_on_tsc.as_ref(), || Ok(Clocksource::is_tsc(&source()?)));
    sheet.word("machine.tsc", asked.tsc.as_ref(), || match tsc()?.generation {
        TscGeneration::Variant => Ok("variant".into()),
        TscGeneration::Constant => Ok("constant".into()),
        TscGeneration::Invariant => Ok("invariant".into()),
        TscGeneration::Unknown => Ok("unknown".into()),
    });
    let watched = || tsc()?.watchdog.ok_or_else(|| "whether the kernel watches the TSC can't be told".into());
    sheet.flag("machine.tsc_watchdog", asked.tsc_watchdog.as_ref(), watched);
    sheet.word("machine.governor", asked.governor.as_ref(), || known(&machine.governor, "governor"));
    sheet.flag("machine.synchronised", asked.synchronised.as_ref(), || Ok(ntp()?.synchronised));
    sheet.limit("machine.max_error_ns", asked.max_error_ns.as_ref(), Unit::Ns, || {
        Ok(Bounds::exactly(ntp()?.max_error_ns))
    });
}

/// Why a fact is absent: the record says it where the fact could not be read.
fn absent(machine: &Machine, fact: &str) -> String {
    let why = machine.unreadable.iter().filter_map(|line| line.split_once(": ")).find(|(name, _)| *name == fact);
    why.map_or_else(|| "the record does not say".into(), |(_, why)| why.to_owned())
}

fn kernel(asked: Option<&Kernel>, machine: &Machine, sheet: &mut Sheet) {
    let Some(Kernel { at_least, undecided }) = asked else { return };
    let answer = match machine.kernel.as_deref().map(|release| (release, Version::of(release))) {
        Some((release, Some(found))) => {
            let is_new = found >= *at_least;
            Answer::plain(is_new, release, if is_new { "new enough" } else { "older" })
        }
        Some((release, None)) => Answer::unknown(format!("the release '{release}' does not begin with a version")),
        None => Answer::unknown(absent(machine, "kernel")),
    };
    sheet.put("machine.kernel".into(), format!("at least {at_least}"), *undecided, answer);
}

fn cpus(asked: Option<&Least>, machine: &Machine, sheet: &mut Sheet) {
    let Some(Least { at_least, undecided }) = asked else { return };
    let answer = machine.cpus.online.map_or_else(
        || Answer::unknown(absent(machine, "cpus")),
        |online| {
            let is_enough = u64::from(online) >= *at_least;
            Answer::plain(is_enough, online.to_string(), if is_enough { "enough" } else { "too few on line" })
        },
    );
    sheet.put("machine.cpus".into(), format!("at least {at_least}"), *undecided, answer);
}

/// All of those asked for are to be on offer.
fn available<V>(asked: Option<&OneOf<V>>, machine: &Machine, sheet: &mut Sheet) {
    let Some(OneOf { is, undecided, .. }) = asked else { return };
    let offered = &machine.clocksource.available;
    let lacking: Vec<&str> = is.iter().filter(|source| !offered.contains(source)).map(String::as_str).collect();
    let answer = match (offered.is_empty(), lacking.as_slice()) {
        (true, _) => Answer::unknown(absent(machine, "clocksource")),
        (_, []) => Answer::plain(true, text::list(offered), "on offer"),
        (_, lacking) => Answer::plain(false, text::list(offered), format!("not on offer: {}", text::list(lacking))),
    };
    sheet.put("machine.clocksource_available".into(), text::list(is), *undecided, answer);
}

fn run(asked: &RunAsked, run: &Run, sheet: &mut Sheet) {
    let share = |share: Option<f64>, field: &str| {
        let why = || run.missing.get(field).cloned().unwrap_or_else(|| "the record does not say".into());
        share.map(Bounds::exactly).ok_or_else(why)
    };
    let field = "standstill_share";
    sheet.limit("run.standstill_share", asked.standstill_share.as_ref(), Unit::Share, || {
        share(run.standstill_share, field)
    });
    sheet.limit("run.steal_share", asked.steal_share.as_ref(), Unit::Share, || share(run.steal_share, "steal_share"));
}
