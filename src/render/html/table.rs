//! A table with caption, heads, rows and what they sum to. Cells with numbers carry them unrounded, for sorting.

use std::io::{self, Write};

use super::words;
use crate::render::escape::markup;
use crate::render::figure;
use crate::render::label::Label;
use crate::stats::Spread;

/// A table.
pub(super) struct Table {
    /// Its id.
    pub(super) id: String,
    /// What it shows.
    pub(super) caption: String,
    /// Whether the reader can sort and filter it.
    pub(super) kind: Kind,
    /// Columns.
    pub(super) heads: Vec<Head>,
    /// Rows, a cell a column.
    pub(super) rows: Vec<Vec<Cell>>,
    /// Rows that sum up, which stay where they are.
    pub(super) sums: Vec<Vec<Cell>>,
    /// How columns are computed, a line each.
    pub(super) notes: Vec<String>,
}

/// What can be done with a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// It is sorted and filtered by the script.
    Sortable,
    /// It stands as it is.
    Plain,
}

/// The head of a column.
pub(super) struct Head {
    words: String,
    unit: String,
    of: Of,
}

/// What is in a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Of {
    Words,
    Numbers,
}

impl Head {
    /// A column of words.
    pub(super) fn words(words: impl Into<String>) -> Self {
        Self { words: words.into(), unit: String::new(), of: Of::Words }
    }

    /// A column of numbers in a unit, which is empty where they have none.
    pub(super) fn numbers(words: impl Into<String>, unit: impl Into<String>) -> Self {
        Self { words: words.into(), unit: unit.into(), of: Of::Numbers }
    }
}

/// A cell.
pub(super) enum Cell {
    /// A number: as it is shown, unrounded, and as a part of a whole that a bar shows.
    Number {
        /// As it is shown.
        text: String,
        /// Unrounded; `None` where there is none.
        value: Option<f64>,
        /// The part, 0 to 1, of a bar behind it.
        bar: Option<f64>,
    },
    /// What the row is about.
    Subject(Label),
    /// Markup.
    Words(String),
}

impl Cell {
    /// A number, as it is shown and unrounded.
    pub(super) fn number(text: impl Into<String>, value: impl Into<Option<f64>>) -> Self {
        Self::Number { text: text.into(), value: value.into(), bar: None }
    }

    /// A share over runs, with a bar.
    pub(super) fn share(spread: &Spread) -> Self {
        Self::bar(figure::share(spread), spread.mean)
    }

    /// A share with a bar.
    pub(super) fn bar(text: impl Into<String>, share: f64) -> Self {
        Self::Number { text: text.into(), value: Some(share), bar: Some(share) }
    }

    /// A count, where it was counted.
    pub(super) fn count(count: Option<u64>) -> Self {
        match count {
            Some(count) => Self::number(figure::thousands(count), count as f64),
            None => Self::number("-", None),
        }
    }

    /// Plain words.
    pub(super) fn text(text: &str) -> Self {
        Self::Words(markup(text))
    }

    /// Nothing.
    pub(super) fn nothing() -> Self {
        Self::Words(String::new())
    }
}

impl Table {
    /// Writes it in a container of its own, which scrolls where the table is wider than the page.
    ///
    /// # Errors
    /// Those of `out`.
    pub(super) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let class = if self.kind == Kind::Sortable { r#" class="sortable""# } else { "" };
        let id = &self.id;
        writeln!(
            out,
            r#"<div class="scroll" tabindex="0" role="region" aria-labelledby="{id}-caption"><table id="{id}"{class}>"#
        )?;
        writeln!(out, r#"<caption id="{id}-caption">{}</caption>"#, markup(&self.caption))?;
        write!(out, "<thead><tr>")?;
        for head in &self.heads {
            let class = if head.of == Of::Numbers { r#" class="number""# } else { "" };
            let unit = if head.unit.is_empty() {
                String::new()
            } else {
                format!(" <small>{}</small>", markup(&head.unit))
            };
            write!(out, r#"<th scope="col"{class}>{}{unit}</th>"#, markup(&head.words))?;
        }
        writeln!(out, "</tr></thead>")?;
        self.body("tbody", &self.rows, out)?;
        if !self.sums.is_empty() {
            self.body("tfoot", &self.sums, out)?;
        }
        writeln!(out, "</table></div>")?;
        if !self.notes.is_empty() {
            let notes: Vec<String> = self.notes.iter().map(|note| markup(note)).collect();
            writeln!(out, r#"<p class="notes">{}</p>"#, notes.join("<br>"))?;
        }
        Ok(())
    }

    fn body(&self, tag: &str, rows: &[Vec<Cell>], out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "<{tag}>")?;
        for row in rows {
            write!(out, "<tr>")?;
            for cell in row {
                cell.write(out)?;
            }
            writeln!(out, "</tr>")?;
        }
        writeln!(out, "</{tag}>")
    }
}

impl Cell {
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Cell::Number { text, value, bar } => {
                let value = value.map_or_else(String::new, |value| format!(r#" data-value="{value}""#));
                let bar = bar.map_or_else(String::new, |part| {
                    format!(r#" style="--part:{:.2}%""#, 100.0 * part.clamp(0.0, 1.0))
                });
                let class = if bar.is_empty() { "number" } else { "number bar" };
                write!(out, r#"<td class="{class}"{value}{bar}>{}</td>"#, markup(text))
            }
            Cell::Subject(label) => write!(out, r#"<th scope="row">{}</th>"#, words::label(label)),
            Cell::Words(markup) => write!(out, "<td>{markup}</td>"),
        }
    }
}
