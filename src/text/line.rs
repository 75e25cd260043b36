//! Lines of a text, free of quote marks, colour codes and the blanks that mailers invent.

use std::borrow::Cow;

/// One line without its line end and quote marks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'a> {
    /// Number in the input, from 1.
    pub(super) number: usize,
    /// The text; leading blanks are kept, since trees are drawn with them.
    pub(super) text: &'a str,
}

impl Line<'_> {
    /// Whether the line holds nothing, not even enough blanks to be the beginning of a broken line.
    pub(super) fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }
}

/// Whether `bytes` hold what no text holds: a recording's magic, or a NUL near the beginning.
pub(super) fn is_binary(bytes: &[u8]) -> bool {
    const MAGICS: [&[u8]; 4] = [b"PERFILE2", b"2ELIFREP", b"PERFFILE", b"\x7fELF"];
    MAGICS.iter().any(|magic| bytes.starts_with(magic)) || bytes.iter().take(1 << 16).any(|b| *b == 0)
}

/// Makes plain blanks of special ones, joins `13,60 %` to one word, drops colours and carriage returns.
pub(super) fn clean(text: &str) -> Cow<'_, str> {
    let odd =
        |c: char| matches!(c, '\r' | '\u{1b}' | '\u{a0}' | '\u{202f}' | '\u{2007}' | '\u{200b}' | '\u{feff}');
    if !text.contains(odd) && !text.contains(" %") {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\r' | '\u{200b}' | '\u{feff}' => {}
            '\u{1b}' => skip_colour(&mut chars),
            '\u{a0}' | '\u{202f}' | '\u{2007}' => out.push(' '),
            '%' if out.ends_with(' ')
                && out.trim_end_matches(' ').ends_with(|d: char| d.is_ascii_digit()) =>
            {
                // Only one blank belongs to the number: more of them separate columns.
                if !out.ends_with("  ") {
                    out.pop();
                }
                out.push('%');
            }
            _ => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// Skips what follows an escape: `[`, parameters, one letter.
fn skip_colour(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    if chars.next_if_eq(&'[').is_none() {
        return;
    }
    while chars.next_if(|c| c.is_ascii_digit() || *c == ';').is_some() {}
    chars.next_if(char::is_ascii_alphabetic);
}

/// The lines of `text`, without quote marks, numbered from `first`.
pub(super) fn lines(text: &str, first: usize) -> Vec<Line<'_>> {
    text.lines().enumerate().map(|(i, text)| Line { number: first + i, text: unquote(text) }).collect()
}

/// `text` without leading quote marks (`> > `, `>>> `) and the one blank behind the last.
fn unquote(text: &str) -> &str {
    let mut rest = text;
    let mut quoted = false;
    loop {
        let inner = rest.strip_prefix(' ').unwrap_or(rest);
        match inner.strip_prefix('>') {
            Some(behind) => rest = behind,
            None => break,
        }
        quoted = true;
    }
    if quoted { rest.strip_prefix(' ').unwrap_or(rest) } else { rest }
}

#[cfg(test)]
mod tests {
    use super::{clean, lines};

    #[test]
    fn quote_marks_go_and_columns_stay() {
        let texts: Vec<_> = lines("> > >     |--1%\n>>  x\n a > b\n>", 1).iter().map(|l| l.text).collect();
        assert_eq!(texts, ["    |--1%", " x", " a > b", ""]);
    }

    #[test]
    fn special_blanks_and_colours_go() {
        assert_eq!(clean("13,60\u{a0}%  \u{1b}[31mx\u{1b}[m\r\n"), "13,60%  x\n");
        assert_eq!(clean("13.60 % reaim"), "13.60% reaim");
    }
}
