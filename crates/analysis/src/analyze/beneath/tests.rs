use super::*;

use proptest::prelude::*;

use crate::record::{Described, Interval};

const S: i64 = 1_000_000_000;
const MONOTONIC: &str = "clock_gettime(CLOCK_MONOTONIC)";
const REALTIME: &str = "clock_gettime(CLOCK_REALTIME)";

fn told(clock: &str, call: &str, ns: Vec<i64>) -> Told {
    Told { clock: clock.into(), call: call.into(), ns }
}

/// Values that `count` reads give that are some 20 µs apart.
fn values(start: i64, count: usize, seed: u64) -> Vec<i64> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut now = start;
    let step = |_| {
        now += random.i64(15_000..25_000);
        now
    };
    (0..count).map(step).collect()
}

fn monotonic(count: usize) -> Told {
    told("monotonic", MONOTONIC, values(7000 * S, count, 1))
}

fn realtime(count: usize) -> Told {
    told("realtime", REALTIME, values(1_800_000_000 * S, count, 2))
}

/// Readings in a unit, each rounded down.
fn readings(unit_ns: i64, ns: impl IntoIterator<Item = i64>) -> Readings {
    let whole = |ns: i64| Value { digits: ns.div_euclid(unit_ns).into(), decimals: 0 };
    Readings { label: "it".into(), unit_ns: unit_ns as f64, values: ns.into_iter().map(whole).collect() }
}

fn one(readings: Readings, told: &[Told]) -> Beneath {
    beneath(&[readings], told).remove(0)
}

fn clock(found: &Beneath) -> Option<(&str, By)> {
    found.clock.as_deref().zip(found.by)
}

#[test]
fn values_that_a_call_told_are_its_at_any_tick() {
    let told = [realtime(700), monotonic(700)];
    for unit in [1, 100, 1000, 1_000_000, S] {
        let found = one(readings(unit, told[1].ns[100..600].iter().copied()), &told);
        assert_eq!(clock(&found), Some(("monotonic", By::Value)), "{unit}: {found:?}");
        assert_eq!((found.matched, found.of, found.call.as_deref()), (500, 500, Some(MONOTONIC)));
    }
    let found = one(readings(1, told[1].ns[100..600].iter().copied()), &told);
    assert_eq!(found.evidence, format!("500 of 500 readings are values that {MONOTONIC} told, to the nanosecond"));
    // To the nearest tick as well.
    let nearest = told[1].ns[..500].iter().map(|ns| ns + 50);
    assert_eq!(clock(&one(readings(100, nearest), &told)), Some(("monotonic", By::Value)));
}

#[test]
fn nanoseconds_of_a_binary_fraction_agree_within_two() {
    // As coarsetime has them: seconds and 32 bits behind the point, cut both ways.
    let told = [monotonic(700), realtime(700)];
    let fixed = |ns: &i64| {
        let (s, rest) = (i128::from(ns / S), i128::from(ns % S));
        let fraction = (rest << 32) / i128::from(S);
        (s * i128::from(S) + ((fraction * i128::from(S)) >> 32)) as i64
    };
    let found = one(readings(1, told[0].ns[..500].iter().map(fixed)), &told);
    assert_eq!(clock(&found), Some(("monotonic", By::Value)), "{found:?}");
}

#[test]
fn values_that_no_clock_prints_are_told() {
    // Too few that differ for differences, as of a coarse clock from an origin of its own.
    let coarse = told("monotonic-coarse", "clock_gettime(CLOCK_MONOTONIC_COARSE)", vec![8000 * S; 500]);
    let found = one(readings(1, vec![12; 500]), &[coarse, monotonic(20)]);
    let words = "makes it of the 500 values that clock_gettime(CLOCK_MONOTONIC_COARSE) told and no clock here prints";
    assert!(found.clock.is_none() && found.evidence.contains(words), "{found:?}");
    let found = one(readings(1, (0..500).map(|i| i * 10)), &[monotonic(20)]);
    assert!(found.evidence.contains("it reads the counter itself, or keeps its own time"), "{found:?}");
}

