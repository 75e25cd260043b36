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
    let graph = drawn(&[&runs], args)?;
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
    let graph = drawn(&sides, args)?;
    let comparison =
        comparisons.into_iter().next().ok_or_else(|| Error::new("the sides", "hold no profile"))?;
    let difference = Difference::new(comparison, None, 0.0);
    let mut found = difference.warnings;
    found.extend(warnings.into_iter().flatten());
    let width_by = width_by(args.width_by);
    let picture = Picture::of_difference(difference.headline, graph, &difference.comparison, width_by);
    Ok((picture, found))
}

fn drawn(sides: &[&[Run]], args: &FlameArgs) -> Result<Graph> {
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
    match graph.nodes.first().is_some_and(|root| root.width > 0.0) {
        true => Ok(graph),
        false if sketch.stand == Stand::Stacks && rules.choice.is_whole() => {
            Err(Error::new("the flame graph", "has no sample to draw")
                .remedy("lockblame inspect shows what was recorded; see --event and the selections"))
        }
        false => {
            Err(Error::new("the flame graph", "has no lock to draw: none that was chosen holds a sample")
                .remedy("lockblame report --by site lists locks and callers"))
        }
    }
}

fn width_by(arg: WidthByArg) -> WidthBy {
    match arg {
        WidthByArg::After => WidthBy::After,
        WidthByArg::Before => WidthBy::Before,
        WidthByArg::Larger => WidthBy::Larger,
    }
}
