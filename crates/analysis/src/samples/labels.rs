//! The readings of each label.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::{Options, printable, quoted};
use crate::analyze::MOST_PAIRS;
use crate::analyze::cost::{Pair, cost};
use crate::analyze::samples::{Number, SampledReadings};
use crate::record::{Cost, SampledClock};

/// Most labels: each takes memory of its own.
const MOST: usize = 64;

/// All labels.
#[derive(Debug, Default)]
pub(super) struct Labels {
    options: Options,
    all: Vec<Label>,
    /// Of those that are wanted, by name.
    places: HashMap<Vec<u8>, usize>,
    /// Names of others, as many as are told of.
    unwanted: BTreeSet<Vec<u8>>,
}

#[derive(Debug)]
struct Label {
    name: String,
    unit_ns: Option<f64>,
    claims: BTreeMap<String, String>,
    pairs: Vec<Pair>,
    readings: Option<SampledReadings>,
}

impl Labels {
    pub(super) fn new(options: Options) -> Self {
        Self { options, ..Self::default() }
    }

    /// The place of a label; `None` where its samples are not wanted.
    pub(super) fn place(&mut self, name: &[u8]) -> Result<Option<usize>, String> {
        if let Some(place) = self.places.get(name) {
            return Ok(Some(*place));
        }
        let is_wanted = self.options.label.as_ref().is_none_or(|label| label.as_bytes() == name);
        if !is_wanted {
            if self.unwanted.len() < MOST && !self.unwanted.contains(name) {
                self.unwanted.insert(name.to_vec());
            }
            return Ok(None);
        }
        let place = self.all.len();
        if place == MOST {
            return Err(format!("{} is one label more than the {MOST} that are taken", quoted(name)));
        }
        self.places.insert(name.to_vec(), place);
        self.all.push(Label {
            name: printable(name),
            unit_ns: None,
            claims: BTreeMap::new(),
            pairs: Vec::new(),
            readings: None,
        });
        Ok(Some(place))
    }

    /// One sample.
    pub(super) fn take(&mut self, label: usize, number: Number, at: u64) -> Result<(), String> {
        let Some(label) = self.all.get_mut(label) else { return Ok(()) };
        let readings = label.readings.get_or_insert_with(|| begun(&self.options, label.unit_ns));
        readings.take(number, at)
    }

    /// The same once more.
    pub(super) fn look(&mut self, label: usize, number: Number) {
        if let Some(readings) = self.all.get_mut(label).and_then(|label| label.readings.as_mut()) {
            readings.look(number);
        }
    }

    /// Prepares for a further look at all samples; `false` where none would narrow anything.
    pub(super) fn again(&mut self) -> bool {
        let again = self.all.iter_mut().filter_map(|label| label.readings.as_mut()).map(SampledReadings::again);
        again.fold(false, |any, one| any | one)
    }

    pub(super) fn state_unit(&mut self, label: usize, unit_ns: f64) -> Result<(), String> {
        match self.all.get_mut(label) {
            Some(Label { readings: Some(_), .. }) => {
                Err("what a unit is has to be said before the first sample".into())
            }
            Some(label) => {
                label.unit_ns = Some(unit_ns);
                Ok(())
            }
            None => Ok(()),
        }
    }

    pub(super) fn claim(&mut self, label: usize, key: String, value: String) {
        if let Some(label) = self.all.get_mut(label) {
            label.claims.insert(key, value);
        }
    }

    pub(super) fn pair(&mut self, label: usize, pair: Pair) {
        if let Some(label) = self.all.get_mut(label).filter(|label| label.pairs.len() < MOST_PAIRS) {
            label.pairs.push(pair);
        }
    }

    /// Whether a sample was taken.
    pub(super) fn is_any(&self) -> bool {
        self.all.iter().any(|label| label.readings.is_some())
    }

    /// Labels that were passed over.
    pub(super) fn unwanted(&self) -> Vec<String> {
        self.unwanted.iter().map(|name| printable(name)).collect()
    }

    /// The record's entries; the pairs were timed by the clock of the label `timer`.
    pub(super) fn clocks(mut self, timer: Option<&str>) -> Vec<SampledClock> {
        let by = self.all.iter_mut().find(|label| Some(label.name.as_str()) == timer);
        let quantum = match (timer, by.and_then(|label| label.readings.as_mut())) {
            (None, _) => Err("nothing says which clock timed the pairs of batches".to_owned()),
            (Some(timer), None) => {
                Err(format!("of {timer}, which timed the pairs of batches, there are no samples here"))
            }
            (Some(timer), Some(readings)) => {
                let unknown = || format!("how coarse {timer} is, which timed the pairs of batches, is not known");
                readings.quantum_ns().ok_or_else(unknown)
            }
        };
        let options = self.options;
        let entry = |label: Label| {
            let cost = match &label.pairs[..] {
                [] => Err("readings alone don't tell it: no pairs of batches were timed".to_owned()),
                pairs => quantum.clone().and_then(|quantum| cost_of(pairs, quantum)),
            };
            let readings = label.readings.unwrap_or_else(|| begun(&options, label.unit_ns));
            readings.record(&label.name, label.claims, cost)
        };
        self.all.into_iter().map(entry).collect()
    }
}

fn cost_of(pairs: &[Pair], quantum_ns: f64) -> Result<Cost, String> {
    cost(pairs, quantum_ns).ok_or_else(|| "the pairs of batches hold no reads".into())
}

/// Readings of a label of which none has come; `stated`: what a unit is by the file, ns.
fn begun(options: &Options, stated: Option<f64>) -> SampledReadings {
    let (unit_ns, by) = match (options.unit_ns, stated) {
        (Some(given), _) => (given, "--tick"),
        (None, Some(stated)) => (stated, "stated in the file"),
        (None, None) => (1.0, ASSUMED),
    };
    SampledReadings::new(unit_ns, by, options.are_differences)
}

/// Who says what a unit is where nobody does.
const ASSUMED: &str = "taken for a nanosecond, as nothing states it";

/// Whether nobody said what a unit of its values is.
pub(crate) fn is_unit_assumed(clock: &SampledClock) -> bool {
    clock.tick_ns.nominal_source.as_ref().is_some_and(|by| by.starts_with(ASSUMED))
}
