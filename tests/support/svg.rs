//! A flame graph as its file has it: frames with their places, read by an XML parser.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

/// A frame of a picture.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Frame {
    /// The lines of its tooltip; the first is its name.
    pub tip: Vec<String>,
    pub classes: Vec<String>,
    pub level: usize,
    /// Left end and width in percent of the picture.
    pub x: f64,
    pub width: f64,
    pub y: usize,
    /// Left end and width in the root's units.
    pub start: u64,
    pub units: u64,
    pub fill: Option<String>,
    pub label: String,
    pub id: String,
    /// The frame that it stands on, by its place among all.
    pub parent: Option<usize>,
}

impl Frame {
    pub fn name(&self) -> &str {
        &self.tip[0]
    }

    pub fn has(&self, class: &str) -> bool {
        self.classes.iter().any(|own| own == class)
    }
}

fn attribute(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    let found =
        tag.attributes().map(|a| a.expect("attributes are well-formed")).find(|a| a.key.as_ref() == name)?;
    Some(quick_xml::escape::unescape(&found.value).expect("entities are known").into_owned())
}

fn number<T: std::str::FromStr>(text: Option<String>) -> T {
    let text = text.expect("the attribute is there");
    text.trim_end_matches('%').parse().unwrap_or_else(|_| panic!("'{text}' is no number"))
}

/// The frames in the order of the file; any error of the markup fails.
pub fn frames(svg: &str) -> Vec<Frame> {
    let mut reader = Reader::from_str(svg);
    let mut found: Vec<Frame> = Vec::new();
    let mut path: Vec<usize> = Vec::new();
    let (mut is_frame, mut text) = (false, String::new());
    loop {
        match reader.read_event().expect("the picture is well-formed") {
            Event::Start(tag) if tag.name().as_ref() == "g" => {
                let classes = attribute(&tag, "class").unwrap_or_default();
                is_frame = classes.split(' ').any(|class| class == "frame");
                if is_frame {
                    let level: usize = number(attribute(&tag, "aria-level"));
                    path.truncate(level - 1);
                    found.push(Frame {
                        classes: classes.split(' ').map(str::to_owned).collect(),
                        level,
                        id: attribute(&tag, "data-id").expect("a frame has an id"),
                        parent: path.last().copied(),
                        ..Frame::default()
                    });
                    path.push(found.len() - 1);
                }
            }
            Event::Start(_) => text.clear(),
            Event::Text(part) => text.push_str(&part),
            Event::GeneralRef(entity) => {
                text.push_str(
                    &quick_xml::escape::unescape(&format!("&{};", &*entity)).expect("a known entity"),
                );
            }
            Event::Empty(tag) if is_frame && tag.name().as_ref() == "rect" => {
                let frame = found.last_mut().expect("a rectangle lies in a frame");
                frame.x = number(attribute(&tag, "x"));
                frame.width = number(attribute(&tag, "width"));
                frame.y = number(attribute(&tag, "y"));
                frame.start = number(attribute(&tag, "fg:x"));
                frame.units = number(attribute(&tag, "fg:w"));
                frame.fill = attribute(&tag, "fill");
            }
            Event::End(tag) if is_frame => {
                let frame = found.last_mut().expect("a frame is open");
                match tag.name().as_ref() {
                    "title" => frame.tip = text.split('\n').map(str::to_owned).collect(),
                    "text" => frame.label.clone_from(&text),
                    "g" => is_frame = false,
                    _ => {}
                }
                text.clear();
            }
            Event::Eof => return found,
            _ => {}
        }
    }
}

/// The names from the root's first callee to a frame.
pub fn path(frames: &[Frame], at: usize) -> Vec<&str> {
    let mut names = Vec::new();
    let mut here = Some(at);
    while let Some(place) = here {
        names.push(frames[place].name());
        here = frames[place].parent;
    }
    names.pop();
    names.reverse();
    names
}
