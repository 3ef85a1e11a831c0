//! Records into something for people or programs.

pub mod clock_table;
pub mod csv;
pub mod deltas;
pub mod findings;
pub mod fold;
pub mod formats;
pub mod headline;
pub mod list;
pub mod markdown;
pub mod number;
pub mod prose;
mod rates;
mod shown;
pub mod skew;
pub mod survey;
pub mod sweep;
pub mod table;
pub mod view;
mod word;

pub use formats::Format;
pub use shown::{Shown, Style};
pub use view::View;
