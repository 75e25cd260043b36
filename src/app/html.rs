//! `lockblame html`.

use std::io::Write;

use super::input::Run;
use super::picture::{Asked, Rules, Sketch, filter, one_side};
use super::progress::Progress;
use super::sides::{Compared, How, compared};
use super::{output, tell, timeline};
use crate::cli::{HtmlArgs, SidesArgs};
use crate::compare::{Comparison, RowsBy};
use crate::error::{Error, Result};
use crate::graph::{Graph, Limits, Stand, WidthBy};
use crate::ingest::selection::Again;
use crate::render::html;
use crate::report::difference::Difference;
use crate::report::page::{Content, Drawing, OneSide, Page, ROWS, TimedRun, Times, TwoSides};
use crate::report::picture::{Picture, PictureSide};
use crate::report::trees::{Bounds, Stem, trees};

/// What a graph of a page leaves out, so that several of them are below 2 MB together.
const GRAPH: Limits = Limits { min_width: 0.001, frames: 2500 };
/// Locks whose callers are shown as a tree, levels of them, and the smallest part of the lock.
const TREES: Bounds = Bounds { locks: 12, depth: 8, least: 0.01 };
/// What trees are made of: fine enough that a hundredth of a lock is in it which has a thousandth of all locks.
const FINE: Limits = Limits { min_width: 1e-5, frames: 50_000 };

/// Runs that are shown over time.
const TIMED: usize = 8;

/// Runs the subcommand.
///
/// # Errors
/// Where an input cannot be read, the sides cannot be compared, or the output cannot be written.
pub(super) fn run(args: &HtmlArgs, stdout: &mut dyn Write, stderr: &mut dyn Write) -> Result<()> {
    let page = match (args.files.is_empty(), args.compared.is_empty()) {
        (false, true) => of_side(args)?,
        (true, false) => of_sides(args)?,
        (true, true) => {
            return Err(Error::new("lockblame html", "needs a recording")
                .remedy("lockblame html FILE… -o report.html, or --before … --after …"));
        }
        (false, false) => {
            return Err(Error::file(&args.files[0], "stands beside --before and --after")
                .remedy("give runs of one side by name alone, or two sides by flags alone"));
        }
    };
    if !args.output.quiet {
        match &page.content {
            Content::Side(side) => tell(&side.report.warnings, stderr),
            Content::Sides(sides) => tell(&sides.difference.warnings, stderr),
        }
    }
    output::write_to(args.output.output.as_deref(), stdout, |out| html::page(&page, out))
}

fn of_side(args: &HtmlArgs) -> Result<Page> {
    let benchmark = &args.benchmark;
    let has_figures = !benchmark.ops_before.is_empty() || !benchmark.ops_after.is_empty();
    if has_figures || benchmark.metrics_before.is_some() || benchmark.metrics_after.is_some() {
        return Err(Error::new("a benchmark's figures", "are of two sides")
            .remedy("name the runs by --before and --after"));
    }
    let asked = Asked {
        files: &args.files,
        selection: &args.selection,
        locks: &args.locks,
        symbols: &args.symbols,
        quiet: args.output.quiet,
        target: args.output.output.as_deref(),
        again: Again::Possible,
    };
    let read = one_side(&asked, Some(ROWS))?;
    let sides: [&[Run]; 1] = [&read.runs];
    let rules = Rules::over(&sides, &args.locks)?;
    let draw = |stand| rules.graph(&sides, sketch(stand, GRAPH));
    let of_side = |graph| {
        let side = PictureSide { name: String::new(), runs: read.report.runs.clone() };
        Picture::of_side(read.report.headline.clone(), graph, side)
    };
    let drawings = [
        ("stacks", "Callchains, from the outermost caller up to the leaf", draw(Stand::Stacks)),
        ("callers", "Locks, and who calls them", draw(Stand::Callers)),
    ];
    let graphs = drawings
        .into_iter()
        .filter(|(_, _, graph)| is_drawn(graph))
        .map(|(id, title, graph)| Drawing { id, title: title.to_owned(), picture: of_side(graph) })
        .collect();
    let trees = stems(&rules, &sides);
    let times = times(&rules, &sides, &[""]);
    let content = Content::Side(OneSide::new(read.report));
    Ok(Page { content, trees, graphs, times, command: command() })
}

