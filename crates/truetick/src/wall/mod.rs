//! Wall time along a line, and what is known of how far it is from UTC.

mod accuracy;
mod along;
mod offset;
mod reading;

pub use accuracy::{Accuracy, Leap, Unbounded, Within};
pub(crate) use along::Wall;
pub(crate) use along::{UNASKED, reading};
pub(crate) use offset::Offset;
pub use reading::WallReading;
