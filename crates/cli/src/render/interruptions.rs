//! Interruptions: a sentence a CPU, where the time went, how long the interruptions were, the longest of them.

use std::fmt::Write;

use clockscope_analysis::record::{Cause, CpuInterruptions, Interruption, InterruptionReport, LengthClass, LostTo};
use clockscope_analysis::text::{count, gather, grouped, time};

use super::findings::traps;
use super::prose::{ending, faint, hanging, heading};
use super::table::{Align, Table};
use super::{View, number, word};

/// Most CPUs that have tables of their own; of more there is one table of all.
const EACH: usize = 4;
/// Of the longest interruptions, and of the kinds of interrupts, that are shown.
const LONGEST: usize = 5;

const LEGEND: &str = "Away: two adjacent reads of the clock were farther apart than the limit. What was measured in ns (waiting for \
                      a CPU, throttling, steal) is shared out by its measure; the rest of each goes to the first event counted. \
                      Times: interruptions of which the cause took the largest part; -: it only had a part in others.";

/// For a terminal; `all`: tables for each CPU, however many.
pub fn interruptions(report: &InterruptionReport, all: bool, view: View) -> String {
    let mut out = String::new();
    let each = all || report.cpus.len() <= EACH;
    if !each {
        out.push_str(&by_cpu(&report.cpus).shown(view));
    }
    for (at, cpu) in report.cpus.iter().filter(|_| each).enumerate() {
        if at > 0 {
            out.push('\n');
        }
        let style = view.strong();
        let said = hanging(view, "", 2, &summary(cpu));
        let (name, rest) = said.split_at(said.find(':').unwrap_or(0));
        let _ = write!(out, "{style}{name}{style:#}{rest}");
        if cpu.count > 0 {
            out.push('\n');
            out.push_str(&causes(cpu).shown(view));
            out.push_str(&heading(view, "By length"));
            out.push_str(&lengths(cpu).shown(view));
        }
    }
    let longest = longest(report, LONGEST);
    if !longest.is_empty() {
        out.push_str(&heading(view, "The longest"));
        out.push_str(&events(&longest).shown(view));
        out.push('\n');
    }
    out.extend(kinds(report, each).iter().map(|line| hanging(view, "", 2, line)));
    out.extend(reasons(report, each).iter().map(|reason| hanging(view, "", 2, reason)));
    if !longest.is_empty() {
        out.push_str(&faint(view, LEGEND));
    }
    out.push_str(&traps(&report.findings, all, view));
    out + &ending(view, &report.notes, report.interrupted)
}

/// For a page.
pub fn markdown(report: &InterruptionReport) -> String {
    let mut out = String::from("# Interruptions\n\n");
    if report.cpus.len() > 1 {
        let _ = writeln!(out, "{}", by_cpu(&report.cpus).markdown());
    }
    for cpu in &report.cpus {
        let _ = writeln!(out, "{}\n", super::table::escape(&summary(cpu)));
        if cpu.count > 0 {
            let _ = writeln!(out, "{}\n{}", causes(cpu).markdown(), lengths(cpu).markdown());
        }
    }
    let longest = longest(report, LONGEST);
    if !longest.is_empty() {
        let _ = writeln!(out, "The longest:\n\n{}", events(&longest).markdown());
    }
    for line in kinds(report, true).iter().chain(&reasons(report, true)) {
        let _ = writeln!(out, "{}\n", super::table::escape(line));
    }
    let _ = writeln!(out, "{LEGEND} Nanoseconds by `{}`.", report.reference);
    out + &super::markdown::traps(&report.findings)
}

/// What is to be known first.
fn summary(cpu: &CpuInterruptions) -> String {
    let name = format!("CPU {}", cpu.cpu);
    let limit = time(cpu.longer_than_ns);
    let Some((share, per_s)) = cpu.lost_share.zip(cpu.per_s) else {
        let why = cpu.missing.get("lost_share").map_or("it was not watched", String::as_str);
        return format!("{name}: nothing is known of the time that it was away: {why}.");
    };
    let watched = time(cpu.seen_ns + cpu.lost_ns);
    let Some(longest) = cpu.longest.first() else {
        return format!("{name}: never away for more than {limit} in {watched}.");
    };
    let mut text = format!(
        "{name}: away for {} of the time, {} of {watched} watched, in {}, {} a second. The longest took {}: {}.",
        number::percent(share),
        time(cpu.lost_ns),
        count(cpu.count, "interruption"),
        number::rough(per_s),
        time(longest.length_ns),
        name_of(longest.cause),
    );
    if let Some(most) = cpu.causes.first() {
        let _ = write!(text, " Most of the time lost, {}: {}.", number::percent(most.share), name_of(most.cause));
    }
    text
}

/// What a cause is, in words.
fn name_of(cause: Cause) -> &'static str {
    match cause {
        Cause::Suspend => "the machine slept",
        Cause::Throttled => "the cgroup's CPU quota was used up",
        Cause::Preempted => "the scheduler ran something else",
        Cause::Stopped => "the process was stopped by a signal",
        Cause::Blocked => "the thread was made to wait (freezer, debugger, a kernel's lock)",
        Cause::PageFault => "page faults",
        Cause::Stolen => "the hypervisor took the CPU",
        Cause::Migrated => "it was moved to another CPU",
        Cause::Interrupt => "interrupts",
        Cause::Unknown => "no counter of the kernel shows why",
    }
}

