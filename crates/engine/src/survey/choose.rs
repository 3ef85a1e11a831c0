//! Which clocks a command is about, and which CPUs.

use clockscope_analysis::trace::{Description, Kind, Path, Unit};

use crate::session::{Error, Readable};

pub(super) fn all(readable: &Readable, ids: &[String], _: Option<usize>) -> Result<Vec<usize>, Error> {
    if ids.is_empty() {
        let of_the_system = |place: &usize| !readable.meters[*place].description().only_asked;
        return Ok((0..readable.meters.len()).filter(of_the_system).collect());
    }
    let mut places = ids.iter().map(|id| readable.find(id)).collect::<Result<Vec<_>, _>>()?;
    places.sort_unstable();
    places.dedup();
    Ok(places)
}

pub(super) fn one(readable: &Readable, ids: &[String], _: Option<usize>) -> Result<Vec<usize>, Error> {
    ids.iter().take(1).map(|id| readable.find(id)).collect()
}

/// The clocks asked for; where none is, the CPU's counters and the kernel's clock as programs call it.
pub(super) fn timing(readable: &Readable, ids: &[String], kernel: Option<usize>) -> Result<Vec<usize>, Error> {
    if !ids.is_empty() {
        return all(readable, ids, kernel);
    }
    let describe = |place: usize| readable.meters[place].description();
    let wanted = |place: &usize| {
        let d = describe(*place);
        let is_kernels = kernel.is_some_and(|kernel| describe(kernel).is_same_clock(d));
        !d.forced && (is_kernels || d.kind == Kind::Counter && d.path == Path::Instruction)
    };
    let clocks: Vec<usize> = (0..readable.meters.len()).filter(wanted).collect();
    let none = || Error::no_witness("neither the CPU's counter nor CLOCK_MONOTONIC can be read");
    if clocks.is_empty() { Err(none()) } else { Ok(clocks) }
}

/// None: the run is about CPUs, or about sleeping.
#[expect(clippy::unnecessary_wraps, reason = "other commands' choices may fail")]
pub(super) fn none(_: &Readable, _: &[String], _: Option<usize>) -> Result<Vec<usize>, Error> {
    Ok(Vec::new())
}

/// The clocks asked for, in that order; where none is, the CPU's counter and the kernel's clock as programs call it.
pub(super) fn usual(readable: &Readable, ids: &[String], kernel: Option<usize>) -> Result<Vec<usize>, Error> {
    if ids.is_empty() {
        return shared(readable, ids, kernel);
    }
    let mut places = Vec::new();
    for id in ids {
        let place = readable.find(id)?;
        if !places.contains(&place) {
            places.push(place);
        }
    }
    Ok(places)
}

/// The clocks asked for; where none is, the CPU's counter and the kernel's clock as programs call it. Clocks of CPU time
/// are refused: they have no value that two threads share.
pub(super) fn shared(readable: &Readable, ids: &[String], kernel: Option<usize>) -> Result<Vec<usize>, Error> {
    let describe = |place: &usize| readable.meters[*place].description();
    let all: Vec<usize> = (0..readable.meters.len()).collect();
    let counter = best_counter(&all, describe);
    if ids.is_empty() {
        let usual = |place: &usize| {
            kernel.is_some_and(|kernel| describe(&kernel).is_same_clock(describe(place))) && !describe(place).forced
        };
        let clocks: Vec<usize> = counter.into_iter().chain(all.iter().copied().find(usual).or(kernel)).collect();
        let none = || Error::no_witness("neither the CPU's counter nor CLOCK_MONOTONIC can be read");
        return if clocks.is_empty() { Err(none()) } else { Ok(clocks) };
    }
    let mut places: Vec<usize> = Vec::new();
    for id in ids {
        let place = readable.find(id)?;
        if describe(&place).kind == Kind::CpuTime {
            let instead = counter.map_or("realtime", |place| &describe(&place).id);
            return Err(Error::Usage(format!(
                "clock '{id}' counts CPU time, which does not pass alike for two threads; skew is of clocks that tell \
                 the time, as {instead} or monotonic"
            )));
        }
        if !places.contains(&place) {
            places.push(place);
        }
    }
    Ok(places)
}

/// The clocks asked for; where none is, the counter, and every clock that the kernel computes or a device keeps, in one way
/// of reading, but for the reference. Clocks of CPU time are refused: they stand still while nobody works.
pub(super) fn watched(readable: &Readable, ids: &[String], kernel: Option<usize>) -> Result<Vec<usize>, Error> {
    let describe = |place: &usize| readable.meters[*place].description();
    let all: Vec<usize> = (0..readable.meters.len()).collect();
    if ids.is_empty() {
        let mut bases: Vec<&str> = kernel.iter().map(|kernel| describe(kernel).base.as_str()).collect();
        let counter = best_counter(&all, describe);
        let is_usual = |d: &Description| d.for_timing && !d.forced && (d.is_computed() || d.kind == Kind::Device);
        let mut clocks: Vec<usize> = counter.into_iter().collect();
        for place in all.iter().copied().filter(|place| is_usual(describe(place))) {
            let base = describe(&place).base.as_str();
            if !bases.contains(&base) {
                bases.push(base);
                clocks.push(place);
            }
        }
        let none = || Error::no_witness("there is no clock to watch beside the reference");
        return if clocks.is_empty() { Err(none()) } else { Ok(clocks) };
    }
    let places = self::all(readable, ids, kernel)?;
    if let Some(place) = places.iter().find(|place| describe(place).kind == Kind::CpuTime) {
        return Err(Error::Usage(format!(
            "clock '{}' counts CPU time, which stands still while nobody works; monitor watches clocks that tell the time, as \
             realtime or tsc",
            describe(place).id
        )));
    }
    Ok(places)
}

