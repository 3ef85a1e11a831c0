//! What leads astray: decimals of doubles, digits beyond a double's, a line without end, bytes that no text has.

use super::*;
use crate::Resolution;

/// Python's `time.time()`, of a clock that is finer than a double of seconds since 1970.
fn doubles() -> Vec<f64> {
    let mut random = fastrand::Rng::with_seed(4);
    let mut at = 1_795_555_028_u64 << 22;
    let next = |_| {
        at += random.u64(1..9);
        at as f64 / f64::from(1 << 22)
    };
    (0..50_000).map(next).collect()
}

fn written(doubles: &[f64], line: impl Fn(&f64) -> String) -> Samples {
    let text: String = doubles.iter().map(line).collect();
    read(Options { unit_ns: Some(1e9), ..Options::default() }, text.as_bytes(), 4096).unwrap()
}

#[test]
fn a_doubles_shortest_decimals_are_no_bound_on_the_quantum() {
    const TRUTH: f64 = 1e9 / (1 << 22) as f64;
    let shortest = written(&doubles(), |at| format!("tt {at}\n"));
    let note = shortest.notes.join(" ");
    let clock = one(shortest);
    assert_eq!((clock.tick_ns.nominal, clock.tick_ns.quantum), (Some(100.0), None), "{:?}", clock.tick_ns);
    // As little is a difference of two numbers that are rounded to 7 decimals or fewer.
    assert!(clock.tick_ns.smallest_step.unwrap() < TRUTH);
    let said = clock.resolution().unwrap();
    assert!(matches!(said, Resolution::AtMost(ns) if ns >= TRUTH), "{said:?} of {:?}", clock.tick_ns);
    assert!(note.contains("%.9f"), "{note}");
    let fixed = written(&doubles(), |at| format!("tt {at:.9}\n"));
    assert!(fixed.notes.is_empty(), "{:?}", fixed.notes);
    let said = one(fixed).resolution().unwrap();
    assert!(matches!(said, Resolution::Of { ns, .. } if (ns - TRUTH).abs() < 0.1), "{said:?}");
}

#[test]
fn the_ends_of_the_values_keep_every_digit() {
    let ends = |text_: &str, options: Options| {
        let ends = one(read(options, text_.as_bytes(), 7).unwrap()).values_exact.unwrap();
        [ends.min, ends.max]
    };
    let usual = Options::default;
    assert_eq!(
        ends("1795555028442384031\n1795555028442384030\n1795555028442384999\n", usual()),
        ["1795555028442384030", "1795555028442384999"]
    );
    assert_eq!(ends("18446744073709551615\n", usual()), ["18446744073709551615"; 2]);
    assert_eq!(ends("1795555028.25\n1795555028.001\n", usual()), ["1795555028.001", "1795555028.25"]);
    assert_eq!(ends("-0.05\n-3\n", usual()), ["-3", "-0.05"]);
    assert_eq!(ends("7\n-2\n", Options { are_differences: true, ..usual() }), ["-2", "7"]);
    let none = text(&format!("{PROBE}wall 1\n# end\n")).unwrap();
    assert_eq!(none.clocks[0].values_exact, None);
}

#[test]
fn a_last_line_without_end_may_be_cut() {
    let notes = |bytes: &str| text(bytes).unwrap().notes.join(" ");
    let said = "The last line has no end; if the file is still being written, it may be cut.";
    let of = notes("a 100\na 200\na 3");
    assert!(of.contains(said), "{of}");
    for whole in ["a 100\na 200\na 3\n", "a 100\na 200\n  ", "a 100\n# so far"] {
        assert!(!notes(whole).contains(said), "{whole:?}");
    }
}

#[test]
fn no_label_reaches_a_terminal_with_its_control_characters() {
    let red = "\x1b[31mred";
    let escaped = "\\u{1b}[31mred";
    assert_eq!(one(text(&format!("{red} 1\n{red} 5\n")).unwrap()).label, escaped);
    assert_eq!(one(text(&format!("x,{red}\n1,2\n").replace("x,", "label,")).unwrap()).label, "1");
    let head = format!(
        "# clockscope-probe/1\n# runtime {red} 1{red}\n# timer {red}\n# clock {red} 1e-9\n# claim {red} {red} {red}\n\
         # absent {red} {red}\n# pair {red} 10 1040 1940\n"
    );
    let probe = text(&format!("{head}{red} 1\n{red} 5\n{red} 6\n# end\n")).unwrap();
    assert!(!serde_json::to_string(&probe).unwrap().contains("\\u001b"), "{probe:?}");
    // The timer is still known by its name.
    assert!(probe.clocks[0].cost_ns.is_some(), "{:?}", probe.clocks[0].missing);
    for (bytes, options) in [
        (format!("{red} 1\n"), Options { label: Some("b".into()), ..Options::default() }),
        ("a 1\n".into(), Options { label: Some(red.into()), ..Options::default() }),
        (format!("{red},y\n1,2\n"), Options::default()),
        (format!("{red},y\n1,2\n"), Options { column: Some(red.replace('r', "R")), ..Options::default() }),
        (format!("{red},y\n,2\n"), Options { column: Some(red.into()), ..Options::default() }),
    ] {
        let why = read(options, bytes.as_bytes(), 7).unwrap_err();
        assert!(why.contains("\\u{1b}") && !why.contains('\x1b'), "{why}");
    }
}

#[test]
fn bytes_of_no_text_may_be_numbers() {
    let random: Vec<u8> = (0..40).map(|i| b'\x80' + i % 9).collect();
    for bytes in [&random[..], &random.repeat(2000), b"a 1\n\xff\xfe\xfd\n", b"a 1\na 2 \xff\n"] {
        let why = read(Options::default(), bytes, 4096).unwrap_err();
        assert!(why.contains("bytes of no text") && why.contains("--input u64le"), "{why}");
    }
    // A label in Latin-1 is as good as another.
    assert_eq!(one(read(Options::default(), b"\xb5s 1\n\xb5s 2\n", 9).unwrap()).samples, 2);
    let long = format!("a 1\n{}", "ä".repeat(40_000));
    let why = text(&long).unwrap_err();
    assert!(why.starts_with("line 2: ") && !why.contains("u64le"), "{why}");
}
