//! What the live view of a watch shows: all clocks, the lines of the chosen one, what happened.

mod stability;

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
    let title = longest(title(seen, chosen), area.width);
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
    if seen.shows_stability {
        stability::draw(frame, seen, &chosen.row.clock, lines);
    } else if area.width >= WIDE {
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
    let keys = longest(keys(seen, clocks.saturating_sub(table)), area.width);
    frame.render_widget(Paragraph::new(keys).style(Style::new().add_modifier(Modifier::DIM)), foot);
}

/// What is known before all, from the longest way to say it to the shortest.
fn title(seen: &Seen, chosen: &Watched) -> Vec<String> {
    let against = format!("{:.0} s against {}", chosen.row.at_s, seen.reference);
    let mut said = Vec::new();
    if let Some(ntp) = &chosen.row.ntp {
        let state = ntp.split(',').next().unwrap_or_default();
        let brief = if state == "synchronised" { "by NTP" } else { "no NTP" };
        said.push(format!("clockscope monitor  {against}  NTP: {ntp}"));
        said.push(format!("{against}  NTP: {ntp}"));
        said.push(format!("{against}  NTP: {state}"));
        said.push(format!("{against}, {brief}"));
    }
    said.push(against);
    said.push(format!("{:.0} s", chosen.row.at_s));
    said
}

/// What can be typed, likewise; and how many clocks found no room.
fn keys(seen: &Seen, left_out: u16) -> Vec<String> {
    let what = if seen.shows_stability { "lines" } else { "stability" };
    let more = |text: &str| if left_out > 0 { format!("; {left_out} {text}") } else { String::new() };
    vec![
        format!("q ends, Tab chooses the clock, a shows its {what}{}", more("more are not in sight")),
        format!("q ends, Tab chooses, a: {what}{}", more("more")),
        format!("q ends, Tab, a: {what}"),
        "q ends".into(),
        "q".into(),
    ]
}

/// The first that finds room: nothing is cut in the middle of a word.
fn longest(said: Vec<String>, width: u16) -> String {
    said.into_iter().find(|text| text.chars().count() <= usize::from(width)).unwrap_or_default()
}

/// How many of these columns find room, one at least.
fn fitting(widths: &[u16], width: u16) -> usize {
    let fits = |count: &usize| widths[..*count].iter().sum::<u16>() + *count as u16 <= width;
    (1..=widths.len()).rev().find(fits).unwrap_or(1)
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
    let fits = fitting(&widths, area.width);
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
        let stable = &report.clocks[0];
        seen.stability = Some((stable.clock.clone(), stable.stability.clone()));
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
    fn narrow_ones_cut_no_word_of_head_and_foot() {
        let mut seen = seen();
        for shown in [false, true] {
            seen.shows_stability = shown;
            for width in 20..120 {
                let screen = screen(&seen, width, 14);
                let lines: Vec<&str> = screen.lines().map(|line| line.trim_matches('"').trim_end()).collect();
                let (head, foot) = (lines[0], lines[lines.len() - 1]);
                assert!(title(&seen, &seen.clocks[0]).iter().any(|whole| whole == head), "{width}: {head}");
                assert!((0..9).any(|out| keys(&seen, out).iter().any(|whole| whole == foot)), "{width}: {foot}");
            }
        }
    }

    #[test]
    fn the_stability_of_the_chosen_clock_stands_in_place_of_the_lines() {
        let mut seen = seen();
        assert!(!seen.key(b"a"));
        for (width, height) in [(80, 24), (200, 50), (40, 12)] {
            let screen = screen(&seen, width, height);
            for wanted in ["stability", "tau", "ADEV", "MTIE", "400 ms", "q ends"] {
                assert!(screen.contains(wanted), "{width} × {height}: {wanted}\n{screen}");
            }
            assert!(!screen.contains("gained, "), "{screen}");
        }
        seen.key(b"\t");
        assert!(screen(&seen, 80, 24).contains("comes with the next look"));
        seen.key(b"k");
        seen.stability.as_mut().unwrap().1.clear();
        assert!(screen(&seen, 80, 24).contains("it takes three looks"));
        assert!(!seen.key(b"a") && !seen.shows_stability);
        for (width, height) in [(1, 1), (3, 2), (10, 5), (500, 3)] {
            seen.shows_stability = true;
            screen(&seen, width, height);
        }
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