fn by_cpu(cpus: &[CpuInterruptions]) -> Table<&CpuInterruptions> {
    let right = Align::Right;
    Table::of(cpus)
        .column("CPU", "", right, 0, |cpu| cpu.cpu.to_string())
        .column("Away", "", right, 1, |cpu| cpu.lost_share.map(number::percent))
        .column("Longest", "", right, 1, |cpu| cpu.longest_ns.map(time))
        .column("A second", "", right, 2, |cpu| cpu.per_s.map(number::rough))
        .column("Most by", "", Align::Left, 3, |cpu| cpu.causes.first().map(|most| word(most.cause)))
        .column("Median", "", right, 4, |cpu| cpu.median_ns.map(|median| time(median.value)))
        .column("p99", "", right, 5, |cpu| cpu.p99_ns.map(|p99| time(p99.value)))
        .column("Times", "", right, 6, |cpu| grouped(cpu.count))
}

fn causes(cpu: &CpuInterruptions) -> Table<&LostTo> {
    let right = Align::Right;
    Table::of(&cpu.causes)
        .column("Cause", "", Align::Left, 0, |to| word(to.cause))
        .column("Lost", "", right, 1, |to| time(to.lost_ns))
        .column("Share", "", right, 2, |to| number::percent(to.share))
        .column("Times", "", right, 3, |to| (to.count > 0).then(|| grouped(to.count)))
        .column("Longest", "", right, 4, |to| to.longest_ns.map(time))
        .column("Median", "", right, 5, |to| to.median_ns.map(time))
}

fn lengths(cpu: &CpuInterruptions) -> Table<&LengthClass> {
    let right = Align::Right;
    Table::of(&cpu.lengths)
        .column("From", "", right, 0, |class| time(class.from_ns.max(cpu.longer_than_ns)))
        .column("Times", "", right, 1, |class| grouped(class.count))
        .column("Lost", "", right, 2, |class| time(class.lost_ns))
}

/// The longest of all CPUs.
fn longest(report: &InterruptionReport, most: usize) -> Vec<(u32, &Interruption)> {
    let of = |cpu: &'_ CpuInterruptions| cpu.cpu;
    let mut all: Vec<(u32, &Interruption)> =
        report.cpus.iter().flat_map(|cpu| cpu.longest.iter().map(move |event| (of(cpu), event))).collect();
    all.sort_by(|(_, a), (_, b)| b.length_ns.total_cmp(&a.length_ns));
    all.truncate(most);
    all
}

fn events<'a>(events: &[(u32, &'a Interruption)]) -> Table<(u32, &'a Interruption)> {
    let right = Align::Right;
    // The date is that of the run.
    let of_day = |event: &Interruption| event.time.as_ref().and_then(|time| time.get(11..23).map(str::to_owned));
    Table::of(events.iter().copied())
        .column("Took", "", right, 0, |(_, event)| time(event.length_ns))
        .column("Cause", "", Align::Left, 1, |(_, event)| shares(event))
        .column("UTC", "", Align::Left, 2, |(_, event)| of_day(event))
        .column("CPU", "", right, 3, |(cpu, _)| cpu.to_string())
}

/// An interruption's causes, the principal one first: `preempted, stolen 20 %`.
fn shares(event: &Interruption) -> String {
    let others =
        event.by_cause_ns.iter().filter(|(cause, ns)| **cause != event.cause && **ns >= 0.05 * event.length_ns);
    let others = others.map(|(cause, ns)| format!(", {} {:.0} %", word(cause), 100.0 * ns / event.length_ns));
    word(event.cause) + &others.collect::<String>()
}

/// What the CPUs' interrupts are for, the most frequent first.
fn kinds(report: &InterruptionReport, each: bool) -> Vec<String> {
    let of = |cpu: &CpuInterruptions| {
        let mut kinds: Vec<(&String, f64)> = cpu.interrupts_per_s.iter().map(|(name, rate)| (name, *rate)).collect();
        kinds.sort_by(|(_, a), (_, b)| b.total_cmp(a));
        let said: Vec<String> =
            kinds.iter().take(LONGEST).map(|(name, rate)| format!("{} {name}", number::rough(*rate))).collect();
        (!said.is_empty()).then(|| format!("Interrupts a second on CPU {}: {}.", cpu.cpu, said.join(", ")))
    };
    report.cpus.iter().filter(|_| each).filter_map(of).collect()
}

/// What could not be obtained, the same reason once.
fn reasons(report: &InterruptionReport, each: bool) -> Vec<String> {
    let mut said: Vec<(String, Vec<String>)> = Vec::new();
    for cpu in &report.cpus {
        // Why nothing is known of a CPU stands in its sentence, if it has one.
        for (_, why) in
            cpu.missing.iter().filter(|(field, _)| !each || !["lost_share", "per_s"].contains(&field.as_str()))
        {
            gather(&mut said, why.clone(), format!("CPU {}", cpu.cpu));
        }
    }
    said.into_iter().map(|(why, cpus)| format!("{}: {why}.", clockscope_analysis::text::shortened(&cpus, 3))).collect()
}
