//! How policies are written: what is refused, and in which words; and the policy that is made of a record.

use super::*;
use crate::judge::made_up::{says, skew};
use crate::judge::policy::init;
use crate::record::{Rate, Tool};

/// What is wrong with it, and the hint.
#[track_caller]
fn refused(text: &str, words: &[&str]) {
    let why = match toml::from_str::<Policy>(text) {
        Err(why) => format!("{} {}", why.message(), Policy::hint(why.message())),
        Ok(policy) => policy.fault().expect_err(text),
    };
    says(&why, words);
}

#[test]
fn what_is_no_policy_is_refused_in_words() {
    refused("", &["missing field `schema`"]);
    let head = "schema = 'clockscope-policy/1'";
    refused(head, &["asks for nothing"]);
    refused("schema = 'clockscope-policy/2'", &["of another version", "clockscope-policy/1"]);
    refused("schema = 'clockscope/1'", &["no policy's schema"]);
    for (rest, words) in [
        ("dney = ['CS001']", &["`dney`", "did you mean deny?"][..]),
        ("[machine]\nclocksorce = 'tsc'", &["did you mean clocksource"]),
        ("[clocks.tsc]\ncost = 5", &["unknown field `cost`", "cost_ns"]),
        ("[clocks.tsc]\ncost_ns = { at_mots = 5 }", &["did you mean at_most?"]),
        ("[clocks.tsc]\ncost_ns = { at_most = 5, undecided = 'pas' }", &["did you mean pass?"]),
        ("[clocks.tsc]\ncost_ns = {}", &["missing field `at_most`"]),
        ("[clocks.tsc]\ncost_ns = nan", &["is no limit"]),
        ("[clocks.tsc]\ncost_ns = inf", &["is no limit"]),
        ("[clocks.tsc]\ncost_ns = { at_most = -0.5 }", &["-0.5 is below 0"]),
        ("[clocks.tsc]\ncost_ns = -1", &["-1 is below 0"]),
        ("[clocks.tsc]\ncost_ns = '5 ns'", &["expected a number from 0 on"]),
        ("[clocks.tsc]\nfaults = -1", &["-1 is below 0"]),
        ("[clocks.tsc]\nfaults = 0.5", &["expected a whole number"]),
        ("[clocks.tsc]\npath = 'vsdo'", &["'vsdo' is none of", "did you mean vdso?"]),
        ("[clocks.tsc]\npath = []", &["no words"]),
        ("[clocks.tsc]\npath = 5", &["expected a word in quotes"]),
        ("[clocks.tsc]\n", &["[clocks.tsc] asks for nothing"]),
        ("[skew.tsc]\n", &["[skew.tsc] asks for nothing"]),
        ("[machine]\nkernel = 'new'", &["'new' is no version"]),
        ("[machine]\nkernel = '6.1-rc1'", &["is no version"]),
        ("[machine]\ncpus = -1", &["-1 is below 0"]),
        ("[machine]\nguest = 'yes'", &["expected true or false"]),
        ("[machine]\ntsc = 'invarant'", &["did you mean invariant?"]),
        ("deny = ['CS999']", &["no finding has the code 'CS999'"]),
        ("deny = ['eror']", &["did you mean error?"]),
        ("deny = ['CS028']", &["CS028 is told of runtimes"]),
        ("[[waive]]\nfinding = 'CS009'\nuntil = 2030-01-01", &["missing field `reason`"]),
        ("[[waive]]\nfinding = 'CS009'\nreason = ' '\nuntil = 2030-01-01", &["needs a reason"]),
        ("[[waive]]\nfinding = 'CS009'\nreason = 'x'", &["missing field `until`"]),
        ("[[waive]]\nfinding = 'CS009'\nreason = 'x'\nuntil = '2030-02-30'", &["'2030-02-30' is no day"]),
        ("[[waive]]\nfinding = 'CS009'\nreason = 'x'\nuntil = 'soon'", &["'soon' is no day"]),
        ("[[waive]]\nfinding = 'CS009'\nreason = 'x'\nuntil = 5", &["expected a day"]),
        ("[[waive]]\nfinding = 'CS009'\nreason = 'x'\nuntil = 10:00:00", &["is no day"]),
        ("[[waive]]\nfinding = 'CS009'\nreason = 'x'\nuntil = { day = '2030-01-01' }", &["expected a day"]),
        ("undecided = 'maybe'", &["`maybe`", "fail"]),
    ] {
        refused(&format!("{head}\n{rest}"), words);
    }
}

