//! Records into something for people or programs.

pub mod clock_table;
pub mod csv;
pub mod deltas;
pub mod findings;
pub mod fold;
pub mod headline;
pub mod json;
pub mod list;
pub mod markdown;
pub mod number;
pub mod prose;
mod rates;
pub mod skew;
pub mod survey;
pub mod sweep;
pub mod table;
pub mod view;

pub use view::View;
