//! The library does what its log says: a small reader sees it.

mod seen;

use std::process::Command;

use clockscope_interpose::{Entry, Helper, Injection, Kind, Log, built};
use seen::{Fault, Read, faults, read};

const POINTS: &str = "monotonic spread first=2000 spacing=500; monotonic regression 1us..10ms count=15;
    monotonic warp 1us..10s count=15; monotonic stall 2..9 count=15";

fn agrees(entry: &Entry, fault: &Fault) -> bool {
    let (kind, late) = match entry.kind {
        Kind::Regression => ("regression", 0),
        // An interruption within the reader's bracket can hide a step until the next narrow one.
        Kind::Warp => ("warp", 4),
        Kind::Stall => ("stall", 0),
        other => panic!("{other:?} is no point fault of a value"),
    };
    let read = entry.read as usize;
    fault.kind == kind
        && (read..=read + late).contains(&fault.read)
        && (fault.low..=fault.high).contains(&(entry.size as i64))
}

fn all_agree(reads: &[Read], log: &Log) {
    assert!(log.complete && log.lost == 0);
    assert_eq!(log.reads["monotonic"], (reads.len() as u64, 0));
    let seen = faults(reads);
    assert_eq!(log.entries.len(), seen.len(), "injected {:#?}, seen {seen:#?}", log.entries);
    for (entry, fault) in log.entries.iter().zip(&seen) {
        assert!(agrees(entry, fault), "injected {entry:?}, seen {fault:?}");
    }
}

#[test]
fn steps_and_stalls_placed_by_the_seed_are_seen_one_by_one() {
    for seed in 1..=5 {
        let (reads, log) = read("monotonic", 40_000, POINTS, seed);
        for kind in [Kind::Regression, Kind::Warp, Kind::Stall] {
            assert_eq!(log.count("monotonic", kind), 15, "seed {seed}");
        }
        let apart = log.entries.windows(2).all(|pair| pair[1].read - pair[0].read >= 64);
        assert!(apart, "too close: {:?}", log.entries);
        all_agree(&reads, &log);
    }
}

#[test]
fn steps_placed_by_the_script_are_where_it_says() {
    let script = "monotonic regression 5us at=100,200,7000 # a comment; with a semicolon\n
        monotonic warp 100us every=1000 from=2500; monotonic stall 3 at=4000";
    let (reads, log) = read("monotonic", 8000, script, 1);
    let places: Vec<u64> = log.entries.iter().map(|entry| entry.read).collect();
    assert_eq!(places, [100, 200, 2500, 3500, 3999, 4500, 5500, 6500, 7000, 7500]);
    all_agree(&reads, &log);
}

#[test]
fn a_tenth_of_a_microsecond_is_exact_where_the_bracket_allows() {
    let (reads, log) = read("monotonic", 20_000, "monotonic warp 100ns every=1000 from=1000", 1);
    let offset = |read: usize| reads[read].value - reads[read].before;
    // Each step is lost in its own bracket; all of them together are not.
    let median = |from: usize| {
        let mut offsets: Vec<i64> = (from..from + 999).map(offset).collect();
        *offsets.select_nth_unstable(499).1
    };
    let moved = median(19_001) - median(1);
    let injected: f64 = log.of("monotonic", Kind::Warp).map(|warp| warp.size).sum();
    assert_eq!(injected, 1900.0);
    assert!((moved - 1900).abs() < 300, "moved by {moved} ns");
}

#[test]
fn a_fractional_quantum_leaves_a_lattice_and_nothing_else() {
    for (size, q) in [("69.841ns", 69.841), ("1000/3ns", 1000.0 / 3.0), ("4ms", 4e6)] {
        let (reads, log) = read("monotonic", 5000, &format!("monotonic quantize {size}"), 1);
        assert!((log.entries[0].size - q).abs() < 1e-6, "{:?}", log.entries);
        let origin = log.entries[0].time_ns;
        for read in &reads {
            let ticks = (read.value - origin) as f64 / q;
            // floor(k q): at most one below the lattice's point.
            let below = (ticks.ceil() * q - (read.value - origin) as f64).min((ticks - ticks.floor()) * q);
            assert!(below <= 1.0, "{read:?} lies off the lattice of {q}");
            assert!(read.value as f64 > read.before as f64 - q - 1.0 && read.value <= read.after);
        }
    }
}

