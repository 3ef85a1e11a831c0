//! One survey after the other.

use std::collections::BTreeMap;

use super::held::{Held, Restored};
use super::kernel::{Error, Kernel};
use super::plan::Plan;
use super::timer;
use crate::session;
use clockscope_analysis::judge::clocksource::Clocksource;
use clockscope_analysis::record::{Record, SWEEP_SCHEMA, Sweep, SweepSource, Tool};

/// Who makes the surveys.
pub trait Surveyor {
    /// Surveys under `clocksource`, which is the current one, as number `place` (from 0) of the plan.
    fn survey(&mut self, place: usize, clocksource: &str) -> Result<Record, session::Error>;
    /// Whether to stop now.
    fn stopped(&self) -> bool;
    /// One clocksource is done; called before the next one is chosen.
    fn done(&mut self, _source: &SweepSource) {}
}

/// Carries out `plan`. Whatever happens on the way, the clocksource of before comes back, and what was measured is in
/// the result. [`Error::Survey`] where not even the first survey, under the clocksource that was there, could be made;
/// nothing has been changed then.
pub fn run(kernel: &dyn Kernel, plan: &Plan, surveyor: &mut dyn Surveyor) -> Result<Sweep, Error> {
    let mut held = Held::new(kernel, &plan.before);
    let mut sources: Vec<SweepSource> = Vec::new();
    let mut notes = Vec::new();
    let mut interrupted = false;
    for (place, name) in plan.sources().enumerate() {
        interrupted |= surveyor.stopped();
        let record = if interrupted {
            Err("the sweep was stopped before its turn".into())
        } else {
            match measure(&mut held, surveyor, place, name) {
                Err(error @ Error::Survey(_)) if place == 0 => return Err(error),
                measured => measured.map_err(|error| error.to_string()).inspect_err(|why| {
                    notes.push(format!("{name} was not measured: {why}"));
                }),
            }
        };
        let left_for = kernel.current().ok().filter(|now| record.is_ok() && now != name);
        let source = source(name, left_for, record);
        interrupted |= source.record.as_ref().is_some_and(|record| record.run.interrupted);
        if let Some(other) = &source.left_for {
            notes.push(format!(
                "the kernel left {name} for {other} while it was measured, so that its figures are of both; `dmesg | \
                 grep -i clocksource` may say why"
            ));
        }
        surveyor.done(&source);
        sources.push(source);
    }
    let restored = held.release();
    let after = kernel.current().ok();
    notes.extend(said(&restored, &plan.before, after.as_deref()));
    Ok(Sweep {
        schema: SWEEP_SCHEMA.into(),
        tool: Tool { name: "clockscope".into(), version: env!("CARGO_PKG_VERSION").into() },
        before: plan.before.clone(),
        after,
        interrupted,
        notes,
        sources,
    })
}

fn measure(held: &mut Held, surveyor: &mut dyn Surveyor, place: usize, name: &str) -> Result<Record, Error> {
    // The first one is in use already.
    if place > 0 {
        held.change_to(name)?;
    }
    Ok(surveyor.survey(place, name)?)
}

/// What is known of a clocksource, by the survey made under it or without one, for that reason.
fn source(name: &str, left_for: Option<String>, record: Result<Record, String>) -> SweepSource {
    let mut missing = BTreeMap::new();
    let timer = Clocksource::of(name).map(|source| source.timer.to_owned());
    if timer.is_none() {
        missing.insert("timer".into(), format!("this program does not know the clocksource {name}"));
    }
    let tick = record.as_ref().map_err(String::clone).and_then(|record| timer::tick(name, record));
    let tick_ns = tick.map_err(|why| missing.insert("tick_ns".into(), why)).ok();
    let record = record.map_err(|why| missing.insert("record".into(), why)).ok();
    SweepSource { clocksource: name.into(), timer, tick_ns, left_for, record, missing }
}

