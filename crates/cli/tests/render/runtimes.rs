//! The clocks of language runtimes.

use clockscope_cli::render::{Report, Style, runtimes};

use super::*;

#[test]
fn a_row_a_clock_and_what_there_is_no_figure_for() {
    insta::assert_snapshot!("runtimes", runtimes::runtimes(&languages(), View::default()));
    insta::assert_snapshot!("runtimes_80", runtimes::runtimes(&languages(), at(80)));
    insta::assert_snapshot!("runtimes_markdown", languages().markdown(Style::default()));
    insta::assert_snapshot!("runtimes_csv", languages().csv(Style::default()));
    let none = RuntimesReport { runtimes: Vec::new(), ..languages() };
    assert!(runtimes::runtimes(&none, at(80)).contains("No runtime was found"));
}

#[test]
fn a_cost_that_the_run_does_not_tell_is_no_figure() {
    let mut under_load = languages();
    let clock = &mut under_load.runtimes[1].clocks[0].sampled;
    let label = clock.label.clone();
    clock.cost_ns = Some(Cost { median: 0.0, low: 0.0, high: 900.0, batches: 30, ..Cost::default() });
    for text in [runtimes::runtimes(&under_load, View::default()), under_load.markdown(Style::default())] {
        assert!(!text.contains("900"), "{text}");
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let reason = "and Date.now: too uncertain in this run; the JSON has its interval";
        assert!(text.contains(&format!("cost of {label}, performance.now {reason}")), "{text}");
    }
}

#[test]
fn every_field_of_a_runtimes_clock_has_a_column() {
    let text = languages().csv(Style::default());
    let head = text.lines().next().unwrap();
    let value = serde_json::to_value(&languages().runtimes[1].clocks[0]).unwrap();
    let elsewhere = ["values", "values_exact", "differences_ns", "steps_back"];
    for field in value.as_object().unwrap().keys().filter(|field| !elsewhere.contains(&field.as_str())) {
        assert!(head.split(',').any(|column| column.starts_with(field.as_str())), "{field} has no column");
    }
}
