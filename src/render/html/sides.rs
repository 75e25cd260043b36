//! The verdicts and the tables of a comparison.

use std::io::{self, Write};

use super::table::{Cell, Head, Kind, Table};
use crate::compare::{Comparison, Row, Verdict};
use crate::render::column::{ALL, Column, Notation, columns, leading_p, whole, without_verdict};
use crate::render::escape::markup;
use crate::render::label::{Label, full, short};
use crate::render::{LkpStyle, total, write_lkp};
use crate::report::difference::Difference;
use crate::report::page::TwoSides;

/// Rows that are shown with the verdicts; all stand further down.
const LEADING: usize = 8;

/// The columns of a comparison, and from how large a change on what is new or gone is good or bad.
struct Form {
    columns: Vec<Column>,
    least: f64,
}

impl Form {
    fn of(comparison: &Comparison) -> Self {
        Self { columns: columns(comparison, &ALL), least: comparison.settings.min_effect }
    }

    fn of_functions(&self) -> Self {
        Self { columns: without_verdict(&self.columns), least: self.least }
    }
}

/// What changed: all locks and the largest changes, families, functions that moved.
///
/// # Errors
/// Those of `out`.
pub(super) fn verdicts(difference: &Difference, out: &mut dyn Write) -> io::Result<()> {
    let comparison = &difference.comparison;
    let form = Form::of(comparison);
    let shown = total::shown(difference);
    let leading = &shown[..shown.len().min(LEADING)];
    let caption = match shown.len() {
        n if n > LEADING => format!("All locks together, and the {LEADING} largest changes"),
        _ => "All locks together, and each lock at its call sites".to_owned(),
    };
    let mut table = table("verdict", caption, Kind::Plain, &form, comparison);
    table.rows = totals(difference, &form, Part::All);
    table.rows.extend(leading.iter().map(|row| line(row, &form, full(&row.subject))));
    table.notes =
        form.columns.iter().filter_map(|column| column.formula(comparison, Notation::PAGE)).collect();
    table.write(out)?;
    let facts = total::lines(comparison, Notation::PAGE);
    writeln!(out, r#"<dl class="facts">"#)?;
    for (label, text) in facts {
        writeln!(out, "<div><dt>{label}</dt><dd>{}</dd></div>", markup(&text))?;
    }
    writeln!(out, "</dl>")?;
    if !comparison.families.is_empty() {
        let mut families =
            self::table("families", "Families of locks".to_owned(), Kind::Plain, &form, comparison);
        families.rows = comparison.families.iter().map(|row| line(row, &form, short(&row.subject))).collect();
        writeln!(out, "<h3>Families</h3>")?;
        families.write(out)?;
    }
    movers(difference, &form, out)?;
    if let Some(metrics) = &difference.metrics {
        let mut text = Vec::new();
        write_lkp(metrics, LkpStyle::Lkp, &mut text)?;
        writeln!(out, "<h3>The benchmark's own figures</h3>")?;
        let text = String::from_utf8_lossy(&text);
        let lines: Vec<String> = text.lines().map(markup).collect();
        writeln!(out, r#"<pre class="scroll" tabindex="0" id="metrics">{}</pre>"#, lines.join("\n"))?;
    }
    Ok(())
}

fn movers(difference: &Difference, form: &Form, out: &mut dyn Write) -> io::Result<()> {
    let of_function = form.of_functions();
    for (at, (title, rows)) in total::movers(difference).enumerate() {
        if at == 0 {
            writeln!(out, "<h3>Where the share went</h3>")?;
        }
        let id = if title.contains("gained") { "gained" } else { "lost" };
        let mut table = self::table(id, capital(title), Kind::Plain, &of_function, &difference.comparison);
        table.rows = rows.iter().map(|row| line(row, &of_function, short(&row.subject))).collect();
        table.write(out)?;
    }
    Ok(())
}

/// All rows, and all functions that moved.
///
/// # Errors
/// Those of `out`.
pub(super) fn tables(sides: &TwoSides, out: &mut dyn Write) -> io::Result<()> {
    let difference = &sides.difference;
    let comparison = &difference.comparison;
    let form = Form::of(comparison);
    let shown = total::shown(difference);
    if shown.is_empty() {
        writeln!(out, "<p>No lock holds a sample on either side.</p>")?;
    } else {
        let caption = "Locks at call sites, the largest change first".to_owned();
        let mut rows = table("rows", caption, Kind::Sortable, &form, comparison);
        rows.rows = shown.iter().map(|row| line(row, &form, full(&row.subject))).collect();
        rows.sums = totals(difference, &form, Part::Everything);
        writeln!(out, "<h3>Call sites</h3>")?;
        rows.write(out)?;
    }
    if !sides.symbols.is_empty() {
        let of_function = form.of_functions();
        let caption = "Functions in which samples lie, locks or not, the largest change first".to_owned();
        let mut symbols = table("symbols", caption, Kind::Sortable, &of_function, comparison);
        symbols.rows = sides.symbols.iter().map(|row| line(row, &of_function, short(&row.subject))).collect();
        if sides.more_symbols > 0 {
            symbols.notes = vec![format!("{} more functions moved less.", sides.more_symbols)];
        }
        writeln!(out, "<h3>Leaf functions</h3>")?;
        symbols.write(out)?;
    }
    Ok(())
}

/// Which of the rows that sum up.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// All locks.
    All,
    /// What is not shown too.
    Everything,
}

fn totals(difference: &Difference, form: &Form, part: Part) -> Vec<Vec<Cell>> {
    let comparison = &difference.comparison;
    let mut rows = total::rows(difference, &form.columns, Notation::PAGE);
    if part == Part::All && difference.cut().is_some() {
        rows.remove(0);
    }
    let row = |(label, texts): (String, Vec<String>)| {
        let of = match label.as_str() {
            "all locks" => Some(&comparison.contention),
            "all locks, of busy time" => Some(&comparison.busy),
            _ => None,
        };
        let text = |column| form.columns.iter().position(|own| *own == column).map_or("", |at| &texts[at]);
        let cell = |place: Place| match place {
            Place::Subject => Cell::Subject(Label::words(label.clone())),
            Place::Figure(column) => cell(column, of, text(column), form),
        };
        order(&form.columns).map(cell).collect()
    };
    rows.into_iter().map(row).collect()
}

fn line(row: &Row, form: &Form, label: Label) -> Vec<Cell> {
    let cell = |place: Place| match place {
        Place::Subject => Cell::Subject(label.clone()),
        Place::Figure(column) => cell(column, Some(row), &column.cell(row, Notation::PAGE), form),
    };
    order(&form.columns).map(cell).collect()
}

/// A column of the page.
#[derive(Clone, Copy)]
enum Place {
    /// A figure.
    Figure(Column),
    /// What the row is about.
    Subject,
}

/// The columns from the left. On a narrow screen the first of them are seen: figures, verdict, name.
fn order(columns: &[Column]) -> impl Iterator<Item = Place> + '_ {
    let has = |column: &Column| columns.contains(column);
    let lead = [Column::PerOperation, Column::Before, Column::After, Column::Points, Column::Verdict];
    let rest = [Column::Interval, Column::P];
    let figures = |wanted: &[Column]| -> Vec<Place> {
        wanted.iter().filter(|column| has(column)).map(|column| Place::Figure(*column)).collect()
    };
    figures(&lead).into_iter().chain([Place::Subject]).chain(figures(&rest))
}

