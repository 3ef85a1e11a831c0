//! The report: records as one page that needs nothing else, for browsers and printers.
//!
//! What a page says in words is what the survey says in Markdown; `body` makes HTML of that. `data` is what the plots are drawn
//! of, by `assets/report.js` with uPlot.

mod body;
mod data;

use askama::Template;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use clockscope_analysis::record::Record;
use sha2::{Digest, Sha256};

use crate::schemas::inflated;

const STYLE: &str =
    concat!(include_str!("../../../assets/uplot/uPlot.min.css"), include_str!("../../../assets/report.css"));
/// Deflated by build.rs, as they are long and seldom shown.
const UPLOT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/uPlot.iife.min.js"));
const SCRIPT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/report.js"));
const UPLOT_LICENCE: &str = include_str!("../../../assets/uplot/LICENSE");

#[derive(Template)]
#[template(path = "report.html")]
struct Page {
    title: String,
    policy: String,
    style: &'static str,
    uplot: String,
    uplot_licence: &'static str,
    script: String,
    several: bool,
    sections: Vec<Section>,
    data: String,
}

/// One record's part of the page.
struct Section {
    name: String,
    when: String,
    /// HTML.
    body: String,
    has_series: bool,
}

/// The page of these records, each with the name of the file that it came from.
///
/// Nothing of a record gets into it as markup or as script: text is escaped, and the policy of the page (CSP) lets no script
/// run but its own two, nor anything be fetched.
pub fn page(records: &[(String, Record)]) -> String {
    let title = match records {
        [(name, record)] => record.machine.hostname.clone().unwrap_or_else(|| name.clone()),
        _ => format!("{} records", records.len()),
    };
    let section = |(name, record): &(String, Record)| Section {
        name: name.clone(),
        when: when(record),
        body: body::of(record),
        has_series: !record.series.is_empty(),
    };
    let plots: Vec<data::Plots> = records.iter().map(|(_, record)| data::plots(record)).collect();
    let [uplot, script] = [UPLOT, SCRIPT].map(inflated);
    let page = Page {
        title: format!("{title}: clocks"),
        policy: policy(&uplot, &script),
        style: STYLE,
        uplot,
        uplot_licence: UPLOT_LICENCE,
        script,
        several: records.len() > 1,
        sections: records.iter().map(section).collect(),
        data: in_script(&serde_json::to_string(&plots).unwrap_or_else(|_| "[]".into())),
    };
    // Writing into a String fails only by a template that writes what it must not; this one is compiled.
    page.render().unwrap_or_default()
}

/// When the run began, to the digits that the clock's own bound allows; to the second by a clock without one.
fn when(record: &Record) -> String {
    match (&record.run.started_at, &record.run.started) {
        (Some(at), _) => {
            let bound = at.within_ns.map_or_else(
                || "by a clock that nothing synchronises".to_owned(),
                |ns| format!("± {}", clockscope_analysis::text::time(ns)),
            );
            let decimals = at.within_ns.map_or(0, |ns| (9.0 - ns.max(1.0).log10().floor()).clamp(0.0, 9.0) as usize);
            format!("{} ({bound})", to_decimals(&at.utc, decimals))
        }
        (None, Some(started)) => started.clone(),
        (None, None) => String::new(),
    }
}

/// A moment with so many of its second's decimals, if it has as many.
fn to_decimals(utc: &str, decimals: usize) -> String {
    let Some((whole, fraction)) = utc.trim_end_matches('Z').split_once('.') else { return utc.into() };
    match fraction.get(..decimals) {
        Some("") => format!("{whole}Z"),
        Some(kept) => format!("{whole}.{kept}Z"),
        None => utc.into(),
    }
}

/// What the page may do: run its own scripts, by their hashes, and nothing else.
fn policy(uplot: &str, script: &str) -> String {
    let hash = |text: &str| format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(text)));
    format!(
        "default-src 'none'; style-src {}; script-src {} {}; img-src data:; base-uri 'none'; form-action 'none'",
        hash(STYLE),
        hash(uplot),
        hash(script)
    )
}

/// JSON that may stand in a script element: nothing in it ends that, or begins a comment there.
fn in_script(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '<' => out += "\\u003c",
            '>' => out += "\\u003e",
            '&' => out += "\\u0026",
            '\u{2028}' => out += "\\u2028",
            '\u{2029}' => out += "\\u2029",
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use clockscope_analysis::record::Moment;

    use super::*;

    #[test]
    fn json_in_a_script_stays_json() {
        let text = "</script><!-- & \u{2028}";
        let safe = in_script(&serde_json::to_string(text).unwrap());
        assert!(!safe.contains(['<', '>', '&', '\u{2028}']), "{safe}");
        assert_eq!(serde_json::from_str::<String>(&safe).unwrap(), text);
    }

    #[test]
    fn a_moment_has_the_digits_that_its_clock_vouches_for() {
        let mut record = Record::default();
        for (within_ns, said) in [
            (None, "2026-11-24T20:00:50Z (by a clock that nothing synchronises)"),
            (Some(4e6), "2026-11-24T20:00:50.138Z (± 4 ms)"),
            (Some(250.0), "2026-11-24T20:00:50.1381213Z (± 250 ns)"),
            (Some(2e9), "2026-11-24T20:00:50Z (± 2 s)"),
            (Some(0.5), "2026-11-24T20:00:50.138121317Z (± 0.5 ns)"),
        ] {
            record.run.started_at = Some(Moment { utc: "2026-11-24T20:00:50.138121317Z".into(), within_ns });
            assert_eq!(when(&record), said);
        }
        assert_eq!(to_decimals("2026-11-24T20:00:50Z", 3), "2026-11-24T20:00:50Z");
    }

    #[test]
    fn the_policy_names_each_script_by_its_hash() {
        // By `openssl dgst -sha256 -binary FILE | base64`.
        let [uplot, script] = [UPLOT, SCRIPT].map(inflated);
        let policy = policy(&uplot, &script);
        assert!(policy.contains("script-src 'sha256-GcjUxq2Ikpp59K5J1vcWFWbf0Lo9FcxJXpdPeH63jx8='"), "{policy}");
        assert!(!STYLE.contains("</style") && !uplot.contains("</script") && !script.contains("</script"));
    }
}
