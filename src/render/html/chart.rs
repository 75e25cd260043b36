//! Charts of one run: the share of locks over time, and by processor and time.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::words;
use crate::render::escape::markup;
use crate::report::timeline::{Band, Cell, Row, Timeline};

/// The width of a chart, in pixels before it is scaled.
const WIDTH: usize = 760;
/// What lies left of what is drawn, and right of it.
const LEFT: usize = 52;
const RIGHT: usize = 12;
/// The height of a chart over time, of a row of the map at most, and of a map.
const HEIGHT: usize = 130;
const ROW: usize = 14;
const MAP: usize = 320;
/// What lies above and below what is drawn.
const ABOVE: usize = 8;
const BELOW: usize = 34;

/// The parts of a cell's weight from which on it is drawn darker. What is below the first has the ground's colour.
pub(super) const LEVELS: [f64; 4] = [0.1, 0.25, 0.5, 0.75];

/// What a chart shows, for those who do not see it.
pub(super) struct Words<'a> {
    /// Its title.
    pub(super) title: &'a str,
    /// What it is a share of.
    pub(super) whole: &'a str,
}

/// What a band is called.
pub(super) fn called(band: &Band) -> &str {
    band.lock.as_ref().map_or("all other locks", |lock| lock.name.as_str())
}

/// The bands that weigh something, by their places.
pub(super) fn bands(timeline: &Timeline) -> impl Iterator<Item = (usize, &Band)> {
    timeline.bands.iter().enumerate().filter(|(_, band)| band.weight.0 > 0)
}

/// The class of a band's colour: the last one is of all other locks.
pub(super) fn class(timeline: &Timeline, band: usize) -> String {
    if band + 1 == timeline.bands.len() { "band rest".to_owned() } else { format!("band b{}", band + 1) }
}

