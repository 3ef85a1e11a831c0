//! Samples of which the truth is known, in every way to write them.

mod hard;

use proptest::prelude::*;

use super::{Format, Options, Reader};
use crate::record::{Described, Monotonic, QuantumMethod, SampledClock, Samples};

/// Readings of a clock of 100 ns, in its ticks: some 100 reads a microsecond's work apart, with 7 steps back by 30 ticks and 5 runs
/// of 4 equal readings at known places.
fn readings() -> Vec<u64> {
    let mut random = fastrand::Rng::with_seed(1);
    let mut at = 1_800_000_000_000_000_000_u64;
    (0..20_000)
        .map(|i| {
            match i % 4000 {
                1000 if i < 20_000 => at -= 30,
                3000..3003 => {}
                2500 if i > 12_000 => at -= 30,
                _ => at += random.u64(1..60),
            }
            at
        })
        .collect()
}

fn read(options: Options, bytes: &[u8], piece: usize) -> Result<Samples, String> {
    let mut reader = Reader::new(options);
    for piece in bytes.chunks(piece.max(1)) {
        reader.push(piece).map_err(|bad| bad.to_string())?;
    }
    reader.end().map_err(|bad| bad.to_string())?;
    Ok(reader.record())
}

fn text(text: &str) -> Result<Samples, String> {
    read(Options::default(), text.as_bytes(), 7)
}

fn lines(values: &[u64], line: impl Fn(&u64) -> String) -> Vec<u8> {
    values.iter().map(line).collect::<String>().into_bytes()
}

fn one(samples: Samples) -> SampledClock {
    let [clock] = <[SampledClock; 1]>::try_from(samples.clocks).expect("one label");
    clock
}

#[test]
fn faults_are_counted_as_they_were_put_in_whatever_the_format() {
    let values = readings();
    let asked = Options { unit_ns: Some(100.0), label: Some("qpc".into()), ..Options::default() };
    let table = Options { column: Some("t".into()), ..asked.clone() };
    let binary = Options { format: Some(Format::U64le), ..asked.clone() };
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    let all: Vec<SampledClock> = [
        (&asked, lines(&values, |value| format!("qpc {value}\n")), 1000),
        (&asked, lines(&values, |value| format!("qpc  {value}\r\n\nother 1\n")), 13),
        (&asked, lines(&values, |value| format!("{value}\n")), 4096),
        (&table, [b"x;t\n".to_vec(), lines(&values, |value| format!("a b;{value}\n"))].concat(), 4096),
        (&binary, bytes, 13),
    ]
    .into_iter()
    .map(|(options, bytes, piece)| one(read(options.clone(), &bytes, piece).unwrap()))
    .collect();
    let clock = &all[0];
    assert_eq!((clock.samples, clock.monotonic), (20_000, Some(Monotonic::Violated)));
    let (back, stalls) = (clock.backward.unwrap(), clock.stalls.unwrap());
    assert_eq!((back.count, back.largest_ns), (7, 3000.0));
    assert_eq!((stalls.count, stalls.longest_reads), (5, 4));
    let at: Vec<u64> = clock.steps_back.iter().map(|step| step.at).collect();
    assert_eq!(at, [1001, 5001, 9001, 13_001, 14_501, 17_001, 18_501]);
    assert_eq!((clock.longest_gap_ns, clock.tick_ns.smallest_step), (Some(5900.0), Some(100.0)));
    // No lattice is coarser than the unit itself.
    let resolution = clock.resolution().unwrap();
    assert_eq!(resolution.at_most_ns(), 100.0, "{:?}", clock.tick_ns);
    let values = clock.values.unwrap();
    assert_eq!((values.count, values.min), (20_000, 1.8e18));
    for other in &all[1..] {
        let steps_back = clock.steps_back.clone();
        assert_eq!(&SampledClock { steps_back, ..other.clone() }, clock);
    }
}

#[test]
fn differences_come_to_the_same_as_the_readings_that_they_are_of() {
    let values = readings();
    let whole = one(read(Options::default(), &lines(&values, |value| format!("c {value}\n")), 4096).unwrap());
    let steps: Vec<i64> = values.windows(2).map(|pair| pair[1].wrapping_sub(pair[0]) as i64).collect();
    let written = steps.iter().map(|step| format!("c {step}\n")).collect::<Vec<_>>().concat();
    let options = Options { are_differences: true, ..Options::default() };
    let differences = one(read(options, written.as_bytes(), 4096).unwrap());
    assert_eq!((differences.samples, differences.differences_ns), (19_999, whole.differences_ns));
    assert_eq!((differences.backward, differences.stalls), (whole.backward, whole.stalls));
    assert_eq!(differences.tick_ns, whole.tick_ns);
    assert_eq!(differences.values, differences.differences_ns);
    let hints = |bytes: &[u8]| read(Options::default(), bytes, 4096).unwrap().notes.join(" ").contains("--deltas");
    assert!(hints(written.as_bytes()) && !hints(&lines(&values, |value| format!("c {value}\n"))));
}