fn of_sides(args: &HtmlArgs) -> Result<Page> {
    let asked = SidesArgs {
        paths: Vec::new(),
        compared: args.compared.clone(),
        side: Vec::new(),
        benchmark: args.benchmark.clone(),
    };
    let Compared { comparisons, warnings, metrics, sides } = compared(
        &asked,
        &How {
            by: RowsBy::Site,
            selection: &args.selection,
            filter: &filter(&args.locks),
            symbols: &args.symbols,
            quiet: args.output.quiet,
            target: args.output.output.as_deref(),
            again: Again::Possible,
        },
    )?;
    let sides: Vec<&[Run]> = sides.iter().map(Vec::as_slice).collect();
    let rules = Rules::over(&sides, &args.locks)?;
    let comparison =
        comparisons.into_iter().next().ok_or_else(|| Error::new("the sides", "hold no profile"))?;
    let graphs = drawings(&rules, &sides, &comparison);
    let trees = stems(&rules, &sides);
    let times = times(&rules, &sides, &[&comparison.before.name, &comparison.after.name]);
    let mut difference = Difference::new(comparison, Some(ROWS), 0.0);
    difference.warnings.extend(warnings.into_iter().flatten());
    difference.metrics = metrics;
    let content = Content::Sides(TwoSides::new(difference));
    Ok(Page { content, trees, graphs, times, command: command() })
}

/// The sides and their difference.
fn drawings(rules: &Rules, sides: &[&[Run]], comparison: &Comparison) -> Vec<Drawing> {
    let mut drawings = Vec::new();
    let ids = [("before", &comparison.before), ("after", &comparison.after)];
    for ((id, side), runs) in ids.into_iter().zip(sides) {
        let graph = rules.graph(&[runs], sketch(Stand::Stacks, GRAPH));
        let shown = PictureSide { name: side.name.clone(), runs: side.runs.clone() };
        let picture = Picture::of_side(format!("Callchains {id}"), graph, shown);
        drawings.push(Drawing { id, title: format!("Callchains {id}"), picture });
    }
    let graph = rules.graph(sides, sketch(Stand::Stacks, GRAPH));
    let headline = crate::report::difference::headline(comparison);
    let picture = Picture::of_difference(headline, graph, comparison, WidthBy::Larger);
    drawings.push(Drawing {
        id: "difference",
        title: "What changed, callchain by callchain".to_owned(),
        picture,
    });
    drawings.retain(|drawing| is_drawn(&drawing.picture.graph));
    drawings
}

fn sketch(stand: Stand, limits: Limits) -> Sketch {
    Sketch { stand, width_by: WidthBy::Larger, limits }
}

fn is_drawn(graph: &Graph) -> bool {
    graph.nodes.first().is_some_and(|root| root.width > 0.0)
}

fn stems(rules: &Rules, sides: &[&[Run]]) -> Vec<Stem> {
    trees(&rules.graph(sides, sketch(Stand::Callers, FINE)), TREES)
}

/// Locks over time, in the first runs of each side.
fn times(rules: &Rules, sides: &[&[Run]], names: &[&str]) -> Times {
    let progress = Progress::over(&[], true);
    let of_run = |run: &Run, side: &str| TimedRun {
        side: side.to_owned(),
        file: run.info.file.clone(),
        timeline: timeline::of_run(run, &rules.options, &rules.labels, &rules.heaviest, &progress),
    };
    let most = TIMED / sides.len().max(1);
    let shown =
        sides.iter().zip(names).flat_map(|(runs, name)| runs.iter().take(most).map(move |r| (r, *name)));
    Times {
        runs: shown.map(|(run, name)| of_run(run, name)).collect(),
        more: sides.iter().map(|runs| runs.len().saturating_sub(most)).sum(),
    }
}

/// The command as it was typed, for a shell. The program is called by its name, wherever it lies.
fn command() -> String {
    let words = std::env::args_os().skip(1).map(|word| quoted(&word.to_string_lossy()));
    std::iter::once("lockblame".to_owned()).chain(words).collect::<Vec<_>>().join(" ")
}

/// A word for a shell.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./,:=+@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    if !word.chars().any(char::is_control) {
        return format!("'{}'", word.replace('\'', r"'\''"));
    }
    // What would end or rewrite a line is spelled.
    let spelled = |c: char| match c {
        '\'' | '\\' => format!("\\{c}"),
        c if c.is_control() => c.to_string().bytes().map(|byte| format!("\\x{byte:02x}")).collect(),
        c => c.to_string(),
    };
    format!("$'{}'", word.chars().map(spelled).collect::<String>())
}
