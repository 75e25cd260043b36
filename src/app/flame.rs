//! `lockblame flame`.

use std::io::Write;

use super::input::Run;
use super::picture::{self, Asked, OneSide, Read, Rules};
use super::{output, tell};
use crate::cli::{BenchmarkArgs, FlameArgs, FlameFormatArg, StandArg, WidthByArg};
use crate::error::{Error, Result};
use crate::graph::{Graph, Limits, Stand, WidthBy};
use crate::ingest::selection::Again;
use crate::render::{flame, json};
use crate::report::difference::Difference;
use crate::report::picture::{Picture, PictureSide};
use crate::run::Warning;

/// The most frames of a picture: more make a browser slow.
const FRAMES: usize = 10_000;

/// Runs the subcommand.
///
/// # Errors
/// Where an input cannot be read, nothing is there to draw, or the output cannot be written.
pub(super) fn run(args: &FlameArgs, stdout: &mut dyn Write, stderr: &mut dyn Write) -> Result<()> {
    let asked = Asked {
        command: "lockblame flame",
        files: &args.files,
        compared: &args.compared,
        benchmark: BenchmarkArgs::default(),
        selection: &args.selection,
        locks: &args.locks,
        symbols: &args.symbols,
        quiet: args.output.quiet,
        target: args.output.output.as_deref(),
        again: Again::Never,
        limit: None,
    };
    // Warnings come first: they may tell why nothing is there to draw.
    let mut warn = |warnings: &[Warning]| {
        if !args.output.quiet {
            tell(warnings, stderr);
        }
    };
    let picture = match picture::read(&asked)? {
        Read::Side(side) => {
            warn(&side.report.warnings);
            of_side(side, args)?
        }
        Read::Sides(sides) => {
            let difference = Difference::new(sides.comparison, None, 0.0);
            warn(&difference.warnings);
            warn(&sides.warnings);
            of_sides(&sides.sides, &sides.rules, difference, args)?
        }
    };
    output::write_to(args.output.output.as_deref(), stdout, |out| match args.output.format {
        FlameFormatArg::Svg => flame::document(&picture, out),
        FlameFormatArg::Json => json::write(&flame::object(&picture), out),
    })
}

fn of_side(OneSide { runs, report, rules }: OneSide, args: &FlameArgs) -> Result<Picture> {
    let graph = drawn(&[&runs], &rules, &report.headline, args)?;
    let side = PictureSide { name: String::new(), runs: report.runs };
    Ok(Picture::of_side(report.headline, graph, side))
}

fn of_sides(sides: &[Vec<Run>], rules: &Rules, difference: Difference, args: &FlameArgs) -> Result<Picture> {
    let sides: Vec<&[Run]> = sides.iter().map(Vec::as_slice).collect();
    let graph = drawn(&sides, rules, &difference.headline, args)?;
    let width_by = width_by(args.width_by);
    Ok(Picture::of_difference(difference.headline, graph, &difference.comparison, width_by))
}

/// Draws the runs of one side, or of two; what they say in one sentence tells why nothing is there to draw.
fn drawn(sides: &[&[Run]], rules: &Rules, headline: &str, args: &FlameArgs) -> Result<Graph> {
    let stand = match args.by {
        StandArg::Stacks => Stand::Stacks,
        StandArg::Callers => Stand::Callers,
    };
    let limits = Limits { min_width: args.min_width / 100.0, frames: FRAMES };
    let graph = rules.fold(sides, stand, width_by(args.width_by)).graph(limits);
    if graph.width() > 0.0 {
        return Ok(graph);
    }
    let what = match stand {
        Stand::Stacks if rules.choice.is_whole() => "sample",
        _ => "lock",
    };
    let file = sides.iter().copied().flatten().next().map_or("the flame graph", |run| run.info.file.as_str());
    Err(Error::new(file, format!("has no {what} to draw: {}", headline.trim_end_matches('.')))
        .remedy("lockblame report shows what there is"))
}

fn width_by(arg: WidthByArg) -> WidthBy {
    match arg {
        WidthByArg::After => WidthBy::After,
        WidthByArg::Before => WidthBy::Before,
        WidthByArg::Larger => WidthBy::Larger,
    }
}
