//! What a whole trace ends in: the record, or what its task asks for instead.

use crate::analyze::Analysis;
use crate::judge::judge;
use crate::record::{Deltas, Finding, Frequency, Record, Run, SCHEMA, SkewReport};
use crate::trace::Task;

/// The source of a frequency that nobody states.
const MEASURED: &str = "measured";

/// What a run ends in.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "there is one of them a run")]
pub enum Conclusion {
    /// Of a survey.
    Record(Record),
    /// Of a comparison of CPUs.
    Skew(SkewReport),
    /// Of one clock's differences.
    Deltas(Deltas),
}

impl Conclusion {
    /// What the rules found, where the task has them applied.
    pub fn findings(&self) -> &[Finding] {
        match self {
            Self::Record(record) => &record.findings,
            Self::Skew(_) | Self::Deltas(_) => &[],
        }
    }
}

/// What the trace's task asks for; `None` of differences where the trace names no clock that they are of. The same
/// trace gives the same conclusion, on any machine.
pub fn conclude(analysis: &Analysis) -> Option<Conclusion> {
    Some(match analysis.header().task {
        Task::Survey => Conclusion::Record(record(analysis)),
        Task::Skew => Conclusion::Skew(skew_report(analysis)),
        Task::Deltas => Conclusion::Deltas(analysis.deltas()?),
    })
}

/// The record of a survey, of as much of it as the trace holds.
pub fn record(analysis: &Analysis) -> Record {
    let header = analysis.header();
    let mut machine = header.machine.clone();
    if let Some(tsc) = &mut machine.tsc
        && header.clocks[header.witness].unit == crate::trace::Unit::Ticks
    {
        let hz = 1e9 / analysis.tick().value;
        tsc.frequencies_hz.push(Frequency { source: MEASURED.into(), hz });
    }
    let run: Run = analysis.run();
    let (clocks, skew) = (analysis.clocks(), analysis.skews());
    let (findings, verdict) = judge(&machine, &run, &clocks, &skew);
    Record {
        schema: SCHEMA.into(),
        tool: header.tool.clone(),
        run,
        machine,
        clocks,
        skew,
        unavailable: header.unavailable.clone(),
        findings,
        verdict,
    }
}

/// The report on the CPUs' disagreement.
pub fn skew_report(analysis: &Analysis) -> SkewReport {
    let run = analysis.run();
    SkewReport {
        schema: "clockscope-skew/1".into(),
        reference: run.reference,
        clocks: analysis.skews(),
        interrupted: run.interrupted,
        notes: run.notes,
    }
}
