//! What a whole trace ends in: the record, or what its task asks for instead.

use crate::analyze::Analysis;
use crate::judge::{judge, judge_frequency, judge_interruptions, judge_span, judge_threads, judge_timers};
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
    Threads: ThreadsReport = |analysis| Some(threads_report(analysis)),
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
            Self::Interruptions(report) => &report.findings,
            Self::Timers(report) => &report.findings,
            Self::Threads(report) => &report.findings,
            Self::Skew(_) | Self::Monitor(_) | Self::Deltas(_) => &[],
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
    let (mut findings, verdict) = judge(&machine, &run, &clocks, &skew);
    findings.extend(beyond(analysis));
    findings.sort_by_key(|finding| (finding.severity, finding.of_run));
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

/// What the report of the trace's own task finds besides.
fn beyond(analysis: &Analysis) -> Vec<Finding> {
    match analysis.header().task {
        Task::Span => span_report(analysis).findings,
        Task::Interruptions => interruption_report(analysis).findings,
        Task::Timers => timer_report(analysis).findings,
        Task::Threads => threads_report(analysis).findings,
        // The report on the frequency applies the survey's own rules; the others have none.
        Task::Survey | Task::Skew | Task::Monitor | Task::Deltas | Task::Frequency => Vec::new(),
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
    let mut report = InterruptionReport {
        schema: "clockscope-interruptions/1".into(),
        reference: run.reference,
        witness: run.witness,
        cpus: analysis.interruptions(),
        findings: Vec::new(),
        interrupted: run.interrupted,
        notes: run.notes,
    };
    report.findings = judge_interruptions(&report);
    report
}

/// The report on sleeps and timers.
pub fn timer_report(analysis: &Analysis) -> TimerReport {
    let run = analysis.run();
    let mut report = TimerReport {
        cpu: run.cpu,
        clock: run.reference,
        interrupted: run.interrupted,
        notes: run.notes,
        ..analysis.sleeps()
    };
    report.findings = judge_timers(&report);
    report
}

/// The report on threads that read at once.
fn threads_report(analysis: &Analysis) -> ThreadsReport {
    let mut report = analysis.threads();
    report.findings = judge_threads(&report);
    report
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;
    use crate::record::{Kind, Machine, Tool};
    use crate::trace::{Description, Header, Observation, SleepFacts, Sleeps, TRACE_SCHEMA, Unit, Way};

    fn begun(task: Task) -> Analysis {
        let clock = |id: &str| Description::new(id, id, Kind::Monotonic, Unit::Ns(1.0));
        Analysis::new(Header {
            schema: TRACE_SCHEMA.into(),
            tool: Tool::default(),
            task,
            machine: Machine::default(),
            clocks: vec![clock("monotonic")],
            surveyed: vec![0],
            unavailable: Vec::new(),
            witness: 0,
            kernel: Some(0),
            reference: 0,
            cpu: None,
            started: None,
            started_at: None,
            id: None,
            seed: 1,
            start: 0,
            kernel_start: Some(0),
        })
        .unwrap()
    }

    /// The codes of the record, which `doctor` shows, that the report of the trace's own task has too.
    fn shared(analysis: &Analysis) -> Vec<String> {
        let report = conclude(analysis).unwrap();
        let of_report = |finding: &Finding| report.findings().contains(finding);
        record(analysis).findings.into_iter().filter(of_report).map(|finding| finding.code).collect()
    }

    #[test]
    fn what_a_report_finds_is_among_the_findings_of_its_trace() {
        let mut sleeps = begun(Task::Timers);
        let way = Way { id: "sleep-absolute".into(), unit_ns: Some(1), ..Way::default() };
        let facts = SleepFacts { ways: vec![way], resolution_ns: Some(4_000_000), ..SleepFacts::default() };
        sleeps.take(&Observation::SleepFacts(Cow::Owned(facts)));
        let early = Sleeps { asked_ns: 1000, took: vec![(0, 900)], failed: 0 };
        sleeps.take(&Observation::Sleeps(Cow::Owned(early)));
        assert_eq!(shared(&sleeps), ["CS029", "CS030"]);
        assert_eq!(shared(&begun(Task::Timers)), [""; 0]);
    }
}