/// A sentence where the clocksource is not what it was.
fn said(restored: &Restored, before: &str, after: Option<&str>) -> Option<String> {
    let now = after.unwrap_or("one that can't be read");
    match restored {
        Restored::AsBefore if after == Some(before) => None,
        // Nothing was left to restore: the kernel itself changed it since.
        Restored::AsBefore => Some(format!("the clocksource was {before} and is now {now}, by the kernel's own doing")),
        Restored::LeftToKernel => Some(format!(
            "the kernel no longer offers {before}, which it may have found unstable; it was left the choice and uses \
             {now}"
        )),
        Restored::Failed(why) => {
            Some(format!("the clocksource could not be set back to {before}: {why}; the kernel now uses {now}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::made_up::{MadeUp, record};
    use super::*;

    /// Makes the same record each time, after what `meanwhile` does.
    struct Script<'a, F> {
        kernel: &'a MadeUp,
        meanwhile: F,
        stop_after: usize,
        done: usize,
    }

    impl<F: Fn(&str) -> Result<(), session::Error>> Surveyor for Script<'_, F> {
        fn survey(&mut self, _place: usize, clocksource: &str) -> Result<Record, session::Error> {
            assert_eq!(self.kernel.state().current, clocksource);
            (self.meanwhile)(clocksource).map(|()| record())
        }
        fn stopped(&self) -> bool {
            self.done >= self.stop_after
        }
        fn done(&mut self, _source: &SweepSource) {
            self.done += 1;
        }
    }

    fn sweep_by(
        kernel: &MadeUp,
        stop_after: usize,
        meanwhile: impl Fn(&str) -> Result<(), session::Error>,
    ) -> Result<Sweep, Error> {
        let plan = Plan::of(kernel).unwrap();
        run(kernel, &plan, &mut Script { kernel, meanwhile, stop_after, done: 0 })
    }

    /// Checks what was measured, what the kernel was asked for, and how the notes begin.
    #[track_caller]
    fn check(kernel: &MadeUp, sweep: &Sweep, measured: &str, asked: &[&str], notes: &[&str]) {
        let with = sweep.sources.iter().filter(|source| source.record.is_some());
        let with: Vec<&str> = with.map(|source| source.clocksource.as_str()).collect();
        assert_eq!(with.join(" "), measured);
        assert_eq!(kernel.state().asked, asked);
        assert_eq!(sweep.notes.len(), notes.len(), "{:?}", sweep.notes);
        for (note, begins) in sweep.notes.iter().zip(notes) {
            assert!(note.starts_with(begins), "{note}");
        }
    }

    #[test]
    fn each_is_measured_once_and_the_old_one_comes_back() {
        let kernel = MadeUp::new("hpet tsc acpi_pm", "tsc");
        let sweep = sweep_by(&kernel, 9, |_| Ok(())).unwrap();
        check(&kernel, &sweep, "tsc hpet acpi_pm", &["hpet", "acpi_pm", "tsc"], &[]);
        let ends = (sweep.before.as_str(), sweep.after.as_deref(), sweep.interrupted);
        assert_eq!(ends, ("tsc", Some("tsc"), false));
        assert!(sweep.sources[1].missing["tick_ns"].contains("register"));
        let kernel = MadeUp::new("tsc", "tsc");
        check(&kernel, &sweep_by(&kernel, 9, |_| Ok(())).unwrap(), "tsc", &[], &[]);
    }

    #[test]
    fn a_refused_source_is_noted_and_the_others_are_measured() {
        let kernel = MadeUp::new("tsc hpet acpi_pm jiffies", "tsc");
        (kernel.state().refused, kernel.state().ignored) = ("hpet".into(), "acpi_pm".into());
        let sweep = sweep_by(&kernel, 9, |_| Ok(())).unwrap();
        let untaken = "acpi_pm was not measured: the kernel does not take it and stays with tsc";
        let notes = ["hpet was not measured: can't write 'hpet'", untaken];
        check(&kernel, &sweep, "tsc jiffies", &["hpet", "acpi_pm", "jiffies", "tsc"], &notes);
        assert!(sweep.sources[1].missing.contains_key("record"));
        // The kernel keeps a refused name in mind and may take it later.
        let kernel = MadeUp::new("tsc acpi_pm", "tsc");
        kernel.state().ignored = "acpi_pm".into();
        let sweep = sweep_by(&kernel, 9, |_| Ok(())).unwrap();
        check(&kernel, &sweep, "tsc", &["acpi_pm", "tsc"], &[untaken]);
    }

    #[test]
    fn a_survey_that_fails_later_loses_nothing() {
        let no = || session::Error::no_witness("none");
        let kernel = MadeUp::new("tsc hpet acpi_pm", "tsc");
        let sweep = sweep_by(&kernel, 9, |name| if name == "hpet" { Err(no()) } else { Ok(()) }).unwrap();
        let notes = ["hpet was not measured: nothing here can time the reads"];
        check(&kernel, &sweep, "tsc acpi_pm", &["hpet", "acpi_pm", "tsc"], &notes);
        let kernel = MadeUp::new("tsc hpet", "tsc");
        assert!(matches!(sweep_by(&kernel, 9, |_| Err(no())), Err(Error::Survey(_))));
        assert!(kernel.state().asked.is_empty(), "nothing was changed by then");
    }

    #[test]
    fn a_stopped_sweep_keeps_what_it_has() {
        let kernel = MadeUp::new("tsc hpet acpi_pm", "tsc");
        let sweep = sweep_by(&kernel, 2, |_| Ok(())).unwrap();
        check(&kernel, &sweep, "tsc hpet", &["hpet", "tsc"], &[]);
        assert!(sweep.interrupted && sweep.sources[2].missing["record"].contains("stopped"));
    }

    #[test]
    fn what_the_kernel_does_meanwhile_is_noted() {
        let kernel = MadeUp::new("tsc hpet acpi_pm", "tsc");
        let unstable = |name: &str| {
            if name == "hpet" {
                kernel.state().current = "acpi_pm".into();
                kernel.withdraw("tsc");
            }
            Ok(())
        };
        let sweep = sweep_by(&kernel, 9, unstable).unwrap();
        let notes = ["the kernel left hpet for acpi_pm", "the kernel no longer offers tsc"];
        check(&kernel, &sweep, "tsc hpet acpi_pm", &["hpet", "acpi_pm", ""], &notes);
        let seen = (sweep.sources[1].left_for.as_deref(), sweep.after.as_deref());
        assert_eq!(seen, (Some("acpi_pm"), Some("acpi_pm")));
    }

    #[test]
    fn a_source_that_does_not_come_back_is_noted() {
        let kernel = MadeUp::new("tsc hpet", "tsc");
        let ignoring = |name: &str| {
            if name == "hpet" {
                kernel.state().ignored = "tsc".into();
            }
            Ok(())
        };
        let sweep = sweep_by(&kernel, 9, ignoring).unwrap();
        let notes =
            ["the clocksource could not be set back to tsc: the kernel was told 'tsc' but stays with hpet; the \
                      kernel now uses hpet"];
        check(&kernel, &sweep, "tsc hpet", &["hpet", "tsc"], &notes);
        assert_eq!(sweep.after.as_deref(), Some("hpet"));
    }
}
