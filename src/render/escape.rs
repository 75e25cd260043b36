//! Names from a recording may hold anything: what a terminal or a reader's eye would act on is made visible.

use std::borrow::Cow;

use crate::error::is_active;

/// The text with control characters, and those that change the direction of writing, as `\u{1b}`.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_active) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if is_active(c) { shown.extend(c.escape_unicode()) } else { shown.push(c) }
    }
    Cow::Owned(shown)
}

/// The same for a cell of CSV, which a spreadsheet must not take for a formula.
pub fn cell(text: &str) -> Cow<'_, str> {
    let shown = visible(text);
    if shown.starts_with(['=', '+', '-', '@']) { Cow::Owned(format!("'{shown}")) } else { shown }
}

/// The text in 7-bit ASCII, for mail: everything else, and control characters, as `\u{e9}`.
pub fn ascii(text: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c == ' ' || c.is_ascii_graphic();
    if text.chars().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if is_plain(c) { shown.push(c) } else { shown.extend(c.escape_unicode()) }
    }
    Cow::Owned(shown)
}

/// Text for an element or an attribute in double quotes, of XML or HTML. What XML 1.0 has no way to write (control
/// characters, U+FFFE, U+FFFF: section 2.2) is made visible.
pub fn markup(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in visible(text).chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\u{fffe}' | '\u{ffff}' => escaped.extend(c.escape_unicode()),
            c => escaped.push(c),
        }
    }
    escaped
}
