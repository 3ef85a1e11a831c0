//! How clocks agree from CPU to CPU.

use super::clocks::why_lacking;
use super::figures::{Bounds, Unit};
use super::format::{Policy, SkewAsked};
use super::sheet::Sheet;
use crate::record::{Interval, Record, Skew, SkewPair};

pub(super) fn ask(policy: &Policy, record: &Record, sheet: &mut Sheet) {
    for (id, SkewAsked { agree, offset_ns, steps_back }) in &policy.skew {
        let name = |what: &str| format!("skew.{id}.{what}");
        // One CPU agrees with itself, and nothing was to be compared.
        let is_alone = record.machine.cpus.online == Some(1);
        let compared = || of(id, record).ok_or_else(|| why_not(id, record));
        sheet.flag(&name("agree"), agree.as_ref(), || match compared() {
            Ok(skew) => skew.agree.ok_or_else(|| absent(skew)),
            Err(_) if is_alone => Ok(true),
            Err(why) => Err(why),
        });
        sheet.limit(&name("offset_ns"), offset_ns.as_ref(), Unit::Ns, || match compared() {
            Ok(skew) => farthest(skew).ok_or_else(|| absent(skew)),
            Err(_) if is_alone => Ok(Bounds::exactly(0.0)),
            Err(why) => Err(why),
        });
        sheet.few(&name("steps_back"), steps_back.as_ref(), || match compared() {
            Ok(skew) => Ok((skew.backward.count, skew.backward.of)),
            Err(_) if is_alone => Err("there is one CPU, so that nothing was read from one to another".into()),
            Err(why) => Err(why),
        });
    }
}

/// The comparison of that clock, or of another way of reading it.
fn of<'a>(id: &str, record: &'a Record) -> Option<&'a Skew> {
    let base_of = |id: &str| record.clocks.iter().find(|clock| clock.id == id).map(|clock| clock.base_id().to_owned());
    let its = record.skew.iter().find(|skew| skew.clock == id);
    its.or_else(|| {
        let base = base_of(id)?;
        record.skew.iter().find(|skew| base_of(&skew.clock).as_ref() == Some(&base))
    })
}

/// Why nothing was compared.
fn why_not(id: &str, record: &Record) -> String {
    if !record.clocks.iter().any(|clock| clock.id == id) {
        return why_lacking(id, record);
    }
    let note = record.run.notes.iter().find(|note| note.contains("CPU"));
    note.cloned().unwrap_or_else(|| "the record does not compare its readings on several CPUs".into())
}

fn absent(skew: &Skew) -> String {
    skew.missing.values().next().cloned().unwrap_or_else(|| "no message came through".into())
}

/// How far apart the CPUs are that are farthest apart; `None` where nothing was measured. A pair without an interval may be
/// as far apart as any.
pub(super) fn farthest(skew: &Skew) -> Option<Bounds> {
    let bounds = |pair: &SkewPair| {
        let ends = pair.joint_low_ns.zip(pair.joint_high_ns).or(pair.low_ns.zip(pair.high_ns));
        let size = ends.map(|(low, high)| Bounds::size(Interval { value: 0.0, low, high }));
        size.map_or((0.0, f64::INFINITY), |size| (size.low, size.high))
    };
    let all: Vec<(f64, f64)> = skew.pairs.iter().map(bounds).collect();
    let low = all.iter().map(|(low, _)| *low).reduce(f64::max)?;
    let high = all.iter().map(|(_, high)| *high).reduce(f64::max)?;
    Some(Bounds { value: None, low, high })
}
