//! CSV: one row a clock, the record's field names joined by underscores, so that each keeps its unit.

use clockscope_analysis::record::{
    Cause, Clock, ClockSpans, CpuInterruptions, Deltas, Finding, FrequencySource, MonitorRow, Monitored, ProgramAdvice,
    RuntimeFound, SampledClock, Skew, Sweep, SweepSource, ThreadsClock, TimerRow,
};
use clockscope_engine::session::Listed;
use serde::Serialize;
use serde_json::Value;

use crate::tables::{CLOCK, FINDING, PAIR, find, text};

/// What a sweep's rows have before the clock's own columns.
const SOURCE: &str = "clocksource timer timer_tick_ns timer_tick_source left_for not_measured";

/// A runtime's clock, after the runtime's name and version.
const OF_RUNTIME: &str = "label beneath_clock beneath_call beneath_by beneath_matched beneath_of unit_ns cost_ns_median cost_ns_low \
                          cost_ns_high cost_ns_min cost_ns_batches tick_ns_smallest_step tick_ns_quantum tick_ns_quantum_low \
                          tick_ns_quantum_high tick_ns_method tick_ns_readings samples monotonic stalls_count \
                          stalls_longest_reads backward_count backward_largest_ns longest_gap_ns claims missing for_intervals";
/// A program's clock; what is to be set is the program's, and in JSON.
const PROGRAM: &str = "api versions purpose clock path cost_ns_value cost_ns_low cost_ns_high resolution_ns_value \
                       resolution_ns_low resolution_ns_high resolution_at_most_ns unit_ns agrees findings evidence because rule \
                       source missing";

const SPANS: &str = "within mean_of subtracted ns low high by";
const POINT: &str = "length_ns length_off_ns timings bias_ns low_ns high_ns p95_ns p95_subtracted_ns sd_ns";
const CPU: &str = "cpu longer_than_ns read_ns seen_ns lost_ns looking_ns lost_share count per_s median_ns_value median_ns_low \
                   median_ns_high p99_ns_value p99_ns_low p99_ns_high p999_ns_value p999_ns_low p999_ns_high longest_ns \
                   interrupts_per_s missing";
const SAMPLES: &str = "label unit_ns samples tick_ns_quantum tick_ns_quantum_low tick_ns_quantum_high tick_ns_method \
                       tick_ns_smallest_step monotonic stalls_count stalls_longest_reads backward_count backward_largest_ns \
                       longest_gap_ns cost_ns_median cost_ns_low cost_ns_high values_count values_mean values_std values_min \
                       values_q25_value values_q25_low values_q25_high values_q50_value values_q50_low values_q50_high \
                       values_q75_value values_q75_low values_q75_high values_max differences_ns_count differences_ns_mean \
                       differences_ns_std differences_ns_min differences_ns_q25_value differences_ns_q25_low \
                       differences_ns_q25_high differences_ns_q50_value differences_ns_q50_low differences_ns_q50_high \
                       differences_ns_q75_value differences_ns_q75_low differences_ns_q75_high differences_ns_max \
                       values_exact_min values_exact_max claims missing";
/// What stands before the figures of threads.
const WHOSE: &str = "clock threads thread";
const OF_THREADS: &str = "cpu observations min_ns median_ns mean_ns sd_ns p99_ns p999_ns max_ns median_counts observed_ns sum_ns \
                          between_ns looking_ns failed_reads went_back went_back_largest_ns migrations retries tail_over_ns \
                          tail_pairs tail_ns tail_shares tail_not_looked_share missing";
/// A look's row of a clock; its events in one cell.
const LOOK: &str = "at_s clock gained_ns gained_low_ns gained_high_ns rate_ppm rate_low_ppm rate_high_ppm whole_ppm whole_low_ppm \
                    whole_high_ppm faults interruptions late_ns ntp";

/// One line: the names of a look's columns.
pub fn look_header_line() -> String {
    line(LOOK.split(' ').chain(["events"]))
}

/// One line: a clock at a look.
pub fn look_line(look: &MonitorRow) -> String {
    let events: Vec<String> = look.events.iter().map(super::looks::event).collect();
    line(row(look, LOOK).into_iter().chain([events.join("; ")]))
}

