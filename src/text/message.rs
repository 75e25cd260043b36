//! The readable bodies of an input: itself, or the decoded text parts of the mail that it is.

use std::borrow::Cow;

use mail_parser::{Message, MessageParser, PartType, decoders::html::html_to_text};

use super::line::is_binary;

/// A text, and the line of the input at which it begins.
pub(super) struct Body<'a> {
    pub(super) text: Cow<'a, str>,
    pub(super) first_line: usize,
}

/// How deep messages inside messages are followed.
const MAX_NESTING: usize = 8;

/// Above this number of enclosed messages or parts an input is read as it stands: no person wrote it.
const MAX_PARTS: usize = 1000;

/// Field names of which a mail has at least two among its first lines.
const FIELDS: [&str; 14] = [
    "from",
    "to",
    "cc",
    "subject",
    "date",
    "message-id",
    "received",
    "return-path",
    "mime-version",
    "content-type",
    "content-transfer-encoding",
    "in-reply-to",
    "references",
    "delivered-to",
];

/// The bodies of `bytes`, in order.
pub(super) fn bodies(bytes: &[u8]) -> Vec<Body<'_>> {
    let mut out = Vec::new();
    let mut line = 1;
    for mail in split_mbox(bytes) {
        match parse(mail) {
            Some(message) => collect(&message, mail, line, MAX_NESTING, &mut out),
            None => out.push(Body { text: String::from_utf8_lossy(mail), first_line: line }),
        }
        line += count_lines(mail);
    }
    out
}

fn count_lines(bytes: &[u8]) -> usize {
    bytes.iter().filter(|b| **b == b'\n').count()
}

/// Cuts an mbox at its `From ` lines; anything else is one slice.
fn split_mbox(bytes: &[u8]) -> Vec<&[u8]> {
    if !bytes.starts_with(b"From ") {
        return vec![bytes];
    }
    let mut out = Vec::new();
    let mut start = 0;
    let mut at = 0;
    let mut after_blank = false;
    for raw in bytes.split_inclusive(|b| *b == b'\n') {
        if after_blank && raw.starts_with(b"From ") && is_mail(strip_from_line(&bytes[at..])) {
            out.push(&bytes[start..at]);
            start = at;
        }
        after_blank = raw.trim_ascii().is_empty();
        at += raw.len();
    }
    out.push(&bytes[start..]);
    out
}

/// `bytes` behind an mbox's `From ` line, if there is one.
fn strip_from_line(bytes: &[u8]) -> &[u8] {
    if !bytes.starts_with(b"From ") {
        return bytes;
    }
    match bytes.iter().position(|b| *b == b'\n') {
        Some(end) => &bytes[end + 1..],
        None => &[],
    }
}

/// Whether `bytes` begin with header fields, two of them well known.
fn is_mail(bytes: &[u8]) -> bool {
    let mut known = 0;
    for raw in bytes.split(|b| *b == b'\n').take(200) {
        if raw.starts_with(b" ") || raw.starts_with(b"\t") {
            continue;
        }
        let Some(colon) = raw.iter().position(|b| *b == b':') else { break };
        let Ok(name) = std::str::from_utf8(&raw[..colon]) else { break };
        if !name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-') {
            break;
        }
        known += usize::from(FIELDS.iter().any(|field| field.eq_ignore_ascii_case(name)));
    }
    known >= 2
}

/// Parses a mail; `None` for what is none or what would cost too much.
fn parse(bytes: &[u8]) -> Option<Message<'_>> {
    let mail = strip_from_line(bytes);
    let enclosed = |needle: &[u8]| {
        mail.windows(needle.len()).filter(|w| w.eq_ignore_ascii_case(needle)).take(MAX_PARTS).count()
    };
    if !is_mail(mail) || enclosed(b"message/") > 4 * MAX_NESTING || enclosed(b"content-type") >= MAX_PARTS {
        return None;
    }
    MessageParser::default().parse(mail)
}

/// Appends the text parts of `message`, an alternative in HTML only where there is no plain text.
fn collect(message: &Message<'_>, raw: &[u8], line: usize, nesting: usize, out: &mut Vec<Body<'_>>) {
    let has_plain =
        message.parts.iter().any(|p| matches!(&p.body, PartType::Text(t) if !t.trim().is_empty()));
    let skipped = raw.len() - strip_from_line(raw).len();
    for part in &message.parts {
        let offset = (skipped + part.offset_body as usize).min(raw.len());
        let first_line = line + if nesting == MAX_NESTING { count_lines(&raw[..offset]) } else { 0 };
        let text = match &part.body {
            PartType::Text(text) => unescape_from(text),
            PartType::Html(html) if !has_plain => html_to_text(html),
            PartType::Binary(bytes) | PartType::InlineBinary(bytes) if !is_binary(bytes) => {
                String::from_utf8_lossy(bytes).into_owned()
            }
            PartType::Message(inner) if nesting > 0 => {
                collect(inner, raw, first_line, nesting - 1, out);
                continue;
            }
            _ => continue,
        };
        out.push(Body { text: Cow::Owned(text), first_line });
    }
}

/// Undoes the mbox habit of writing `>From` at the beginning of a line; the mark means no quotation.
fn unescape_from(text: &str) -> String {
    text.replace("\n>From ", "\nFrom ")
}
