//! The lines of a probe that begin with '#'.

use super::labels::Labels;
use super::number::unit_ns;
use super::{printable, quoted};
use crate::analyze::cost::Pair;
use crate::record::{Runtime, Unavailable};

/// The first line of what a probe writes, less its version.
const PROBE: &str = "clockscope-probe/";

/// What a probe says of itself.
#[derive(Debug, Default)]
pub(super) struct Head {
    pub(super) is_probe: bool,
    pub(super) is_ended: bool,
    pub(super) runtime: Option<Runtime>,
    pub(super) timer: Option<String>,
    pub(super) absent: Vec<Unavailable>,
}

impl Head {
    /// A line, from its '#' on. What is not known is left alone.
    ///
    /// # Errors
    /// A sentence, where a line that is known lacks something.
    pub(super) fn line(&mut self, line: &[u8], labels: &mut Labels) -> Result<(), String> {
        let line = String::from_utf8_lossy(line.strip_prefix(b"#").unwrap_or(line));
        let (word, rest) = cut(&line);
        let place = |labels: &mut Labels, label: &str| labels.place(label.as_bytes());
        let shown = |text: &str| printable(text.as_bytes());
        // In any other file '#' begins what is for people.
        if !self.is_probe && !word.starts_with(PROBE) {
            return Ok(());
        }
        match word {
            _ if word.starts_with(PROBE) => {
                if &word[PROBE.len()..] != "1" {
                    return Err(format!("{} is of a version that is not known here", shown(word)));
                }
                self.is_probe = true;
            }
            "end" if rest.is_empty() => self.is_ended = true,
            "runtime" if !rest.is_empty() => {
                let (name, version) = cut(rest);
                self.runtime = Some(Runtime { name: shown(name), version: shown(version) });
            }
            "timer" if !rest.is_empty() => self.timer = Some(shown(rest)),
            "absent" if !rest.is_empty() => {
                let (id, reason) = cut(rest);
                let reason = if reason.is_empty() { "the probe does not say why" } else { reason };
                self.absent.push(Unavailable { id: shown(id), reason: shown(reason) });
            }
            "clock" if !rest.is_empty() => {
                let (label, unit) = cut(rest);
                let unit_ns = unit_ns(unit).map_err(|why| format!("{} is no unit: {why}", quoted(unit.as_bytes())))?;
                if let Some(place) = place(labels, label)? {
                    labels.state_unit(place, unit_ns)?;
                }
            }
            "claim" => {
                let (label, claim) = cut(rest);
                let (key, value) = cut(claim);
                if key.is_empty() {
                    return Err("a claim is a label, a key and a value".into());
                }
                if let Some(place) = place(labels, label)? {
                    labels.claim(place, shown(key), shown(value));
                }
            }
            "pair" => {
                let (label, numbers) = cut(rest);
                let pair = pair(numbers)
                    .ok_or("a pair is a label, a number of reads, and the ns that so many and twice as many took")?;
                if let Some(place) = place(labels, label)? {
                    labels.pair(place, pair);
                }
            }
            _ => {}
        }
        Ok(())
    }
}

fn pair(text: &str) -> Option<Pair> {
    let mut numbers = text.split_ascii_whitespace();
    let reads: u32 = numbers.next()?.parse().ok().filter(|reads| *reads > 0)?;
    let mut ns = || numbers.next()?.parse::<f64>().ok().filter(|ns| ns.is_finite());
    let pair = Pair { reads, once_ns: ns()?, twice_ns: ns()? };
    numbers.next().is_none().then_some(pair)
}

/// The first word, and the rest.
fn cut(text: &str) -> (&str, &str) {
    let text = text.trim();
    let (word, rest) = text.split_once(|c: char| c.is_whitespace()).unwrap_or((text, ""));
    (word, rest.trim_start())
}