#[test]
fn clocks_go_by_any_name_but_only_once() {
    let mut policy = policy("[clocks.rdtsc]\nreadable = true");
    policy.name_clocks(|name| if name == "rdtsc" { "tsc".into() } else { name.into() }).expect("one clock");
    assert_eq!(policy.clocks().collect::<Vec<_>>(), ["tsc"]);
    let mut policy = super::policy("[clocks.rdtsc]\nreadable = true\n[clocks.tsc]\nreadable = true");
    let why = policy.name_clocks(|_| "tsc".into()).expect_err("twice");
    says(&why, &["'tsc' is tsc by another name"]);
}

/// Machines sound and not.
fn cases() -> Vec<Case> {
    let far = |ppm| Rate { ppm, low_ppm: ppm - 1.0, high_ppm: ppm + 1.0, against: "a\nb".into() };
    vec![
        Case::healthy(),
        Case::hpet(),
        Case::rejected(),
        Case::healthy().of([]),
        Case::healthy().but(|case| case.skew = vec![skew("tsc-fenced", -50.0, 60.0, 0)]),
        Case::healthy().but(|case| case.skew = vec![skew("tsc-fenced", 50.0, 60.0, 3)]),
        Case::healthy().but(|case| *case.clock("monotonic") = case.clock("monotonic").clone().faults(1, 2, 3)),
        Case::healthy().but(|case| case.clock("monotonic").rate = Some(far(-40_000.0))),
        Case::healthy().but(|case| case.clock("monotonic").rate = Some(far(f64::NAN))),
        Case::healthy().but(|case| case.clock("monotonic").reads = 7),
        Case::healthy().but(|case| (case.clock("monotonic").reads, case.clock("tsc").reads) = (0, 19)),
        Case::healthy().but(|case| case.ntp().synchronised = false),
        Case::healthy().but(|case| *case.clock("tsc") = case.clock("tsc").clone().cost(1e300).quantum(1e-9)),
        Case::healthy().but(|case| case.machine.virtualization.hypervisor = Some("a\"b\\\n\u{7f}".into())),
        Case::healthy().but(|case| case.clocks.iter_mut().for_each(|clock| clock.id += " \"\n")),
    ]
}

#[test]
fn the_policy_of_a_record_passes_on_it() {
    for (at, case) in cases().into_iter().enumerate() {
        let record = Record { tool: Tool { name: "clockscope".into(), version: "1\n2".into() }, ..record(case) };
        let text = init(&record);
        let policy: Policy = toml::from_str(&text).unwrap_or_else(|why| panic!("case {at}: {why}\n{text}"));
        policy.fault().unwrap_or_else(|why| panic!("case {at}: {why}\n{text}"));
        let checked = check(&policy, "", &record, on("2026-06-15"));
        let failing: Vec<_> = checked.requirements.iter().filter(|row| row.fails).collect();
        assert!(checked.passed && failing.is_empty(), "case {at}: {failing:#?}\n{text}");
    }
}

#[test]
fn the_policy_of_a_record_fails_where_the_machine_got_worse() {
    let policy: Policy = toml::from_str(&init(&record(Case::healthy()))).expect("a policy");
    let failing = |case| {
        let rows = check(&policy, "", &record(case), on("2026-06-15")).requirements;
        rows.into_iter().filter(|row| row.fails).map(|row| row.requirement).collect::<Vec<_>>().join(" ")
    };
    let slower = Case::healthy().but(|case| *case.clock("monotonic") = case.clock("monotonic").clone().cost(40.0));
    says(&failing(slower), &["clocks.monotonic.cost_ns", "!path"]);
    says(
        &failing(Case::hpet()),
        &["machine.clocksource", "clocks.monotonic.path", "clocks.monotonic.resolution_ns", "deny."],
    );
    let faulty = Case::healthy().but(|case| case.clock("realtime").warps.count = 1);
    says(&failing(faulty), &["clocks.realtime.faults"]);
}
