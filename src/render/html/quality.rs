//! What to know about the data: warnings, facts, runs.

use std::io::{self, Write};

use super::table::{Cell, Head, Kind, Table};
use crate::render::escape::markup;
use crate::render::fact;
use crate::render::figure;
use crate::render::label::Label;
use crate::report::page::Page;
use crate::run::{self, RunInfo, Warning};

/// Writes warnings as a list.
///
/// # Errors
/// Those of `out`.
pub(super) fn warnings(warnings: &[Warning], out: &mut dyn Write) -> io::Result<()> {
    if warnings.is_empty() {
        return writeln!(out, "<p>There is nothing to warn of.</p>");
    }
    writeln!(out, r#"<ul class="warnings">"#)?;
    for warning in warnings {
        writeln!(out, "<li><strong>{}</strong>: {}</li>", markup(warning.code), markup(&warning.text))?;
    }
    writeln!(out, "</ul>")
}

/// Writes the facts of all sides, and each run.
///
/// # Errors
/// Those of `out`.
pub(super) fn facts(page: &Page, out: &mut dyn Write) -> io::Result<()> {
    let sides = page.sides();
    writeln!(out, r#"<div class="two-up">"#)?;
    conditions(&sides).write(out)?;
    runs(&sides).write(out)?;
    writeln!(out, "</div>")
}

fn conditions(sides: &[(&str, &[RunInfo])]) -> Table {
    let mut heads = vec![Head::words("fact")];
    let rows: Vec<Vec<Cell>> = match sides {
        [(before, one), (after, other)] => {
            heads.extend([Head::words(*before), Head::words(*after)]);
            let facts = fact::of_sides(one, other);
            let cell = |text: &str, differs: bool| match differs {
                true => Cell::Words(format!("{} <strong>(differs)</strong>", markup(text))),
                false => Cell::text(text),
            };
            facts
                .iter()
                .map(|fact| {
                    let label = Cell::Subject(Label::words(fact.label));
                    vec![label, Cell::text(&fact.before), cell(&fact.after, fact.differs())]
                })
                .collect()
        }
        _ => {
            heads.push(Head::words("value"));
            let facts = sides.iter().flat_map(|(_, runs)| fact::of_runs(runs));
            facts
                .map(|(label, _, value)| vec![Cell::Subject(Label::words(label)), Cell::text(&value)])
                .collect()
        }
    };
    let (caption, sums, notes) = ("What was recorded, where, and how".to_owned(), Vec::new(), Vec::new());
    Table { id: "facts".to_owned(), caption, kind: Kind::Plain, heads, rows, sums, notes }
}

fn runs(sides: &[(&str, &[RunInfo])]) -> Table {
    let of_sides = sides.len() > 1;
    let unit = run::unit(sides.iter().flat_map(|(_, runs)| *runs));
    let mut heads = vec![Head::words("run")];
    if of_sides {
        heads.insert(0, Head::words("side"));
    }
    heads.extend([
        Head::numbers("samples", ""),
        Head::numbers("weight", unit),
        Head::numbers("lost", "records"),
        Head::numbers("duration", "s"),
        Head::numbers("frames without a name", "%"),
        Head::words("host"),
    ]);
    let row = |name: &str, run: &RunInfo| {
        let seconds = run.duration.map(|duration| duration.seconds());
        let mut cells = vec![Cell::Subject(Label::name(&run.file))];
        if of_sides {
            cells.insert(0, Cell::text(name));
        }
        cells.extend([
            Cell::count(run.samples),
            Cell::count(run.weight.map(|weight| weight.0)),
            Cell::count(run.samples.map(|_| run.lost)),
            Cell::number(seconds.map_or_else(|| "-".to_owned(), |s| format!("{s:.3}")), seconds),
            Cell::number(figure::percent(run.unnamed_share), run.unnamed_share),
            Cell::text(run.host.as_deref().unwrap_or("-")),
        ]);
        cells
    };
    let rows = sides.iter().flat_map(|(name, runs)| runs.iter().map(move |run| row(name, run))).collect();
    let (caption, sums, notes) = ("Runs".to_owned(), Vec::new(), Vec::new());
    Table { id: "runs".to_owned(), caption, kind: Kind::Plain, heads, rows, sums, notes }
}

/// Event, unit, host, totals and runs: what stands below the sentence.
///
/// # Errors
/// Those of `out`.
pub(super) fn summary(page: &Page, out: &mut dyn Write) -> io::Result<()> {
    let sides = page.sides();
    let runs = || sides.iter().flat_map(|(_, runs)| runs.iter());
    let once = |of: &dyn Fn(&RunInfo) -> Option<String>| {
        let mut values: Vec<String> = Vec::new();
        for value in runs().filter_map(of) {
            if !values.contains(&value) {
                values.push(value);
            }
        }
        if values.is_empty() { "not told".to_owned() } else { values.join(", ") }
    };
    let by_side = |of: &dyn Fn(&[RunInfo]) -> String| match sides.as_slice() {
        [(before, one), (after, other)] => format!("{} {before}, {} {after}", of(one), of(other)),
        sides => sides.iter().map(|(_, runs)| of(runs)).collect(),
    };
    let total = |runs: &[RunInfo]| figure::told(run::total(runs, |run| run.weight.map(|weight| weight.0)));
    let samples = |runs: &[RunInfo]| figure::told(run::total(runs, |run| run.samples));
    let unit = once(&|run| Some(run.unit.word().to_owned()));
    let facts = [
        ("event", once(&|run| Some(run.event.clone()))),
        ("unit of weights", unit.clone()),
        ("host", once(&|run| run.host.clone())),
        ("runs", by_side(&|runs| runs.len().to_string())),
        ("samples", by_side(&samples)),
        ("total weight", format!("{} ({unit})", by_side(&total))),
    ];
    writeln!(out, r#"<dl class="facts">"#)?;
    for (label, text) in facts {
        writeln!(out, "<div><dt>{label}</dt><dd>{}</dd></div>", markup(&text))?;
    }
    writeln!(out, "</dl>")
}