#[test]
fn floating_point_numbers_agree_as_far_as_they_can() {
    let told = [monotonic(700), realtime(700)];
    let printed = |ns: &i64| format!("time.time {:.9}\n", *ns as f64 / 1e9);
    let text: String = told[1].ns.iter().map(printed).collect();
    let found = one(printed_one(&format!("# clock time.time 1\n{text}")), &told);
    assert_eq!(clock(&found), Some(("realtime", By::Value)), "{found:?}");
    // Microseconds of it, as PHP's microtime.
    let micros = |ns: &i64| format!("microtime {:.9}\n", (ns / 1000) as f64 / 1e6);
    let text: String = told[1].ns.iter().map(micros).collect();
    let found = one(printed_one(&format!("# clock microtime 1\n{text}")), &told);
    assert_eq!(clock(&found), Some(("realtime", By::Value)), "{found:?}");
    // Milliseconds written as seconds.
    let millis = |ns: &i64| format!("os.clock {:.9}\n", (ns / 1_000_000) as f64 / 1e3);
    let text: String = told[0].ns.iter().map(millis).collect();
    let found = one(printed_one(&format!("# clock os.clock 1\n{text}")), &told);
    assert_eq!(clock(&found), Some(("monotonic", By::Value)), "{found:?}");
}

fn printed_one(text: &str) -> Readings {
    printed(text.as_bytes()).remove(0)
}

#[test]
fn a_clock_with_an_origin_of_its_own_has_the_differences() {
    let told = [realtime(700), monotonic(700)];
    for unit in [1, 100, 1_000_000] {
        // Not all of them: one in a hundred was adjusted.
        let own = told[1].ns[100..600].iter().enumerate();
        let own = own.map(|(at, ns)| ns - 6_999_123_456_789 + i64::from(at % 100 == 7) * 7_777);
        let own = readings(unit, own);
        // Alone, milliseconds fit the other clock as well; never is it taken for that.
        let alone = one(own.clone(), &told);
        assert!(clock(&alone).is_none_or(|clock| clock == ("monotonic", By::Difference)), "{unit}: {alone:?}");
        assert!(clock(&alone).is_some() || unit > 1000, "{unit}: {alone:?}");
        let found = beneath(&[own, readings(1, told[0].ns.iter().copied())], &told).remove(0);
        assert_eq!(clock(&found), Some(("monotonic", By::Difference)), "{unit}: {found:?}");
        assert!(found.matched >= 495 && found.evidence.contains("zero"), "{found:?}");
    }
}

#[test]
fn other_days_to_count_from_are_known_by_their_dates() {
    let told = [realtime(700)];
    for (days, date, unit) in [(25_567, "1900-01-01", S), (719_162, "0001-01-01", 100)] {
        let mut own = readings(unit, told[0].ns[..500].iter().copied());
        own.values.iter_mut().for_each(|value| value.digits += i128::from(days * 86_400 * (S / unit)));
        let found = one(own, &told);
        assert_eq!(clock(&found), Some(("realtime", By::Value)));
        assert!(found.evidence.ends_with(&format!("counted from {date}")), "{}", found.evidence);
    }
}

#[test]
fn of_two_calls_with_like_values_each_has_its_own_label() {
    let both = values(1_800_000_000 * S, 1000, 3);
    let calls = [told("realtime", REALTIME, both[..500].into()), told("time", "time()", both[500..].into())];
    // Seconds alone would fit either.
    let seconds = || readings(S, both[500..].iter().copied());
    let found = beneath(&[seconds(), readings(1, both[..500].iter().copied())], &calls);
    assert_eq!(found.iter().map(clock).collect::<Vec<_>>(), [Some(("time", By::Value)), Some(("realtime", By::Value))]);
    let alone = one(seconds(), &calls);
    assert_eq!((clock(&alone), alone.matched), (None, 500));
    assert!(alone.evidence.contains(REALTIME) && alone.evidence.contains("time()"), "{}", alone.evidence);
    // A label of the same values that has an origin of its own.
    let own = readings(1, both[..500].iter().map(|ns| ns - both[3]));
    let found = beneath(&[seconds(), own], &calls);
    assert_eq!(
        found.iter().map(clock).collect::<Vec<_>>(),
        [Some(("time", By::Value)), Some(("realtime", By::Difference))]
    );
    // Fields of one call.
    let fields = ["getrusage(RUSAGE_SELF): ru_utime + ru_stime", "getrusage(RUSAGE_SELF): ru_stime"];
    let fields = fields.map(|call| told("getrusage", call, values(S, 500, 4)));
    let found = one(readings(1000, fields[0].ns.iter().copied()), &fields);
    assert_eq!(found.call.as_deref(), Some("getrusage(RUSAGE_SELF): ru_utime + ru_stime"));
}

