//! Findings, the machine's facts and the run's.

use super::*;
use crate::record::Cpus;
use Decision::{Met, Undecided, Violated};

#[test]
fn a_denied_finding_violates_by_code_and_by_severity() {
    for (deny, outcome, words) in [
        ("CS002", Violated, &["deny.CS002", "CS002: "][..]),
        ("cs002", Violated, &["deny.CS002"]),
        ("CS020", Met, &["none", "no finding CS020"]),
        ("warning", Violated, &["CS002", "no finding as severe as warning"]),
        ("error", Met, &["none"]),
    ] {
        comes(&format!("deny = ['{deny}']"), Case::hpet(), outcome, words);
    }
    // What holds on every such machine, and what tells of the run alone, is denied by its code only.
    let stood_still = || Case::healthy().but(|case| case.run.standstill_share = Some(0.5));
    comes("deny = ['note']", Case::healthy(), Violated, &[" | CS004 | "]);
    comes("deny = ['CS011']", Case::healthy(), Violated, &["CS011"]);
    comes("deny = ['note']", stood_still(), Violated, &[" | CS004 | "]);
    comes("deny = ['CS012']", stood_still(), Violated, &["CS012"]);
}

#[test]
fn an_interrupted_run_shows_no_finding_to_be_absent() {
    let cut = |case: Case| case.but(|case| case.run.interrupted = true);
    comes("deny = ['CS002']", cut(Case::healthy()), Undecided, &["interrupted"]);
    comes("deny = ['CS002']", cut(Case::hpet()), Violated, &["CS002: "]);
}

#[test]
fn a_waiver_lets_its_finding_pass_up_to_its_day_and_fails_from_the_next() {
    for (until, last) in [("2026-06-15", Met), ("2026-06-14", Violated), ("2027-01-01", Met)] {
        for quotes in ["", "'"] {
            let asks = format!(
                "deny = ['CS002', 'warning']\n[[waive]]\nfinding = 'CS002'\nreason = 'a spare part'\nuntil = {quotes}{until}{quotes}"
            );
            let mut record = record(Case::hpet());
            record.findings.retain(|finding| finding.code == "CS002");
            let rows = check(&policy(&asks), "", &record, on("2026-06-15")).requirements;
            assert_eq!(rows.iter().map(|row| row.outcome).collect::<Vec<_>>(), [last; 3], "{until}: {rows:#?}");
            let words = if last == Met { "waived: CS002 until" } else { "CS002: " };
            assert!(rows[0].why.contains(words) && rows[2].requirement == "waive.CS002", "{rows:#?}");
            assert!(rows[2].why.contains("a spare part"), "{rows:#?}");
        }
    }
}

#[test]
fn an_ended_waiver_fails_though_its_finding_is_gone_and_waives_no_other() {
    let waive = |code: &str, until: &str| {
        format!("deny = ['CS002']\n[[waive]]\nfinding = '{code}'\nreason = 'x'\nuntil = {until}")
    };
    let outcomes =
        |asks: &str, case| checked(asks, case).requirements.iter().map(|row| row.outcome).collect::<Vec<_>>();
    assert_eq!(outcomes(&waive("CS002", "2020-01-01"), Case::healthy()), [Met, Violated]);
    assert_eq!(outcomes(&waive("CS009", "2030-01-01"), Case::hpet()), [Violated, Met]);
}

#[test]
fn facts_of_the_machine_hold_or_not_or_are_not_known() {
    let mut rich = Case::healthy();
    (rich.machine.os, rich.machine.arch) = ("linux".into(), "x86_64".into());
    rich.machine.kernel = Some("6.1.0-18-amd64".into());
    rich.machine.cpu.vendor = Some("AuthenticAMD".into());
    rich.machine.cpus = Cpus { online: Some(4), ..Cpus::default() };
    rich.machine.governor = Some("performance".into());
    rich.machine.container = Some("docker".into());
    let mut bare = Case::healthy();
    bare.machine = crate::record::Machine { unreadable: vec!["governor: no such file".into()], ..Default::default() };
    for (name, met, violated) in [
        ("os", "'linux'", "['macos', 'windows']"),
        ("arch", "['aarch64', 'x86_64']", "'aarch64'"),
        ("kernel", "'6.1'", "'6.1.1'"),
        ("kernel", "'5.10'", "'10'"),
        ("cpu_vendor", "'AuthenticAMD'", "'GenuineIntel'"),
        ("cpus", "4", "5"),
        ("guest", "true", "false"),
        ("hypervisor", "['none', 'kvm']", "'none'"),
        ("clocksource", "'tsc'", "'hpet'"),
        ("clocksource_available", "['kvm-clock', 'tsc']", "['tsc', 'hpet']"),
        ("runs_on_tsc", "true", "false"),
        ("tsc", "'invariant'", "['constant', 'variant']"),
        ("tsc_watchdog", "false", "true"),
        ("governor", "'performance'", "'powersave'"),
        ("synchronised", "true", "false"),
        ("max_error_ns", "2_100_000", "2.0e6"),
    ] {
        let asks = |value: &str| format!("[machine]\n{name} = {value}");
        comes(&asks(met), rich.clone(), Met, &[&format!("machine.{name}")]);
        comes(&asks(violated), rich.clone(), Violated, &[&format!("machine.{name}")]);
        comes(&asks(met), bare.clone(), Undecided, &[&format!("machine.{name}")]);
    }
    comes("[machine]\ncontainer = 'docker'", rich.clone(), Met, &[]);
    comes("[machine]\ncontainer = 'none'", rich.clone(), Violated, &["docker"]);
    comes("[machine]\ncontainer = 'none'", bare.clone(), Met, &[]);
    comes("[machine]\ngovernor = 'performance'", bare, Undecided, &["no such file"]);
    comes("[machine]\nruns_on_tsc = true", rich.clone().on("kvm-clock"), Violated, &["no"]);
    let metal = rich.but(|case| case.machine.virtualization.guest = Some(false));
    comes("[machine]\nhypervisor = 'none'", metal, Met, &["none"]);
}

#[test]
fn shares_of_the_run_have_limits() {
    for (name, case) in [
        ("steal_share", Case::healthy().but(|case| case.run.steal_share = Some(0.02))),
        ("standstill_share", Case::healthy().but(|case| case.run.standstill_share = Some(0.02))),
    ] {
        comes(&format!("[run]\n{name} = 0.02"), case.clone(), Met, &["2 %"]);
        comes(&format!("[run]\n{name} = 0.019"), case.clone(), Violated, &["2 %"]);
        let unknown = case.but(|case| {
            (case.run.steal_share, case.run.standstill_share) = (None, None);
            case.run.missing.insert(name.into(), "the kernel does not say".into());
        });
        comes(&format!("[run]\n{name} = 0.02"), unknown, Undecided, &["the kernel does not say"]);
    }
}
