use super::*;
use crate::session::list;

fn id(typed: &str) -> String {
    meaning(typed).id
}

#[test]
fn each_clock_has_its_id_in_any_spelling_and_its_c_name() {
    for clock in list() {
        assert_eq!(meaning(&clock.id), Meaning { id: clock.id.clone(), note: None });
        assert_eq!(id(&clock.id.to_uppercase()), clock.id);
        assert_eq!(id(&clock.id.replace('-', "_")), clock.id);
        // A PTP clock has no C name of its own.
        let name = clock.api.strip_prefix("clock_gettime(").and_then(|rest| rest.strip_suffix(')'));
        if let Some(name) = name.filter(|name| name.starts_with("CLOCK_")) {
            assert_eq!((id(name), id(&clock.api)), (clock.id.clone(), clock.id));
        }
    }
    for (typed, means) in [
        ("rdtsc", "tsc"),
        ("__rdtscp", "tscp"),
        ("clock_gettime", "monotonic"),
        ("clock_gettime()", "monotonic"),
        ("clock_gettime(CLOCK_TAI, &now)", "tai"),
        ("CLOCK_AUX", "aux0"),
        ("clock_gettime(CLOCK_AUX + 3, &now)", "aux3"),
        ("CLOCK_PROCESS_CPUTIME_ID@syscall", "process-cputime@syscall"),
        ("gettimeofday()", "gettimeofday"),
        ("acpi_pm", "acpi-pm"),
        ("", ""),
        ("@", "@"),
    ] {
        assert_eq!(meaning(typed), Meaning { id: means.into(), note: None }, "{typed}");
    }
}

#[test]
fn clocks_of_other_languages_and_systems_are_answered() {
    for (typed, means) in [
        ("nanoTime", "monotonic"),
        ("System.nanoTime()", "monotonic"),
        ("java.lang.System.currentTimeMillis", "realtime"),
        ("Instant", "monotonic"),
        ("std::time::Instant::now()", "monotonic"),
        ("java.time.Instant.now", "realtime"),
        ("SystemTime", "realtime"),
        ("std::chrono::steady_clock::now", "monotonic"),
        ("std::chrono::high_resolution_clock", "realtime"),
        ("system_clock", "realtime"),
        ("System.Diagnostics.Stopwatch", "monotonic"),
        ("DateTime.UtcNow", "realtime"),
        ("Environment.TickCount64", "monotonic-coarse"),
        ("perf_counter", "monotonic"),
        ("time.perf_counter_ns", "monotonic"),
        ("time.monotonic", "monotonic"),
        ("time.time", "realtime"),
        ("time.process_time", "process-cputime"),
        ("performance.now", "monotonic"),
        ("process.hrtime.bigint", "monotonic"),
        ("Date.now", "gettimeofday"),
        ("time.Now", "monotonic"),
        ("QPC", "monotonic"),
        ("GetTickCount64", "monotonic-coarse"),
        ("mach_absolute_time", "monotonic"),
        ("CLOCK_UPTIME", "monotonic"),
        ("CLOCK_MONOTONIC_FAST", "monotonic-coarse"),
    ] {
        let Meaning { id, note } = meaning(typed);
        assert_eq!((id.as_str(), note.is_some()), (means, true), "{typed}");
    }
    let note = |typed| meaning(typed).note.unwrap();
    let java = "'nanoTime@vdso' is clock_gettime(CLOCK_MONOTONIC) here: taking monotonic@vdso";
    assert_eq!(note("nanoTime@vdso"), java);
    assert_eq!(
        note("QPC"),
        "'QPC' is another system's; the nearest here is clock_gettime(CLOCK_MONOTONIC): taking monotonic"
    );
    assert!(note("Date.now").contains("is gettimeofday() here: taking"));
}

#[test]
fn a_slip_in_another_languages_name_is_answered_with_it() {
    for (typed, hint) in [("nanoTim", "did you mean nanotime?"), ("xyzzy", "'xyzzy' (`"), ("monotonc", "monotonic?")] {
        let said = unknown(typed, ["monotonic", "tsc"]);
        assert!(said.contains(hint), "{said}");
    }
}

#[test]
fn what_reads_a_clock_is_a_name_of_it() {
    for (of, names) in READERS {
        for name in names.iter().flat_map(|name| name.split(" and ")) {
            let typed = name.rsplit(' ').next().unwrap();
            assert_eq!(id(typed), of, "{typed}");
        }
    }
}

#[test]
fn every_name_is_written_folded_and_found_once_and_every_clock_exists() {
    let ids: Vec<String> = list().into_iter().map(|clock| clock.id).collect();
    let mut names: Vec<&str> = rows().flat_map(|(_, _, names)| *names).copied().collect();
    names.extend(HERE.iter().flat_map(|(_, names)| *names));
    for name in &names {
        assert_eq!(name.to_lowercase().replace('_', "-"), *name);
        assert!(!ids.iter().any(|id| id == name), "{name} is a clock's id");
    }
    let of = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), of, "a name stands twice");
    for (id, ..) in rows() {
        assert!(ids.iter().any(|known| known == id), "{id}");
    }
}

#[test]
fn a_name_that_means_no_clock_is_told_as_it_was_typed() {
    let told = |typed| unknown(typed, ["monotonic", "tsc", "timespec_get"]);
    assert_eq!(
        told("Mono_tonic"),
        "no clock is called 'Mono_tonic'; did you mean monotonic? (`clockscope list` shows all of them)"
    );
    assert_eq!(told("sundial"), "no clock is called 'sundial' (`clockscope list` shows all of them)");
}