#[test]
fn what_no_call_told_has_none() {
    let told = [realtime(700), monotonic(2000)];
    // A counter, much faster than calls; and one of the calls' own pace.
    let counter = readings(1, (0..500).map(|at| told[1].ns[0] + at * 23));
    for own in [counter, readings(1, values(9000 * S, 500, 9)), readings(100, values(S, 500, 10))] {
        let found = one(own, &told);
        assert_eq!((clock(&found), found.of), (None, 500), "{found:?}");
        assert!(found.evidence.starts_with("no system call told these values"), "{}", found.evidence);
        assert!(found.matched < 100, "{found:?}");
    }
    // Differences that are none tell nothing.
    let still = one(readings(1000, [5_000_000; 500]), &told);
    assert!(clock(&still).is_none() && still.evidence.contains("too few of its readings differ (1)"), "{still:?}");
    // Fewer values than readings.
    let kept = one(readings(1, told[1].ns[..400].iter().chain(&told[1].ns[..100]).copied()), &told);
    assert_eq!((clock(&kept), kept.matched), (None, 400), "{kept:?}");
    for (own, called, why) in [
        (readings(1, []), &told[..], "there are no readings"),
        (Readings { unit_ns: 0.0, ..readings(1, [1, 2, 3]) }, &told[..], "what a unit"),
        (readings(1, [1, 2, 3]), &[], "asked the kernel for no time"),
    ] {
        let found = one(own, called);
        assert!(clock(&found).is_none() && found.evidence.contains(why), "{found:?}");
    }
}

#[test]
fn where_values_tell_nothing_the_number_of_calls_does() {
    let calls = |monotonic, realtime, coarse| {
        let of = |clock, n| told(clock, &format!("read {clock}"), vec![7; n]);
        [of("monotonic", monotonic), of("realtime", realtime), of("monotonic-coarse", coarse)]
    };
    let few = calls(12_000, 1000, 90);
    let found = counted(&few, &calls(19_300, 8000, 95), 3500, &["realtime"]).unwrap();
    assert_eq!((clock(&found), found.matched, found.of), (Some(("monotonic", By::Calls)), 3500, 3500));
    let expected =
        "with 3,500 more readings read monotonic was called 7,300 times more, and no other call half as often";
    assert_eq!(found.evidence, expected);
    // One that was not called at all before.
    let found = counted(&few[..2], &calls(12_050, 1000, 3500), 3500, &[]).unwrap();
    assert_eq!(clock(&found), Some(("monotonic-coarse", By::Calls)));
    // Two that fit, or nearly; none that does; nothing added.
    assert_eq!(counted(&few, &calls(19_300, 8000, 95), 3500, &[]), None);
    assert_eq!(counted(&few, &calls(19_300, 2800, 95), 3500, &[]), None);
    assert_eq!(counted(&few, &calls(15_000, 1000, 95), 3500, &[]), None);
    assert_eq!(counted(&few, &few, 0, &[]), None);
}

#[test]
fn a_probes_text_gives_its_readings() {
    let text = b"# clockscope-probe/1\n# clock a 1/10000000\n# clock b 1e-3\n# claim a x y\na 5\nb -1.50\r\na 1e3\nc 7\n\xff 3\na x\n# end";
    let [a, b, c] = &printed(text)[..] else { panic!("{:?}", printed(text)) };
    assert_eq!((&a.label[..], a.unit_ns), ("a", 100.0));
    assert_eq!(a.values, [Value { digits: 5, decimals: 0 }, Value { digits: 1000, decimals: 0 }]);
    assert_eq!((b.unit_ns, &b.values[..]), (1e6, &[Value { digits: -150, decimals: 2 }][..]));
    assert_eq!((&c.label[..], c.unit_ns, c.values.len()), ("c", 0.0, 1));
}

