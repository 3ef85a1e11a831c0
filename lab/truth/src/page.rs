//! The page that keeps the last report, `docs/method/truth.md`: what stands between its two marks is replaced.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::SystemTime;

use anyhow::{Context, Result, ensure};
use clockscope_engine::machine;

const BEGIN: &str = "<!-- truth:begin -->\n";
const END: &str = "<!-- truth:end -->";

/// Puts the report into the page, with its date and the machine's kind.
pub(crate) fn write(file: &Path, report: &str) -> Result<()> {
    let page = fs::read_to_string(file).with_context(|| format!("can't read {}", file.display()))?;
    let report = format!("Printed by `cargo xtask truth --write` on {}.\n\n{report}", heading());
    let page = replaced(&page, &report).with_context(|| format!("in {}", file.display()))?;
    fs::write(file, page).with_context(|| format!("can't write {}", file.display()))
}

fn replaced(page: &str, report: &str) -> Result<String> {
    let (before, rest) = page.split_once(BEGIN).with_context(|| format!("there is no '{}'", BEGIN.trim()))?;
    let (_, after) = rest.split_once(END).with_context(|| format!("there is no '{END}'"))?;
    ensure!(!report.contains(END), "the report has the page's mark in it");
    Ok(format!("{before}{BEGIN}\n{}\n\n{END}{after}", report.trim_end()))
}

/// The day, and the machine in words that name no owner.
fn heading() -> String {
    let machine = machine::gather(&machine::Options::default());
    let guest = machine.virtualization.hypervisor.map_or_else(String::new, |name| format!(", a {name} guest"));
    let source = machine.clocksource.current.map_or_else(String::new, |name| format!(", clocksource {name}"));
    let cpu = machine.cpu.model.unwrap_or_else(|| "a CPU that does not say its name".into());
    format!("{}: {cpu}{guest}{source}", today())
}

/// The day by the wall clock, as `date` says it.
fn today() -> String {
    let said = Command::new("date").args(["-u", "+%Y-%m-%d"]).output();
    let day = said.ok().and_then(|output| String::from_utf8(output.stdout).ok());
    day.map(|day| day.trim().to_owned()).filter(|day| !day.is_empty()).unwrap_or_else(|| {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs());
        format!("day {} of the Unix epoch", since / 86_400)
    })
}

#[cfg(test)]
mod tests {
    use super::replaced;

    #[test]
    fn only_what_stands_between_the_marks_is_replaced() {
        let page = "# Truth\n\n<!-- truth:begin -->\nold\n<!-- truth:end -->\nlast\n";
        let new = replaced(page, "new\n").unwrap();
        assert_eq!(new, "# Truth\n\n<!-- truth:begin -->\n\nnew\n\n<!-- truth:end -->\nlast\n");
        assert_eq!(replaced(&new, "new").unwrap(), new);
        assert!(replaced("# Truth\n", "new").is_err());
    }
}
