//! What is said of a frame: its name, where it lies, its share on every side, and what changed.

use super::paint::word;
use crate::compare::{Row, Verdict};
use crate::graph::{Amount, Node, Tone};
use crate::render::column::{Notation, points};
use crate::render::escape::visible;
use crate::render::figure::{share, thousands};
use crate::report::difference::probability;
use crate::report::picture::{Change, Picture};

/// The name of the root.
const ROOT: &str = "all";

/// What a frame is called, on one line.
pub(super) fn name(node: &Node) -> String {
    node.frame.as_ref().map_or_else(|| ROOT.to_owned(), |frame| visible(&frame.function.name).into_owned())
}

/// The lines of a frame's tooltip, its name first.
pub(super) fn lines(picture: &Picture, at: usize) -> Vec<String> {
    let node = &picture.graph.nodes[at];
    let mut lines = vec![name(node)];
    if let Some(frame) = &node.frame {
        let module = visible(&frame.function.module);
        let parts = [module.as_ref(), word(frame.tone)];
        lines.push(parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", "));
    }
    let whole = picture.whole();
    match (&picture.changes, node.sides.as_slice()) {
        (Some(changes), [before, after]) => {
            let (one, other) = (&picture.sides[0].name, &picture.sides[1].name);
            let row = &changes.rows[at];
            lines.push(format!("{}: {}", verdict(picture, node, row), moved(row)));
            lines.push(format!(
                "{} {}, {} {} of {whole}",
                one,
                share(&before.share),
                other,
                share(&after.share)
            ));
        }
        (_, sides) => lines.extend(sides.iter().map(|side| alone(picture, side, &whole))),
    }
    lines
}

/// `89.26 % of cycles (5,086 samples)`.
fn alone(picture: &Picture, side: &Amount, whole: &str) -> String {
    let mut text = format!("{} of {whole}", share(&side.share));
    let runs = picture.sides.first().map_or(&[][..], |side| &side.runs);
    if let Some(samples) = picture.counted(side.samples) {
        let over = if runs.len() > 1 { format!(" in {} runs", runs.len()) } else { String::new() };
        let noun = if samples == 1 { "sample" } else { "samples" };
        text.push_str(&format!(" ({} {noun}{over})", thousands(samples)));
    }
    text
}

/// `-82.10 points [-84.00, -80.20], p<0.001, n=4+4`.
fn moved(row: &Row) -> String {
    let mut text = format!("{} points", points(row.points, Notation::PAGE));
    if let Some(interval) = row.interval {
        let end = |value| points(value, Notation::PAGE);
        text.push_str(&format!(" [{}, {}]", end(interval.low), end(interval.high)));
    }
    if let Some(p) = row.p_adjusted {
        text.push_str(&format!(", adjusted {}", probability(p)));
    }
    format!("{text}, n={}+{}", row.before.runs.len(), row.after.runs.len())
}

/// The verdict. Better and worse are said of waiting for locks; of other work more is neither.
fn verdict(picture: &Picture, node: &Node, row: &Row) -> &'static str {
    // The root is the waiting for locks itself, where nothing else is drawn.
    let is_lock = match &node.frame {
        Some(frame) => matches!(frame.tone, Tone::Lock(_)),
        None => !picture.graph.is_whole,
    };
    match row.verdict {
        Verdict::Better if !is_lock => "less",
        Verdict::Worse if !is_lock => "more",
        Verdict::New | Verdict::Gone if is_noise(picture, row) => match row.verdict {
            Verdict::New => "new, which may be noise",
            _ => "gone, which may be noise",
        },
        verdict => verdict.word(),
    }
}

fn is_noise(picture: &Picture, row: &Row) -> bool {
    picture.changes.as_ref().is_some_and(|changes| changes.change(row) == Change::Noise)
}
