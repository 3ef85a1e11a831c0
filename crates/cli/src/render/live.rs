//! What the live view of a watch shows: all clocks, the lines of the chosen one, what happened.

use clockscope_analysis::text::{signed, signed_time, unit};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::symbols::Marker;
use ratatui::text::Line;
use ratatui::widgets::{Axis, Block, Chart, Dataset, GraphType, Paragraph, Row, Table, Wrap};

use super::looks::rate;
use crate::live::{Seen, Watched};

/// From so many columns on the two lines stand side by side; below so many rows there is one of them.
const WIDE: u16 = 72;
const HIGH: u16 = 32;
/// Fewest rows of a line that says something: its border, its axis and four of the line itself.
const LINE: u16 = 8;

/// Draws all of it.
pub fn draw(frame: &mut Frame, seen: &Seen, colour: bool) {
    let area = frame.area();
    let clocks = u16::try_from(seen.clocks.len()).unwrap_or(u16::MAX).saturating_add(1);
    let events = (area.height / 8).max(1);
    let table = clocks.min(area.height.saturating_sub(LINE + events + 2)).max(2);
    let parts = Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(table),
        Constraint::Fill(1),
        Constraint::Length(events),
        Constraint::Length(1),
    ]);
    let [head, rows, lines, below, foot] = parts.areas(area);
    let Some(chosen) = seen.clocks.get(seen.chosen) else {
        frame.render_widget(Paragraph::new("clockscope monitor: calibrating"), area);
        return;
    };
    let ntp = chosen.row.ntp.clone().unwrap_or_else(|| "state not known".into());
    let name = if area.width >= WIDE { "clockscope monitor  " } else { "" };
    let title = format!("{name}{:.0} s against {}  NTP: {ntp}", chosen.row.at_s, seen.reference);
    frame.render_widget(Paragraph::new(title).style(Style::new().add_modifier(Modifier::BOLD)), head);
    frame.render_widget(table_of(seen, rows), rows);
    let rate = ("rate, ppm", chosen.rates.as_slice());
    let (scale, name) = unit(chosen.gained.as_slice().iter().map(|(_, ns)| ns.abs()).fold(0.0, f64::max));
    let gained: Vec<(f64, f64)> = chosen.gained.as_slice().iter().map(|(at, ns)| (*at, ns / scale)).collect();
    let title = format!("gained, {name}");
    let gained = (title.as_str(), gained.as_slice());
    let line = |frame: &mut Frame, (title, points): (&str, &[(f64, f64)]), area| {
        frame.render_widget(chart(&format!("{} {title}", chosen.row.clock), points, colour), area);
    };
    if area.width >= WIDE {
        let [left, right] = Layout::horizontal([Constraint::Fill(1), Constraint::Fill(1)]).areas(lines);
        line(frame, rate, left);
        line(frame, gained, right);
    } else if area.height >= HIGH {
        let [upper, lower] = Layout::vertical([Constraint::Fill(1), Constraint::Fill(1)]).areas(lines);
        line(frame, rate, upper);
        line(frame, gained, lower);
    } else {
        line(frame, rate, lines);
    }
    let most = usize::from(events);
    let latest: Vec<Line> = seen.events.iter().rev().take(most).map(|text| Line::from(text.as_str())).collect();
    let latest = if latest.is_empty() { vec![Line::from("nothing happened so far")] } else { latest };
    frame.render_widget(Paragraph::new(latest).wrap(Wrap { trim: true }), below);
    let left_out = clocks.saturating_sub(table);
    let more = if left_out > 0 { format!("; {left_out} more are not in sight") } else { String::new() };
    let keys = format!("q ends, Tab chooses the clock{more}");
    frame.render_widget(Paragraph::new(keys).style(Style::new().add_modifier(Modifier::DIM)), foot);
}