/// Clocks of the kernel that the counter is measured against: others of its clocks run at the same rates.
const RATES: [&str; 3] = ["realtime", "monotonic", "monotonic-raw"];

/// The counter, and the clocks asked for; where none is, the kernel's of each rate, and every device's that moves in 1 ms or
/// less, in one way of reading. Clocks of CPU time are refused: they have no rate.
pub(super) fn beside_counter(readable: &Readable, ids: &[String], kernel: Option<usize>) -> Result<Vec<usize>, Error> {
    let describe = |place: &usize| readable.meters[*place].description();
    let all: Vec<usize> = (0..readable.meters.len()).collect();
    let mut places: Vec<usize> = best_counter(&all, describe).into_iter().collect();
    if ids.is_empty() {
        let is_fine = |d: &Description| matches!(d.unit, Unit::Ns(ns) if ns <= 1e6);
        let is_wanted = |d: &Description| RATES.contains(&d.id.as_str()) || d.kind == Kind::Device && is_fine(d);
        places.extend(all.iter().copied().filter(|place| !describe(place).forced && is_wanted(describe(place))));
        return Ok(places);
    }
    for place in self::all(readable, ids, kernel)? {
        let d = describe(&place);
        if d.kind == Kind::CpuTime {
            return Err(Error::Usage(format!(
                "clock '{}' counts CPU time, which has no rate; the counter is measured against clocks that tell the time, as \
                 monotonic-raw or realtime",
                d.id
            )));
        }
        if d.kind != Kind::Counter {
            places.push(place);
        }
    }
    Ok(places)
}

/// The counter that the run's witness is, else one that is read in order, else any.
pub(super) fn best_counter<'a>(places: &[usize], describe: impl Fn(&usize) -> &'a Description) -> Option<usize> {
    let is_counter = |place: &&usize| {
        let d = describe(place);
        d.kind == Kind::Counter && d.path == Path::Instruction && d.interposed_by.is_none()
    };
    let witness = crate::measure::Witness::counter();
    let rank = |place: &&usize| {
        let d = describe(place);
        (witness.is_none_or(|witness| d.id != witness.id()), !d.ordered)
    };
    places.iter().filter(is_counter).min_by_key(rank).copied()
}

/// At most so many of the CPUs, spread over all of them, so that every package takes part: whether packages hold
/// neighbouring numbers or, as on many servers, every second or fourth one.
pub(super) fn spread(cpus: &[u32], most: usize) -> Vec<u32> {
    let taken = cpus.len().min(most).max(1);
    let stride = cpus.len() / taken;
    (0..taken).filter_map(|i| cpus.get(i * cpus.len() / taken + (i / 2) % stride.max(1))).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn however_packages_are_numbered_some_cpu_of_each_is_compared() {
        for len in [17_u32, 24, 32, 48, 64, 96, 128, 256, 512] {
            let all: Vec<u32> = (0..len).collect();
            let taken = spread(&all, 16);
            assert_eq!(taken.len(), 16, "{len}");
            assert!(taken.windows(2).all(|pair| pair[0] < pair[1]), "{taken:?}");
            for ways in [2, 4] {
                for package in 0..ways {
                    assert!(taken.iter().any(|cpu| cpu % ways == package), "{len}: {taken:?}");
                    assert!(taken.iter().any(|cpu| cpu * ways / len == package), "{len}: {taken:?}");
                }
            }
        }
        assert_eq!(spread(&[3, 5, 9], 16), [3, 5, 9]);
        assert!(spread(&[], 16).is_empty());
    }

    #[test]
    fn clocks_of_cpu_time_are_refused_and_others_found() {
        let readable = Readable::new();
        let ids = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>();
        let refused = shared(&readable, &ids(&["thread-cputime"]), None).unwrap_err();
        assert!(refused.is_usage() && refused.to_string().contains("CPU time"), "{refused}");
        assert_eq!(shared(&readable, &ids(&["monotonic", "monotonic"]), None).unwrap().len(), 1);
        let unknown = shared(&readable, &ids(&["monotonc"]), None).unwrap_err();
        assert!(unknown.is_usage() && unknown.to_string().contains("no clock is called 'monotonc'"), "{unknown}");
    }
}