/// The last look at each clock of a watch.
pub fn looks(clocks: &[Monitored]) -> String {
    look_header_line() + &clocks.iter().filter_map(|clock| clock.last.as_ref()).map(look_line).collect::<String>()
}

/// One line: the columns' names.
pub fn header_line() -> String {
    line(CLOCK.split(' '))
}

/// One line: a clock's row.
pub fn clock_line(clock: &Clock) -> String {
    line(row(clock, CLOCK))
}

/// Header and rows of all clocks.
pub fn clocks(clocks: &[Clock]) -> String {
    rows(CLOCK, clocks)
}

/// One line: the names of a sweep's columns.
pub fn sweep_header_line() -> String {
    line(SOURCE.split(' ').chain(CLOCK.split(' ')))
}

/// The rows of one clocksource: one a clock, or one that says why there is none.
pub fn sweep_lines(source: &SweepSource) -> String {
    let tick = source.tick_ns.as_ref();
    let head = [
        source.clocksource.clone(),
        source.timer.clone().unwrap_or_default(),
        tick.map(|tick| tick.value.to_string()).unwrap_or_default(),
        tick.map(|tick| tick.source.clone()).unwrap_or_default(),
        source.left_for.clone().unwrap_or_default(),
        source.missing.get("record").cloned().unwrap_or_default(),
    ];
    let whole = |cells: Vec<String>| line(head.iter().cloned().chain(cells));
    let clocks = source.record.as_ref().map(|record| record.clocks.as_slice()).unwrap_or_default();
    if clocks.is_empty() {
        return whole(row(&Value::Null, CLOCK));
    }
    clocks.iter().map(|clock| whole(row(clock, CLOCK))).collect()
}

/// Header and rows of all clocksources.
pub fn sweep(sweep: &Sweep) -> String {
    sweep.sources.iter().fold(sweep_header_line(), |text, source| text + &sweep_lines(source))
}

/// The catalog, one row a clock.
pub fn list(list: &[Listed]) -> String {
    rows("id api kind path reported_ns reason", list)
}

/// The findings, one row each.
pub fn findings(findings: &[Finding]) -> String {
    rows(FINDING, findings)
}

/// The histogram, one row a distinct difference.
pub fn deltas(deltas: &Deltas) -> String {
    of_clock("counts time_ns count", deltas.rows.iter().map(|row| (deltas.clock.as_str(), row)))
}

/// Interruptions, one row a CPU; its causes with the time lost to each in one column, and each in its own at the end.
pub fn interruptions(cpus: &[CpuInterruptions]) -> String {
    let of = |cause: &Cause| format!("lost_ns_{}", super::word(cause).replace('-', "_"));
    let own: Vec<String> = Cause::ALL.iter().map(of).collect();
    let head = std::iter::once("lost_ns_by_cause").chain(CPU.split(' ')).chain(own.iter().map(String::as_str));
    cpus.iter().fold(line(head), |text, cpu| {
        let causes: Vec<String> =
            cpu.causes.iter().map(|to| format!("{}: {}", super::word(to.cause), to.lost_ns)).collect();
        // Of a CPU that was not watched nothing is known, else what is not named took nothing.
        let lost = |cause: &Cause| {
            let of = cpu.causes.iter().find(|to| to.cause == *cause).map_or(0.0, |to| to.lost_ns);
            cpu.lost_share.map(|_| of.to_string()).unwrap_or_default()
        };
        text + &line(std::iter::once(causes.join("; ")).chain(row(cpu, CPU)).chain(Cause::ALL.iter().map(lost)))
    })
}

/// Sleeps, one row a way and length.
pub fn timers(sleeps: &[TimerRow]) -> String {
    rows(
        "way api asked_ns passed_ns count early earliest_ns late_ns_value late_ns_low late_ns_high late_min_ns late_p99_ns_value \
         late_p99_ns_low late_p99_ns_high late_max_ns parts_ns",
        sleeps,
    )
}

/// Samples, one row a label.
pub fn samples(clocks: &[SampledClock]) -> String {
    rows(SAMPLES, clocks)
}