fn any_readings() -> impl Strategy<Value = Readings> {
    let small = -1000_i128..1000;
    let value = (prop_oneof![any::<i128>(), small], prop_oneof![0..12_u32, any::<u32>()]);
    let value = value.prop_map(|(digits, decimals)| Value { digits, decimals });
    let unit = prop_oneof![any::<f64>(), Just(1.0), Just(1e9), Just(279.365)];
    (unit, prop::collection::vec(value, 0..40)).prop_map(|(unit_ns, values)| Readings {
        label: String::new(),
        unit_ns,
        values,
    })
}

fn any_told() -> impl Strategy<Value = Told> {
    let ns = prop::collection::vec(prop_oneof![any::<i64>(), -1000_i64..1000], 0..40);
    (prop_oneof![Just("realtime"), Just("times")], ns).prop_map(|(clock, ns)| told(clock, clock, ns))
}

proptest! {
    #[test]
    fn garbage_gives_an_answer(
        readings in prop::collection::vec(any_readings(), 0..4),
        told in prop::collection::vec(any_told(), 0..4),
        text in prop::collection::vec(any::<u8>(), 0..100),
        line in "(# clock )?[a-b] [-+0-9.e/]{0,12}\n",
    ) {
        let found = beneath(&readings, &told);
        prop_assert_eq!(found.len(), readings.len());
        for (found, readings) in found.iter().zip(&readings) {
            prop_assert!(found.matched <= found.of && !found.evidence.is_empty());
            prop_assert_eq!(found.of, readings.values.len() as u64);
        }
        printed(&text);
        beneath(&printed(line.as_bytes()), &told);
    }
}

/// What a sampled clock's readings between two values are said to be of, by their place.
fn place(unit_ns: f64, ns: [i64; 2], step_ns: f64) -> Option<(String, String)> {
    let shown = |clock: &str, before_ns: i64| Shown { clock: clock.into(), before_ns, after_ns: before_ns + 2 * S };
    let all = [
        shown("monotonic", 7000 * S),
        shown("boottime", 7000 * S + 50),
        shown("monotonic-raw", 7001 * S),
        shown("realtime", 1_800_000_000 * S),
        shown("tai", 1_800_000_037 * S),
    ];
    let [min, max] = ns.map(|ns| ns as f64 / unit_ns);
    let zero = Interval::exactly(0.0);
    let values = Described { count: 9, mean: min, std: None, min, q25: zero, q50: zero, q75: zero, max };
    let clock = Sampled { unit_ns, values: &values, step_ns: Some(step_ns) };
    let found = placed(&clock, &all, "forbidden")?;
    assert_eq!((found.by, found.call, found.matched, found.of), (Some(By::Place), None, 9, 9));
    Some((found.clock?, found.evidence))
}

#[test]
fn unwatched_readings_are_placed() {
    let clock = |unit, ns, step| place(unit, ns, step).map(|(clock, _)| clock);
    let wall = 1_800_000_000 * S;
    assert_eq!(clock(1.0, [7000 * S + 900, 7001 * S], 20.0).as_deref(), Some("monotonic"));
    assert_eq!(clock(1.0, [7001 * S + S / 2, 7002 * S + S / 2], 20.0).as_deref(), Some("monotonic-raw"));
    assert_eq!(clock(1.0, [7000 * S - 3_000_000, 7001 * S], 4e6).as_deref(), Some("monotonic-coarse"));
    assert_eq!(clock(1e9, [wall, wall + S], 1e9).as_deref(), Some("realtime"));
    assert_eq!(clock(1e6, [wall, wall + S], 1e6).as_deref(), Some("realtime"));
    // Counted from another day.
    assert_eq!(
        clock(1.0, [wall - 20_000 * 86_400 * S + S / 2, wall - 20_000 * 86_400 * S + S], 100.0).as_deref(),
        Some("realtime")
    );
    // An origin of its own, one outside of the program's time, one across two.
    for ns in [[5 * S, 6 * S], [7000 * S, 7003 * S], [6999 * S, 7001 * S], [7000 * S, wall]] {
        assert_eq!(clock(1.0, ns, 20.0), None, "{ns:?}");
    }
    let (_, evidence) = place(1.0, [7000 * S + 900, 7001 * S], 20.0).unwrap();
    let whole = "all its readings lie where monotonic stood meanwhile; boottime stood there, too (no call was watched: forbidden)";
    assert_eq!(evidence, whole);
}
