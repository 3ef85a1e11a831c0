//! The report as a browser shows it: nothing on the console, every plot drawn, in both themes and on a wide and a narrow screen.
//!
//! The page's policy (CSP) forbids every request, and a browser writes what it forbids to the console: that nothing stands there
//! says that nothing was asked for.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

use crate::stage::Outcome;
use crate::{setup, shell};

/// Where the scripts lie that are not ours.
const VENDORED: &str = "crates/cli/assets/uplot";
/// By any of these names.
const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
/// Widths of screens.
const WIDTHS: [u32; 2] = [1400, 420];
/// A page of one survey is no larger, bytes.
const LARGEST: u64 = 1 << 20;
/// Pixels of a colour that a curve has, at the least.
const DRAWN: u64 = 60;
/// CPUs of the made-up machine.
const CPUS: u32 = 256;

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
    if browser().is_none()
        && let Err(error) = setup::programs(&[("chromium", &["chromium"])])
    {
        return Ok(Outcome::Skipped(format!("{error:#}")));
    }
    let browser = browser().context("the package chromium has no program of that name")?;
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
        let drawn = drawn_ms(&browser, page)?;
        println!("{}: drawn {drawn} ms after it was asked for", page.display());
        for (dark, theme) in [(false, "light"), (true, "dark")] {
            let curves = palette(&text, dark)?;
            for width in WIDTHS {
                let shot = page.with_extension(format!("{theme}-{width}.png"));
                let said = screenshot(&browser, page, &shot, width, dark)?;
                ensure!(said.is_empty(), "{} in {theme}, {width} wide: {said}", page.display());
                // Three clocks of the verdict here; of the made-up record one clock has a series.
                let wanted = if page == &here { &curves[..3] } else { &curves[..2] };
                let seen = colours(&shot)?;
                for colour in wanted {
                    let pixels = seen.get(colour).copied().unwrap_or(0);
                    ensure!(pixels >= DRAWN, "{} has {pixels} pixels of {colour:02x?}", shot.display());
                }
            }
        }
    }
    Ok(Outcome::Passed)
}

fn browser() -> Option<PathBuf> {
    BROWSERS.iter().find_map(|name| shell::which(name))
}

fn headless(browser: &Path) -> Command {
    let mut command = Command::new(browser);
    command.args(["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--enable-logging=stderr"]);
    command
}

/// When the page's own script was done, ms since the browser began with it.
fn drawn_ms(browser: &Path, page: &Path) -> Result<u64> {
    let dom = shell::output(headless(browser).arg("--dump-dom").arg(url(page)))?;
    let after = dom.split("data-drawn=\"").nth(1).and_then(|rest| rest.split('"').next());
    after.and_then(|ms| ms.parse().ok()).with_context(|| format!("the script of {} did not end", page.display()))
}

/// Takes a picture of the page; what the browser wrote to its console.
fn screenshot(browser: &Path, page: &Path, shot: &Path, width: u32, dark: bool) -> Result<String> {
    let scheme = format!("--blink-settings=preferredColorScheme={}", u8::from(!dark));
    let mut command = headless(browser);
    command.arg(scheme).arg(format!("--window-size={width},9000")).arg(format!("--screenshot={}", shot.display()));
    let output = command.arg(url(page)).output().context("can't start the browser")?;
    ensure!(shot.exists(), "the browser took no picture: {}", String::from_utf8_lossy(&output.stderr));
    let lines = String::from_utf8_lossy(&output.stderr);
    Ok(lines.lines().filter(|line| line.contains("CONSOLE")).collect::<Vec<_>>().join("\n"))
}

fn url(page: &Path) -> String {
    format!("file://{}", page.display())
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
    Ok(record)
}
