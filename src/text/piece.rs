//! The grammar of a report's text: a line cut into rows, branches, bars and words.
//!
//! Columns play no part, so that it holds for a line as perf printed it and for many run together.

use super::symbol::words;

/// A number that stands on a branch of a call graph.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Value {
    /// `--48.79%--`, in percent.
    Percent(f64),
    /// `--5080--`: samples or a period (`-g …,count`), of an unknown whole.
    Count,
}

/// What a stretch of a line is.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Piece<'a> {
    /// Text behind `#`.
    Comment(&'a str),
    /// A row: its percentages, what stands before the marker `[k]`, the marker's letter, and what follows.
    Row { percents: Vec<f64>, before: &'a str, space: char, after: &'a str },
    /// Vertical bars of the graph.
    Bars(usize),
    /// `|--48.79%-- symbol`, and whether the bar is there: the last branch of a level has none.
    Branch { bars: usize, value: Value, symbol: &'a str },
    /// `---symbol`, the root of a graph.
    Root { symbol: &'a str },
    /// A percentage that begins no row: a flat chain, or prose.
    Percent { value: f64, rest: &'a str },
    /// Anything else: a frame of a chain, or prose.
    Words(&'a str),
}

/// The most words and numbers between a row's first percentage and its marker.
const MAX_ROW_WORDS: usize = 12;
/// The most percentages at the beginning of a row.
const MAX_PERCENTS: usize = 16;

#[derive(Clone, Copy)]
enum Mark<'a> {
    Bars(usize),
    Branch { bars: usize, value: Value, symbol_at: usize },
    Root { symbol_at: usize },
    Percent(f64),
    Space(char),
    Hash,
    Word(&'a str),
}

struct Token<'a> {
    at: usize,
    mark: Mark<'a>,
    end: usize,
}

/// A percentage as perf prints it (`13.60%`), or with a decimal comma; none above all.
pub(super) fn percent(word: &str) -> Option<f64> {
    let digits = word.strip_suffix('%')?;
    let (whole, fraction) = digits.split_once(['.', ','])?;
    let plain = |s: &str, most: usize| (1..=most).contains(&s.len()) && s.bytes().all(|b| b.is_ascii_digit());
    if !plain(whole, 3) || !plain(fraction, 4) {
        return None;
    }
    format!("{whole}.{fraction}").parse().ok().filter(|percent| *percent <= 100.0)
}

fn space(word: &str) -> Option<char> {
    let inner = word.strip_prefix('[')?.strip_suffix(']')?;
    matches!(inner, "k" | "." | "g" | "u" | "H").then(|| inner.chars().next()).flatten()
}

/// `--48.79%--` or `--5080--` at the beginning of `text`; the length of it too.
fn branch(text: &str) -> Option<(Value, usize)> {
    let inner = text.strip_prefix("--")?;
    let end = inner.find("--")?;
    let number = &inner[..end];
    let value = match percent(number) {
        Some(value) => Value::Percent(value),
        None if !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()) => Value::Count,
        None => return None,
    };
    Some((value, end + 4))
}

fn mark(at: usize, word: &str) -> Mark<'_> {
    let inner = word.trim_start_matches('|');
    let bars = word.len() - inner.len();
    if inner.is_empty() {
        return Mark::Bars(bars);
    }
    if let Some((value, len)) = branch(inner) {
        return Mark::Branch { bars, value, symbol_at: at + bars + len };
    }
    if let Some(root) = inner.strip_prefix("---")
        && !root.starts_with('-')
    {
        return Mark::Root { symbol_at: at + bars + 3 };
    }
    if let Some(value) = percent(word) {
        return Mark::Percent(value);
    }
    match space(word) {
        Some(letter) => Mark::Space(letter),
        None if word == "#" => Mark::Hash,
        None => Mark::Word(word),
    }
}

/// Cuts `line` into pieces.
pub(super) fn pieces(line: &str) -> Vec<Piece<'_>> {
    let tokens = tokens(line);
    let end_of = |i: usize| tokens.get(i).map_or(line.len(), |t| t.at);
    let mut out = Vec::new();
    let mut i = 0;
    while i < tokens.len() {
        let token = &tokens[i];
        // Words up to the next mark belong to what stands before them.
        let next = i + 1 + tokens[i + 1..].iter().take_while(|t| matches!(t.mark, Mark::Word(_))).count();
        let text = |from: usize| line.get(from..end_of(next)).unwrap_or("").trim();
        let piece = match token.mark {
            Mark::Bars(n) => {
                out.push(Piece::Bars(n));
                i += 1;
                continue;
            }
            Mark::Branch { bars, value, symbol_at } => Piece::Branch { bars, value, symbol: text(symbol_at) },
            Mark::Root { symbol_at } => Piece::Root { symbol: text(symbol_at) },
            Mark::Percent(value) => match row(line, &tokens, i) {
                Some((row, behind)) => {
                    out.push(row);
                    i = behind;
                    continue;
                }
                None => Piece::Percent { value, rest: text(token.end) },
            },
            Mark::Hash => {
                let behind = comment_end(&tokens, i + 1);
                out.push(Piece::Comment(line.get(token.end..end_of(behind)).unwrap_or("").trim()));
                i = behind;
                continue;
            }
            Mark::Space(_) | Mark::Word(_) => Piece::Words(text(token.at)),
        };
        out.push(piece);
        i = next;
    }
    out
}

