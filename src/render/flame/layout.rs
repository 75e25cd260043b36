//! Where each frame stands: inferno's layout. It is given places in the tree for names, so that it joins nothing that the
//! tree keeps apart, splits no name at a `;`, and every frame can be dressed by what it is.

use std::fmt::Write;
use std::io;

use inferno::flamegraph::{Options, from_lines};
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use crate::graph::Graph;

/// The height of a row, in pixels; one of them lies between two frames.
pub(super) const ROW: usize = 16;

/// A frame's place. All in units: the root has [`Layout::units`] of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    /// The frame, by its place in the graph.
    pub(super) node: usize,
    /// Its left end.
    pub(super) start: u64,
    /// Its width.
    pub(super) units: u64,
    /// Its upper end, in pixels.
    pub(super) y: usize,
}

/// The places of all frames, in the order of the graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Layout {
    /// Frames.
    pub(super) places: Vec<Place>,
    /// The width of the root.
    pub(super) units: u64,
    /// From the highest frame's upper end to the root's lower end, in pixels.
    pub(super) height: usize,
}

/// Lays a graph out.
///
/// # Errors
/// Those of inferno, and where its picture is not what is expected of it.
pub(super) fn layout(graph: &Graph) -> io::Result<Layout> {
    let units = units(graph);
    let lines = lines(graph, &units);
    let mut places = if lines.is_empty() { Vec::new() } else { placed(&lines)? };
    places.sort_unstable_by_key(|place| place.node);
    let top = places.iter().map(|place| place.y).min().unwrap_or(0);
    places.iter_mut().for_each(|place| place.y -= top);
    let height = places.iter().map(|place| place.y + ROW).max().unwrap_or(0);
    Ok(Layout { places, units: units.first().copied().unwrap_or(0), height })
}

/// Units that a total has where runs are averaged.
const FINE: f64 = 1e9;
/// The largest whole number up to which a browser's script counts exactly.
const EXACT: u64 = 1 << 53;

/// How wide each node is. Of one run that is its weight itself; means of shares are counted in billionths of the total. A
/// frame is never narrower than those on top of it.
fn units(graph: &Graph) -> Vec<u64> {
    let one_run = |node: &crate::graph::Node| match node.sides.as_slice() {
        [side] if side.share.runs.len() == 1 => Some(side.weight.0),
        _ => None,
    };
    let is_exact = graph.nodes.first().and_then(one_run).is_some_and(|weight| weight < EXACT);
    let own = |node| match one_run(node).filter(|_| is_exact) {
        Some(weight) => weight,
        None => (node.width * FINE).round() as u64,
    };
    let mut units: Vec<u64> = graph.nodes.iter().map(own).collect();
    let mut above = vec![0; units.len()];
    for (at, node) in graph.nodes.iter().enumerate().rev() {
        units[at] = units[at].max(above[at]);
        if let Some(parent) = node.parent {
            above[parent] += units[at];
        }
    }
    units
}

/// What stands on the root where nothing is drawn.
const NOTHING: &str = "-";

/// The frames as folded callchains, each with what ends in it, in the order of their text. The root is inferno's own.
fn lines(graph: &Graph, units: &[u64]) -> Vec<String> {
    let mut own = units.to_vec();
    for (at, node) in graph.nodes.iter().enumerate() {
        if let Some(parent) = node.parent {
            own[parent] = own[parent].saturating_sub(units[at]);
        }
    }
    let mut path: Vec<usize> = Vec::new();
    let mut lines = Vec::new();
    for (at, node) in graph.nodes.iter().enumerate() {
        path.truncate(node.depth.saturating_sub(1));
        if node.depth > 0 {
            path.push(at);
        }
        if own[at] > 0 {
            let mut line = String::new();
            match path.as_slice() {
                [] => line.push_str(NOTHING),
                [first, others @ ..] => {
                    let _ = write!(line, "{first:07}");
                    others.iter().for_each(|place| write!(line, ";{place:07}").unwrap_or_default());
                }
            }
            lines.push(format!("{line} {}", own[at]));
        }
    }
    lines
}

fn placed(lines: &[String]) -> io::Result<Vec<Place>> {
    let mut options = Options::default();
    options.no_javascript = true;
    options.no_sort = true;
    options.min_width = 0.0;
    options.frame_height = ROW;
    let mut svg = Vec::new();
    from_lines(&mut options, lines.iter().map(String::as_str), &mut svg)?;
    let svg = String::from_utf8(svg).map_err(io::Error::other)?;
    let mut reader = Reader::from_str(&svg);
    let wrong = |what: &str| io::Error::other(format!("the layout of the flame graph has {what}"));
    let (mut places, mut is_title, mut node) = (Vec::new(), false, None);
    loop {
        match reader.read_event().map_err(|e| io::Error::other(e.to_string()))? {
            Event::Start(tag) => is_title = tag.name().as_ref() == "title",
            // Titles are `NAME (N samples, P%)`, and the root's name is `all`.
            Event::Text(text) if is_title => {
                node = match text.split(' ').next().unwrap_or_default() {
                    NOTHING => None,
                    "all" => Some(0),
                    name => Some(name.parse().map_err(|_| wrong("a frame of no known name"))?),
                };
            }
            Event::Empty(tag) => {
                let number = |name| number(&tag, name).ok_or_else(|| wrong("a frame without its numbers"));
                if let Some(node) = node {
                    let (start, units, y) = (number("fg:x")?, number("fg:w")?, number("y")? as usize);
                    places.push(Place { node, start, units, y });
                }
            }
            Event::End(tag) => match tag.name().as_ref() {
                "title" => is_title = false,
                "g" => node = None,
                _ => {}
            },
            Event::Eof => return Ok(places),
            _ => {}
        }
    }
}

fn number(tag: &BytesStart<'_>, name: &str) -> Option<u64> {
    let attribute = tag.attributes().flatten().find(|attribute| attribute.key.as_ref() == name)?;
    attribute.value.parse().ok()
}
