//! What is said of programs on machines whose clocks are known.

use super::{advise, table};
use crate::judge::judge;
use crate::judge::made_up::{Case, says, skew};
use crate::record::{
    Frequency, Kind, Path, Program, ProgramAdvice, Purpose, Record, TscGeneration, Unavailable, Virtualization,
};

/// The same machine with all clocks that programs read; of its CPU the kernel lists these flags.
fn with(case: Case, flags: &str) -> Case {
    case.but(|case| {
        case.tsc().flags = flags.split(' ').map(str::to_owned).collect();
        case.machine.arch = "x86_64".into();
        let like = |case: &Case, id: &str| case.clocks.iter().find(|c| c.id == id).expect("there is one").clone();
        let wall = like(case, "realtime");
        let tscp = like(case, "tsc").with(|c| (c.id, c.ordered) = ("tscp".into(), true)).cost(18.0);
        case.clocks.extend([tscp, wall.with(|c| (c.id, c.base) = ("gettimeofday".into(), "gettimeofday".into()))]);
    })
}

const INTEL: &str = "tsc rdtscp constant_tsc nonstop_tsc tsc_adjust";
const WITHOUT_ADJUST: &str = "tsc rdtscp constant_tsc nonstop_tsc";

/// On the TSC, with the vDSO's own entry for wall time too.
fn healthy() -> Case {
    with(Case::healthy(), INTEL).but(|case| {
        let vdso = case.clock("realtime").clone().forced("realtime").with(|c| c.id = "realtime@vdso".into());
        case.clocks.push(vdso);
    })
}

fn record(case: &Case) -> Record {
    let (findings, verdict) = judge(&case.machine, &case.run, &case.clocks, &case.skew);
    let Case { machine, run, clocks, skew } = case.clone();
    Record { run, machine, clocks, skew, findings, verdict, ..Record::default() }
}

fn advice(case: &Case, program: Program) -> ProgramAdvice {
    advise(&record(case), &[program]).remove(0)
}

/// Checks the clocks that a program takes, in its order, whether the evidence agrees with each, and the answer.
#[track_caller]
fn check(case: &Case, program: Program, clocks: &[(&str, bool)], answer: &[&str]) -> ProgramAdvice {
    let advice = advice(case, program);
    let taken: Vec<(&str, bool)> =
        advice.clocks.iter().map(|c| (c.clock.as_deref().unwrap_or(""), c.agrees == Some(true))).collect();
    assert_eq!(taken, clocks, "{advice:#?}");
    says(&advice.answer, answer);
    assert_eq!(advice.agrees, Some(clocks.iter().all(|(_, agrees)| *agrees)));
    advice
}

fn set(advice: &ProgramAdvice) -> Vec<&str> {
    advice.set.iter().map(|setting| setting.what.as_str()).collect()
}

#[test]
fn on_the_tsc_by_the_vdso_all_is_well_with_every_program() {
    use Program::{Chromium, Dotnet, Go, Java, Postgres, Python, RustStd};
    let (monotonic, realtime, day) = (("monotonic", true), ("realtime", true), ("gettimeofday", true));
    let vdso =
        "takes monotonic (vDSO, 23.30 ± 0.03 ns a read, resolution 10.0 ns); the evidence agrees, nothing to set.";
    for (program, clocks, answer) in [
        (Go, &[("monotonic@vdso", true), ("realtime@vdso", true)][..], "Go takes monotonic@vdso (vDSO, 23.00"),
        (Java, &[monotonic, realtime, realtime], vdso),
        (Python, &[monotonic, monotonic, realtime], vdso),
        (Dotnet, &[monotonic, realtime, ("monotonic-coarse", true)], vdso),
        (RustStd, &[monotonic, realtime], vdso),
        (Chromium, &[monotonic, day], "a read, resolution 1 µs); the evidence agrees, nothing to set."),
        (
            Postgres,
            &[("tsc", true), ("tscp", true), monotonic, monotonic, day],
            "PostgreSQL 19 takes tsc (an instruction, 9.50",
        ),
    ] {
        let advice = check(&healthy(), program, clocks, &[answer, "nothing to set"]);
        assert_eq!(set(&advice), [""; 0]);
        let first = &advice.clocks[0];
        assert!(first.cost_ns.is_some_and(|cost| cost.low < cost.value && cost.value < cost.high), "{first:#?}");
        assert!(first.resolution_ns.is_some() && first.missing.is_empty(), "{first:#?}");
    }
}

