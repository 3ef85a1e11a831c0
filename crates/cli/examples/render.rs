//! Shows a stored result as the program would show it: `cargo run -p clockscope --example render -- FILE [FORMAT]`.

use std::error::Error;
use std::io::Write;

use clap::ValueEnum;
use clockscope_cli::render::{Format, Shown, Style};

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let text = std::fs::read_to_string(words.next().ok_or("usage: render FILE [FORMAT]")?)?;
    let format = words.next().map_or(Ok(Format::Table), |name| Format::from_str(&name, true))?;
    let show = |shown: Shown| format.text(shown, Style::default());
    let shown = if let Ok(deltas) = serde_json::from_str(&text) {
        show(Shown::Deltas(&deltas))
    } else if let Ok(sweep) = serde_json::from_str(&text) {
        show(Shown::Sweep(&sweep))
    } else if let Ok(skew) = serde_json::from_str(&text) {
        show(Shown::Skew(&skew))
    } else {
        show(Shown::Record(&serde_json::from_str(&text)?))
    };
    std::io::stdout().write_all(shown?.as_bytes())?;
    Ok(())
}
