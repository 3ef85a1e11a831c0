//! How the kernel's clock ran beside the run's witness from one look to the next: kept, slewed, or not as either could;
//! and when it became another source's.

use super::analysis::Analysis;
use super::faults::KERNEL_SLEW;
use super::keeping::{Change, Moment};
use crate::record::Interval;
use crate::trace::{Bracketed, Look};

/// Most contradictions that are kept one by one.
const MOST: usize = 256;

/// What the looks tell.
#[derive(Debug, Clone, Default)]
pub(super) struct Course {
    last: Option<(Bracketed, Moment)>,
    contradictions: Vec<Change>,
    /// The last look.
    looked: Moment,
    /// When the old clocksource was last seen; the look that follows tells when the new one was.
    switched: Option<Moment>,
    switches: Vec<Change>,
}

impl Course {
    /// One more look: between which rates, in ns of the kernel's clock a ns of the witness, the kernel's clock ran since the
    /// last one, as far as the brackets and its quantum tell. `None` where there was none, or where the two contradict each
    /// other: by more than a kernel slews its clock, so that one of them jumped.
    pub(super) fn look(&mut self, now: Bracketed, at: Moment, witness_ns: f64, quantum_ns: f64) -> Option<[f64; 2]> {
        let (last, from) = self.last.replace((now, at))?;
        let passed = |from: u64, to: u64| to.wrapping_sub(from) as i64 as f64 * witness_ns;
        let (shortest, longest) = (passed(last.after, now.before), passed(last.before, now.after));
        let advance = now.value.wrapping_sub(last.value) as i64 as f64;
        let rates = [(advance - quantum_ns) / longest, (advance + quantum_ns) / shortest];
        if shortest > 0.0 && rates[0] <= 1.0 + KERNEL_SLEW && rates[1] >= 1.0 - KERNEL_SLEW {
            return Some([rates[0].max(1.0 - KERNEL_SLEW), rates[1].min(1.0 + KERNEL_SLEW)]);
        }
        if self.contradictions.len() < MOST {
            self.contradictions.push(Change { size: Interval::exactly(0.0), from, to: at });
        }
        None
    }

    /// Another clocksource: nothing is compared with what was.
    pub(super) fn forget(&mut self) {
        self.last = None;
        self.switched.get_or_insert(self.looked);
    }

    /// A look was made then.
    fn looked(&mut self, at: Moment) {
        if let Some(from) = self.switched.take()
            && self.switches.len() < MOST
        {
            self.switches.push(Change { size: Interval::exactly(0.0), from, to: at });
        }
        self.looked = at;
    }

    /// Between which looks the witness and the kernel's clock contradict each other.
    pub(super) fn contradictions(&self) -> &[Change] {
        &self.contradictions
    }

    /// Between which looks the kernel took another clocksource. It reads the old one, then the new one, and goes on from there
    /// (kernel/time/timekeeping.c, change_clocksource): the time in between is lost, and what was judged before the new one was
    /// seen was judged by the old one's rate.
    pub(super) fn switches(&self) -> &[Change] {
        &self.switches
    }
}

