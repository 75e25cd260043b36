//! The comparison table of the kernel test robot, as it is today and as it was in 2014.
//!
//! | | `lkp` | `lkp-ascii` |
//! |---|---|---|
//! | heads | 16 and 27 wide, one blank behind each | 15 and 25 wide, two blanks between |
//! | value | 10 wide, `%.2f` below 1000 | 10 wide, `%.2f` below 100 |
//! | | `%.4g` above 1e8, else whole, cut | the same |
//! | deviation | ` ±%3d%%`, blank up to 2 % | ` ~%2d%%`, of 0 % too |
//! | change | `%+10.1f%%`, `%+10.2g%%` from 100000 | the same |
//! | name from column | 47 | 45 |
//!
//! Whole numbers are cut, not rounded (the robot prints a real number as `%d`): in the tables of 2014 a total
//! is now and then one more than the sum of its lines, and never one less. A side that is absent prints as
//! 0.00 without deviation, as the robot has it. Neither NaN nor infinity can appear.

use crate::error::is_active;
use std::io;

use super::printf::{signed, significant};
use crate::metric::{Change, Figure, Heads, MetricTable, Row, Section};

/// Which age of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LkpStyle {
    /// Today's, with `±`.
    Lkp,
    /// The form of 2014, with `~`: ASCII throughout, so that it survives any mailer.
    Ascii,
}

/// Writes the table, sections apart by a blank line.
///
/// # Errors
/// Those of `out`.
pub fn write_lkp(table: &MetricTable, style: LkpStyle, out: &mut dyn io::Write) -> io::Result<()> {
    for (at, section) in table.sections.iter().enumerate() {
        let spaced = section.heading.first().is_some_and(|line| line.trim().is_empty());
        if at > 0 && !spaced {
            writeln!(out)?;
        }
        write_section(section, style, out)?;
    }
    Ok(())
}

fn write_section(section: &Section, style: LkpStyle, out: &mut dyn io::Write) -> io::Result<()> {
    for line in &section.heading {
        writeln!(out, "{}", printable(line, style))?;
    }
    if let Some(heads) = &section.heads {
        write_heads(heads, style, out)?;
    }
    // Without heads, and without anything after, there is one side only.
    let is_single = section.heads.is_none()
        && section.rows.iter().all(|row| row.after == Figure::Absent && row.stated_change.is_none());
    let line = if is_single { single_line } else { row_line };
    section.rows.iter().try_for_each(|row| writeln!(out, "{}", line(row, style)))
}

/// A row of a single side: its figure and the name.
fn single_line(row: &Row, style: LkpStyle) -> String {
    let value = value_text(row.before.value().unwrap_or(0.0), style);
    format!("{value:>10}{}  {}", deviation_text(&row.before, style), printable(&row.label(), style))
}

fn write_heads(heads: &Heads, style: LkpStyle, out: &mut dyn io::Write) -> io::Result<()> {
    let (widths, gap, closing) = match style {
        LkpStyle::Lkp => ((16, 27), " ", 1),
        LkpStyle::Ascii => ((15, 25), "  ", 0),
    };
    let fit = |name: &str, width: usize| {
        let cut: String = printable(name, style).chars().take(width).collect();
        format!("{cut:>width$}")
    };
    let closing = " ".repeat(heads.closing_blanks.unwrap_or(closing));
    writeln!(out, "{}{gap}{}{closing}", fit(&heads.before, widths.0), fit(&heads.after, widths.1))?;
    writeln!(out, "{}{gap}{}{closing}", "-".repeat(widths.0), "-".repeat(widths.1))?;
    match style {
        LkpStyle::Lkp => {
            writeln!(out, "         %stddev     %change         %stddev")?;
            writeln!(out, "             \\          |                \\  ")
        }
        LkpStyle::Ascii => Ok(()),
    }
}

fn row_line(row: &Row, style: LkpStyle) -> String {
    let figure = |figure: &Figure| {
        let value = value_text(figure.value().unwrap_or(0.0), style);
        format!("{value:>10}{}", deviation_text(figure, style))
    };
    let change = match row.change() {
        Change::Percent(percent) => format!("{:>10}% ", change_text(percent)),
        Change::Points(points) => format!("{:>10}  ", change_text(points)),
    };
    let name = row.label();
    format!("{}{change}{}  {}", figure(&row.before), figure(&row.after), printable(&name, style))
}

fn value_text(value: f64, style: LkpStyle) -> String {
    let decimals_below = match style {
        LkpStyle::Lkp => 1000.0,
        LkpStyle::Ascii => 100.0,
    };
    match value.abs() {
        size if size < decimals_below => format!("{value:.2}"),
        size if size > 1e8 => significant(value, 4),
        _ => format!("{:.0}", whole(value)),
    }
}

fn deviation_text(figure: &Figure, style: LkpStyle) -> String {
    // A stated deviation is cut already: its 2 % stands for anything from 2 to 3.
    let shown = |deviation: &f64| match figure {
        _ if style == LkpStyle::Ascii => true,
        Figure::Stated { .. } => *deviation >= 2.0,
        _ => *deviation > 2.0,
    };
    let deviation = figure.deviation().map(snapped).filter(shown).map(f64::floor);
    let digits = deviation
        .map(|percent| if percent < 1e5 { format!("{percent:.0}") } else { significant(percent, 2) });
    match (style, digits) {
        (LkpStyle::Lkp, Some(digits)) => format!(" ±{digits:>3}%"),
        (LkpStyle::Ascii, Some(digits)) => format!(" ~{digits:>2}%"),
        (LkpStyle::Lkp, None) => " ".repeat(6),
        (LkpStyle::Ascii, None) => " ".repeat(5),
    }
}

fn change_text(change: f64) -> String {
    signed(if change.abs() < 1e5 { format!("{change:.1}") } else { significant(change, 2) })
}

/// The number cut to a whole one, as the robot's `%d` does.
fn whole(number: f64) -> f64 {
    snapped(number).floor()
}

/// The nearest whole number where only the rounding of sums can have made the difference.
fn snapped(number: f64) -> f64 {
    let nearest = number.round();
    if (number - nearest).abs() <= 1e-12 * number.abs() { nearest } else { number }
}

/// A name from outside: control characters, and in ASCII all that is not, are escaped.
fn printable(name: &str, style: LkpStyle) -> String {
    let plain = |mark: char| !is_active(mark) && (mark.is_ascii() || style == LkpStyle::Lkp);
    let mut shown = String::with_capacity(name.len());
    for mark in name.chars() {
        if plain(mark) { shown.push(mark) } else { shown.extend(mark.escape_unicode()) }
    }
    shown
}

#[cfg(test)]
#[path = "lkp_tests.rs"]
mod tests;