/// Draws shares of locks over time, stacked.
///
/// # Errors
/// Those of `out`.
pub(super) fn course(timeline: &Timeline, words: &Words<'_>, out: &mut dyn Write) -> io::Result<()> {
    let frame = Frame { timeline, height: HEIGHT };
    frame.open(words, out)?;
    for percent in [0, 25, 50, 75, 100] {
        let y = ABOVE + HEIGHT - HEIGHT * percent / 100;
        writeln!(
            out,
            r#"<line class="grid" x1="{LEFT}" x2="{}" y1="{y}" y2="{y}"/><text class="left" x="{}" y="{}">{percent}</text>"#,
            WIDTH - RIGHT,
            LEFT - 6,
            y + 4
        )?;
    }
    frame.title(&format!("% of {}", words.whole), out)?;
    frame.plot("0 0", timeline.all.len(), 1, out)?;
    let mut below: Vec<Option<f64>> = timeline.all.iter().map(|cell| cell.share().map(|_| 0.0)).collect();
    for (band, _) in bands(timeline) {
        let above: Vec<Option<f64>> = below
            .iter()
            .zip(&timeline.all)
            .map(|(below, cell)| Some((*below)? + cell.share_of(band)?.0))
            .collect();
        writeln!(out, r#"<path class="{}" d="{}"/>"#, class(timeline, band), area(&below, &above))?;
        below = above;
    }
    writeln!(out, "</svg></svg>")
}

/// The area between two courses in steps; where a slot has no samples, it has a gap.
fn area(below: &[Option<f64>], above: &[Option<f64>]) -> String {
    let y = |share: Option<f64>| 1.0 - share.unwrap_or(0.0);
    let mut path = String::new();
    let mut start = 0;
    while start < above.len() {
        let end = start + above[start..].iter().take_while(|share| share.is_some()).count();
        if end == start {
            start += 1;
            continue;
        }
        let _ = write!(path, "M{start} {:.4}", y(above[start]));
        for (slot, share) in above.iter().enumerate().take(end).skip(start) {
            let _ = write!(path, "V{:.4}H{}", y(*share), slot + 1);
        }
        for (slot, share) in below.iter().enumerate().take(end).skip(start).rev() {
            let _ = write!(path, "V{:.4}H{slot}", y(*share));
        }
        path.push('Z');
        start = end;
    }
    path
}

/// Draws how much of each processor's weight was in locks, slot by slot: in all of them, or in those of a band.
///
/// # Errors
/// Those of `out`.
pub(super) fn map(
    timeline: &Timeline,
    band: Option<usize>,
    words: &Words<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let rows = timeline.rows.len().max(1);
    let frame = Frame { timeline, height: (rows * ROW).clamp(ROW, MAP) };
    frame.open(words, out)?;
    let step = rows.div_ceil(frame.height / 12);
    for (at, row) in timeline.rows.iter().enumerate().step_by(step.max(1)) {
        let y = ABOVE + (2 * at + 1) * frame.height / (2 * rows) + 4;
        writeln!(out, r#"<text class="left" x="{}" y="{y}">{}</text>"#, LEFT - 6, cpus(row))?;
    }
    frame.title("processor", out)?;
    // Lines of the height of a row: their middle is half a row below its upper end.
    frame.plot("0 -0.5", timeline.all.len(), rows, out)?;
    let share = |cell: &Cell| match band {
        Some(band) => cell.share_of(band),
        None => cell.share(),
    };
    let mut paths = vec![String::new(); LEVELS.len() + 1];
    for (y, row) in timeline.rows.iter().enumerate() {
        let level = |cell: &Cell| {
            let share = share(cell)?.0;
            Some(LEVELS.iter().filter(|least| share >= **least).count())
        };
        let levels: Vec<Option<usize>> = row.cells.iter().map(level).collect();
        let mut x = 0;
        for same in levels.chunk_by(|one, other| one == other) {
            if let Some(level) = same[0] {
                let _ = write!(paths[level], "M{x} {y}h{}", same.len());
            }
            x += same.len();
        }
    }
    for (level, path) in paths.iter().enumerate().filter(|(_, path)| !path.is_empty()) {
        writeln!(out, r#"<path class="cell l{level}" d="{path}"/>"#)?;
    }
    writeln!(out, "</svg></svg>")
}

/// `3`, `0-7`, or a word for samples that do not tell theirs.
pub(super) fn cpus(row: &Row) -> String {
    match row.cpus.as_slice() {
        [] => "not told".to_owned(),
        [one] => one.to_string(),
        [first, .., last] => format!("{first}-{last}"),
    }
}

/// What all charts of a run have: size, axis of time, title.
struct Frame<'a> {
    timeline: &'a Timeline,
    height: usize,
}

impl Frame<'_> {
    fn open(&self, words: &Words<'_>, out: &mut dyn Write) -> io::Result<()> {
        let height = ABOVE + self.height + BELOW;
        writeln!(
            out,
            r#"<svg class="chart" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img" aria-label="{}">"#,
            markup(words.title)
        )?;
        let inner = WIDTH - LEFT - RIGHT;
        let bottom = ABOVE + self.height;
        writeln!(
            out,
            r#"<rect class="ground" x="{LEFT}" y="{ABOVE}" width="{inner}" height="{}"/>"#,
            self.height
        )?;
        let seconds = self.timeline.slot.seconds() * self.timeline.all.len() as f64;
        let step = step(seconds);
        let mut tick = 0.0;
        while step > 0.0 && tick <= seconds {
            let x = LEFT as f64 + inner as f64 * tick / seconds;
            writeln!(
                out,
                r#"<line class="tick" x1="{x:.1}" x2="{x:.1}" y1="{bottom}" y2="{}"/><text class="bottom" x="{x:.1}" y="{}">{}</text>"#,
                bottom + 4,
                bottom + 16,
                (tick * 1e6).round() / 1e6
            )?;
            tick += step;
        }
        writeln!(
            out,
            r#"<text class="bottom title" x="{}" y="{}">seconds from the first sample</text>"#,
            LEFT + inner / 2,
            bottom + 30
        )
    }

    /// The title of the axis on the left.
    fn title(&self, title: &str, out: &mut dyn Write) -> io::Result<()> {
        let y = ABOVE + self.height / 2;
        writeln!(
            out,
            r#"<text class="bottom title" x="12" y="{y}" transform="rotate(-90 12 {y})">{}</text>"#,
            markup(title)
        )
    }

    /// What is drawn, in slots and rows.
    fn plot(&self, from: &str, slots: usize, rows: usize, out: &mut dyn Write) -> io::Result<()> {
        writeln!(
            out,
            r#"<svg x="{LEFT}" y="{ABOVE}" width="{}" height="{}" viewBox="{from} {slots} {rows}" preserveAspectRatio="none">"#,
            WIDTH - LEFT - RIGHT,
            self.height
        )
    }
}

/// A round distance of ticks, so that there are about eight of them.
fn step(seconds: f64) -> f64 {
    if seconds <= 0.0 {
        return 0.0;
    }
    let rough = seconds / 8.0;
    let power = 10_f64.powf(rough.log10().floor());
    let round = [1.0, 2.0, 5.0, 10.0].into_iter().find(|factor| factor * power >= rough).unwrap_or(10.0);
    round * power
}

/// The numbers of a course as a table that unfolds.
///
/// # Errors
/// Those of `out`.
pub(super) fn numbers(timeline: &Timeline, words: &Words<'_>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        r#"<details class="numbers"><summary>Numbers</summary><div class="scroll" tabindex="0"><table>"#
    )?;
    writeln!(
        out,
        "<caption>{}, by slot of {:.3} s, in % of {}</caption>",
        markup(words.title),
        timeline.slot.seconds(),
        markup(words.whole)
    )?;
    write!(
        out,
        r#"<thead><tr><th scope="col">from <small>s</small></th><th scope="col">samples</th><th scope="col">all locks</th>"#
    )?;
    for (_, band) in bands(timeline) {
        write!(out, r#"<th scope="col">{}</th>"#, words::name(called(band)))?;
    }
    writeln!(out, "</tr></thead><tbody>")?;
    for (slot, cell) in timeline.all.iter().enumerate() {
        let percent = |share: Option<crate::units::Share>| {
            share.map_or_else(|| "-".to_owned(), |share| format!("{:.2}", share.percent()))
        };
        let start = timeline.slot.seconds() * slot as f64;
        write!(out, "<tr><td>{start:.3}<td>{}<td>{}", cell.samples, percent(cell.share()))?;
        for (band, _) in bands(timeline) {
            write!(out, "<td>{}", percent(cell.share_of(band)))?;
        }
        writeln!(out, "</tr>")?;
    }
    writeln!(out, "</tbody></table></div></details>")
}