/// What programs take, one row a program and clock.
pub fn programs(programs: &[ProgramAdvice]) -> String {
    let head = line(std::iter::once("program").chain(PROGRAM.split(' ')));
    programs.iter().fold(head, |text, program| {
        let of = |clock| line(std::iter::once(super::word(program.program)).chain(row(clock, PROGRAM)));
        text + &program.clocks.iter().map(of).collect::<String>()
    })
}

/// Skew, one row a clock and pair of CPUs.
pub fn skew(clocks: &[Skew]) -> String {
    let pairs = clocks.iter().flat_map(|of| of.pairs.iter().map(|pair| (of.clock.as_str(), pair)));
    of_clock(PAIR, pairs)
}

/// The shortest intervals, one row a clock, share and mean; with `curves` the error by length instead, one row a length.
pub fn span(clocks: &[ClockSpans], curves: bool) -> String {
    if curves {
        of_clock(POINT, clocks.iter().flat_map(|clock| clock.curve.iter().map(|point| (clock.clock.as_str(), point))))
    } else {
        of_clock(SPANS, clocks.iter().flat_map(|clock| clock.spans.iter().map(|span| (clock.clock.as_str(), span))))
    }
}

/// Sources of the counter's frequency, one row each.
pub fn frequency(sources: &[FrequencySource]) -> String {
    rows(
        "source origin hz_value hz_low hz_high off_ppm_value off_ppm_low off_ppm_high step_hz cut_to_hz of_the_counter by_page steered \
         readings provenance",
        sources,
    )
}

/// Clocks of language runtimes, one row a clock; one without a clock for a runtime that has none, with the reason.
pub fn runtimes(runtimes: &[RuntimeFound]) -> String {
    let whose = ["runtime", "version", "runtime_missing"];
    let mut out = line(whose.into_iter().chain(OF_RUNTIME.split(' ')));
    for found in runtimes {
        let whose = || {
            [Some(&found.name), found.version.as_ref(), found.missing.as_ref()]
                .map(|it| it.cloned().unwrap_or_default())
        };
        if found.clocks.is_empty() {
            out.push_str(&line(whose().into_iter().chain(row(&Value::Null, OF_RUNTIME))));
        }
        for clock in &found.clocks {
            out.push_str(&line(whose().into_iter().chain(row(clock, OF_RUNTIME))));
        }
    }
    out
}

/// Threads that read at once: for each clock and number of them a row of all, without a thread's number, and one a thread.
pub fn threads(clocks: &[ThreadsClock]) -> String {
    let mut out = line(WHOSE.split(' ').chain(OF_THREADS.split(' ')));
    for clock in clocks {
        for crowd in &clock.crowds {
            let whose = |thread: String| [clock.clock.clone(), crowd.threads.to_string(), thread];
            out.push_str(&line(whose(String::new()).into_iter().chain(row(crowd, OF_THREADS))));
            for thread in &crowd.rows {
                out.push_str(&line(whose(thread.thread.to_string()).into_iter().chain(row(thread, OF_THREADS))));
            }
        }
    }
    out
}

/// Header and one row each.
fn rows<T: Serialize>(columns: &str, values: &[T]) -> String {
    values.iter().fold(line(columns.split(' ')), |text, value| text + &line(row(value, columns)))
}

/// Header and one row each, the clock's id before the columns.
fn of_clock<'a, T: Serialize + 'a>(columns: &str, rows: impl Iterator<Item = (&'a str, &'a T)>) -> String {
    let head = line(std::iter::once("clock").chain(columns.split(' ')));
    rows.fold(head, |text, (clock, value)| text + &line(std::iter::once(clock.to_owned()).chain(row(value, columns))))
}

/// The cells of these columns; empty where the record has `null`.
pub(super) fn row<T: Serialize>(value: &T, columns: &str) -> Vec<String> {
    let value = serde_json::to_value(value).unwrap_or_default();
    columns.split(' ').map(|name| find(&value, name).map(text).unwrap_or_default()).collect()
}

/// One quoted line. Writing to memory can't fail, so neither does this.
pub fn line<T: AsRef<[u8]>>(cells: impl IntoIterator<Item = T>) -> String {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    let written = writer.write_record(cells).and_then(|()| Ok(writer.flush()?));
    debug_assert!(written.is_ok());
    let bytes = writer.into_inner().unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}