impl Analysis {
    /// Of the two clocks that the kernel's slew moves apart, the one is judged by the other.
    pub(super) fn course(&mut self, look: &Look, at: Moment) {
        self.course.looked(at);
        let Some((now, kernel)) = look.beside.zip(self.header.kernel) else { return };
        let quantum_ns = self.timers.quantum(kernel);
        let Some([low, high]) = self.course.look(now, at, self.tick().value, quantum_ns) else { return };
        for clock in 0..self.accounts.len() {
            let is_slewed = |clock: usize| self.header.clocks[clock].promises.slewed;
            let slewed = (is_slewed(clock), is_slewed(self.header.witness_of(clock)));
            let Some(account) = self.at(clock) else { continue };
            match slewed {
                (true, false) => account.slewed([low, high]),
                (false, true) => account.slewed([1.0 / high, 1.0 / low]),
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;
    use crate::record::{Kind, Machine};
    use crate::trace::{
        ClocksourceChange, Description, Header, Observation, Role, Row, Stamp, TRACE_SCHEMA, Task, Tool, Unit,
    };

    fn looks(kernel: impl Fn(u64) -> u64) -> (Course, Vec<Option<[f64; 2]>>) {
        let mut course = Course::default();
        let look = |i: u64| {
            let t = i * 11_000_000;
            let at = Moment { witness_ns: t as f64, kernel_ns: kernel(t) as f64 };
            course.look(Bracketed { before: t, value: kernel(t + 30), after: t + 60 }, at, 1.0, 10.0)
        };
        let found = (0..20).map(look).collect();
        (course, found)
    }

    #[test]
    fn a_slew_is_told_from_a_clock_that_keeps_time_and_from_one_that_jumps() {
        for ppm in [0.0, 62.0, -500.0] {
            let (course, found) = looks(|t| (t as f64 * (1.0 + ppm * 1e-6)) as u64);
            assert!(course.contradictions().is_empty() && found[0].is_none());
            let truth = 1.0 + ppm * 1e-6;
            assert!(found[1..].iter().all(|f| f.is_some_and(|[low, high]| low <= truth && truth <= high)), "{found:?}");
            assert!(found[1..].iter().all(|f| f.is_some_and(|[low, high]| high - low < 15e-6)), "{found:?}");
        }
        let (course, found) = looks(|t| if t > 100_000_000 { t + 1_000_000 } else { t });
        let [jump] = course.contradictions() else { panic!("{:?}", course.contradictions()) };
        assert_eq!((jump.from.witness_ns, jump.to.witness_ns), (99e6, 110e6));
        assert_eq!(found.iter().filter(|f| f.is_none()).count(), 2);
    }

    /// Warps found of a clock that loses 5 µs before row `lost`, of 400 that lie 10 µs apart, with looks after every 100; at the look after row 200 another clocksource is seen, if there is one.
    fn warps(lost: u64, another: bool) -> u64 {
        let clock = |id: &str, kind| Description::new(id, id, kind, Unit::Ns(1.0));
        let header = Header {
            schema: TRACE_SCHEMA.into(),
            tool: Tool::default(),
            task: Task::Survey,
            machine: Machine::default(),
            clocks: vec![clock("tscp", Kind::Counter), clock("monotonic", Kind::Monotonic)],
            surveyed: vec![1],
            unavailable: Vec::new(),
            witness: 0,
            kernel: Some(1),
            reference: 1,
            cpu: None,
            started: None,
            started_at: None,
            id: None,
            seed: 1,
            start: 0,
            kernel_start: Some(0),
        };
        let mut analysis = Analysis::new(header).unwrap();
        let mut random = fastrand::Rng::with_seed(1);
        let mut row = |clock, role, start: u64, reads: u64, shows: &dyn Fn(u64) -> u64| {
            let mut now = start;
            let mut read = |_| {
                now += 20 + random.u64(..50);
                shows(now)
            };
            let values = (0..reads).map(&mut read).collect();
            let [before, after] = [start, now + 20].map(|count| Stamp { count, cpu: None });
            Observation::Row(Cow::Owned(Row { clock, role, before, after, values, ..Row::default() }))
        };
        for clock in [0, 1] {
            for role in [Role::Timer, Role::Dithered] {
                analysis.take(&row(clock, role, 0, 4096, &|now| now));
            }
            analysis.take(&Observation::Turn(clock));
        }
        analysis.take(&Observation::Settle);
        for i in 0..400_u64 {
            let t = 10_000_000 + i * 10_000;
            let late = |now| if i >= lost { now - 5000 } else { now };
            analysis.take(&row(1, Role::Plain, t, 3, &late));
            if i % 100 == 99 {
                let (witness, since) = (t + 5000, t + 5000 - 1_000_000);
                if another && i == 199 {
                    let [from, to] = ["hpet", "tsc"].map(String::from);
                    analysis.take(&Observation::Clocksource(ClocksourceChange { from, to, since, at: witness }));
                }
                // Without the two beside each other, which would contradict each other by the loss.
                let kernel = Some(late(witness));
                analysis.take(&Observation::Look(Look { witness, kernel, beside: None, wall: None, boottime: None }));
            }
        }
        analysis.clocks()[0].warps.count
    }

    #[test]
    fn what_a_clock_loses_while_the_clocksource_changes_is_undecided() {
        assert_eq!((warps(150, true), warps(150, false)), (0, 1));
        assert_eq!(warps(50, true), 1, "before the last look that saw the old one");
    }
}
