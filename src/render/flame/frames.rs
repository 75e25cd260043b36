//! The frames of a picture as SVG, in the form that inferno gives them and other tools read: a group with a title, a
//! rectangle with `fg:x` and `fg:w`, and as much of the name as fits. Legible without any script.

use std::io::{self, Write};

use super::layout::{Layout, Place, ROW};
use super::{SIDE, WIDTH, paint, tip};
use crate::graph::Node;
use crate::render::escape::markup;
use crate::report::picture::Picture;

/// The width of a letter, in pixels: monospaced fonts have 0.6 of their size, and some a little more.
const LETTER: f64 = 7.25;
/// What lies left and right of a name in its frame, in pixels.
const PAD: f64 = 3.0;

/// Writes the frames, `top` pixels below the picture's upper end.
///
/// # Errors
/// Those of `out`.
pub(super) fn write(picture: &Picture, layout: &Layout, top: usize, out: &mut dyn Write) -> io::Result<()> {
    let label = format!("Flame graph: {}", picture.headline);
    writeln!(
        out,
        r#"<svg class="frames" x="{SIDE}" y="{top}" width="{}" height="{}" role="tree" aria-label="{}">"#,
        WIDTH - 2 * SIDE,
        layout.height,
        markup(&label)
    )?;
    let mut path: Vec<u64> = Vec::new();
    for place in &layout.places {
        let node = &picture.graph.nodes[place.node];
        path.truncate(node.depth);
        path.push(id(node, path.last().copied()));
        frame(picture, layout, place, path[path.len() - 1], out)?;
    }
    writeln!(out, "</svg>")
}

fn frame(picture: &Picture, layout: &Layout, place: &Place, id: u64, out: &mut dyn Write) -> io::Result<()> {
    let node = &picture.graph.nodes[place.node];
    let mut class = node.frame.as_ref().map_or_else(|| "root".to_owned(), |frame| paint::class(frame.tone));
    let mut fill = String::new();
    if let Some(changes) = &picture.changes {
        let row = &changes.rows[place.node];
        let change = changes.change(row);
        let presence = changes.presence(row);
        class.push_str(paint::change_class(change, presence));
        fill = paint::fill(change, presence, row.points)
            .map_or_else(String::new, |fill| format!(r#" fill="{fill}""#));
    }
    let percent = |units: u64| 100.0 * units as f64 / layout.units.max(1) as f64;
    let (x, width) = (percent(place.start), percent(place.units));
    let tab = if place.node == 0 { 0 } else { -1 };
    write!(
        out,
        r#"<g class="frame {class}" data-id="{id:012x}" role="treeitem" aria-level="{}" tabindex="{tab}"><title>{}</title>"#,
        node.depth + 1,
        markup_lines(&tip::lines(picture, place.node))
    )?;
    write!(
        out,
        r#"<rect x="{x:.6}%" y="{}" width="{width:.6}%" height="{}" fg:x="{}" fg:w="{}"{fill}/>"#,
        place.y,
        ROW - 1,
        place.start,
        place.units
    )?;
    let inner = (WIDTH - 2 * SIDE) as f64;
    let name = fit(&tip::name(node), width / 100.0 * inner);
    let left = x + 100.0 * PAD / inner;
    writeln!(out, r#"<text x="{left:.4}%" y="{}">{}</text></g>"#, place.y + ROW - 5, markup(&name))
}

/// Lines of a title: markup, and line ends between them.
fn markup_lines(lines: &[String]) -> String {
    let lines: Vec<String> = lines.iter().map(|line| markup(line)).collect();
    lines.join("\n")
}

/// As much of a name as fits into so many pixels, with dots where it was cut.
fn fit(name: &str, pixels: f64) -> String {
    let letters = ((pixels - 2.0 * PAD) / LETTER).max(0.0) as usize;
    match name.chars().count() {
        n if n <= letters => name.to_owned(),
        _ if letters < 3 => String::new(),
        _ => name.chars().take(letters - 2).chain("..".chars()).collect(),
    }
}

/// A number for a frame's path of names, of 48 bits by FNV-1a: the same path has the same one in every graph and from every
/// version of the program, which a link to a frame and graphs that zoom together hang on.
fn id(node: &Node, below: Option<u64>) -> u64 {
    const PRIME: u64 = 0x0100_0000_01b3;
    const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
    let mut hash = BASIS ^ below.unwrap_or(0);
    if let Some(frame) = &node.frame {
        let class = paint::class(frame.tone);
        for byte in frame.function.name.bytes().chain([0]).chain(class.bytes()) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(PRIME);
        }
    }
    (hash ^ (hash >> 48)) & 0xffff_ffff_ffff
}
