//! What a probe must write.

use std::collections::BTreeMap;
use std::fmt::Write as _;

/// What a probe told, for the test's reader.
pub(crate) struct Told {
    pub(crate) runtime: String,
    pub(crate) rows: String,
}

#[derive(Default)]
struct Clock {
    unit_ns: f64,
    pairs: Vec<[f64; 3]>,
    /// In 10^-12 of a unit: a double would lose the last digits of nanoseconds since 1970.
    values: Vec<i128>,
}

/// Fewest readings and pairs of a clock whose read is slow.
const FEWEST: (usize, usize) = (100, 9);

pub(crate) fn check(text: &str, samples: usize, pairs: usize) -> Result<Told, String> {
    let mut lines = text.lines().enumerate();
    if lines.next().map(|(_, line)| line) != Some("# clockscope-probe/1") {
        return Err(format!("the first line is not the header: {:?}", text.lines().next()));
    }
    let (mut runtime, mut timer, mut ended) = (None, None, false);
    let mut clocks: BTreeMap<String, Clock> = BTreeMap::new();
    for (at, line) in lines {
        let wrong = |what: &str| format!("line {}: {what}: {line:?}", at + 1);
        if ended {
            return Err(wrong("a line after the end"));
        }
        let Some(header) = line.strip_prefix("# ") else {
            let (label, value) = line.split_once(' ').ok_or_else(|| wrong("no label and value"))?;
            let clock = clocks.get_mut(label).ok_or_else(|| wrong("a reading before its clock's line"))?;
            clock.values.push(number(value).ok_or_else(|| wrong("no number"))?);
            continue;
        };
        let mut words = header.splitn(4, ' ');
        let mut word = || words.next().filter(|word| !word.is_empty());
        match word().unwrap_or_default() {
            "runtime" => runtime = Some(word().ok_or_else(|| wrong("no name"))?.to_owned()),
            "timer" => timer = Some(word().ok_or_else(|| wrong("no label"))?.to_owned()),
            "clock" => {
                let label = word().ok_or_else(|| wrong("no label"))?;
                let unit_ns = word().and_then(unit_ns).ok_or_else(|| wrong("no unit"))?;
                let clock = Clock { unit_ns, ..Clock::default() };
                if word().is_some() || clocks.insert(label.to_owned(), clock).is_some() {
                    return Err(wrong("too much, or twice"));
                }
            }
            "claim" => drop((word(), word(), word()).2.ok_or_else(|| wrong("no label, key and value"))?),
            "absent" => drop((word(), word()).1.ok_or_else(|| wrong("no label and reason"))?),
            "pair" => {
                let label = word().ok_or_else(|| wrong("no label"))?;
                let numbers: Option<Vec<f64>> =
                    word().map(|n| (n, word().unwrap_or_default())).and_then(|(n, rest)| {
                        std::iter::once(n)
                            .chain(rest.split(' '))
                            .map(|word| word.parse::<u64>().ok().map(|n| n as f64))
                            .collect()
                    });
                let numbers: [f64; 3] =
                    numbers.and_then(|it| it.try_into().ok()).ok_or_else(|| wrong("not n, ns, ns"))?;
                if numbers[0] < 20. {
                    return Err(wrong("a batch of fewer than 20 reads"));
                }
                clocks.get_mut(label).ok_or_else(|| wrong("a pair before its clock's line"))?.pairs.push(numbers);
            }
            "end" => ended = true,
            _ => {}
        }
    }
    if !ended {
        return Err("cut off: no end".to_owned());
    }
    let timer = timer.ok_or("no timer")?;
    if !clocks.is_empty() && !clocks.contains_key(&timer) {
        return Err(format!("the timer {timer} is none of the clocks"));
    }
    let mut rows = String::new();
    for (label, clock) in &clocks {
        if clock.pairs.len() != pairs && !(FEWEST.1..pairs).contains(&clock.pairs.len()) {
            return Err(format!("{label}: {} pairs", clock.pairs.len()));
        }
        if clock.values.len() != samples && !(FEWEST.0..samples).contains(&clock.values.len()) {
            return Err(format!("{label}: {} readings", clock.values.len()));
        }
        writeln!(rows, "  {}", row(label, clock)).expect("a String takes all");
    }
    Ok(Told { runtime: runtime.ok_or("no runtime")?, rows })
}

