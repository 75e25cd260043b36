//! A flame graph as a picture: heading, facts, legend, frames; for a file of its own with style and script inside, or for a
//! page that has them once.

use std::collections::BTreeSet;
use std::io::{self, Write};

use super::layout::layout;
use super::script::SCRIPT;
use super::{SIDE, WIDTH, frames, paint};
use crate::compare::Test;
use crate::graph::{Amount, Cut, Stand, Tone, WidthBy};
use crate::render::escape::{markup, visible};
use crate::render::fact;
use crate::render::figure::{percent, thousands};
use crate::render::table::wrap;
use crate::report::picture::{Changes, Picture, PictureSide};
use crate::run;

/// The style of graphs, for a page that shows some.
pub const STYLE: &str = include_str!("graph.css");

/// The height of a line of text, in pixels.
const LINE: usize = 17;
/// Letters on a line.
const COLUMNS: u16 = 158;
/// Letters on a line of the heading, which is larger.
const HEADING: u16 = 124;

/// Writes a picture as a file of its own.
///
/// # Errors
/// Those of `out`, and of the layout.
pub fn document(picture: &Picture, out: &mut dyn Write) -> io::Result<()> {
    let layout = layout(&picture.graph)?;
    let (heading, facts) = (wrap(&picture.headline, HEADING), facts(picture));
    let legend = legend(picture);
    let legend_top = LINE + LINE * (heading.len() + facts.len());
    let top = legend_top + LINE * legend.len() + LINE / 2;
    let height = top + layout.height + 2 * LINE;
    writeln!(out, r#"<?xml version="1.0" encoding="UTF-8"?>"#)?;
    opening(picture, height, r#" xmlns="http://www.w3.org/2000/svg""#, out)?;
    writeln!(out, "<title>{}</title>", markup(&picture.headline))?;
    writeln!(out, "<style>{}</style>", literal(STYLE))?;
    writeln!(out, "<defs>{}</defs>", hatching())?;
    writeln!(out, r#"<rect class="ground" width="100%" height="100%"/>"#)?;
    let mut y = LINE + 3;
    for (class, lines) in [("heading", &heading), ("facts", &facts)] {
        for line in lines {
            writeln!(out, r#"<text class="{class}" x="{SIDE}" y="{y}">{}</text>"#, markup(line))?;
            y += LINE;
        }
    }
    write_legend(&legend, legend_top, out)?;
    frames::write(picture, &layout, top, out)?;
    writeln!(out, r#"<text class="details" x="{SIDE}" y="{}"> </text>"#, height - LINE / 2)?;
    // Markup has no way to end this section inside of it, and the script does not hold its end.
    writeln!(out, "<script><![CDATA[\n{SCRIPT}\n]]></script>")?;
    writeln!(out, "</svg>")
}

/// Writes the frames of a picture for a page that has style, script and hatching of its own.
///
/// # Errors
/// Those of `out`, and of the layout.
pub fn figure(picture: &Picture, out: &mut dyn Write) -> io::Result<()> {
    let layout = layout(&picture.graph)?;
    opening(picture, layout.height + 2, "", out)?;
    frames::write(picture, &layout, 1, out)?;
    writeln!(out, "</svg>")
}

/// What stands with a picture in a page that tells the facts of runs elsewhere: totals, what widths and colours say, and
/// what was left out, line by line.
pub fn caption(picture: &Picture) -> Vec<String> {
    let mut lines = vec![totals(picture), meaning(picture)];
    lines.extend(cut(&picture.graph.cut));
    lines
}

/// The patterns of frames that are gone: grey where that may be noise, else in the colours of less.
pub fn hatching() -> String {
    let pattern = |id: &str, ground: &str, class: &str| {
        format!(
            r#"<pattern id="{id}" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="6" height="6" {ground}/><rect class="{class}" width="2.5" height="6"/></pattern>"#
        )
    };
    let of_less = paint::SCALE.iter().enumerate().map(|(at, step)| {
        pattern(&format!("gone-{at}"), &format!(r#"fill="{}""#, step.less), "hatch-of-less")
    });
    std::iter::once(pattern("gone", r#"class="hatch-ground""#, "hatch")).chain(of_less).collect()
}

fn opening(picture: &Picture, height: usize, namespace: &str, out: &mut dyn Write) -> io::Result<()> {
    // The larger ones of both sides add up to more than a total: a search then tells parts of the picture.
    let is_larger = picture.changes.as_ref().is_some_and(|changes| changes.width_by == WidthBy::Larger);
    let (share, whole) = match is_larger {
        false => (picture.graph.width(), "total"),
        true => (1.0, "the picture's width"),
    };
    writeln!(
        out,
        r#"<svg{namespace} xmlns:fg="http://github.com/jonhoo/inferno" class="flame" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" data-root-share="{share:.9}" data-whole="{whole}">"#
    )
}

/// The style with the values of its variables, which some viewers of SVG do not know.
fn literal(style: &str) -> String {
    // A picture of its own is light.
    let light = |value: &str| -> Option<String> {
        Some(value.strip_prefix("light-dark(")?.split_once(',')?.0.to_owned())
    };
    let declared = |line: &str| -> Option<(String, String)> {
        let (name, value) = line.trim().strip_prefix("--")?.split_once(": ")?;
        let value = value.trim_end_matches(';');
        Some((format!("var(--{name})"), light(value).unwrap_or_else(|| value.to_owned())))
    };
    let mut text = style.to_owned();
    for (name, value) in style.lines().filter_map(declared) {
        text = text.replace(&name, &value);
    }
    text
}

/// What was recorded, what widths and colours say, and what was left out, line by line.
fn facts(picture: &Picture) -> Vec<String> {
    let mut lines = Vec::new();
    let facts: Vec<String> = match picture.sides.as_slice() {
        [before, after] => fact::of_sides(&before.runs, &after.runs)
            .into_iter()
            .filter(|fact| fact.before != fact::UNKNOWN || fact.after != fact::UNKNOWN)
            .map(|fact| format!("{}: {}", fact.label, fact.text()))
            .collect(),
        sides => sides
            .iter()
            .flat_map(|side| fact::of_runs(&side.runs))
            .filter(|(_, _, text)| text != fact::UNKNOWN)
            .map(|(label, _, text)| format!("{label}: {text}"))
            .collect(),
    };
    lines.push(totals(picture));
    lines.push(facts.join(" · "));
    lines.push(meaning(picture));
    if let Some(line) = cut(&picture.graph.cut) {
        lines.push(line);
    }
    lines.iter().flat_map(|line| wrap(&visible(line), COLUMNS)).collect()
}

/// Event, unit, host, and what all of it weighs.
fn totals(picture: &Picture) -> String {
    let of_side = |side: &PictureSide| {
        let run = side.runs.first()?;
        let name = if picture.sides.len() > 1 { format!("{}: ", side.name) } else { String::new() };
        let unit = run.unit.word();
        let total = run::total(&side.runs, |run| run.weight.map(|weight| weight.0));
        let total =
            total.map_or_else(|| "not told".to_owned(), |total| format!("{} {unit}", thousands(total)));
        let mut hosts: Vec<&str> = side.runs.iter().filter_map(|run| run.host.as_deref()).collect();
        hosts.dedup();
        let host = if hosts.is_empty() { "not told".to_owned() } else { hosts.join(", ") };
        Some(format!("{name}event {}, unit {unit}, host {host}, total {total}", run.event))
    };
    let sides: Vec<String> = picture.sides.iter().filter_map(of_side).collect();
    sides.join(" · ")
}

/// What widths, order and colours say.
fn meaning(picture: &Picture) -> String {
    let whole = picture.whole();
    let stand = match picture.graph.stand {
        Stand::Stacks => "Outermost callers at the bottom, each function on its caller, the leaf on top",
        Stand::Callers => "Locks at the bottom, on top of them their call sites, and callers outwards",
    };
    let part = match picture.graph.nodes.first() {
        Some(root) if !picture.graph.is_whole => {
            let share = |side: &Amount| percent(side.share.mean);
            match root.sides.as_slice() {
                [before, after] => {
                    format!("; all of it is {} before and {} after of {whole}", share(before), share(after))
                }
                sides => format!("; all of it is {} of {whole}", sides.iter().map(share).collect::<String>()),
            }
        }
        _ => String::new(),
    };
    let width = match &picture.changes {
        None => format!("width: share of {whole}, neighbours by name{part}"),
        Some(changes) => difference(changes, &whole, picture.graph.width()) + &part,
    };
    format!("{stand}; {width}.")
}

fn difference(changes: &Changes, whole: &str, width: f64) -> String {
    let gone = if changes.width_by == WidthBy::After { "" } else { "; hatched: gone" };
    let width = match changes.width_by {
        WidthBy::After => {
            format!("width: share of {whole} after, the mean over runs (what is gone has none)")
        }
        WidthBy::Before => {
            format!("width: share of {whole} before, the mean over runs (what is new has none)")
        }
        WidthBy::Larger => {
            format!(
                "width: share of {whole}, the mean over runs, of each callchain the larger one of before and after, which add up to {:.0} %",
                100.0 * width
            )
        }
    };
    let noise = match (changes.can_test(), changes.settings.test) {
        (true, Test::Welch | Test::Rank | Test::Range) => {
            "grey: no more than noise, as the 95 % interval of the difference (Welch) contains 0".to_owned()
        }
        (false, _) => format!(
            "a side has a single run, so that noise is not known: grey is a change below {} percentage points",
            100.0 * changes.settings.min_effect
        ),
    };
    format!(
        "{width}; colour: points that a function with all it calls gained (red) or lost (blue) of its own run's total; {noise}{gone}"
    )
}

fn cut(cut: &Cut) -> Option<String> {
    (cut.frames > 0).then(|| {
        format!(
            "{} frames are not drawn, each no wider than {:.3} % of the picture: above {:.2} % of its width frames are missing",
            thousands(cut.frames as u64),
            100.0 * cut.widest,
            100.0 * cut.part
        )
    })
}

/// A key of the legend: class, colour, words.
pub(in crate::render) struct Key {
    pub(in crate::render) class: String,
    pub(in crate::render) fill: Option<&'static str>,
    pub(in crate::render) words: String,
}

/// The keys of what is drawn.
pub(in crate::render) fn keys(picture: &Picture) -> Vec<Key> {
    match &picture.changes {
        None => {
            let tones: BTreeSet<Tone> =
                picture.graph.nodes.iter().filter_map(|node| node.frame.as_ref()).map(|f| f.tone).collect();
            tones
                .into_iter()
                .map(|tone| Key {
                    class: paint::class(tone),
                    fill: None,
                    words: match tone {
                        Tone::Lock(family) => format!("waiting for a lock: {}", family.word()),
                        tone => paint::word(tone).to_owned(),
                    },
                })
                .collect()
        }
        Some(changes) => changes_legend(changes.width_by),
    }
}

/// The keys of what is drawn, line by line.
fn legend(picture: &Picture) -> Vec<Vec<Key>> {
    let keys = keys(picture);
    let (mut lines, mut room): (Vec<Vec<Key>>, usize) = (Vec::new(), 0);
    for key in keys {
        let width = 6 + key.words.chars().count();
        if lines.is_empty() || room < width {
            lines.push(Vec::new());
            room = usize::from(COLUMNS);
        }
        room -= width;
        if let Some(line) = lines.last_mut() {
            line.push(key);
        }
    }
    lines
}

fn changes_legend(width_by: WidthBy) -> Vec<Key> {
    let words = |at: usize, sign: &str| {
        let end = |value: f64| format!("{}", (value * 1000.0).round() / 10.0);
        match (paint::SCALE.get(at), paint::SCALE.get(at + 1)) {
            (Some(step), Some(next)) if step.from == 0.0 => format!("to {sign}{}", end(next.from)),
            (Some(step), Some(next)) => format!("{sign}{}..{}", end(step.from), end(next.from)),
            (Some(step), None) => format!("{sign}{} points or more", end(step.from)),
            _ => String::new(),
        }
    };
    let key = |class: &str, fill, words| Key { class: class.to_owned(), fill, words };
    let less = paint::SCALE.iter().enumerate().rev();
    let less = less.map(|(at, step)| key("less", Some(step.less), words(at, "-")));
    let more = paint::SCALE.iter().enumerate().map(|(at, step)| key("more", Some(step.more), words(at, "+")));
    let noise = [key("grey", None, "noise".to_owned())];
    // By the side after nothing that is gone has a width.
    let gone = (width_by != WidthBy::After).then(|| key("grey gone", None, "gone".to_owned()));
    less.chain(noise).chain(more).chain(gone).collect()
}

fn write_legend(lines: &[Vec<Key>], top: usize, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, r#"<g class="legend">"#)?;
    for (row, line) in lines.iter().enumerate() {
        let y = top + row * LINE;
        let mut x = SIDE;
        for key in line {
            let fill = key.fill.map_or_else(String::new, |fill| format!(r#" fill="{fill}""#));
            writeln!(
                out,
                r#"<g class="key {}"><rect x="{x}" y="{y}" width="20" height="12"{fill}/></g><text x="{}" y="{}">{}</text>"#,
                key.class,
                x + 25,
                y + 10,
                markup(&key.words)
            )?;
            x += 43 + key.words.chars().count() * 73 / 10;
        }
    }
    writeln!(out, "</g>")
}
