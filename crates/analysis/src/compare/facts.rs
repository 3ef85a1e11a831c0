//! What differs in machines, runs and findings.

use std::collections::{BTreeMap, BTreeSet};

use super::rows::Pair;
use crate::record::{Difference, Finding, Passing, Record, Severity};

/// Something that a record states, if it does.
type Fact = fn(&Record) -> Option<String>;

/// What is held side by side, what explains most first.
const FACTS: [(&str, Fact); 23] = [
    ("architecture", |r| text(&r.machine.arch)),
    ("CPU model", |r| r.machine.cpu.model.clone()),
    ("CPU family, model, stepping", |r| {
        r.machine.cpu.family_model_stepping.map(|of| of.map(|n| n.to_string()).join("/"))
    }),
    ("microcode", |r| r.machine.cpu.microcode.clone()),
    ("host", |r| r.machine.hostname.clone()),
    ("CPUs on line", |r| r.machine.cpus.online.map(|n| n.to_string())),
    ("operating system", |r| text(&r.machine.os)),
    ("kernel", |r| r.machine.kernel.clone()),
    ("kernel options", |r| Some(r.machine.kernel_options.join(" "))),
    ("hypervisor", |r| r.machine.virtualization.hypervisor.clone()),
    ("hypervisor offers", |r| Some(r.machine.virtualization.offers.join(" "))),
    ("container", |r| r.machine.container.clone()),
    ("clocksource", |r| r.machine.clocksource.current.clone()),
    ("TSC", |r| r.machine.tsc.as_ref().map(|tsc| format!("{:?}", tsc.generation).to_lowercase())),
    ("TSC flags", |r| r.machine.tsc.as_ref().map(|tsc| tsc.flags.join(" "))),
    ("governor", |r| r.machine.governor.clone()),
    ("NTP", |r| {
        r.machine.ntp.as_ref().map(|ntp| if ntp.synchronised { "synchronised" } else { "not synchronised" }.into())
    }),
    ("clockscope", |r| text(&r.tool.version)),
    ("reference", |r| text(&r.run.reference)),
    ("witness", |r| text(&r.run.witness)),
    ("clock for intervals", |r| r.verdict.intervals.clone()),
    ("clock for wall time", |r| r.verdict.wall.clone()),
    ("clock for cheap stamps", |r| r.verdict.cheap.clone()),
];

fn text(text: &str) -> Option<String> {
    Some(text.to_owned()).filter(|text| !text.is_empty())
}

/// Each of what these say, once; `None` where none says anything.
fn said<T>(of: &[T], fact: impl Fn(&T) -> Option<String>) -> Option<String> {
    let all: BTreeSet<String> = of.iter().filter_map(fact).collect();
    (!all.is_empty()).then(|| all.into_iter().collect::<Vec<_>>().join("; "))
}

/// Whether architecture or CPU model are known and differ.
pub(super) fn are_different(before: &[&Record], after: &[&Record]) -> bool {
    FACTS[..2].iter().any(|(_, fact)| {
        let [before, after] = [before, after].map(|side| said(side, |record| fact(record)));
        before.zip(after).is_some_and(|(before, after)| before != after)
    })
}

/// The facts that differ; then paths, and libraries that stand in between, of each clock.
pub(super) fn differences(before: &[&Record], after: &[&Record], clocks: &[Pair<'_>]) -> Vec<Difference> {
    let of = |(what, fact): &(&str, Fact)| {
        let [before, after] = [before, after].map(|side| said(side, |record| fact(record)));
        (before != after).then(|| Difference { what: (*what).into(), clock: None, before, after })
    };
    let mut all: Vec<Difference> = FACTS.iter().filter_map(of).collect();
    for pair in clocks {
        let [path, library] = [
            [pair.before.as_slice(), &pair.after]
                .map(|side| said(side, |clock| Some(format!("{:?}", clock.path).to_lowercase()))),
            [pair.before.as_slice(), &pair.after].map(|side| said(side, |clock| clock.interposed_by.clone())),
        ];
        for (what, [before, after]) in [("path", path), ("interposed by", library)] {
            if before != after {
                all.push(Difference { what: what.into(), clock: Some(pair.id.to_owned()), before, after });
            }
        }
    }
    all
}

/// The findings that more than half of the first have and no more than half of the others, worst first.
pub(super) fn only_in(these: &[&Record], others: &[&Record]) -> Vec<Passing> {
    let (here, there) = (usual(these), usual(others));
    let only = here.into_iter().filter(|(key, _)| !there.contains_key(key));
    only.map(|((severity, code), finding)| Passing {
        code: code.to_owned(),
        severity,
        title: finding.title.clone(),
        of_run: finding.of_run,
        usual: finding.usual,
    })
    .collect()
}

/// The findings that more than half of the records have.
fn usual<'a>(records: &[&'a Record]) -> BTreeMap<(Severity, &'a str), &'a Finding> {
    let mut seen: BTreeMap<(Severity, &str), (usize, &Finding)> = BTreeMap::new();
    for record in records {
        let mut once = BTreeSet::new();
        for finding in &record.findings {
            let key = (finding.severity, finding.code.as_str());
            if once.insert(key) {
                seen.entry(key).or_insert((0, finding)).0 += 1;
            }
        }
    }
    seen.into_iter()
        .filter(|(_, (count, _))| 2 * count > records.len())
        .map(|(key, (_, finding))| (key, finding))
        .collect()
}
