//! The lists of phases, and how one is gone through.

use clockscope_analysis::analyze::Analysis;
use clockscope_analysis::trace::{Observation, Task};

use super::phase::Phase;
use super::{
    PHASES, calibration, choose, differences, frequency, interruptions, monitor, quantum, skew, span, threads, timers,
};
use crate::session::{Choice, Error, Observer, Options, Readable, Session, open};

/// A kind of run.
pub struct Plan {
    /// What the trace says of the run that made it.
    pub task: Task,
    pub(super) choice: Choice,
    pub(super) phases: &'static [Phase],
}

/// The survey: cost, quantum, faults, skew of every clock.
pub const SURVEY: Plan = Plan { task: Task::Survey, choice: choose::all, phases: PHASES };

/// The comparison of all CPUs.
pub const SKEW: Plan = Plan {
    task: Task::Skew,
    choice: choose::shared,
    phases: &[calibration::PHASE, quantum::BRIEF, skew::ALL_CPUS, calibration::AGAIN],
};

/// The watch over clocks, for as long as it is asked for.
pub const MONITOR: Plan = Plan {
    task: Task::Monitor,
    choice: choose::watched,
    phases: &[calibration::PHASE, quantum::BRIEF, monitor::PHASE],
};

/// The differences of one clock's adjacent reads.
pub const DELTAS: Plan =
    Plan { task: Task::Deltas, choice: choose::one, phases: &[calibration::PHASE, differences::PHASE] };

/// The shortest intervals that clocks can time.
pub const SPAN: Plan = Plan {
    task: Task::Span,
    choice: choose::timing,
    phases: &[calibration::PHASE, quantum::BRIEF, span::CHAINS, span::EMPTY, calibration::AGAIN],
};

/// What every source says of the counter's frequency, and ours.
pub const FREQUENCY: Plan = Plan {
    task: Task::Frequency,
    choice: choose::beside_counter,
    phases: &[calibration::PHASE, quantum::BRIEF, frequency::PHASE],
};

/// The watch of CPUs for times in which they are taken away.
pub const INTERRUPTIONS: Plan = Plan {
    task: Task::Interruptions,
    choice: choose::none,
    phases: &[calibration::PHASE, interruptions::PHASE, calibration::AGAIN],
};

/// What sleeps and timers deliver.
pub const TIMERS: Plan = Plan { task: Task::Timers, choice: choose::none, phases: &[timers::PHASE] };

/// Threads that read at once.
pub const THREADS: Plan = Plan {
    task: Task::Threads,
    choice: choose::usual,
    phases: &[calibration::PHASE, quantum::BRIEF, threads::PHASE, calibration::AGAIN],
};

/// Goes through a plan. Whatever happens on the way, what was measured is in the analysis.
pub fn run(plan: &Plan, options: &Options, observer: &mut dyn Observer) -> Result<Analysis, Error> {
    let session = open(plan.task, plan.choice, Readable::new(), options, observer)?;
    through(plan, session)
}

/// Goes through a plan with a session that is open.
pub(super) fn through(plan: &Plan, mut session: Session) -> Result<Analysis, Error> {
    for phase in plan.phases {
        let until_ns = phase.until * session.options.time_ns();
        (phase.run)(&mut session, until_ns);
        if phase.settles {
            if std::mem::take(&mut session.source_changed) {
                calibration::quanta_of_timers(&mut session, until_ns);
            }
            calibration::await_edges(&mut session, 1);
            session.note(&Observation::Settle);
            if let Some(why) = session.analysis.refusal() {
                return Err(Error::Machine(why));
            }
            session.look_now(true);
        }
    }
    Ok(session.end())
}
