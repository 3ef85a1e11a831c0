//! What a thread saw that did nothing but read the witness on one CPU.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Counted;

/// Times in which such a thread stood still, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Absences {
    /// The CPU that it was pinned to.
    pub cpu: u32,
    /// Each of them.
    pub absences: Vec<Absence>,
}

/// One of them: two adjacent reads of the witness that lay far apart.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Absence {
    /// The first of the two, in the witness's counts.
    pub from: u64,
    /// How many counts it was to the second.
    pub length: u64,
    /// What the kernel counted since the look before; of the CPU's interrupts, which not every look counts, since the last that
    /// did.
    pub seen: Counted,
    /// Whether the second was made on another CPU.
    pub migrated: bool,
    /// Whether it came into the look for the cause of the one before, whose evidence may hold some of its own.
    pub in_look: bool,
}

impl Serialize for Absence {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        (self.from, self.length, self.migrated, self.in_look, self.seen).serialize(to)
    }
}

impl<'de> Deserialize<'de> for Absence {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let (from, length, migrated, in_look, seen) = Deserialize::deserialize(from)?;
        Ok(Self { from, length, seen, migrated, in_look })
    }
}

/// Looks in which an absence does not go unseen if it is long; in the witness's counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Noticing {
    /// From this length on.
    pub from: u64,
    /// How long such looks took in all, without the absences.
    pub time: u64,
}

/// The whole time that such a thread watched its CPU, what it saw of it standing before.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Vigil {
    /// The CPU.
    pub cpu: u32,
    /// The witness's first reading.
    pub start: u64,
    /// Its last one.
    pub end: u64,
    /// Readings.
    pub reads: u64,
    /// Two that are farther apart are an absence, in the witness's counts.
    pub longer_than: u64,
    /// Looks at the kernel's counters, one after each absence.
    pub looks: u64,
    /// Of them those that left out the CPU's interrupts and stolen time, which take long to read.
    pub brief_looks: u64,
    /// Time that the looks took, in which nobody watched, in the witness's counts.
    pub looking: u64,
    /// Of it looks that tell of what came into them if it was long, the brief ones and the others. Traces of before have none.
    #[serde(default)]
    pub noticing: [Noticing; 2],
    /// Interrupts that the CPU took meanwhile, by what they are for; empty where they can't be read.
    pub interrupts: BTreeMap<String, u64>,
    /// Why nothing, or not all of the time, was watched, if so.
    pub trouble: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_absence_comes_back_as_it_was() {
        let seen = Counted { waited_ns: Some(7), ..Counted::default() };
        let absence = Absence { from: u64::MAX, length: 9, seen, migrated: true, in_look: true };
        let lot = Absences { cpu: 3, absences: vec![absence, Absence::default()] };
        let text = serde_json::to_string(&lot).unwrap();
        assert_eq!(serde_json::from_str::<Absences>(&text).unwrap(), lot);
    }
}
