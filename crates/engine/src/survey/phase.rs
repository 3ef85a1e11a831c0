//! What a phase is.

use crate::session::Session;

pub(super) struct Phase {
    /// By which share of the run's time it is to be over.
    pub(super) until: f64,
    /// Its loop; told the end, ns since the start.
    pub(super) run: fn(&mut Session, until_ns: f64),
    /// Whether everything that is known of ticks and rates is reckoned anew after it, and all clocks are looked at.
    pub(super) settles: bool,
}

/// All clocks of the run in turn, each for an even share, ns, of the time that is left, until a wish to stop.
pub(super) fn in_turn(
    session: &mut Session,
    until_ns: f64,
    name: &str,
    mut each: impl FnMut(&mut Session, usize, f64),
) {
    let clocks = session.surveyed();
    for (at, &clock) in clocks.iter().enumerate() {
        if session.stop() {
            return;
        }
        session.progress(name);
        let left = clocks.len() - at;
        let slot = ((until_ns - session.elapsed_ns()) / left as f64).max(1e6);
        each(session, clock, slot);
    }
}