#[test]
fn a_coarse_lattice_is_found_through_decimals() {
    // Milliseconds with decimals, of a clock of 69.841 ns rounded to a nanosecond.
    let mut random = fastrand::Rng::with_seed(2);
    let mut at = 1e12;
    let lines: Vec<String> = (0..20_000)
        .map(|_| {
            at += 69.841 * f64::from(random.u32(3..40));
            let ns = at as u64;
            // As most languages write it: without zeros at the end.
            let fraction = format!("{:06}", ns % 1_000_000);
            let fraction = fraction.trim_end_matches('0');
            format!("now {}{}{fraction}\n", ns / 1_000_000, if fraction.is_empty() { "" } else { "." })
        })
        .collect();
    let options = Options { unit_ns: Some(1e6), ..Options::default() };
    let clock = one(read(options, lines.concat().as_bytes(), 4096).unwrap());
    let (low, high) = (clock.tick_ns.quantum_low.unwrap(), clock.tick_ns.quantum_high.unwrap());
    assert!(low <= 69.841 && 69.841 <= high && high - low < 0.01, "{:?}", clock.tick_ns);
    assert_eq!((clock.tick_ns.method, clock.tick_ns.nominal), (QuantumMethod::Lattice, Some(1.0)));
    assert!((clock.values.unwrap().min - 1e6).abs() < 1.0);
}

const PROBE: &str = "# clockscope-probe/1
# runtime CPython 3.11.7 (main)
# timer perf
# clock perf 1/1000000000
# clock wall 1e-6
# claim perf implementation clock_gettime(CLOCK_MONOTONIC)
# absent hrtime not in this version
# from a later version
# pair wall 10 1040 1940
# pair wall 10 1045 1945
";

#[test]
fn a_probe_says_what_its_clocks_are_and_what_reads_cost() {
    let sample = |i: u32| format!("perf {}\nwall {}\n", 1000 + i * i * 7, i * 3);
    let samples = (0..400).map(sample).collect::<Vec<_>>().concat();
    let whole = text(&format!("{PROBE}{samples}# end\n")).unwrap();
    assert_eq!((whole.complete, whole.notes.len(), whole.clocks.len()), (Some(true), 0, 2));
    assert_eq!(whole.runtime.as_ref().map(|runtime| runtime.version.as_str()), Some("3.11.7 (main)"));
    assert_eq!(whole.absent[0].reason, "not in this version");
    let [perf, wall] = [&whole.clocks[0], &whole.clocks[1]];
    assert_eq!((perf.unit_ns, wall.unit_ns), (1.0, 1000.0));
    assert_eq!(perf.claims["implementation"], "clock_gettime(CLOCK_MONOTONIC)");
    let cost = wall.cost_ns.unwrap();
    assert_eq!((cost.median, cost.batches), (90.0, 2));
    // The timer's own step is in it.
    assert!(cost.low < 90.0 && cost.high > 90.0, "{cost:?}");
    assert!(perf.cost_ns.is_none() && perf.missing["cost_ns"].contains("no pairs"), "{:?}", perf.missing);
    let cut = text(&format!("{PROBE}{samples}")).unwrap();
    assert_eq!(cut.complete, Some(false));
    assert!(cut.notes[0].contains("cut off"), "{:?}", cut.notes);
    let untimed = text(&format!("{PROBE}wall 1\n# end\n")).unwrap();
    let clock = &untimed.clocks[1];
    assert!(clock.cost_ns.is_none() && clock.missing["cost_ns"].contains("perf"), "{:?}", clock.missing);
    assert_eq!((clock.monotonic, clock.differences_ns, clock.longest_gap_ns), (None, None, None));
}

