//! What decides how late sleeps end: said once, with its evidence and what can be done.

use super::{EXACT, FUTEX, WITH_SLACK, WITHOUT_SLACK};
use crate::analyze::stats::{median, sort};
use crate::record::{TimerCause, TimerPart, TimerReport, TimerRow};
use crate::text::{list, time};

/// A part is worth a line where it is this share of the lateness of the rows that have it.
const SHARE: f64 = 0.2;

/// The causes, the largest first.
pub(super) fn causes(report: &TimerReport) -> Vec<TimerCause> {
    let mut causes: Vec<TimerCause> =
        [unit(report), slack(report), share(report), tick(report), wake_up(report)].into_iter().flatten().collect();
    causes.sort_by(|a, b| b.ns.total_cmp(&a.ns));
    causes
}

/// The rows of which a part is a good share, and the median of that part, ns.
fn rows_of(report: &TimerReport, part: TimerPart) -> Option<(Vec<&TimerRow>, f64)> {
    let is_large = |row: &&TimerRow| {
        let of = row.parts_ns.get(&part).copied().unwrap_or(0.0);
        of > 0.0 && of >= SHARE * row.parts_ns.values().sum::<f64>()
    };
    let rows: Vec<&TimerRow> = report.rows.iter().filter(is_large).collect();
    let mut sizes: Vec<f64> = rows.iter().filter_map(|row| row.parts_ns.get(&part).copied()).collect();
    sort(&mut sizes);
    Some((rows, median(&sizes)?))
}

/// The ways of some rows, each once.
fn ways(rows: &[&TimerRow]) -> Vec<String> {
    let mut ways: Vec<String> = Vec::new();
    for row in rows {
        if row.way != WITHOUT_SLACK && !ways.contains(&row.way) {
            ways.push(row.way.clone());
        }
    }
    ways
}

fn unit(report: &TimerReport) -> Option<TimerCause> {
    let (rows, ns) = rows_of(report, TimerPart::Unit)?;
    Some(TimerCause {
        part: TimerPart::Unit,
        ns,
        what: format!("{} round up to the unit that they count in, as a whole millisecond", list(&ways(&rows))),
        fix: Some("take epoll_pwait2, ppoll or a timerfd".into()),
    })
}

fn slack(report: &TimerReport) -> Option<TimerCause> {
    let stated = report.slack_ns?;
    let (mut rows, _) = rows_of(report, TimerPart::Slack)?;
    rows.retain(|row| row.parts_ns.get(&TimerPart::Slack).is_some_and(|ns| *ns <= stated));
    let evidence = match report.slack_measured_ns {
        Some(measured) if measured.low > 0.0 => {
            format!("; without it they end {} earlier, as measured", time(measured.value))
        }
        Some(_) => "; without it they end no earlier here that chance would not explain".into(),
        None => String::new(),
    };
    let has_row = rows.iter().any(|row| [WITH_SLACK, FUTEX].contains(&row.way.as_str()));
    (!rows.is_empty()).then(|| TimerCause {
        part: TimerPart::Slack,
        ns: stated,
        what: format!(
            "up to {} of every sleep are this thread's timer slack ({}){evidence}",
            time(stated),
            list(&ways(&rows))
        ),
        fix: has_row.then(|| {
            format!(
                "prctl(PR_SET_TIMERSLACK, 1) removes it; {EXACT} has none, nor has a realtime policy (but for {FUTEX} before \
                 Linux 6.12)"
            )
        }),
    })
}

/// Of long lengths more.
fn share(report: &TimerReport) -> Option<TimerCause> {
    let (mut rows, _) = rows_of(report, TimerPart::Slack)?;
    rows.retain(|row| row.parts_ns.get(&TimerPart::Slack) > report.slack_ns.as_ref());
    let ns = rows.iter().filter_map(|row| row.parts_ns.get(&TimerPart::Slack).copied()).reduce(f64::max)?;
    Some(TimerCause {
        part: TimerPart::Slack,
        ns,
        what: format!(
            "{} may be put off by 0.1 % of the length (0.5 % with a positive nice value)",
            list(&ways(&rows))
        ),
        fix: Some(format!("take {EXACT}, or a realtime policy")),
    })
}

fn tick(report: &TimerReport) -> Option<TimerCause> {
    let (_, ns) = rows_of(report, TimerPart::Tick)?;
    let tick = report.tick_ns.map_or_else(String::new, |ns| format!(", each {}", time(ns)));
    Some(TimerCause {
        part: TimerPart::Tick,
        ns,
        what: format!("timers end with the kernel's tick{tick}: there are no high-resolution timers"),
        fix: Some("boot without highres=off, with a clocksource that is fit for them (clockscope doctor)".into()),
    })
}

fn wake_up(report: &TimerReport) -> Option<TimerCause> {
    let (rows, _) = rows_of(report, TimerPart::WakeUp)?;
    let exact = rows.iter().filter(|row| row.way == EXACT);
    let late: Vec<(f64, f64)> = exact.filter_map(|row| row.asked_ns.zip(Some(row.late_ns?.value))).collect();
    let by_late = |a: &&(f64, f64), b: &&(f64, f64)| a.1.total_cmp(&b.1);
    let (least, most) = (late.iter().min_by(by_late)?, late.iter().max_by(by_late)?);
    let mut sorted: Vec<f64> = late.iter().map(|(_, ns)| *ns).collect();
    sort(&mut sorted);
    let after =
        |(asked_ns, late_ns): &(f64, f64), asleep| format!("{} after {}{asleep}", time(*late_ns), time(*asked_ns));
    let longest = if least.0 == most.0 { String::new() } else { format!(" and {}", after(most, "")) };
    Some(TimerCause {
        part: TimerPart::WakeUp,
        ns: median(&sorted)?,
        what: format!(
            "waking up takes {}{longest}: the timer's interrupt, leaving an idle state, the scheduler, and a guest's hypervisor \
             ({EXACT}, which is never put off)",
            after(least, " asleep")
        ),
        fix: None,
    })
}
