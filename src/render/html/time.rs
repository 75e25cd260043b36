//! Locks over time: a course for each run, and for the first run of each side a map of processors with its convoys.

use std::io::{self, Write};

use super::chart::{self, LEVELS, Words, bands, called};
use super::table::{Cell, Head, Kind, Table};
use super::words;
use crate::render::escape::markup;
use crate::render::figure;
use crate::render::label::Label;
use crate::report::page::{Page, TimedRun};
use crate::report::timeline::{Convoy, Timeline};

/// Convoys of a run that are shown.
const CONVOYS: usize = 20;

/// Writes the section.
///
/// # Errors
/// Those of `out`.
pub(super) fn times(page: &Page, out: &mut dyn Write) -> io::Result<()> {
    let whole = page.whole();
    let timed = || page.times.runs.iter().filter_map(|run| Some((run, run.timeline.as_ref().ok()?)));
    for run in &page.times.runs {
        if let Err(reason) = &run.timeline {
            writeln!(out, "<p>{} has no timeline: {}.</p>", words::name(&run.file), markup(reason.words()))?;
        }
    }
    if page.times.more > 0 {
        writeln!(out, "<p>The first runs of each side are shown; {} more are not.</p>", page.times.more)?;
    }
    let Some((_, first)) = timed().next() else { return Ok(()) };
    writeln!(out, "<h3>Share of locks over time</h3>")?;
    legend(timed().map(|(_, timeline)| timeline), first, out)?;
    writeln!(out, r#"<div class="courses">"#)?;
    for (run, timeline) in timed() {
        let title = format!("Share of locks over time in {}", name(run));
        let words = Words { title: &title, whole: &whole };
        writeln!(out, r#"<figure class="course"><figcaption>{}</figcaption>"#, caption(run))?;
        chart::course(timeline, &words, out)?;
        chart::numbers(timeline, &words, out)?;
        writeln!(out, "</figure>")?;
    }
    writeln!(out, "</div>")?;
    writeln!(out, "<h3>Processors over time</h3>")?;
    levels(&whole, out)?;
    let mut side = None;
    for (at, (run, timeline)) in timed().enumerate() {
        if side.replace(&run.side) != Some(&run.side) {
            maps(at, run, timeline, (&whole, page.unit()), out)?;
        }
    }
    Ok(())
}

fn name(run: &TimedRun) -> String {
    if run.side.is_empty() { run.file.clone() } else { format!("{}: {}", run.side, run.file) }
}

fn caption(run: &TimedRun) -> String {
    let side =
        if run.side.is_empty() { String::new() } else { format!("<strong>{}</strong> ", markup(&run.side)) };
    format!("{side}{}", words::name(&run.file))
}

/// The colours of bands, of those that any run has.
fn legend<'a>(
    timelines: impl Iterator<Item = &'a Timeline>,
    first: &Timeline,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut shown: Vec<usize> = timelines.flat_map(|timeline| bands(timeline).map(|(at, _)| at)).collect();
    shown.sort_unstable();
    shown.dedup();
    writeln!(out, r#"<ul class="legend">"#)?;
    for band in shown {
        let name = match &first.bands[band].lock {
            Some(lock) => words::name(&lock.name),
            None => "all other locks".to_owned(),
        };
        writeln!(out, "<li>{} {name}</li>", key(&chart::class(first, band)))?;
    }
    writeln!(out, "<li>{} no sample</li></ul>", key("nothing"))
}

fn key(class: &str) -> String {
    format!(
        r#"<svg class="key" width="20" height="12" aria-hidden="true"><rect class="{class}" width="20" height="12"/></svg>"#
    )
}

fn levels(whole: &str, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "<p>Each cell is one processor in one slot of time; the stronger its colour, the more of its {} is in locks.</p>",
        markup(whole)
    )?;
    writeln!(out, r#"<ul class="legend">"#)?;
    for level in 0..=LEVELS.len() {
        let words = match (level.checked_sub(1).map(|at| LEVELS[at]), LEVELS.get(level)) {
            (None, Some(end)) => format!("below {} %", 100.0 * end),
            (Some(start), Some(end)) => format!("{} to {} %", 100.0 * start, 100.0 * end),
            (start, None) => format!("{} % or more", 100.0 * start.unwrap_or(0.0)),
        };
        writeln!(out, "<li>{} {words}</li>", key(&format!("cell l{level}")))?;
    }
    writeln!(out, "<li>{} no sample</li></ul>", key("nothing"))
}

/// The map of all locks, of each lock that is told apart, what they hold by processor, and the convoys.
fn maps(
    at: usize,
    run: &TimedRun,
    timeline: &Timeline,
    (whole, unit): (&str, &str),
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "<h4>{}</h4>", caption(run))?;
    // Without its number no sample can be told from those of another processor.
    if timeline.rows.iter().all(|row| row.cpus.is_empty()) {
        return writeln!(
            out,
            "<p>The samples do not tell their processor, so that convoys are not known: record with -a, or with --sample-cpu.</p>"
        );
    }
    let title = format!("Locks by processor and time in {}", name(run));
    writeln!(out, "<details open><summary>All locks</summary>")?;
    chart::map(timeline, None, &Words { title: &title, whole }, out)?;
    writeln!(out, "</details>")?;
    let in_it = |band: usize| {
        let cells = timeline.rows.iter().flat_map(|row| &row.cells);
        cells.filter_map(|cell| cell.share_of(band)).any(|share| share.0 >= LEVELS[0])
    };
    for (band, of) in bands(timeline).filter(|(band, of)| of.lock.is_some() && in_it(*band)) {
        writeln!(out, "<details><summary>{}</summary>", words::name(called(of)))?;
        let title = format!("{} by processor and time in {}", called(of), name(run));
        chart::map(timeline, Some(band), &Words { title: &title, whole }, out)?;
        writeln!(out, "</details>")?;
    }
    writeln!(out, r#"<details class="numbers"><summary>Numbers by processor</summary>"#)?;
    processors(at, run, timeline, whole).write(out)?;
    writeln!(out, "</details>")?;
    match timeline.convoys.is_empty() {
        true => writeln!(
            out,
            "<p>No convoy: in no slot were half of the processors, and at least two, mostly in one lock.</p>"
        ),
        false => convoys(at, run, timeline, unit).write(out),
    }
}

fn processors(at: usize, run: &TimedRun, timeline: &Timeline, whole: &str) -> Table {
    let row = |row: &crate::report::timeline::Row| {
        let weight: u64 = row.cells.iter().map(|cell| cell.weight.0).sum();
        let locks: u64 = row.cells.iter().flat_map(|cell| &cell.locks).map(|weight| weight.0).sum();
        let share = if weight > 0 { locks as f64 / weight as f64 } else { 0.0 };
        let samples = row.cells.iter().map(|cell| cell.samples).sum();
        let highest = row.cells.iter().enumerate().filter_map(|(slot, cell)| Some((slot, cell.share()?.0)));
        let highest = highest.fold(None, |best: Option<(usize, f64)>, next| match best {
            Some(best) if best.1 >= next.1 => Some(best),
            _ => Some(next),
        });
        let start = highest.map(|(slot, _)| timeline.slot.seconds() * slot as f64);
        vec![
            Cell::Subject(Label::words(chart::cpus(row))),
            Cell::bar(figure::percent(share), share),
            Cell::number(
                highest.map_or_else(String::new, |(_, share)| figure::percent(share)),
                highest.map(|(_, share)| share),
            ),
            Cell::number(start.map_or_else(String::new, |s| format!("{s:.3}")), start),
            Cell::count(Some(samples)),
        ]
    };
    Table {
        id: format!("processors-{at}"),
        caption: format!("Locks by processor in {}", name(run)),
        kind: Kind::Plain,
        heads: vec![
            Head::words("processor"),
            Head::numbers("in locks", format!("% of its {whole}")),
            Head::numbers("most in a slot", "%"),
            Head::numbers("from", "s"),
            Head::numbers("samples", ""),
        ],
        rows: timeline.rows.iter().map(row).collect(),
        sums: Vec::new(),
        notes: Vec::new(),
    }
}

fn convoys(at: usize, run: &TimedRun, timeline: &Timeline, unit: &str) -> Table {
    let row = |convoy: &Convoy| {
        let start = convoy.start.seconds() - timeline.start.seconds();
        let band = &timeline.bands[convoy.band];
        let list: Vec<String> = convoy.cpus.iter().map(u32::to_string).collect();
        vec![
            Cell::number(format!("{start:.3}"), start),
            Cell::number(format!("{:.3}", convoy.length.seconds()), convoy.length.seconds()),
            Cell::Subject(Label::name(called(band))),
            Cell::count(Some(convoy.cpus.len() as u64)),
            Cell::text(&list.join(" ")),
            Cell::count(Some(convoy.weight.0)),
        ]
    };
    let more = timeline.convoys.len().saturating_sub(CONVOYS);
    let mut notes = vec![
        "A convoy: slots in which at least half of the processors with samples, and at least two, spend more than half of \
         their weight in one lock; each of them has at least three samples in the slot."
            .to_owned(),
    ];
    if more > 0 {
        notes.push(format!("{more} more weigh less."));
    }
    Table {
        id: format!("convoys-{at}"),
        caption: format!("Convoys in {}, heaviest first", name(run)),
        kind: Kind::Sortable,
        heads: vec![
            Head::numbers("from", "s"),
            Head::numbers("length", "s"),
            Head::words("lock"),
            Head::numbers("processors", ""),
            Head::words("which"),
            Head::numbers("weight", unit),
        ],
        rows: timeline.convoys.iter().take(CONVOYS).map(row).collect(),
        sums: Vec::new(),
        notes,
    }
}