#[test]
fn a_program_resolves_no_more_than_the_unit_that_it_hands_out() {
    let said = |case: &Case, program, api: &str| {
        let found = advice(case, program).clocks.into_iter().find(|clock| clock.api == api).expect(api);
        assert_eq!(found.missing.contains_key("resolution_ns"), found.resolution_ns.is_none(), "{found:#?}");
        let ends = found.resolution_ns.map(|ns| (ns.low, ns.value, ns.high));
        (
            ends.filter(|(low, value, high)| low == value && value == high).map(|(_, ns, _)| ns),
            found.resolution_at_most_ns,
        )
    };
    let limited = |ns| {
        healthy().but(|case| {
            for clock in &mut case.clocks {
                clock.tick_ns.quantum = None;
                (clock.tick_ns.quantum_low, clock.tick_ns.quantum_high) = (None, Some(ns));
                clock.tick_ns.smallest_step = None;
            }
        })
    };
    for (program, api, unit_ns) in [
        (Program::Dotnet, "DateTime.UtcNow", 100.0),
        (Program::Java, "System.currentTimeMillis", 1e6),
        (Program::Python, "time.time", 238.4),
        (Program::Chromium, "base::TimeTicks::Now", 1000.0),
    ] {
        assert_eq!(said(&healthy(), program, api), (Some(unit_ns), None));
        assert_eq!(said(&limited(30.0), program, api), (Some(unit_ns), None));
        // What is coarser than the unit shows through it.
        assert_eq!(said(&limited(3e6), program, api), (None, Some(3e6)));
    }
    let coarse = advice(&healthy(), Program::Dotnet).clocks.remove(2).resolution_ns.unwrap();
    assert!(coarse.low <= 4e6 && 4e6 <= coarse.high, "{coarse:?}");
}

#[test]
fn by_hpet_every_program_pays_and_the_fix_is_said_once() {
    let hpet = with(Case::hpet(), WITHOUT_ADJUST);
    let fails = [("monotonic", false), ("realtime", false)];
    for program in [Program::Go, Program::RustStd] {
        let answer =
            ["a system call, 1.25 ± 0.01 µs", "the evidence disagrees (CS002 and CS001)", "to set: CS002's fix."];
        let advice = check(&hpet, program, &fails, &answer);
        assert_eq!(set(&advice), ["CS002's fix"]);
        says(&advice.set[0].how, &["echo tsc | sudo tee"]);
    }
    // Nothing else is on offer.
    let rejected = with(Case::rejected(), WITHOUT_ADJUST);
    let advice = check(&rejected, Program::RustStd, &fails, &["(CS001)"]);
    assert_eq!(set(&advice), ["CS001's fix"]);
}

#[test]
fn postgres_takes_a_tsc_that_the_kernel_has_demoted_where_there_is_tsc_adjust() {
    let takes = |case, flags: &str| {
        let mut advice = advice(&with(case, flags), Program::Postgres);
        advice.clocks.truncate(1);
        (advice.clocks[0].clock.clone().unwrap_or_default(), advice.clocks[0].agrees, set(&advice).join(", "))
    };
    let system = "timing_clock_source = system";
    for case in [Case::hpet, Case::rejected] {
        let (clock, agrees, set) = takes(case(), INTEL);
        assert_eq!((&*clock, agrees), ("tsc", Some(false)));
        assert!(set.starts_with(system), "{set}");
        let (clock, agrees, set) = takes(case(), WITHOUT_ADJUST);
        assert_eq!((&*clock, agrees), ("monotonic", Some(false)));
        assert!(!set.contains("timing_clock_source"), "{set}");
    }
    // Under kvm-clock the kernel's clocks are well, but it has given the TSC up all the same.
    let rejected = Case::healthy().on("kvm-clock").but(|c| c.machine.clocksource.available = vec!["kvm-clock".into()]);
    let (clock, agrees, set) = takes(rejected.clone(), INTEL);
    assert_eq!((&*clock, agrees, &*set), ("tsc", Some(false), &*format!("{system}, CS003's fix")));
    let (clock, agrees, set) = takes(rejected, WITHOUT_ADJUST);
    assert_eq!((&*clock, agrees, &*set), ("monotonic", Some(true), ""));
}