#[test]
fn a_dithered_clock_can_stand_on_a_lattice_finer_than_its_unit() {
    // 13 points in 10 ns: of the ten whole numbers that they are rounded down to, 0, 3 and 6 have two.
    let (reads, log) = read("monotonic", 40_000, "monotonic dither 30ns; monotonic quantize 10/13ns", 1);
    let origin = log.entries[0].time_ns;
    let twice = reads.iter().filter(|read| [0, 3, 6].contains(&((read.value - origin) % 10))).count();
    let share = twice as f64 / reads.len() as f64;
    assert!((share - 6.0 / 13.0).abs() < 0.015, "{share}");
    assert!(reads.windows(2).all(|pair| pair[0].value <= pair[1].value), "it went back");
    // At most a lattice's step behind, at most the dither ahead.
    assert!(reads.iter().all(|read| read.before - 1 <= read.value && read.value <= read.after + 30));
}

#[test]
fn a_rate_bends_the_line_about_its_first_reading() {
    for ppm in [-37.0, 500.0, -2e6] {
        let (reads, log) = read("monotonic", 20_000, &format!("monotonic rate {ppm}ppm"), 1);
        let origin = log.entries[0].time_ns;
        let at = |true_time: i64| origin as f64 + (true_time - origin) as f64 * (1.0 + ppm / 1e6);
        for read in &reads {
            let (one, other) = (at(read.before), at(read.after));
            let value = read.value as f64;
            assert!(one.min(other) - 1.0 <= value && value <= one.max(other) + 1.0, "{read:?} at {ppm} ppm");
        }
    }
}

#[test]
fn a_walk_wanders_as_its_log_says() {
    for (script, low, high) in [("3ns per=read", 100.0, 1500.0), ("5us per=s", 10.0, 20_000.0)] {
        let (reads, log) = read("monotonic", 50_000, &format!("monotonic walk {script}"), 3);
        let steps: Vec<&Entry> = log.of("monotonic", Kind::Walk).collect();
        assert_eq!(steps.len(), 49);
        for step in &steps {
            let read = reads[step.read as usize];
            let off = [read.value - read.after, read.value - read.before].map(|ns| ns as f64);
            assert!(off[0] - 1.0 <= step.size && step.size <= off[1] + 1.0, "{step:?} {read:?}");
        }
        let widest = steps.iter().map(|step| step.size.abs()).fold(0.0, f64::max);
        assert!((low..high).contains(&widest), "{script}: {widest} ns");
    }
}

#[test]
fn calls_fail_and_drag_where_the_script_says() {
    let script = "monotonic fail EINVAL at=10,20; monotonic fail ENOSYS every=300 from=900; monotonic slow 50us at=500";
    let (reads, log) = read("monotonic", 2000, script, 1);
    let failed: Vec<(u64, i32)> =
        (0..).zip(&reads).filter(|(_, read)| read.error != 0).map(|(at, read)| (at, read.error)).collect();
    assert_eq!(failed, [(10, 22), (20, 22), (900, 38), (1200, 38), (1500, 38), (1800, 38)]);
    assert_eq!(log.count("monotonic", Kind::Fail), 6);
    assert_eq!(log.of("monotonic", Kind::Slow).next().map(|slow| (slow.read, slow.size)), Some((500, 50_000.0)));
    assert!(reads[500].after - reads[500].before >= 50_000);
    assert!(reads.iter().filter(|read| read.error == 0).all(|read| (read.before..=read.after).contains(&read.value)));
}

#[test]
fn garbage_knows_nothing_of_time() {
    let (reads, _) = read("monotonic", 100, "monotonic garbage every=1", 1);
    assert!(reads.windows(2).filter(|pair| pair[1].value < pair[0].value).count() > 20);
}

