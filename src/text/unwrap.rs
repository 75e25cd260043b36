//! Mends what mailers do to a report: lines broken at a width, and paragraphs run together into one line.

use std::borrow::Cow;

use super::line::Line;
use super::piece::{is_flattened, percent};
use super::symbol::{nesting, words};

/// A line as perf may have printed it, or a whole paragraph where line ends mean nothing any more.
#[derive(Debug)]
pub(super) struct Logical<'a> {
    /// Number of its first line in the input.
    pub(super) number: usize,
    /// The text.
    pub(super) text: Cow<'a, str>,
    /// Whether the text's line ends and indentation are lost.
    pub(super) layout: Layout,
}

/// How far a text's shape can be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    /// One line, as printed.
    Line,
    /// Several lines run together.
    Flat,
}

/// The most breaks that one printed line is thought to have suffered.
const MAX_BREAKS: usize = 12;
/// A line of only blanks that is at least this long may be the beginning of a broken one.
const MIN_BLANK_HEAD: usize = 12;
/// No mailer breaks lines shorter than this.
const MIN_WIDTH: usize = 60;
/// A comment shorter than this was not broken.
const MIN_COMMENT_HEAD: usize = 56;

/// The logical lines of `lines`.
pub(super) fn logical<'a>(lines: &[Line<'a>]) -> Vec<Logical<'a>> {
    let mut out = Vec::new();
    for paragraph in lines.split_inclusive(|line| line.is_blank() && line.text.len() < MIN_BLANK_HEAD) {
        if paragraph.iter().any(|line| is_flattened(line.text)) {
            flatten(paragraph, &mut out);
        } else {
            join_broken(paragraph, &mut out);
        }
    }
    out
}

/// A paragraph as one line; the rows' line numbers are that of its beginning.
fn flatten<'a>(paragraph: &[Line<'a>], out: &mut Vec<Logical<'a>>) {
    let number = paragraph.first().map_or(0, |line| line.number);
    let text = match paragraph {
        [only] => Cow::Borrowed(only.text),
        _ => Cow::Owned(paragraph.iter().map(|line| line.text).collect::<Vec<_>>().join(" ")),
    };
    out.push(Logical { number, text, layout: Layout::Flat });
}

fn join_broken<'a>(paragraph: &[Line<'a>], out: &mut Vec<Logical<'a>>) {
    let mut rest = paragraph;
    while let [head, tail @ ..] = rest {
        let mut text = Cow::Borrowed(head.text);
        let mut taken = 0;
        while taken < MAX_BREAKS.min(tail.len()) && breaks_before(&text, tail[taken].text) {
            let gap = if text.ends_with(' ') { "" } else { " " };
            text = Cow::Owned(format!("{text}{gap}{}", tail[taken].text.trim_start()));
            taken += 1;
        }
        if is_unfinished_row(&text) {
            // Nothing completed it: the lines stand for themselves.
            (text, taken) = (Cow::Borrowed(head.text), 0);
        }
        out.push(Logical { number: head.number, text, layout: Layout::Line });
        rest = &tail[taken..];
    }
}

/// Whether `tail` looks like the rest of the broken line `head`.
fn breaks_before(head: &str, tail: &str) -> bool {
    let body = tail.trim_start();
    let Some((_, first)) = words(tail).next() else { return false };
    if first.starts_with('#') || percent(first).is_some() {
        return false;
    }
    let is_graph = body.starts_with('|') || body.starts_with("--");
    if head.trim().is_empty() {
        // A frame or branch that stood too far right; prose has more words, and room on its line.
        let is_frame = is_graph || words(tail).count() == 1;
        let had_no_room = head.len() + 1 + first.len() >= MIN_WIDTH;
        return is_frame && had_no_room && head.len() >= MIN_BLANK_HEAD && indent(tail) < MIN_BLANK_HEAD;
    }
    if head.trim_start().starts_with('#') {
        return head.len() >= MIN_COMMENT_HEAD && !is_graph;
    }
    if head.trim().bytes().all(|b| matches!(b, b'|' | b' ')) {
        return indent(head) > indent(tail);
    }
    let last = words(head).last().map_or("", |(_, word)| word);
    let branch_without_symbol = last.ends_with("%--") && (last.starts_with("--") || last.starts_with("|--"));
    !is_graph && (branch_without_symbol || is_unfinished_row(head) || is_open(head))
}

/// Whether `text` begins like a row and has no marker yet, or a marker and no symbol.
fn is_unfinished_row(text: &str) -> bool {
    let mut n = 0;
    for (_, word) in words(text) {
        n += 1;
        let is_marker = matches!(word, "[k]" | "[.]" | "[g]" | "[u]" | "[H]");
        if n == 1 && percent(word).is_none() || n > 16 {
            return false;
        }
        if is_marker {
            return text.trim_end().ends_with(word) && words(text).count() == n;
        }
    }
    n > 1
}

/// Whether a row or branch ends inside brackets, as a broken C++ name does.
fn is_open(text: &str) -> bool {
    let trimmed = text.trim_start();
    let is_row = words(text).next().is_some_and(|(_, word)| percent(word).is_some());
    text.len() > 40 && (is_row || trimmed.starts_with('|') || trimmed.starts_with("--")) && nesting(text) > 0
}

/// Number of leading blanks.
pub(super) fn indent(text: &str) -> usize {
    text.len() - text.trim_start_matches([' ', '\t']).len()
}

#[cfg(test)]
mod tests {
    use super::{Layout, logical};
    use crate::text::line::lines;

    fn check(text: &str, expect: &[&str]) {
        let lines = lines(text, 1);
        let got: Vec<_> = logical(&lines).iter().map(|l| l.text.trim_end().to_owned()).collect();
        assert_eq!(got, expect);
    }

    #[test]
    fn broken_lines_are_whole_again() {
        check(
            " 90.41%  bench  [kernel.kallsyms]     [k]\nnative_slowpath\n    |    |\n|--1.00%--x\n",
            &[" 90.41%  bench  [kernel.kallsyms]     [k] native_slowpath", "    |    | |--1.00%--x"],
        );
        check("13.60% of the\ntime\n\nx", &["13.60% of the", "time", "", "x"]);
    }

    #[test]
    fn a_flattened_paragraph_is_one_line() {
        let text = "1.00% a b [k] c 2.00% d\ne [k] f\n";
        let lines = lines(text, 1);
        let got = logical(&lines);
        assert_eq!(got.len(), 1);
        assert_eq!((&*got[0].text, got[0].layout), ("1.00% a b [k] c 2.00% d e [k] f", Layout::Flat));
    }
}
