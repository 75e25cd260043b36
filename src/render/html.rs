//! A page for a browser: one file that needs nothing else, asks nothing of any network, and shows all but sorting, filters,
//! zoom and copying without its script.

mod chart;
mod graphs;
mod quality;
mod side;
mod sides;
mod table;
mod time;
mod tree;
mod words;

use std::io::{self, Write};

use super::escape::markup;
use super::{flame, mail, rows};
use crate::report::page::{Content, Page};

const STYLE: &str = include_str!("html/page.css");
const SCRIPT: &str = include_str!("html/page.js");

/// What a browser may load: nothing from anywhere, and what stands in the page itself.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/// Writes a page.
///
/// # Errors
/// Those of `out`, and of the layout of a graph.
pub fn page(page: &Page, out: &mut dyn Write) -> io::Result<()> {
    head(page, out)?;
    writeln!(out, "<body>")?;
    let sections = sections(page);
    header(&sections, out)?;
    writeln!(out, r#"<main id="main">"#)?;
    opening(page, out)?;
    for section in &sections {
        writeln!(out, r#"<section id="{0}" aria-labelledby="{0}-heading">"#, section.id)?;
        writeln!(out, r#"<h2 id="{}-heading">{}</h2>"#, section.id, section.title)?;
        (section.write)(page, out)?;
        writeln!(out, "</section>")?;
    }
    writeln!(out, "</main>")?;
    footer(page, out)?;
    if !page.graphs.is_empty() {
        writeln!(out, "<script>{}</script>", flame::SCRIPT)?;
    }
    writeln!(out, "<script>{SCRIPT}</script>")?;
    writeln!(out, "</body>\n</html>")
}

/// A part of the page with its place in the navigation.
struct Section {
    id: &'static str,
    title: &'static str,
    write: fn(&Page, &mut dyn Write) -> io::Result<()>,
}

/// The sections that have something to show.
fn sections(page: &Page) -> Vec<Section> {
    let two = matches!(page.content, Content::Sides(_));
    let sections = [
        (two, Section { id: "verdicts", title: "Verdicts", write: verdicts }),
        (true, Section { id: "quality", title: "Data quality", write: data }),
        (true, Section { id: "tables", title: "Tables", write: tables }),
        (!page.trees.is_empty(), Section { id: "trees", title: "Callers", write: tree::trees }),
        (!page.graphs.is_empty(), Section { id: "graphs", title: "Graphs", write: graphs::graphs }),
        (!page.times.runs.is_empty(), Section { id: "time", title: "Time", write: time::times }),
        (true, Section { id: "mail", title: "For a mail", write: letter }),
    ];
    sections.into_iter().filter_map(|(has, section)| has.then_some(section)).collect()
}

fn head(page: &Page, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">")?;
    writeln!(out, r#"<meta http-equiv="Content-Security-Policy" content="{POLICY}">"#)?;
    writeln!(out, r#"<meta name="referrer" content="no-referrer">"#)?;
    writeln!(out, r#"<meta name="viewport" content="width=device-width, initial-scale=1">"#)?;
    writeln!(out, r#"<meta name="color-scheme" content="light dark">"#)?;
    writeln!(out, "<title>{} - lockblame</title>", markup(&page.headline().replace('`', "")))?;
    writeln!(out, "<style>\n{}{STYLE}</style>\n</head>", flame::STYLE)
}

fn header(sections: &[Section], out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, r##"<a class="skip" href="#main">Skip to the report</a>"##)?;
    writeln!(out, r#"<header><span class="brand">lockblame</span>"#)?;
    writeln!(out, r#"<nav aria-label="Sections"><ul>"#)?;
    for section in sections {
        writeln!(out, r##"<li><a href="#{}">{}</a></li>"##, section.id, section.title)?;
    }
    writeln!(out, "</ul></nav>")?;
    writeln!(out, r#"<button type="button" class="theme" hidden>Dark or light</button></header>"#)
}

/// The sentence, and what it is about.
fn opening(page: &Page, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "<h1>{}</h1>", words::sentence(page.headline()))?;
    quality::summary(page, out)?;
    if let Content::Side(side) = &page.content {
        writeln!(out, "<p>{}.</p>", markup(&rows::totals(&side.report)))?;
    }
    writeln!(
        out,
        r#"<p class="copies"><button type="button" class="copy" data-copy="mail-text" hidden>Copy for a mail</button> <button type="button" class="copy" data-copy="command" hidden>Copy the command</button></p>"#
    )
}

fn verdicts(page: &Page, out: &mut dyn Write) -> io::Result<()> {
    let Content::Sides(two) = &page.content else { return Ok(()) };
    sides::verdicts(&two.difference, out)
}

fn data(page: &Page, out: &mut dyn Write) -> io::Result<()> {
    let found = match &page.content {
        Content::Side(side) => &side.report.warnings,
        Content::Sides(sides) => &sides.difference.warnings,
    };
    quality::warnings(found, out)?;
    quality::facts(page, out)
}

fn tables(page: &Page, out: &mut dyn Write) -> io::Result<()> {
    match &page.content {
        Content::Side(side) => side::tables(side, &page.whole(), out),
        Content::Sides(sides) => sides::tables(sides, out),
    }
}

/// The text that goes into a mail.
fn letter(page: &Page, out: &mut dyn Write) -> io::Result<()> {
    let mut text = Vec::new();
    match &page.content {
        Content::Side(side) => mail::report(&side.mail, None, &mut text)?,
        Content::Sides(sides) => mail::difference(&sides.mail, None, &mut text)?,
    }
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<String> = text.lines().map(markup).collect();
    // The first line's end after the tag is not part of the text.
    writeln!(out, "<pre class=\"scroll\" tabindex=\"0\" id=\"mail-text\">\n{}\n</pre>", lines.join("\n"))
}

fn footer(page: &Page, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "<footer><p>Made by lockblame {} with</p>", env!("CARGO_PKG_VERSION"))?;
    writeln!(out, r#"<pre id="command">{}</pre></footer>"#, markup(&page.command))
}
