//! Records into something for people or programs.

pub mod clock_table;
pub mod csv;
pub mod deltas;
pub mod findings;
pub mod formats;
pub mod headline;
pub mod list;
pub mod markdown;
pub mod number;
pub mod prose;
pub mod skew;
pub mod survey;
pub mod sweep;
pub mod table;
pub mod view;

pub use formats::{Format, Shown, Style};
pub use view::View;

/// The word by which a record names a value, as in `kebab-case`.
fn word<T: serde::Serialize>(value: T) -> String {
    serde_json::to_value(value).ok().and_then(|value| Some(value.as_str()?.to_owned())).unwrap_or_default()
}