#[test]
fn bad_input_is_named_with_its_place() {
    for (text_, why) in [
        ("", "it is empty"),
        ("\n\n", "there is no sample in it"),
        ("a 1\na NaN\n", "line 2: 'NaN' is no number"),
        ("a 1\n\na 18446744073709551616", "line 3: '18446744073709551616' is beyond 64 bits"),
        ("a -9223372036854775808\na 9223372036854775807\n", "line 2: the value is too far"),
        ("my clock 1\n", "line 1: 'my clock 1' is more than a label and a value"),
        ("a 1\na,2\n", "line 2: 'a,2' is one word"),
        ("a 1\na\0 2\n", "line 2: it holds bytes of no text"),
        ("label,value\na,1\na;2\n", "line 3: 'a;2' has 1 columns between ',', and the header 2"),
        ("label,value\na,\n", "line 2: the column 'value' is empty"),
        ("x,y\n1,2\n", "line 1: which column has the values? Name it by --column: x, y"),
        ("1,2\n1,2\n", "line 1: there is no header"),
        ("# clockscope-probe/1\n# pair a 0 1 2\n", "line 2: a pair is"),
        ("# clockscope-probe/1\n# clock a 0\n", "line 2: '0' is no unit"),
        ("# clockscope-probe/1\na 1\n# clock a 1\n", "line 3: what a unit is"),
        ("# clockscope-probe/2\na 1\n", "line 1: clockscope-probe/2 is of a version"),
    ] {
        let said = text(text_).unwrap_err();
        assert!(said.contains(why), "{text_:?}: {said}");
    }
    let long = format!("a 1\n{}", "x".repeat(70_000));
    assert!(text(&long).unwrap_err().starts_with("line 2: "));
    let many = (0..65).map(|i| format!("l{i} 1\n")).collect::<Vec<_>>().concat();
    assert!(text(&many).unwrap_err().contains("line 65: 'l64' is one label more"));
    let binary = |bytes: &[u8]| read(Options { format: Some(Format::U64le), ..Options::default() }, bytes, 3);
    assert!(binary(&[0; 21]).unwrap_err().contains("byte 16: the last number has 5 of its 8 bytes"));
    assert!(binary(&[]).unwrap_err().contains("it is empty"));
    let other = Options { label: Some("b".into()), ..Options::default() };
    assert!(read(other, b"a 1\n", 9).unwrap_err().contains("there are a"));
}

/// What came before the bad place counts.
#[test]
fn what_was_read_before_it_is_kept() {
    let mut reader = Reader::new(Options::default());
    assert!(reader.push(b"a 1\na 5\na x\na 9\n").is_err());
    let clock = one(reader.record());
    assert_eq!((clock.samples, clock.longest_gap_ns), (2, Some(4.0)));
}

/// A million and a half of values that are all distinct: once through bounds the quartiles, twice tells them.
#[test]
fn a_second_pass_makes_quartiles_exact() {
    let count = 1_500_001_u64;
    let bytes = lines(&(0..count).collect::<Vec<_>>(), |i| format!("{}\n", i * 1000));
    let mut reader = Reader::new(Options::default());
    reader.push(&bytes).unwrap();
    reader.end().unwrap();
    let mut passes = 1;
    let truth = (count - 1) as f64 * 250.0;
    while reader.again() {
        reader.push(&bytes).unwrap();
        reader.end().unwrap();
        passes += 1;
    }
    assert_eq!(passes, 2);
    let clock = one(reader.record());
    let Described { count: counted, q25, q50, q75, std, .. } = clock.values.unwrap();
    assert_eq!((counted, q25.low, q25.high), (count, truth, truth));
    assert_eq!((q50.value, q75.value), (2.0 * truth, 3.0 * truth));
    // Of 0 to n − 1: n (n + 1) / 12.
    let variance = count as f64 * (count + 1) as f64 / 12.0;
    assert!((std.unwrap() / (1000.0 * variance.sqrt()) - 1.0).abs() < 1e-14);

    let once = one(read(Options::default(), &bytes, 1 << 16).unwrap()).values.unwrap();
    assert!(once.q25.low <= truth && truth <= once.q25.high && once.q25.low < once.q25.high, "{:?}", once.q25);
    assert!(once.q25.high - once.q25.low < 1e-4 * truth);
}

proptest! {
    #[test]
    fn no_bytes_panic(
        bytes in prop::collection::vec(prop_oneof!["[ab ,;#\t\r\n0-9.e-]{1,12}", "# (clock|pair|claim|end) [a0-9 /.]*\n", "\\PC{0,9}"], 0..40),
        piece in 1..50_usize,
        differ: bool,
    ) {
        for head in ["", "# clockscope-probe/1\n", "label,value\n"] {
            for format in [None, Some(Format::U64le), Some(Format::Csv), Some(Format::Text)] {
                let options = Options { format, are_differences: differ, ..Options::default() };
                let _ = read(options, format!("{head}{}", bytes.concat()).as_bytes(), piece);
            }
        }
    }

    #[test]
    fn no_numbers_panic(values in prop::collection::vec(any::<(i64, u8)>(), 0..300), differ: bool) {
        let lines: Vec<String> = values.iter().map(|(value, at)| format!("{value}e-{}\n", at % 45)).collect();
        let options = Options { are_differences: differ, ..Options::default() };
        let _ = read(options, lines.concat().as_bytes(), 64);
    }
}
