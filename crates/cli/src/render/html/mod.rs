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

const STYLE: &str =
    concat!(include_str!("../../../assets/uplot/uPlot.min.css"), include_str!("../../../assets/report.css"));
const UPLOT: &str = include_str!("../../../assets/uplot/uPlot.iife.min.js");
const SCRIPT: &str = include_str!("../../../assets/report.js");

#[derive(Template)]
#[template(path = "report.html")]
struct Page {
    title: String,
    policy: String,
    style: &'static str,
    uplot: &'static str,
    script: &'static str,
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
    let page = Page {
        title: format!("{title}: clocks"),
        policy: policy(),
        style: STYLE,
        uplot: UPLOT,
        script: SCRIPT,
        several: records.len() > 1,
        sections: records.iter().map(section).collect(),
        data: in_script(&serde_json::to_string(&plots).unwrap_or_else(|_| "[]".into())),
    };
    // Writing into a String fails only by a template that writes what it must not; this one is compiled.
    page.render().unwrap_or_default()
}

/// When the run began, with the clock's own bound.
fn when(record: &Record) -> String {
    match (&record.run.started_at, &record.run.started) {
        (Some(at), _) => {
            let bound = at.within_ns.map_or_else(
                || "by a clock that nothing synchronises".to_owned(),
                |ns| format!("± {}", clockscope_analysis::text::time(ns)),
            );
            format!("{} ({bound})", at.utc)
        }
        (None, Some(started)) => started.clone(),
        (None, None) => String::new(),
    }
}

/// What the page may do: run its own scripts, by their hashes, and nothing else.
fn policy() -> String {
    let hash = |text: &str| format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(text)));
    format!(
        "default-src 'none'; style-src {}; script-src {} {}; img-src data:; base-uri 'none'; form-action 'none'",
        hash(STYLE),
        hash(UPLOT),
        hash(SCRIPT)
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
    use super::*;

    #[test]
    fn json_in_a_script_stays_json() {
        let text = "</script><!-- & \u{2028}";
        let safe = in_script(&serde_json::to_string(text).unwrap());
        assert!(!safe.contains(['<', '>', '&', '\u{2028}']), "{safe}");
        assert_eq!(serde_json::from_str::<String>(&safe).unwrap(), text);
    }

    #[test]
    fn the_policy_names_each_script_by_its_hash() {
        // By `openssl dgst -sha256 -binary FILE | base64`.
        assert!(policy().contains("script-src 'sha256-GcjUxq2Ikpp59K5J1vcWFWbf0Lo9FcxJXpdPeH63jx8='"), "{}", policy());
        assert!(!STYLE.contains("</style") && !UPLOT.contains("</script") && !SCRIPT.contains("</script"));
    }
}
