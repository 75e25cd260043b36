//! Graphs with their captions and legends.

use std::io::{self, Write};

use crate::render::escape::markup;
use crate::render::flame::{caption, figure, hatching, keys};
use crate::report::page::{Drawing, Page};

/// Writes all graphs.
///
/// # Errors
/// Those of `out`, and of a graph's layout.
pub(super) fn graphs(page: &Page, out: &mut dyn Write) -> io::Result<()> {
    // What a page does not render cannot be referred to, so this is drawn, without any size.
    writeln!(
        out,
        r#"<svg class="patterns" width="0" height="0" aria-hidden="true" focusable="false"><defs>{}</defs></svg>"#,
        hatching()
    )?;
    page.graphs.iter().try_for_each(|drawing| graph(drawing, out))
}

fn graph(drawing: &Drawing, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "<h3>{}</h3>", markup(&drawing.title))?;
    writeln!(out, r#"<figure class="graph" id="graph-{}">"#, drawing.id)?;
    let lines: Vec<String> = caption(&drawing.picture).iter().map(|line| markup(line)).collect();
    writeln!(out, "<figcaption>{}", lines.join("<br>"))?;
    writeln!(out, r#"<ul class="legend">"#)?;
    for key in keys(&drawing.picture) {
        let fill = key.fill.map_or_else(String::new, |fill| format!(r#" fill="{fill}""#));
        writeln!(
            out,
            r#"<li><svg class="key" width="20" height="12" aria-hidden="true"><g class="frame {}"><rect width="20" height="12"{fill}/></g></svg> {}</li>"#,
            key.class,
            markup(&key.words)
        )?;
    }
    writeln!(out, "</ul></figcaption>")?;
    figure(&drawing.picture, out)?;
    writeln!(out, "</figure>")
}
