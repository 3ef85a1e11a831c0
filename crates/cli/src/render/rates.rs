//! Clocks that run at another rate than the run's reference, in one sentence.

use clockscope_analysis::record::{Clock, Rate};
use clockscope_analysis::text::gather;

use super::number;

/// A difference from which on it is said, ppm: 9 ms a day. Every clock's rate is in the record.
const SAID_PPM: f64 = 0.1;

/// `Rate by monotonic@vdso: monotonic-raw +500.02 ± 0.03 ppm.`; `None` where every clock keeps step as far as can be
/// seen.
pub(super) fn rates(clocks: &[&Clock]) -> Option<String> {
    let mut said: Vec<(String, Vec<&str>)> = Vec::new();
    let mut by = "";
    for (clock, rate) in clocks.iter().filter_map(|clock| Some((clock, clock.rate.as_ref()?))) {
        // Thirty clocks are looked at, so that one interval in twenty would be said of too many: twice as far.
        let [low, high] = [2.0 * rate.low_ppm - rate.ppm, 2.0 * rate.high_ppm - rate.ppm];
        if low <= SAID_PPM && high >= -SAID_PPM {
            continue;
        }
        by = &rate.against;
        gather(&mut said, text(rate), clock.id.as_str());
    }
    let parts: Vec<String> = said.iter().map(|(text, ids)| format!("{} {text}", ids.join(", "))).collect();
    (!parts.is_empty()).then(|| format!("Rate by {by}: {}.", parts.join("; ")))
}

/// `+500.02 ± 0.03 ppm`.
fn text(rate: &Rate) -> String {
    let spread = (rate.high_ppm - rate.ppm).max(rate.ppm - rate.low_ppm);
    let sign = if rate.ppm < 0.0 { '−' } else { '+' };
    let value = number::measured(rate.ppm.abs(), spread, 3);
    format!("{sign}{value} ± {} ppm", number::uncertainty(spread, 3))
}
