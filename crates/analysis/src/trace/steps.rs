//! Values written down as their differences, which are small numbers; the first one from 0.

use serde::{Deserialize, Deserializer, Serializer};

pub(super) fn serialize<S: Serializer>(values: &[u64], to: S) -> Result<S::Ok, S::Error> {
    let mut last = 0_u64;
    to.collect_seq(values.iter().map(|value| value.wrapping_sub(std::mem::replace(&mut last, *value)) as i64))
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u64>, D::Error> {
    let mut last = 0_u64;
    let values = Vec::<i64>::deserialize(from)?.into_iter().map(|step| {
        last = last.wrapping_add_signed(step);
        last
    });
    Ok(values.collect())
}
