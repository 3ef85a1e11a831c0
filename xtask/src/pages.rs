//! The report as a browser shows it: nothing on the console, every plot drawn, in both themes, on a wide and a narrow screen; and
//! what it says to who points at a plot.
//!
//! The page's policy (CSP) forbids every request, and a browser writes what it forbids to the console: that nothing stands there
//! says that nothing was asked for.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::BufReader;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

use crate::browser::{Browser, Tab};
use crate::stage::Outcome;
use crate::{setup, shell};

/// Where the scripts lie that are not ours.
const VENDORED: &str = "crates/cli/assets/uplot";
/// Widths of screens.
const WIDTHS: [u32; 2] = [1400, 420];
/// A page of one survey is no larger, bytes.
const LARGEST: u64 = 1 << 20;
/// Pixels of a colour that a curve has, at the least.
const DRAWN: u64 = 60;
/// CPUs of the made-up machine.
const CPUS: u32 = 256;
/// Plots whose curves have places of their own, by the beginning of their titles: where one is pointed at, the chosen clock's curve
/// has to answer, whoever's point is nearest.
const JOINED: [&str; 3] = ["Cost of single reads", "Error of a timed interval", "Allan deviation"];

/// Checks the scripts that are not ours against their checksums.
pub(crate) fn vendored() -> Result<()> {
    let folder = shell::root().join(VENDORED);
    shell::run(Command::new("sha256sum").args(["--check", "--strict", "SHA256SUMS"]).current_dir(folder))
}

/// The same as a command of its own.
pub(crate) fn run() -> Result<()> {
    match check()? {
        Outcome::Passed => Ok(()),
        Outcome::Skipped(why) => bail!(why),
    }
}

/// Shows the pages to a browser.
pub(crate) fn check() -> Result<Outcome> {
    vendored()?;
    if Browser::program().is_none()
        && let Err(error) = setup::programs(&[("chromium", &["chromium"])])
    {
        return Ok(Outcome::Skipped(format!("{error:#}")));
    }
    let mut browser = Browser::start()?;
    let folder = shell::target().join("pages");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).with_context(|| format!("can't make {}", folder.display()))?;
    shell::run(shell::cargo().args(["build", "--quiet", "--package", "clockscope"]))?;
    let clockscope = shell::target().join("debug/clockscope");
    let made_up = folder.join("made-up.json");
    fs::write(&made_up, made_up_record()?.to_string()).context("can't write the made-up record")?;

    let [here, huge] = ["here.html", "made-up.html"].map(|name| folder.join(name));
    shell::run(Command::new(&clockscope).args(["report", "--time", "1s", "--no-progress", "--output"]).arg(&here))?;
    shell::run(Command::new(&clockscope).arg("report").arg(&made_up).arg("--output").arg(&huge))?;
    let size = fs::metadata(&here)?.len();
    println!("the page of this machine: {} KiB", size / 1024);
    ensure!(size <= LARGEST, "{} is larger than 1 MiB", here.display());
    for page in [&here, &huge] {
        let text = fs::read_to_string(page)?;
        for (dark, theme) in [(false, "light"), (true, "dark")] {
            let curves = palette(&text, dark)?;
            for width in WIDTHS {
                let mut tab = browser.tab(width, dark)?;
                tab.open(page)?;
                let drawn = tab.until("document.documentElement?.dataset.drawn ?? null")?;
                let asked = tab.value("performance.getEntriesByType('resource').length")?;
                ensure!(asked == 0, "{} asked for {asked} things", page.display());
                let drawn = drawn.as_str().unwrap_or("?");
                println!("{} in {theme}, {width} wide: drawn {drawn} ms after it was asked for", page.display());
                let across = tab.value("document.documentElement.scrollWidth")?;
                ensure!(across == width, "{} is {across} wide on a screen of {width}", page.display());
                let shot = page.with_extension(format!("{theme}-{width}.png"));
                fs::write(&shot, tab.picture()?).with_context(|| format!("can't write {}", shot.display()))?;
                // Three clocks of the verdict here; of the made-up record one clock has a series.
                let wanted = if page == &here { &curves[..3] } else { &curves[..2] };
                let seen = colours(&shot)?;
                for colour in wanted {
                    let pixels = seen.get(colour).copied().unwrap_or(0);
                    ensure!(pixels >= DRAWN, "{} has {pixels} pixels of {colour:02x?}", shot.display());
                }
                pointed_at(&mut tab).with_context(|| format!("{} in {theme}, {width} wide", page.display()))?;
                let said = tab.close()?;
                ensure!(said.is_empty(), "{} in {theme}, {width} wide: {said}", page.display());
            }
        }
    }
    Ok(Outcome::Passed)
}

/// Points at places all over the joined plots, as far as they are drawn: the legend has to have a figure of the chosen clock.
fn pointed_at(tab: &mut Tab) -> Result<()> {
    for title in JOINED {
        let plot = format!("[...document.querySelectorAll('.plot')].find((it) => it.innerText.startsWith('{title}'))");
        let over = format!("{plot}?.querySelector('.u-over')");
        if tab.value(&format!("{over} != null"))? == false {
            continue;
        }
        tab.value(&format!("{over}.scrollIntoView({{ block: 'center' }}), 0"))?;
        let mut read = Vec::new();
        for part in 1..10 {
            let frame = tab.value(&format!(
                "(({{ left, top, width, height }}) => [left, top, width, height])({over}.getBoundingClientRect())"
            ))?;
            let at = |i: usize| frame[i].as_f64().context("no place");
            tab.point(at(0)? + at(2)? * f64::from(part) / 10.0, at(1)? + at(3)? / 2.0)?;
            let cell = format!("{plot}.querySelectorAll('.u-legend .u-value')[1].textContent");
            read.push(tab.value(&cell)?.as_str().unwrap_or_default().to_owned());
        }
        // A curve may begin later than the others or end before them, but has no holes.
        let is_figure = |text: &String| text.starts_with(|c: char| c.is_ascii_digit());
        let told = read.iter().filter(|text| is_figure(text)).count();
        let ends = read.iter().position(is_figure).zip(read.iter().rposition(is_figure));
        ensure!(told >= 5 && ends.is_some_and(|(a, b)| b - a + 1 == told), "{title}, pointed at: {read:?}");
    }
    Ok(())
}

