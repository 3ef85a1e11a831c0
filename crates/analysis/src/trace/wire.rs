//! How readings are written down: as differences, which are small numbers.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::reading::{Bracketed, Purpose, Singles, Stamp};

/// Values as their differences, the first one from 0.
pub(super) mod steps {
    use super::{Deserialize, Deserializer, Serializer};

    pub(in crate::trace) fn serialize<S: Serializer>(values: &[u64], to: S) -> Result<S::Ok, S::Error> {
        let mut last = 0_u64;
        to.collect_seq(values.iter().map(|value| value.wrapping_sub(std::mem::replace(&mut last, *value)) as i64))
    }

    pub(in crate::trace) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u64>, D::Error> {
        let mut values: Vec<i64> = Vec::deserialize(from)?;
        let mut last = 0_i64;
        for value in &mut values {
            last = last.wrapping_add(*value);
            *value = last;
        }
        Ok(values.into_iter().map(|value| value as u64).collect())
    }
}

/// A lot of single reads, column by column.
#[derive(Serialize, Deserialize)]
struct Columns {
    clock: usize,
    purpose: Purpose,
    start: Stamp,
    /// From the stamp after the read before to the stamp before this one.
    between: Vec<i64>,
    /// From the stamp before the read to the one after it.
    widths: Vec<i64>,
    #[serde(with = "steps")]
    values: Vec<u64>,
    cpus: Vec<(usize, Option<u32>)>,
    failed: u64,
    gap: Option<(Stamp, Stamp)>,
    third: Option<[Bracketed; 2]>,
}

impl Serialize for Singles {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut last = self.start.count;
        let since = |read: &Bracketed| read.before.wrapping_sub(std::mem::replace(&mut last, read.after)) as i64;
        Columns {
            clock: self.clock,
            purpose: self.purpose,
            start: self.start,
            between: self.reads.iter().map(since).collect(),
            widths: self.reads.iter().map(Bracketed::width).collect(),
            values: self.reads.iter().map(|read| read.value).collect(),
            cpus: self.cpus.clone(),
            failed: self.failed,
            gap: self.gap,
            third: self.third,
        }
        .serialize(to)
    }
}

impl<'de> Deserialize<'de> for Singles {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let columns = Columns::deserialize(from)?;
        let Columns { clock, purpose, start, between, widths, values, cpus, failed, gap, third } = columns;
        if between.len() != values.len() || widths.len() != values.len() {
            return Err(de::Error::custom("columns of different lengths"));
        }
        let mut last = start.count;
        let read = |((between, width), value): ((i64, i64), u64)| {
            let before = last.wrapping_add_signed(between);
            last = before.wrapping_add_signed(width);
            Bracketed { before, value, after: last }
        };
        let reads = between.into_iter().zip(widths).zip(values).map(read).collect();
        Ok(Self { clock, purpose, start, reads, cpus, failed, gap, third })
    }
}

#[cfg(test)]
mod tests {
    use super::super::reading::Row;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn whatever_was_read_comes_back_as_it_was(
            values: Vec<u64>,
            reads: Vec<(u64, u64, u64)>,
            start: u64,
            cpu: Option<u32>,
        ) {
            let row = Row { values, ..Row::default() };
            let text = serde_json::to_string(&row).unwrap();
            prop_assert_eq!(serde_json::from_str::<Row>(&text).unwrap(), row);
            let reads: Vec<Bracketed> =
                reads.into_iter().map(|(before, value, after)| Bracketed { before, value, after }).collect();
            let start = Stamp { count: start, cpu };
            let singles = Singles { start, reads, cpus: vec![(3, None)], ..Singles::default() };
            let text = serde_json::to_string(&singles).unwrap();
            prop_assert_eq!(serde_json::from_str::<Singles>(&text).unwrap(), singles);
        }
    }
}