fn table_of(seen: &Seen, area: Rect) -> Table<'_> {
    // The chosen clock is always among those that find room.
    let room = usize::from(area.height.saturating_sub(1)).max(1);
    let first = (seen.chosen + 1).saturating_sub(room);
    let rows = seen.clocks.iter().enumerate().skip(first).take(room).map(|(at, clock)| {
        let style = if at == seen.chosen { Style::new().add_modifier(Modifier::REVERSED) } else { Style::new() };
        Row::new(cells(clock)).style(style)
    });
    let widths = [14, 14, 9, 15, 6];
    let head = ["clock", "rate, ppm", "gained", "since step, ppm", "faults"];
    // The last columns go where there is no room.
    let fits =
        (1..=widths.len()).rev().find(|count| widths[..*count].iter().sum::<u16>() + *count as u16 <= area.width);
    let fits = fits.unwrap_or(1);
    Table::new(rows, widths[..fits].iter().copied().map(Constraint::Length))
        .header(Row::new(head).style(Style::new().add_modifier(Modifier::BOLD)))
}

fn cells(clock: &Watched) -> [String; 5] {
    let row = &clock.row;
    let last = rate(row.rate_ppm, row.rate_low_ppm, row.rate_high_ppm, 2);
    let whole = rate(row.whole_ppm, row.whole_low_ppm, row.whole_high_ppm, 3);
    [row.clock.clone(), last, signed_time(row.gained_ns), whole, row.faults.to_string()]
}

/// A line over time. Its axes hold all points; a line that stands still has some room about it.
fn chart<'a>(title: &str, points: &'a [(f64, f64)], colour: bool) -> Chart<'a> {
    let ends = |of: fn(&(f64, f64)) -> f64| {
        let all = points.iter().map(of).filter(|value| value.is_finite());
        let (low, high) = all.fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(value), high.max(value)));
        if low > high { (0.0, 1.0) } else { (low, high) }
    };
    let ((from, to), (low, high)) = (ends(|point| point.0), ends(|point| point.1));
    let room = ((high - low) * 0.05).max(low.abs().max(high.abs()) * 1e-9).max(1e-9);
    let style = if colour { Style::new().fg(Color::Cyan) } else { Style::new() };
    let line = Dataset::default().marker(Marker::Braille).graph_type(GraphType::Line).style(style).data(points);
    let x = Axis::default().bounds([from, to.max(from + 1e-9)]).labels([format!("{from:.0} s"), format!("{to:.0} s")]);
    let y = Axis::default().bounds([low - room, high + room]).labels([signed(low), signed(high)]);
    Chart::new(vec![line]).block(Block::bordered().title(title.to_owned())).x_axis(x).y_axis(y).legend_position(None)
}

#[cfg(test)]
mod tests {
    use clockscope_analysis::record::MonitorReport;
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;

    use super::*;

    fn seen() -> Seen {
        let report: MonitorReport = serde_json::from_str(include_str!("../../tests/fixtures/monitor.json")).unwrap();
        let mut seen = Seen { reference: report.reference.clone(), ..Seen::default() };
        for at in 0..120 {
            let rows = report.clocks.iter().filter_map(|clock| clock.last.clone()).map(|mut row| {
                row.at_s = f64::from(at);
                row.gained_ns += f64::from(at * at);
                row
            });
            seen.take(&rows.collect::<Vec<_>>());
        }
        seen
    }

    fn screen(seen: &Seen, width: u16, height: u16) -> String {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal.draw(|frame| draw(frame, seen, false)).unwrap();
        terminal.backend().to_string()
    }

    #[test]
    fn every_size_has_room_for_the_clocks_a_line_and_what_happened() {
        let seen = seen();
        for (width, height) in [(80, 24), (200, 50), (40, 12)] {
            let screen = screen(&seen, width, height);
            for wanted in ["clock", "rate, ppm", "gained", " ± ", "against monotonic", "q ends", "NTP"] {
                assert!(screen.contains(wanted), "{width} × {height}: {wanted}\n{screen}");
            }
        }
        for (width, height) in [(1, 1), (3, 2), (10, 5), (500, 3)] {
            screen(&seen, width, height);
        }
        screen(&Seen::default(), 80, 24);
    }

    #[test]
    fn keys_choose_a_clock_and_end_it() {
        let mut seen = seen();
        let last = seen.clocks.len() - 1;
        for (typed, ends, chosen) in [
            (&b"k"[..], false, last),
            (b"\t", false, 0),
            (b"\x1b[A", false, last),
            (b"\x1b[B", false, 0),
            (b"x", false, 0),
            (b"q", true, 0),
        ] {
            assert_eq!((seen.key(typed), seen.chosen), (ends, chosen), "{typed:?}");
        }
    }
}