/// The colours of curves, first to last, as the page's style has them for a theme.
fn palette(page: &str, dark: bool) -> Result<Vec<[u8; 3]>> {
    let style = page.split(":root {").nth(if dark { 2 } else { 1 }).context("the page has no colours")?;
    let colour = |i: u32| {
        let hex = style.split(&format!("--c{i}: #")).nth(1)?.get(..6)?;
        let [_, r, g, b] = u32::from_str_radix(hex, 16).ok()?.to_be_bytes();
        Some([r, g, b])
    };
    (0..7).map(|i| colour(i).with_context(|| format!("the page has no colour {i}"))).collect()
}

/// How many pixels a picture has of each colour.
fn colours(shot: &Path) -> Result<BTreeMap<[u8; 3], u64>> {
    let file = File::open(shot).with_context(|| format!("can't read {}", shot.display()))?;
    let mut decoder = png::Decoder::new(BufReader::new(file));
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().with_context(|| format!("{} is no PNG", shot.display()))?;
    let mut bytes = vec![0; reader.output_buffer_size().context("the picture is too large")?];
    let info = reader.next_frame(&mut bytes)?;
    let mut seen = BTreeMap::new();
    for pixel in bytes[..info.buffer_size()].chunks_exact(info.color_type.samples()) {
        if let [r, g, b, ..] = *pixel {
            *seen.entry([r, g, b]).or_default() += 1;
        }
    }
    Ok(seen)
}

/// A point of a span's curve.
fn span(length_ns: f64) -> Value {
    let error = 30.0 + length_ns / 500.0;
    json!({
        "length_ns": length_ns, "length_off_ns": 0.1, "timings": 1000, "bias_ns": 5.0, "p95_ns": error, "p95_subtracted_ns": error,
        "low_ns": -error, "high_ns": error, "sd_ns": error / 2.0,
    })
}

/// A record of many CPUs, some of which disagree, of a long run, on a machine with a bad name.
fn made_up_record() -> Result<Value> {
    let path = shell::root().join("crates/cli/tests/fixtures/record.json");
    let text = fs::read_to_string(&path).with_context(|| format!("can't read {}", path.display()))?;
    let mut record: Value = serde_json::from_str(&text)?;
    record["machine"]["hostname"] = json!("</script><script>alert(1)</script>");
    let none = json!({"count": 0, "of": 1000, "largest_ns": null});
    let pair = |a: u32, b: u32| {
        // The CPUs of the second socket are 300 ns ahead.
        let offset =
            f64::from(u8::from(b >= CPUS / 2) - u8::from(a >= CPUS / 2)) * 300.0 + f64::from((a * 7 + b * 13) % 9);
        json!({
            "cpu_a": a, "cpu_b": b, "distance": null, "low_ns": offset - 60.0, "high_ns": offset + 60.0,
            "low_counts": null, "high_counts": null, "joint_low_ns": null, "joint_high_ns": null, "constant": true,
            "round_trip_ns": 120.0, "messages": 1000, "backward": none, "missing": null,
        })
    };
    let pairs: Vec<Value> =
        (0..CPUS).flat_map(|a| (a + 1..CPUS).map(move |b| (a, b))).map(|(a, b)| pair(a, b)).collect();
    record["skew"] = json!([{
        "clock": "tscp", "count_ns": 0.4, "quantum_ns": 10.0, "cpus": (0..CPUS).collect::<Vec<_>>(), "agree": false,
        "backward": none, "worst": [0, CPUS - 1], "pairs": pairs, "by_distance": [], "offsets": [], "missing": {},
    }]);
    let wander = |i: u32| 40.0 * (f64::from(i) / 31.0).sin();
    record["series"][0]["offset"] = json!({
        "at_ns": (0..512).map(|i| f64::from(i) * 1e8).collect::<Vec<_>>(),
        "low_ns": (0..512).map(|i| wander(i) - 30.0).collect::<Vec<_>>(),
        "high_ns": (0..512).map(|i| wander(i) + 30.0).collect::<Vec<_>>(),
    });
    let spans = |least: f64| (0..12).map(|i| span(least * 2f64.powi(i))).collect::<Vec<_>>();
    record["series"][0]["span"] = json!(spans(20.0));
    // A second clock, none of whose points stands where one of the first does.
    let mut second = record["series"][0].clone();
    second["clock"] = json!("realtime");
    second["cost"] = json!({"low_ns": [0.0, 30.0, 50.0], "high_ns": [0.0, 31.0, 52.0], "reads": [50, 7000, 40]});
    second["offset"]["at_ns"] = json!((0..512).map(|i| f64::from(i) * 1.1e8).collect::<Vec<_>>());
    second["span"] = json!(spans(27.0));
    record["series"].as_array_mut().context("the record has no series")?.push(second);
    Ok(record)
}
