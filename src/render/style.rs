//! How text is laid out: width, borders, colour, decided before anything is rendered.

/// How to lay text out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// Columns.
    pub width: u16,
    /// The characters of borders.
    pub borders: Borders,
    /// Whether to colour.
    pub color: Color,
}

/// The characters of borders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Borders {
    /// Lines of Unicode.
    Unicode,
    /// ASCII.
    Ascii,
}

/// Whether to colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Color {
    /// Yes.
    On,
    /// No.
    Off,
}

/// A colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paint {
    /// Of what is good.
    Green,
    /// Of what is bad.
    Red,
}

impl Style {
    /// The text in a colour, where colour is on.
    pub fn paint(self, paint: Paint, text: &str) -> String {
        let code = match paint {
            Paint::Green => 32,
            Paint::Red => 31,
        };
        match self.color {
            Color::On => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
            Color::Off => text.to_owned(),
        }
    }

    /// The text in bold, where colour is on.
    pub fn bold(self, text: &str) -> String {
        match self.color {
            Color::On => format!("\u{1b}[1m{text}\u{1b}[0m"),
            Color::Off => text.to_owned(),
        }
    }
}

/// A text of at most `width` columns, cut in the middle.
pub fn cut_middle(text: &str, width: usize, gap: &str) -> String {
    let length = text.chars().count();
    let gap_length = gap.chars().count();
    if length <= width || width <= gap_length {
        return text.to_owned();
    }
    let kept = width - gap_length;
    let head: String = text.chars().take(kept.div_ceil(2)).collect();
    let tail: String = text.chars().skip(length - kept / 2).collect();
    format!("{head}{gap}{tail}")
}
