//! What a whole trace ends in: the record, or what its task asks for instead.

use crate::analyze::Analysis;
use crate::judge::{judge, judge_frequency, judge_span};
use crate::record::{
    Deltas, Finding, Frequency, FrequencyReport, InterruptionReport, MonitorReport, Record, Run, SCHEMA, SPAN_SCHEMA,
    SkewReport, SpanReport, ThreadsReport, TimerReport,
};
use crate::trace::Task;

/// The source of a frequency that nobody states.
const MEASURED: &str = "measured";

/// Makes the conclusions: of each task what it ends in, and by which function.
macro_rules! conclusions {
    ($($(#[doc = $doc:literal])* $task:ident: $result:ty = $conclude:expr,)*) => {
        /// What a run ends in.
        #[derive(Debug, Clone, PartialEq)]
        #[expect(clippy::large_enum_variant, reason = "there is one of them a run")]
        pub enum Conclusion {
            $($(#[doc = $doc])* $task($result),)*
        }

        /// What the trace's task asks for; `None` of differences where the trace names no clock that they are of. The same
        /// trace gives the same conclusion, on any machine.
        pub fn conclude(analysis: &Analysis) -> Option<Conclusion> {
            Some(match analysis.header().task {
                $(Task::$task => Conclusion::$task($conclude(analysis)?),)*
            })
        }
    };
}

conclusions! {
    /// Of a survey.
    Survey: Record = |analysis| Some(record(analysis)),
    /// Of a comparison of CPUs.
    Skew: SkewReport = |analysis| Some(skew_report(analysis)),
    /// Of a watch over hours.
    Monitor: MonitorReport = |analysis: &Analysis| Some(analysis.monitor()),
    /// Of one clock's differences.
    Deltas: Deltas = Analysis::deltas,
    /// Of intervals.
    Span: SpanReport = |analysis| Some(span_report(analysis)),
    /// Of the counter's frequency.
    Frequency: FrequencyReport = |analysis| Some(frequency_report(analysis)),
    /// Of a watch of CPUs.
    Interruptions: InterruptionReport = |analysis| Some(interruption_report(analysis)),
    /// Of sleeps and timers.
    Timers: TimerReport = |analysis| Some(timer_report(analysis)),
    /// Of threads that read at once.
    Threads: ThreadsReport = |analysis: &Analysis| Some(analysis.threads()),
}

impl Conclusion {
    /// With what the clocks' figures were made of, where it is of a survey.
    #[must_use]
    pub fn with_series(mut self, analysis: &Analysis) -> Self {
        if let Self::Survey(record) = &mut self {
            record.series = analysis.series();
        }
        self
    }

    /// What the rules found, where the task has them applied.
    pub fn findings(&self) -> &[Finding] {
        match self {
            Self::Survey(record) => &record.findings,
            Self::Frequency(report) => &report.findings,
            Self::Span(report) => &report.findings,
            _ => &[],
        }
    }
}

/// The record of a survey, of as much of it as the trace holds.
pub fn record(analysis: &Analysis) -> Record {
    let header = analysis.header();
    let mut machine = header.machine.clone();
    if let Some(tsc) = &mut machine.tsc
        && header.clocks[header.witness].unit == crate::trace::Unit::Ticks
    {
        let hz = 1e9 / analysis.tick().value;
        let read_from = format!("measured against {}", header.clocks[header.reference].id);
        tsc.frequencies_hz.push(Frequency { source: MEASURED.into(), hz, read_from, step_hz: None });
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
        series: Vec::new(),
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

/// The report on how short an interval the clocks can time.
fn span_report(analysis: &Analysis) -> SpanReport {
    let Run { reference, witness, cpu, interrupted, notes, .. } = analysis.run();
    let mut report = SpanReport {
        schema: SPAN_SCHEMA.into(),
        tool: analysis.header().tool.clone(),
        reference,
        witness,
        cpu,
        clocks: analysis.spans(),
        findings: Vec::new(),
        interrupted,
        notes,
    };
    report.findings = judge_span(&report);
    report
}

/// The report on the counter's frequency, with what is to be made of it.
fn frequency_report(analysis: &Analysis) -> FrequencyReport {
    let run = analysis.run();
    let mut report = analysis.frequency(&run);
    judge_frequency(&mut report, &analysis.header().machine, &run, &analysis.clocks());
    report
}

/// The report on CPUs that were taken away.
pub fn interruption_report(analysis: &Analysis) -> InterruptionReport {
    let run = analysis.run();
    InterruptionReport {
        schema: "clockscope-interruptions/1".into(),
        reference: run.reference,
        witness: run.witness,
        cpus: analysis.interruptions(),
        interrupted: run.interrupted,
        notes: run.notes,
    }
}

/// The report on sleeps and timers.
pub fn timer_report(analysis: &Analysis) -> TimerReport {
    let run = analysis.run();
    TimerReport {
        cpu: run.cpu,
        clock: run.reference,
        interrupted: run.interrupted,
        notes: run.notes,
        ..analysis.sleeps()
    }
}
