//! Words, names and figures as HTML. Whatever comes from a recording or a file's name passes through here.

use crate::render::escape::markup;
use crate::render::label::{Label, Piece};
use crate::stats::Interval;

/// Letters from which on a name is folded to a few lines.
const LONG: usize = 160;

/// A name.
pub(super) fn name(name: &str) -> String {
    let class = if name.chars().nth(LONG).is_some() { r#" class="long""# } else { "" };
    format!("<code{class}>{}</code>", markup(name))
}

/// A label.
pub(super) fn label(label: &Label) -> String {
    let piece = |piece: &Piece| match piece {
        Piece::Word(words) => markup(words),
        Piece::Name(text) => name(text),
    };
    label.0.iter().map(piece).collect()
}

/// A sentence: what stands in backticks is a name. A backtick in a name would make words of the sentence names: then all of
/// it is text.
pub(super) fn sentence(text: &str) -> String {
    let parts: Vec<&str> = text.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return markup(text);
    }
    let part = |(at, part): (usize, &&str)| if at % 2 == 1 { name(part) } else { markup(part) };
    parts.iter().enumerate().map(part).collect()
}

/// `83.93..96.01`, in percent.
pub(super) fn interval(interval: Interval) -> String {
    format!("{:.2}..{:.2}", 100.0 * interval.low, 100.0 * interval.high)
}
