//! Samples that another program wrote: readings in a row with nothing around them, label by label, by the same estimators as a
//! run's own readings.
//!
//! * `clock` takes the samples of one label and states what they come to.
//! * `scale` makes whole counts of decimal fractions.
//! * `spread` is what pandas' `describe` says, of `sums` and `order`.

mod clock;
mod order;
mod scale;
mod spread;
mod sums;

pub use clock::SampledReadings;
pub use scale::{MOST_DECIMALS, Number};
