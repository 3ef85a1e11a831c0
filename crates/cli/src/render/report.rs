//! What every result can be turned into.

use clockscope_analysis::Conclusion;
use clockscope_engine::session::Listed;
use erased_serde::serialize_trait_object;
use serde::{Serialize, Serializer};

use super::{
    Style, compare, csv, deltas, frequency, interruptions, list, markdown, monitor, programs, runtimes, samples, skew,
    span, survey, sweep, threads, timers,
};
use clockscope_analysis::record::{
    CheckReport, CompareReport, Deltas, Diagnosis, FrequencyReport, InterruptionReport, MonitorReport, ProgramAdvice,
    Record, RuntimesReport, Samples, SkewReport, SpanReport, Sweep, ThreadsReport, TimerReport,
};

/// A result: as JSON it is what it serializes to.
pub trait Report: erased_serde::Serialize {
    /// For people at a terminal.
    fn table(&self, style: Style) -> String;
    /// For a page or an issue.
    fn markdown(&self, style: Style) -> String;
    /// Header and rows.
    fn csv(&self, style: Style) -> String;
    /// The same as a check, if it is one: for the formats that write nothing else.
    fn check(&self) -> Option<&CheckReport> {
        None
    }
}

serialize_trait_object!(Report);

/// What a run came to, as a result to show.
pub fn of(conclusion: &Conclusion) -> &dyn Report {
    match conclusion {
        Conclusion::Survey(it) => it,
        Conclusion::Skew(it) => it,
        Conclusion::Monitor(it) => it,
        Conclusion::Deltas(it) => it,
        Conclusion::Span(it) => it,
        Conclusion::Frequency(it) => it,
        Conclusion::Interruptions(it) => it,
        Conclusion::Timers(it) => it,
        Conclusion::Threads(it) => it,
    }
}

/// What is wrong of a survey.
#[derive(Debug, Clone, Copy)]
pub struct Findings<'a> {
    /// The survey.
    pub record: &'a Record,
    /// What the programs take that were asked for.
    pub programs: &'a [ProgramAdvice],
}

impl Serialize for Findings<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        Diagnosis { programs: self.programs.to_vec(), ..Diagnosis::from(self.record) }.serialize(to)
    }
}

/// The catalog.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(transparent)]
pub struct Catalog<'a>(pub &'a [Listed]);

/// Makes reports of results: each by the functions that write it.
macro_rules! reports {
    ($($result:ty: |$it:ident, $style:ident| $table:expr, $markdown:expr, $csv:expr;)*) => {
        $(impl Report for $result {
            fn table(&self, $style: Style) -> String {
                let $it = self;
                $table
            }
            fn markdown(&self, $style: Style) -> String {
                let ($it, _) = (self, $style);
                $markdown
            }
            fn csv(&self, $style: Style) -> String {
                let ($it, _) = (self, $style);
                $csv
            }
        })*
    };
}

reports! {
    Record: |it, style| survey::survey(it, style), markdown::survey(it), csv::clocks(&it.clocks);
    Findings<'_>: |it, style| survey::doctor(it.record, it.programs, style),
        programs::markdown(it.programs) + &markdown::findings(&it.record.findings),
        if it.programs.is_empty() { csv::findings(&it.record.findings) } else { csv::programs(it.programs) };
    SkewReport: |it, style| skew::skew(it, style.view), skew::markdown(it), csv::skew(&it.clocks);
    SpanReport: |it, style| span::span(it, style.all, style.view), span::markdown(it), csv::span(&it.clocks, style.all);
    FrequencyReport: |it, style| frequency::frequency(it, style.view), frequency::markdown(it), csv::frequency(&it.sources);
    MonitorReport: |it, style| monitor::report(it, style.all, style.view), monitor::markdown(it), csv::looks(&it.clocks);
    Deltas: |it, style| deltas::deltas(it, style.all, style.view), deltas::markdown(it, style.all), csv::deltas(it);
    InterruptionReport: |it, style| interruptions::interruptions(it, style.all, style.view), interruptions::markdown(it),
        csv::interruptions(&it.cpus);
    TimerReport: |it, style| timers::timers(it, style.all, style.view), timers::markdown(it), csv::timers(&it.rows);
    ThreadsReport: |it, style| threads::threads(it, style.all, style.view), threads::markdown(it), csv::threads(&it.clocks);
    RuntimesReport: |it, style| runtimes::runtimes(it, style.view), runtimes::markdown(it), csv::runtimes(&it.runtimes);
    Samples: |it, style| samples::samples(it, style.view), samples::markdown(it), csv::samples(&it.clocks);
    CompareReport: |it, style| compare::compare(it, style.view), compare::markdown(it), compare::csv(&it.comparisons);
    Catalog<'_>: |it, style| list::list(it.0, style), list::markdown(it.0), csv::list(it.0);
    Sweep: |it, style| sweep::sweep(it, style.asked, style.view), sweep::markdown(it, style.asked), csv::sweep(it);
}
