//! `lockblame flame`.

use std::io::Write;

use super::input::Run;
use super::picture::{Asked, OneSide, Rules, Sketch, filter, one_side};
use super::sides::{Compared, How, compared};
use super::{output, tell};
use crate::cli::{BenchmarkArgs, FlameArgs, FlameFormatArg, SidesArgs, StandArg, WidthByArg};
use crate::compare::RowsBy;
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
    let (picture, warnings) = match (args.files.is_empty(), args.compared.is_empty()) {
        (false, true) => of_side(args)?,
        (true, false) => of_sides(args)?,
        (true, true) => {
            return Err(Error::new("lockblame flame", "needs a recording")
                .remedy("lockblame flame FILE, or --before … --after …"));
        }
        (false, false) => {
            return Err(Error::file(&args.files[0], "stands beside --before and --after")
                .remedy("give runs of one side by name alone, or two sides by flags alone"));
        }
    };
    if !args.output.quiet {
        tell(&warnings, stderr);
    }
    output::write_to(args.output.output.as_deref(), stdout, |out| match args.output.format {
        FlameFormatArg::Svg => flame::document(&picture, out),
        FlameFormatArg::Json => json::write(&flame::object(&picture), out),
    })
}

fn of_side(args: &FlameArgs) -> Result<(Picture, Vec<Warning>)> {
    let asked = Asked {
        files: &args.files,
        selection: &args.selection,
        locks: &args.locks,
        symbols: &args.symbols,
        quiet: args.output.quiet,
        target: args.output.output.as_deref(),
        again: Again::Never,
    };
    let OneSide { runs, report } = one_side(&asked, None)?;
    let graph = drawn(&[&runs], &report.headline, args)?;
    let side = PictureSide { name: String::new(), runs: report.runs };
    Ok((Picture::of_side(report.headline, graph, side), report.warnings))
}

fn of_sides(args: &FlameArgs) -> Result<(Picture, Vec<Warning>)> {
    let asked = SidesArgs {
        paths: Vec::new(),
        compared: args.compared.clone(),
        side: Vec::new(),
        benchmark: BenchmarkArgs::default(),
    };
    let Compared { comparisons, warnings, sides, .. } = compared(
        &asked,
        &How {
            by: RowsBy::Site,
            selection: &args.selection,
            filter: &filter(&args.locks),
            symbols: &args.symbols,
            quiet: args.output.quiet,
            target: args.output.output.as_deref(),
            again: Again::Never,
        },
    )?;
    let sides: Vec<&[Run]> = sides.iter().map(Vec::as_slice).collect();
    let comparison =
        comparisons.into_iter().next().ok_or_else(|| Error::new("the sides", "hold no profile"))?;
    let difference = Difference::new(comparison, None, 0.0);
    let graph = drawn(&sides, &difference.headline, args)?;
    let mut found = difference.warnings;
    found.extend(warnings.into_iter().flatten());
    let width_by = width_by(args.width_by);
    let picture = Picture::of_difference(difference.headline, graph, &difference.comparison, width_by);
    Ok((picture, found))
}

/// Draws the runs of one side, or of two; what they say in one sentence tells why nothing is there to draw.
fn drawn(sides: &[&[Run]], headline: &str, args: &FlameArgs) -> Result<Graph> {
    let rules = Rules::over(sides, &args.locks)?;
    let sketch = Sketch {
        stand: match args.by {
            StandArg::Stacks => Stand::Stacks,
            StandArg::Callers => Stand::Callers,
        },
        width_by: width_by(args.width_by),
        limits: Limits { min_width: args.min_width / 100.0, frames: FRAMES },
    };
    let graph = rules.graph(sides, sketch);
    if graph.nodes.first().is_some_and(|root| root.width > 0.0) {
        return Ok(graph);
    }
    let what = match sketch.stand {
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