#[test]
fn under_kvm_clock_postgres_may_be_told_to_take_a_tsc_that_was_compared_between_cpus() {
    let kvm = with(Case::healthy().on("kvm-clock"), WITHOUT_ADJUST);
    let takes = ("monotonic", true);
    let clocks = [takes, takes, takes, takes, ("gettimeofday", true)];
    let answer = ["PostgreSQL 19 takes monotonic", "up to 18 monotonic; the evidence agrees, nothing to set"];
    check(&kvm, Program::Postgres, &clocks, &answer);
    let compared = |low, high, backward| kvm.clone().but(|case| case.skew = vec![skew("tscp", low, high, backward)]);
    let advice = check(&compared(-60.0, 50.0, 0), Program::Postgres, &clocks, &["to set: timing_clock_source = tsc"]);
    says(&advice.set[0].how, &["9.50 ± 0.01 ns instead of 23.30", "CS011"]);
    assert_eq!(set(&self::advice(&compared(200.0, 300.0, 9), Program::Postgres)), [""; 0]);
    // As good a TSC without a gain is left alone.
    let dear = compared(-60.0, 50.0, 0).but(|case| *case.clock("tsc") = case.clock("tsc").clone().cost(30.0));
    assert_eq!(set(&advice_of(&dear)), [""; 0]);
}

fn advice_of(case: &Case) -> ProgramAdvice {
    advice(case, Program::Postgres)
}

#[test]
fn a_process_without_vdso_makes_system_calls_in_go_too() {
    let sandbox = healthy().but(|case| {
        case.clocks.retain(|c| !c.id.ends_with("@vdso"));
        case.clocks.iter_mut().filter(|c| c.kind != Kind::Counter).for_each(|c| c.path = Path::Syscall);
    });
    let parts = ["Go takes monotonic@syscall (a system call, 244", "disagrees (CS001)", "to set: CS001's fix"];
    check(&sandbox, Program::Go, &[("monotonic@syscall", false), ("realtime", false)], &parts);
    check(&sandbox, Program::Java, &[("monotonic", false), ("realtime", false), ("realtime", false)], &["CS001"]);
    // A record that merely left the vDSO's way out says nothing against it.
    let left_out = healthy().but(|case| case.clocks.retain(|c| !c.id.ends_with("@vdso")));
    check(&left_out, Program::Go, &[("monotonic", true), ("realtime", true)], &["nothing to set"]);
    // The TSC asks nobody.
    let postgres = advice_of(&sandbox);
    assert_eq!((postgres.clocks[0].clock.as_deref(), postgres.clocks[0].agrees), (Some("tsc"), Some(true)));
}

#[test]
fn a_library_before_the_c_library_is_seen_by_all_but_go() {
    let lied_to = healthy().but(|case| case.clock("monotonic").interposed_by = Some("libfaketime.so.1".into()));
    assert_eq!(advice(&lied_to, Program::RustStd).clocks[0].findings, ["CS013"]);
    check(&lied_to, Program::Go, &[("monotonic@vdso", true), ("realtime@vdso", true)], &["nothing to set"]);
}

#[test]
fn faults_and_cpus_that_disagree_speak_against() {
    let back = healthy().but(|case| *case.clock("monotonic") = case.clock("monotonic").clone().faults(3, 0, 0));
    says(&advice(&back, Program::Java).answer, &["the evidence disagrees (CS005)"]);
    // What is made of it is under suspicion too.
    assert_eq!(set(&advice_of(&back))[0], "timing_clock_source = system");
    let apart = healthy().but(|case| case.skew = vec![skew("tscp", 200.0, 300.0, 9)]);
    assert_eq!(set(&advice_of(&apart))[0], "timing_clock_source = system");
    // That the wall clock is not synchronised is no objection to the clock for intervals.
    let free = healthy().but(|case| case.ntp().synchronised = false);
    says(&advice(&free, Program::Python).answer, &["agrees, but not with realtime (CS009); to set: CS009's fix."]);
}

