//! The panel of the live view that stands in place of the lines: how stable the chosen clock is, by averaging time.

use clockscope_analysis::record::StabilityPoint;
use clockscope_analysis::text::time;
use ratatui::Frame;
use ratatui::layout::{Constraint, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::widgets::{Block, Paragraph, Row, Table, Wrap};

use super::fitting;
use crate::live::Seen;

const HEAD: [&str; 5] = ["tau", "ADEV", "MTIE", "TDEV", "MDEV"];
const WIDTHS: [u16; 5] = [8, 9, 9, 9, 9];
/// Rows and columns that the border takes.
const BORDER: u16 = 2;

/// Draws it.
pub(super) fn draw(frame: &mut Frame, seen: &Seen, clock: &str, area: Rect) {
    let block = Block::bordered().title(format!("{clock} stability"));
    let points = seen.stability.as_ref().filter(|(of, _)| of == clock).map(|(_, points)| points.as_slice());
    let (Some(points), true) = (points, area.height > BORDER) else {
        frame.render_widget(Paragraph::new("comes with the next look").block(block), area);
        return;
    };
    if points.is_empty() {
        let why = "it takes three looks, evenly spaced";
        frame.render_widget(Paragraph::new(why).wrap(Wrap { trim: true }).block(block), area);
        return;
    }
    // Where there is no room for every octave, every second or third: the longest times are what somebody waits for.
    let room = usize::from(area.height - BORDER).saturating_sub(1).max(1);
    let every = points.len().div_ceil(room);
    let rows = points.iter().skip((points.len() - 1) % every).step_by(every).map(|point| Row::new(cells(point)));
    let fits = fitting(&WIDTHS, area.width.saturating_sub(BORDER));
    let table = Table::new(rows, WIDTHS[..fits].iter().copied().map(Constraint::Length))
        .header(Row::new(HEAD).style(Style::new().add_modifier(Modifier::BOLD)));
    frame.render_widget(table.block(block), area);
}

fn cells(point: &StabilityPoint) -> [String; 5] {
    let absent = || "-".to_owned();
    let scientific = |it: Option<f64>| it.map_or_else(absent, |it| format!("{it:.2e}"));
    let length = |ns: Option<f64>| ns.map_or_else(absent, time);
    [
        time(point.tau_s * 1e9),
        scientific(point.adev.map(|it| it.value)),
        length(point.mtie_ns),
        length(point.tdev_ns.map(|it| it.value)),
        scientific(point.mdev.map(|it| it.value)),
    ]
}
