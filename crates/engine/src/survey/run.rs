//! The lists of phases, and how one is gone through.

use clockscope_analysis::analyze::Analysis;
use clockscope_analysis::trace::{Observation, Task};

use super::phase::Phase;
use super::{PHASES, calibration, choose, differences, quantum, skew};
use crate::session::{Choice, Error, Observer, Options, Readable, Session, open};

/// A kind of run.
pub struct Plan {
    task: Task,
    choice: Choice,
    phases: &'static [Phase],
}

impl Plan {
    /// A run that is about the clocks of that choice, and goes through those phases.
    pub(super) const fn new(task: Task, choice: Choice, phases: &'static [Phase]) -> Self {
        Self { task, choice, phases }
    }
}

/// The survey: cost, quantum, faults, skew of every clock.
pub const SURVEY: Plan = Plan::new(Task::Survey, choose::all, PHASES);

/// The comparison of all CPUs.
pub const SKEW: Plan =
    Plan::new(Task::Skew, choose::shared, &[calibration::PHASE, quantum::BRIEF, skew::ALL_CPUS, calibration::AGAIN]);

/// The differences of one clock's adjacent reads.
pub const DELTAS: Plan = Plan::new(Task::Deltas, choose::one, &[calibration::PHASE, differences::PHASE]);

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
            calibration::await_edges(&mut session, 1);
            session.note(&Observation::Settle);
            settled(&session)?;
            session.look_now(true);
        }
    }
    Ok(session.end())
}

/// An error where reference and witness agree on no rate: no figure in ns would mean anything.
fn settled(session: &Session) -> Result<(), Error> {
    if session.analysis.is_settled() {
        return Ok(());
    }
    let header = session.analysis.header();
    let id = |clock: usize| &header.clocks[clock].id;
    Err(Error::Machine(format!(
        "'{}' does not keep step with '{}': no figure in nanoseconds would mean anything; take another reference with --ref",
        id(header.reference),
        id(header.witness)
    )))
}