#[test]
fn what_the_record_lacks_has_a_reason_and_no_opinion() {
    let empty = Record { clocks: Vec::new(), ..record(&healthy()) };
    for program in Program::ALL {
        let advice = &advise(&empty, &[program])[0];
        assert_eq!(advice.agrees, None);
        says(&advice.answer, &["no evidence for or against", "the survey left", "!agrees"]);
        assert!(advice.clocks.iter().all(|c| c.cost_ns.is_none() && c.missing.contains_key("cost_ns")), "{advice:#?}");
    }
    let reason = "clock_gettime gives EPERM".to_owned();
    let denied = Record { unavailable: vec![Unavailable { id: "monotonic".into(), reason }], ..empty };
    says(&advise(&denied, &[Program::Java])[0].answer, &["monotonic can't be read here: clock_gettime gives EPERM"]);
    // Too noisy for a cost is no objection.
    let noisy = healthy().but(|case| case.clock("monotonic").cost_ns = None);
    let java = advice(&noisy, Program::Java);
    assert_eq!((java.agrees, java.clocks[0].cost_ns), (Some(true), None));
    assert!(java.clocks[0].missing.contains_key("cost_ns"));
    // Neither flags nor the kernel's clocksource.
    let dark = with(Case::healthy().on("kvm-clock"), INTEL).but(|case| case.tsc().flags.clear());
    let postgres = advice_of(&dark);
    assert_eq!((&postgres.clocks[0].clock, postgres.agrees), (&None, None));
    says(&postgres.answer, &["Which clock PostgreSQL 19 takes can't be told: whether CPUID has TSC_ADJUST"]);
}

#[test]
fn postgres_converts_by_what_cpuid_states() {
    let stated = |source: &str, hz: f64, guest: bool| {
        healthy().but(|case| {
            case.machine.virtualization = Virtualization { guest: Some(guest), ..Virtualization::default() };
            let of = |source: &str, hz| Frequency { source: source.into(), hz, ..Frequency::default() };
            case.tsc().frequencies_hz = vec![of(source, hz), of("measured", 2.6e9)];
        })
    };
    let near = advice_of(&stated("cpuid-15h", 2.6001e9, false));
    says(&near.clocks[0].because, &["2600 MHz from cpuid-15h"]);
    // ⌊10⁶ · 2¹⁴ / 2600100⌋ / 2¹⁴ ns a tick: 6301 of 6301.3.
    says(&near.clocks[0].evidence.join("; "), &["−85.45 ppm: by the frequency of cpuid-15h"]);
    assert_eq!(near.clocks[0].agrees, Some(true));
    let off = advice_of(&stated("cpuid-16h", 2.5e9, false));
    assert_eq!((off.clocks[0].agrees, set(&off)[0]), (Some(false), "timing_clock_source = system"));
    // In a guest those leaves are not believed.
    let guest = advice_of(&stated("cpuid-16h", 2.5e9, true));
    says(&guest.clocks[0].because, &["it calibrates"]);
    says(&guest.clocks[0].evidence.join("; "), &["−85.45 ppm and what its calibration misses"]);
    assert_eq!(guest.clocks[0].agrees, Some(true));
}

#[test]
fn postgres_without_a_fit_counter_keeps_to_the_systems_clock() {
    let takes = |case: Case| advice_of(&case).clocks[0].clock.clone();
    let arm = healthy().but(|case| (case.machine.arch, case.machine.tsc) = ("aarch64".into(), None));
    let old = healthy().but(|case| case.tsc().generation = TscGeneration::Constant);
    // What the kernel knows the server does not ask.
    let hidden = healthy().but(|case| case.tsc().invariant_bit = Some(false));
    let lacking = with(Case::healthy(), "tsc tsc_adjust").but(|case| case.clocks.retain(|c| c.id != "tscp"));
    for case in [arm, old, hidden, lacking] {
        assert_eq!(takes(case).as_deref(), Some("monotonic"));
    }
    let shown =
        |case: &mut Case| (case.tsc().generation, case.tsc().invariant_bit) = (TscGeneration::Unknown, Some(true));
    assert_eq!(takes(healthy().but(shown)).as_deref(), Some("tsc"));
    let unknown = healthy().but(|case| case.machine.tsc = None);
    assert_eq!(takes(unknown), None);
}

#[test]
fn every_rule_has_a_source_and_every_program_a_clock_for_intervals() {
    for program in Program::ALL {
        let entry = table::of(program);
        assert_eq!(entry.readings[0].purpose, Purpose::Intervals);
        for reading in entry.readings {
            assert!(reading.source.contains('/') && !reading.rule.is_empty() && !reading.ids.is_empty());
            assert!(!reading.source.ends_with('.') && !reading.rule.ends_with('.'), "{}", reading.rule);
        }
    }
}