fn tokens(line: &str) -> Vec<Token<'_>> {
    let mut out: Vec<_> =
        words(line).map(|(at, word)| Token { at, mark: mark(at, word), end: at + word.len() }).collect();
    if let Some(first) = out.first_mut()
        && line[first.at..].starts_with('#')
    {
        first.mark = Mark::Hash;
        first.end = first.at + 1;
    }
    out
}

/// The row whose first percentage is token `i`, and the token behind it.
fn row<'a>(line: &'a str, tokens: &[Token<'a>], i: usize) -> Option<(Piece<'a>, usize)> {
    let mut percents = Vec::new();
    let mut before = None;
    let mut at = i;
    loop {
        let token = tokens.get(at)?;
        match token.mark {
            Mark::Percent(value) if before.is_none() && percents.len() < MAX_PERCENTS => percents.push(value),
            Mark::Word(word) if at < i + MAX_PERCENTS + MAX_ROW_WORDS => {
                let is_number = word.bytes().all(|b| b.is_ascii_digit());
                if !is_number {
                    before.get_or_insert(token.at);
                }
            }
            Mark::Space(space) => {
                let behind = at + 1 + words_after(tokens, at + 1);
                let end = tokens.get(behind).map_or(line.len(), |t| t.at);
                let after = line[token.end..end].trim();
                let before = line[before.unwrap_or(token.at)..token.at].trim();
                return (!after.is_empty())
                    .then_some((Piece::Row { percents, before, space, after }, behind));
            }
            _ => return None,
        }
        at += 1;
    }
}

/// Number of words that follow, no other mark between.
fn words_after(tokens: &[Token<'_>], from: usize) -> usize {
    tokens[from.min(tokens.len())..].iter().take_while(|t| matches!(t.mark, Mark::Word(_))).count()
}

/// The token at which a comment ends: the next `#`, or a row that follows on the same line.
fn comment_end(tokens: &[Token<'_>], from: usize) -> usize {
    let mut at = from;
    while let Some(token) = tokens.get(at) {
        match token.mark {
            Mark::Hash => break,
            Mark::Percent(_) if begins_row(tokens, at) => break,
            _ => at += 1,
        }
    }
    at
}

fn begins_row(tokens: &[Token<'_>], at: usize) -> bool {
    tokens[at..]
        .iter()
        .take(MAX_PERCENTS + MAX_ROW_WORDS)
        .find(|t| !matches!(t.mark, Mark::Percent(_) | Mark::Word(_)))
        .is_some_and(|t| matches!(t.mark, Mark::Space(_)))
}

/// Whether `line` holds several rows or branches, which perf never prints on one line.
pub(super) fn is_flattened(line: &str) -> bool {
    if !line.contains('%') {
        return false;
    }
    let mut n = 0;
    for piece in pieces(line) {
        match piece {
            Piece::Row { .. } | Piece::Branch { .. } => n += 1,
            Piece::Root { .. } | Piece::Percent { .. } | Piece::Comment(_) if n > 0 => n += 1,
            Piece::Comment(text) if text.starts_with("Samples:") || text.starts_with("Overhead") => n += 1,
            _ => {}
        }
    }
    n > 1
}

#[cfg(test)]
mod tests {
    use super::{Piece, Value, is_flattened, percent, pieces};

    #[test]
    fn percentages_have_a_fraction() {
        assert_eq!(percent("13.60%"), Some(13.6));
        assert_eq!(percent("13,60%"), Some(13.6));
        assert_eq!(percent("100.00%"), Some(100.0));
        for word in ["13%", "13.60", "1e3.0%", ".5%", "-1.00%", "1234.00%", "510.03%", "+1.00%"] {
            assert_eq!(percent(word), None, "{word}");
        }
    }

    #[test]
    fn a_row_is_told_by_its_marker() {
        let line = " 13.60%  1.00%  77  reaim    [kernel.kallsyms]  [k] _raw_spin_lock | |--48.79%-- tty";
        assert_eq!(
            pieces(line),
            [
                Piece::Row {
                    percents: vec![13.6, 1.0],
                    before: "reaim    [kernel.kallsyms]",
                    space: 'k',
                    after: "_raw_spin_lock"
                },
                Piece::Bars(1),
                Piece::Branch { bars: 1, value: Value::Percent(48.79), symbol: "tty" },
            ]
        );
        assert!(is_flattened(line));
        assert!(!is_flattened("improved by 13.60% and then 5.00% more"));
    }
}
