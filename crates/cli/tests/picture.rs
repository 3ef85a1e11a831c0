//! The picture of a survey under docs/ is what the program prints of the checked-in record, in both colours of a terminal.
//! `UPDATE_PICTURE=1 cargo test -p clockscope --test picture` draws it anew.

use std::path::Path;

use anstyle::RgbColor;
use anstyle_svg::Term;
use clockscope_analysis::judge::judge;
use clockscope_analysis::record::Record;
use clockscope_cli::render::{Style, View, survey};

fn survey_in_colour() -> String {
    let record: Record = serde_json::from_str(include_str!("fixtures/record.json")).unwrap();
    let (findings, verdict) = judge(&record.machine, &record.run, &record.clocks, &record.skew);
    let view = View { width: Some(80), lines: None, colour: true };
    survey::survey(&Record { findings, verdict, ..record }, Style { view, ..Style::default() })
}

#[test]
fn it_is_what_the_program_prints() {
    let text = format!("$ clockscope\n{}", survey_in_colour());
    let (ink, paper) = (RgbColor(0x1f, 0x23, 0x28), RgbColor(0xff, 0xff, 0xff));
    let (chalk, slate) = (RgbColor(0xd1, 0xd7, 0xe0), RgbColor(0x15, 0x1b, 0x23));
    for (name, fg, bg) in [("light", ink, paper), ("dark", chalk, slate)] {
        let drawn = Term::new().fg_color(fg.into()).bg_color(bg.into()).render_svg(&text);
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(format!("survey-{name}.svg"));
        if std::env::var_os("UPDATE_PICTURE").is_some() {
            std::fs::write(&file, &drawn).unwrap();
        }
        let stored = std::fs::read_to_string(file).unwrap_or_default();
        assert!(stored == drawn, "docs/survey-{name}.svg is out of date; UPDATE_PICTURE=1 draws it anew");
    }
}

#[test]
fn colours_as_they_are_written() {
    insta::assert_snapshot!(survey_in_colour().replace('\u{1b}', "␛"));
}