/// Each older call, its unit in ns, and how much it may lag its clock: `times` counts ticks, `time` seconds.
const OLDER: [(&str, i64); 6] = [
    ("gettimeofday", 1000),
    ("time", 1_000_000_000),
    ("ftime", 1_000_000),
    ("clock", 1000),
    ("times", 10_000_000),
    ("getrusage", 1000),
];

#[test]
fn the_older_calls_are_wrapped_as_well() {
    for (clock, unit) in OLDER {
        let step = 20 * unit;
        let script =
            format!("{clock} warp {step}ns at=100; {clock} regression {step}ns at=300; {clock} fail EPERM at=400");
        let (reads, log) = read(clock, 500, &script, 1);
        assert_eq!(log.reads[clock], (500, 0), "{clock}");
        assert_eq!(log.entries.len(), 3, "{clock}: {:?}", log.entries);
        assert_eq!((reads[400].error, reads[401].error), (1, 0), "{clock}");
        assert_eq!(reads[299].value - reads[300].value, step, "{clock}");
        let jump = reads[100].value - reads[99].value;
        assert!(jump >= step, "{clock}: {jump} ns");
        assert!(reads[..100].windows(2).all(|pair| pair[0].value <= pair[1].value), "{clock}");
    }
}

#[test]
fn nothing_is_seen_when_nothing_is_injected_and_other_clocks_are_left_alone() {
    for script in ["monotonic watch", "realtime warp 1ms every=100 from=100"] {
        let (reads, log) = read("monotonic", 40_000, script, 1);
        assert_eq!(faults(&reads), [], "{script}");
        assert!(log.entries.is_empty() && log.complete, "{script}");
    }
}

#[test]
fn equal_seeds_inject_equal_faults_and_others_do_not() {
    let logged = |seed| {
        let (_, log) = read("monotonic", 40_000, POINTS, seed);
        log.entries.iter().map(|entry| (entry.read, entry.kind, entry.size as i64)).collect::<Vec<_>>()
    };
    assert_eq!(logged(9), logged(9));
    assert_ne!(logged(9), logged(10));
}

#[test]
fn a_wrong_script_ends_the_program_with_the_place() {
    for script in [
        "monotonic",
        "monotonic bogus 1us at=1",
        "sundial warp 1us at=1",
        "monotonic warp 1parsec at=1",
        "monotonic warp 1us",
        "monotonic warp 1us at=5,4",
        "monotonic stall 1 at=5",
        "monotonic rate 5%",
        "monotonic walk 1ns",
        "monotonic fail EBOGUS every=1",
        "monotonic quantize 0ns",
        "monotonic dither 1",
        "@/nonexistent/script",
    ] {
        let injection = Injection::new(script, 1).unwrap();
        let output = Command::new("true").envs(injection.variables().unwrap()).output().unwrap();
        assert_eq!(output.status.code(), Some(99), "{script}");
        assert!(String::from_utf8_lossy(&output.stderr).starts_with("interpose: "), "{script}: {output:?}");
    }
}

#[test]
fn a_script_may_stand_in_a_file() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(&file, "# faults\nmonotonic warp 1ms at=10\n").unwrap();
    let (_, log) = read("monotonic", 20, &format!("@{}", file.path().display()), 1);
    assert_eq!(log.count("monotonic", Kind::Warp), 1);
}

#[test]
fn threads_a_signal_handler_and_a_fork_do_not_disturb_it() {
    let script = "monotonic spread first=1000 spacing=2000; monotonic regression 1ms count=50";
    let injection = Injection::new(script, 4).unwrap();
    let output = Command::new(built(Helper::Crowd).unwrap())
        .args(["4", "100000"])
        .envs(injection.variables().unwrap())
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let log = injection.log().unwrap();
    let (reads, bypassed) = log.reads["monotonic"];
    let told: Vec<u64> =
        String::from_utf8(output.stdout).unwrap().split_whitespace().map(|word| word.parse().unwrap()).collect();
    assert_eq!(reads + bypassed, told[0], "every read is counted once");
    assert_eq!(log.count("monotonic", Kind::Regression), 50);
    assert!(log.complete);
}
