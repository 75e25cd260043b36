//! The page of a mail: every line that goes through here is ASCII, indented, and as narrow as it must be.

use std::io::{self, Write};

use super::super::escape::ascii;
use super::super::style::cut_middle;
use super::super::table::wrap;

/// Columns, unless asked otherwise: quoted three deep (`> > > `) they fit into 80.
const WIDTH: u16 = 72;
/// Fewer would leave no room for names beside the numbers.
const LEAST_WIDTH: u16 = 60;
/// Blanks before each line: no line can be taken for the `---` that ends a commit message, or for a quote.
const INDENT: usize = 2;
/// A name that gets less than this beside its numbers stands in a line of its own.
const LEAST_ROOM: usize = 20;
/// A name in a sentence that is longer is cut.
const NAME_IN_SENTENCE: usize = 44;

/// A page, line by line.
#[derive(Debug)]
pub(super) struct Page {
    /// Columns behind the indent.
    room: usize,
    lines: Vec<String>,
    /// Full names of what was cut, by number.
    notes: Vec<String>,
}

/// A line of a table.
#[derive(Debug)]
pub(super) enum Line {
    /// A name that those below belong to.
    Heading(String),
    /// Cells, and what they are about.
    Row(Vec<String>, String),
}

impl Page {
    /// An empty page.
    pub(super) fn new(width: Option<u16>) -> Self {
        let width = usize::from(width.unwrap_or(WIDTH).max(LEAST_WIDTH));
        Self { room: width - INDENT, lines: Vec::new(), notes: Vec::new() }
    }

    /// An empty line.
    pub(super) fn blank(&mut self) {
        self.lines.push(String::new());
    }

    /// A line that fits.
    fn line(&mut self, text: &str) {
        let line = format!("{:INDENT$}{text}", "");
        self.lines.push(line.trim_end().to_owned());
    }

    /// A text, wrapped; `head` stands before its first line, and as many blanks before the others.
    pub(super) fn paragraph(&mut self, text: &str, head: &str) {
        let room = self.room.saturating_sub(head.len()).max(1);
        for (at, line) in wrap(&broken(&plain(text), room), room as u16).into_iter().enumerate() {
            let lead = if at == 0 { head.to_owned() } else { " ".repeat(head.len()) };
            self.line(&format!("{lead}{line}"));
        }
    }

    /// A sentence, wrapped; long names in it are cut.
    pub(super) fn sentence(&mut self, text: &str) {
        let parts: Vec<String> = text
            .split('`')
            .enumerate()
            .map(|(at, part)| if at % 2 == 1 { self.name(part, NAME_IN_SENTENCE) } else { part.to_owned() })
            .collect();
        self.paragraph(&parts.join("`"), "");
    }

    /// A name of at most `room` columns: what is longer is cut in the middle and gets a note.
    pub(super) fn name(&mut self, name: &str, room: usize) -> String {
        let name = plain(name);
        if name.len() <= room {
            return name;
        }
        let full = name.trim_start().trim_start_matches("<- ");
        let at = self.notes.iter().position(|note| note == full).unwrap_or_else(|| {
            self.notes.push(full.to_owned());
            self.notes.len() - 1
        });
        let mark = format!(" [{}]", at + 1);
        cut_middle(&name, room.saturating_sub(mark.len()).max(3), "..") + &mark
    }

    /// A table whose last column holds names.
    pub(super) fn table(&mut self, heads: &[String], label: &str, lines: Vec<Line>) {
        let width = |column: usize| {
            let cells = lines.iter().filter_map(|line| match line {
                Line::Row(cells, _) => cells.get(column).map(String::len),
                Line::Heading(_) => None,
            });
            cells.chain([heads[column].len()]).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..heads.len()).map(width).collect();
        let aligned = |cells: &[String]| -> String {
            cells.iter().zip(&widths).map(|(cell, width)| format!("{cell:>width$}  ")).collect()
        };
        let taken: usize = widths.iter().map(|width| width + 2).sum();
        let beside = self.room.saturating_sub(taken);
        if beside < LEAST_ROOM.max(label.len()) {
            self.line(label);
            self.line(&aligned(heads));
        } else {
            self.line(&(aligned(heads) + label));
        }
        for line in lines {
            match line {
                Line::Heading(name) => {
                    let name = self.name(&name, self.room);
                    self.line(&name);
                }
                Line::Row(cells, name) if beside < LEAST_ROOM => {
                    let name = self.name(&name, self.room);
                    self.line(&name);
                    self.line(&aligned(&cells));
                }
                Line::Row(cells, name) => {
                    let name = self.name(&name, beside);
                    self.line(&(aligned(&cells) + &name));
                }
            }
        }
    }

    /// The full names of what was cut so far.
    pub(super) fn notes(&mut self) {
        let notes = std::mem::take(&mut self.notes);
        if !notes.is_empty() {
            self.blank();
        }
        for (at, note) in notes.iter().enumerate() {
            self.paragraph(note, &format!("[{}] ", at + 1));
        }
    }

    /// Writes the page.
    pub(super) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        for line in &self.lines {
            writeln!(out, "{line}")?;
        }
        Ok(())
    }
}

/// In ASCII, our own signs in their ASCII forms.
fn plain(text: &str) -> String {
    ascii(&text.replace('±', "+-")).into_owned()
}

/// With blanks in words that are wider than a line, so that they can be wrapped.
fn broken(text: &str, width: usize) -> String {
    let mut words = Vec::new();
    for word in text.split(' ') {
        let mut rest = word;
        while rest.len() > width {
            // Every character of the page is one byte.
            let (head, tail) = rest.split_at(width);
            words.push(head);
            rest = tail;
        }
        words.push(rest);
    }
    words.join(" ")
}