fn cell(column: Column, row: Option<&Row>, text: &str, form: &Form) -> Cell {
    let number = |value: Option<f64>| Cell::number(text, value);
    let Some(row) = row else { return Cell::number(text, None) };
    match column {
        Column::PerOperation => number(row.per_operation.as_ref().and_then(|cost| cost.change)),
        Column::Before => Cell::bar(text, row.before.mean),
        Column::After => Cell::bar(text, row.after.mean),
        Column::Points => number(Some(row.points)),
        Column::Interval => number(row.interval.map(|interval| interval.low)),
        Column::P | Column::Proof => number(leading_p(row)),
        Column::Verdict if text.is_empty() => Cell::nothing(),
        Column::Verdict => {
            // What is new or gone need not matter.
            let class = match row.verdict {
                Verdict::Better => "better",
                Verdict::Worse => "worse",
                Verdict::Gone if row.points <= -form.least => "better",
                Verdict::New if row.points >= form.least => "worse",
                _ => "even",
            };
            Cell::Words(format!(r#"<span class="verdict {class}">{}</span>"#, markup(text)))
        }
    }
}

fn table(id: &'static str, caption: String, kind: Kind, form: &Form, of: &Comparison) -> Table {
    let subject = match id {
        "gained" | "lost" | "symbols" => "function",
        "families" => "family",
        _ => "lock, <- call site",
    };
    let head = |place: Place| match place {
        Place::Subject => Head::words(subject),
        Place::Figure(Column::Verdict) => Head::words(Column::Verdict.head()),
        Place::Figure(column @ (Column::Before | Column::After)) => {
            Head::numbers(column.head(), format!("% of {}", whole(of)))
        }
        Place::Figure(column @ Column::Interval) => Head::numbers(column.head(), "points"),
        Place::Figure(column) => Head::numbers(column.head(), ""),
    };
    let heads = order(&form.columns).map(head).collect();
    Table { id: id.to_owned(), caption, kind, heads, rows: Vec::new(), sums: Vec::new(), notes: Vec::new() }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
