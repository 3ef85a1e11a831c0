//! How lots of single reads are written down: column by column, as differences.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::{Bracketed, Purpose, Singles, Stamp, steps};

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
        let Columns { clock, purpose, start, between, widths, values, cpus, failed, gap, third } =
            Columns::deserialize(from)?;
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
    use super::super::Row;
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
            let reads = reads.into_iter().map(|(before, value, after)| Bracketed { before, value, after }).collect();
            let start = Stamp { count: start, cpu };
            let singles = Singles { start, reads, cpus: vec![(3, None)], ..Singles::default() };
            let text = serde_json::to_string(&singles).unwrap();
            prop_assert_eq!(serde_json::from_str::<Singles>(&text).unwrap(), singles);
        }
    }
}
