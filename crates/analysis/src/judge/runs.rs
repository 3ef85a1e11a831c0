//! Several surveys of one machine: what a cost is between them, beside what it is within each.

use super::faults::faults;
use crate::record::{Clock, Cost, Record, Spread};

/// One record of them all: that of the run with the most faults, the first of equals; each cost that of the middle one of its
/// runs, with its own ± and the spread of all. `None` of none.
///
/// Of a cost that a run leaves too open ([`Cost::certain`]) that run's median does not count.
pub fn over_runs(records: Vec<Record>) -> Option<Record> {
    let runs = records.len();
    let count = |record: &Record| record.clocks.iter().map(faults).fold(0, u64::saturating_add);
    let most = records.iter().map(count).max()?;
    let place = records.iter().position(|record| count(record) == most)?;
    let middle = |clock: &Clock| {
        let of_run = |record: &Record| record.clocks.iter().find(|other| other.id == clock.id)?.certain_cost();
        let mut costs: Vec<Cost> = records.iter().filter_map(of_run).collect();
        costs.sort_by(|a, b| a.median.total_cmp(&b.median));
        let (low, high) = (costs.first()?.median, costs.last()?.median);
        let runs = Some(Spread { runs: costs.len() as u64, low, high });
        Some(Cost { runs, ..costs[(costs.len() - 1) / 2] })
    };
    let costs: Vec<Option<Cost>> = records[place].clocks.iter().map(middle).collect();
    let mut record = records.into_iter().nth(place)?;
    for (clock, cost) in record.clocks.iter_mut().zip(costs) {
        clock.cost_ns = cost.or(clock.cost_ns);
    }
    if runs > 1 {
        let why = if most > 0 { ", the one with the most faults" } else { "" };
        record
            .run
            .notes
            .push(format!("costs are those of the middle run of {runs}; all else is run {}'s{why}", place + 1));
    }
    Some(record)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::made_up::clock;

    #[test]
    fn the_spread_is_that_of_the_medians_and_faults_are_not_lost() {
        let run = |median: f64, warps: u64| {
            let clocks = vec![clock("a").cost(median).faults(0, warps, 0), clock("b")];
            Record { clocks, ..Record::default() }
        };
        let whole = over_runs(vec![run(20.0, 0), run(23.0, 2), run(21.0, 0)]).unwrap();
        let [a, b] = &whole.clocks[..] else { panic!() };
        let cost = a.cost_ns.unwrap();
        assert_eq!((cost.median, cost.runs), (21.0, Some(Spread { runs: 3, low: 20.0, high: 23.0 })));
        assert_eq!((a.warps.count, b.cost_ns), (2, None));
        assert!(whole.run.notes[0].contains("run 2's, the one with the most faults"), "{:?}", whole.run.notes);
        let one = over_runs(vec![run(20.0, 0)]).unwrap();
        assert!(one.run.notes.is_empty());
        assert_eq!(over_runs(Vec::new()), None);
    }
}
