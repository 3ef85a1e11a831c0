//! The renderers on records of which every figure may be anything.

use clockscope_analysis::judge::advise;
use clockscope_analysis::record::{Interval, Program, Record};
use clockscope_cli::render::{Style, View, survey};

const RECORD: &str = include_str!("fixtures/record.json");

/// A record of which every figure may be anything.
fn wild(random: &mut fastrand::Rng) -> Record {
    let mut record: Record = serde_json::from_str(RECORD).expect("the fixture is a record");
    let number = |random: &mut fastrand::Rng| {
        let usual = 10f64.powf(12.0 * random.f64() - 3.0);
        let rare = [0.0, -1.0, f64::NAN, f64::INFINITY, f64::MAX, f64::MIN_POSITIVE, usual];
        if random.u8(..4) == 0 { rare[random.usize(..rare.len())] } else { usual }
    };
    let maybe = |random: &mut fastrand::Rng| random.bool().then(|| number(random));
    for clock in &mut record.clocks {
        let cost = clock.cost_ns.get_or_insert_default();
        cost.median = number(random);
        let half = cost.median * 10f64.powf(4.0 * random.f64() - 3.0);
        (cost.low, cost.high) = (cost.median - half, cost.median + half);
        cost.p99 = maybe(random);
        if random.u8(..5) == 0 {
            clock.cost_ns = None;
        }
        let tick = &mut clock.tick_ns;
        [tick.quantum, tick.quantum_low, tick.quantum_high, tick.smallest_step] = [(); 4].map(|()| maybe(random));
        [tick.nominal, tick.reported] = [(); 2].map(|()| maybe(random));
        clock.reads = if random.bool() { 0 } else { random.u64(..) >> random.u8(..64) };
        clock.regressions.count = random.u64(..) >> random.u8(..64);
    }
    let tick = number(random);
    record.run.witness_tick_ns = Some(Interval { value: tick, low: tick * 0.999, high: tick * random.f64() * 2.0 });
    (record.run.wall_s, record.run.standstill_share) = (number(random), maybe(random));
    record
}

#[test]
fn whatever_the_figures_are_no_line_is_too_wide_and_nothing_unknown_is_shown_as_nought() {
    let mut random = fastrand::Rng::with_seed(1);
    for round in 0..10_000 {
        let record = wild(&mut random);
        let width = random.usize(20..=300);
        let view = View { width: Some(width), ..View::default() };
        let style = Style { cycles: random.bool(), all: random.bool(), view, ..Style::default() };
        let text = if round % 4 == 0 {
            survey::doctor(&record, &advise(&record, &Program::ALL), style)
        } else {
            survey::survey(&record, style)
        };
        for line in text.lines() {
            assert!(line.chars().count() <= width, "{width}: {line}");
            let (first, last) = (line.trim_start(), line.trim_end());
            let broken = ["ns ", "± ", "ms ", "% "].iter().any(|unit| first.starts_with(unit)) || last.ends_with('±');
            let is_head = line.split_whitespace().all(|word| ["ns", "cycles", "Clock", "Cost", "±"].contains(&word));
            assert!(!broken || is_head, "{width}: {line:?}");
        }
        for clock in &record.clocks {
            let row = text.lines().find(|line| line.split(' ').next() == Some(&clock.id) && width >= 60);
            let Some(row) = row.filter(|_| round % 4 != 0 && clock.cost_ns.is_none_or(|c| c.certain().is_none()))
            else {
                continue;
            };
            let cost = row.split_whitespace().nth(1).unwrap_or_default();
            assert!(cost.parse::<f64>().is_err(), "{width}: an uncertain cost in {row:?}");
        }
    }
}
