//! `lockblame html`.

use std::io::Write;

use super::input::Run;
use super::picture::{self, Asked, OneSide, Read, Rules, TwoSides};
use super::{output, tell, timeline};
use crate::cli::HtmlArgs;
use crate::compare::Comparison;
use crate::error::{Error, Result};
use crate::graph::{Limits, Stand, WidthBy};
use crate::ingest::selection::Again;
use crate::render::html;
use crate::report::difference::Difference;
use crate::report::page::{self, Content, Drawing, Page, ROWS, TimedRun, Times};
use crate::report::picture::{Picture, PictureSide};
use crate::report::trees::{Bounds, trees};

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
    if !args.files.is_empty() && args.compared.is_empty() && !args.benchmark.is_empty() {
        return Err(Error::new("a benchmark's figures", "are of two sides")
            .remedy("name the runs by --before and --after"));
    }
    let asked = Asked {
        command: "lockblame html",
        files: &args.files,
        compared: &args.compared,
        benchmark: args.benchmark.clone(),
        selection: &args.selection,
        locks: &args.locks,
        symbols: &args.symbols,
        quiet: args.output.quiet,
        target: args.output.output.as_deref(),
        again: Again::Possible,
        limit: Some(ROWS),
    };
    let page = match picture::read(&asked)? {
        Read::Side(side) => of_side(side),
        Read::Sides(sides) => of_sides(sides),
    };
    if !args.output.quiet {
        match &page.content {
            Content::Side(side) => tell(&side.report.warnings, stderr),
            Content::Sides(sides) => tell(&sides.difference.warnings, stderr),
        }
    }
    output::write_to(args.output.output.as_deref(), stdout, |out| html::page(&page, out))
}

fn of_side(OneSide { runs, report, rules }: OneSide) -> Page {
    let sides: [&[Run]; 1] = [&runs];
    let fold = |stand| rules.fold(&sides, stand, WidthBy::Larger);
    let callers = fold(Stand::Callers);
    let drawing = |id, title: &str, graph| {
        let side = PictureSide { name: String::new(), runs: report.runs.clone() };
        let picture = Picture::of_side(report.headline.clone(), graph, side);
        Drawing { id, title: title.to_owned(), picture }
    };
    let graphs = vec![
        drawing(
            "stacks",
            "Callchains, from the outermost caller up to the leaf",
            fold(Stand::Stacks).graph(GRAPH),
        ),
        drawing("callers", "Locks, and who calls them", callers.graph(GRAPH)),
    ];
    Page {
        trees: trees(&callers.graph(FINE), TREES),
        graphs: with_something(graphs),
        times: times(&rules, &sides, &[""]),
        content: Content::Side(page::OneSide::new(report)),
        command: command(),
    }
}

fn of_sides(TwoSides { sides, comparison, warnings, metrics, rules }: TwoSides) -> Page {
    let sides: Vec<&[Run]> = sides.iter().map(Vec::as_slice).collect();
    let callers = rules.fold(&sides, Stand::Callers, WidthBy::Larger);
    let trees = trees(&callers.graph(FINE), TREES);
    let times = times(&rules, &sides, &[&comparison.before.name, &comparison.after.name]);
    let graphs = drawings(&rules, &sides, &comparison);
    let mut difference = Difference::new(comparison, Some(ROWS), 0.0);
    difference.warnings.extend(warnings);
    difference.metrics = metrics;
    let content = Content::Sides(page::TwoSides::new(difference));
    Page { content, trees, graphs, times, command: command() }
}

/// The sides and their difference.
fn drawings(rules: &Rules, sides: &[&[Run]], comparison: &Comparison) -> Vec<Drawing> {
    let graph = |sides: &[&[Run]]| rules.fold(sides, Stand::Stacks, WidthBy::Larger).graph(GRAPH);
    let mut drawings = Vec::new();
    let ids = [("before", &comparison.before), ("after", &comparison.after)];
    for ((id, side), runs) in ids.into_iter().zip(sides) {
        let title = format!("Callchains {id}");
        let shown = PictureSide { name: side.name.clone(), runs: side.runs.clone() };
        drawings.push(Drawing { id, picture: Picture::of_side(title.clone(), graph(&[runs]), shown), title });
    }
    let headline = crate::report::difference::headline(comparison);
    drawings.push(Drawing {
        id: "difference",
        title: "What changed, callchain by callchain".to_owned(),
        picture: Picture::of_difference(headline, graph(sides), comparison, WidthBy::Larger),
    });
    with_something(drawings)
}

/// Those in which something is drawn.
fn with_something(mut drawings: Vec<Drawing>) -> Vec<Drawing> {
    drawings.retain(|drawing| drawing.picture.graph.width() > 0.0);
    drawings
}

/// Locks over time, in the first runs of each side.
fn times(rules: &Rules, sides: &[&[Run]], names: &[&str]) -> Times {
    let of_run = |run: &Run, side: &str| TimedRun {
        side: side.to_owned(),
        file: run.info.file.clone(),
        timeline: timeline::of_run(run, rules),
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