/// For the eye alone; the figures of record are `analyze`'s.
fn row(label: &str, clock: &Clock) -> String {
    let mut costs: Vec<f64> = clock.pairs.iter().map(|[n, once, twice]| (twice - once) / n).collect();
    costs.sort_by(f64::total_cmp);
    let steps =
        clock.values.windows(2).map(|two| (two[1] - two[0]) as f64 * 1e-12 * clock.unit_ns).filter(|step| *step > 0.);
    let least = steps.fold(f64::INFINITY, f64::min);
    let least = if least.is_finite() { format!("{least:.3} ns") } else { "none".to_owned() };
    let cost = costs.get(costs.len() / 2).map_or("not timed".to_owned(), |cost| format!("{cost:.2} ns a read"));
    format!("{label}: {cost}, smallest step {least}, {} readings", clock.values.len())
}

/// Nanoseconds of a fraction or a decimal number of seconds.
fn unit_ns(word: &str) -> Option<f64> {
    let unit = match word.split_once('/') {
        Some((above, below)) => above.parse::<u64>().ok()? as f64 / below.parse::<u64>().ok()? as f64,
        None => word.parse().ok()?,
    };
    (unit.is_finite() && unit > 0.).then_some(unit * 1e9)
}

/// An integer or a decimal, and nothing else that Rust would take for a number, in 10^-12.
fn number(word: &str) -> Option<i128> {
    let (negative, digits) = word.strip_prefix('-').map_or((false, word), |rest| (true, rest));
    let (whole, part) = digits.split_once('.').unwrap_or((digits, "0"));
    let plain = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if !plain(whole) || !plain(part) {
        return None;
    }
    let part = format!("{part:0<12}")[..12].parse::<i128>().ok()?;
    let value = i128::from(whole.parse::<u64>().ok()?) * 1_000_000_000_000 + part;
    Some(if negative { -value } else { value })
}

#[test]
fn what_breaks_the_protocol_is_seen() {
    const GOOD: &str = "# clockscope-probe/1\n# runtime X 1\n# timer a\n# clock a 1/1000\n# claim a key some words\n\
                        # absent b not here\n# anything\n# pair a 20 5 10\na -1\na 2.5\n# end\n";
    let wrong = |text: &str| check(text, 2, 1).err().unwrap_or_default();
    assert_eq!(wrong(GOOD), "");
    for (from, to, says) in [
        ("# clockscope-probe/1\n", "", "the first line is not the header"),
        ("# end\n", "", "cut off"),
        ("# end\n", "# end\na 1\n", "a line after the end"),
        ("# runtime X 1\n", "", "no runtime"),
        ("# timer a\n", "# timer b\n", "the timer b is none of the clocks"),
        ("# clock a 1/1000\n", "", "a pair before its clock's line"),
        ("# clock a 1/1000\n", "# clock a 1/0\n", "no unit"),
        ("# claim a key some words\n", "# claim a key\n", "no label, key and value"),
        ("# absent b not here\n", "# absent b\n", "no label and reason"),
        ("# pair a 20 5 10\n", "", "0 pairs"),
        ("# pair a 20 5 10\n", "# pair a 20 5 -1\n", "not n, ns, ns"),
        ("# pair a 20 5 10\n", "# pair a 19 5 10\n", "fewer than 20"),
        ("a 2.5\n", "", "1 readings"),
        ("a 2.5\n", "a 2,5\n", "no number"),
        ("a 2.5\n", "a nan\n", "no number"),
        ("a 2.5\n", "b 2\n", "a reading before its clock's line"),
    ] {
        let text = GOOD.replace(from, to);
        assert!(wrong(&text).contains(says), "{says}: {}", wrong(&text));
    }
}
