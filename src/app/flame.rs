//! `lockblame flame`.

use std::io::Write;
use std::path::PathBuf;

use super::input::{self, Run};
use super::progress::Progress;
use super::sides::{Compared, compared};
use super::{output, sides, tell};
use crate::cli::{
    BenchmarkArgs, FilterArgs, FlameArgs, FlameFormatArg, SidesArgs, StandArg, WidthByArg, choose,
};
use crate::compare::RowsBy;
use crate::error::{Error, Result};
use crate::graph::{Drawn, Graph, Limits, Plan, Stand, WidthBy, graph};
use crate::lock::attribution::{Attribution, Options, attribute};
use crate::lock::choice::{By, Choice};
use crate::lock::site;
use crate::render::{flame, json};
use crate::report::difference::Difference;
use crate::report::picture::{Picture, PictureSide};
use crate::report::{self};
use crate::run::Warning;

/// The most frames of a picture: more make a browser slow.
const FRAMES: usize = 20_000;

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
    let named = args.symbols.kallsyms.iter().chain(&args.locks.rules);
    output::spare(args.output.output.as_deref(), args.files.iter().chain(named).map(PathBuf::as_path))?;
    sides::twice(&args.files)?;
    let options = choose::attribution(&args.locks, By::Lock)?;
    let choice = choose::rows(&filter(args), By::Lock, None);
    let selection = choose::selection(&args.selection, By::Lock);
    let progress = Progress::over(&args.files, args.output.quiet);
    let event = args.selection.event.as_deref();
    let read = |file: &PathBuf| input::run(file, event, &selection, &args.symbols, &progress);
    let runs: Vec<Run> = args.files.iter().map(read).collect::<Result<_>>()?;
    drop(progress);
    let attributions: Vec<Attribution> =
        runs.iter().map(|run| attribute(&run.profile, run.event, &options)).collect();
    let pairs: Vec<_> = runs.iter().map(|run| &run.profile).zip(&attributions).collect();
    let tables = site::tables(&pairs);
    let warnings = input::warnings(runs.iter().zip(&tables));
    let infos: Vec<_> = runs.iter().map(|run| run.info.clone()).collect();
    let report = report::report(infos.clone(), &tables, Vec::new(), &choice, warnings);
    let graph = drawn(&[&runs], &options, &choice, args)?;
    let side = PictureSide { name: String::new(), runs: infos };
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
        RowsBy::Site,
        &args.selection,
        &filter(args),
        &args.symbols,
        args.output.quiet,
        args.output.output.as_deref(),
    )?;
    let options = choose::attribution(&args.locks, By::Lock)?;
    let choice = choose::rows(&filter(args), By::Lock, None);
    let sides: Vec<&[Run]> = sides.iter().map(Vec::as_slice).collect();
    let graph = drawn(&sides, &options, &choice, args)?;
    let comparison =
        comparisons.into_iter().next().ok_or_else(|| Error::new("the sides", "hold no profile"))?;
    let difference = Difference::new(comparison, None, 0.0);
    let mut found = difference.warnings;
    found.extend(warnings.into_iter().flatten());
    let width_by = width_by(args.width_by);
    let picture = Picture::of_difference(difference.headline, graph, &difference.comparison, width_by);
    Ok((picture, found))
}

/// The locks that count; a graph has no rows to leave out.
fn filter(args: &FlameArgs) -> FilterArgs {
    FilterArgs { locks: args.locks.clone(), min_share: None, limit: None }
}

fn drawn(sides: &[&[Run]], options: &Options, choice: &Choice, args: &FlameArgs) -> Result<Graph> {
    let attributions: Vec<Attribution> =
        sides.iter().copied().flatten().map(|run| attribute(&run.profile, run.event, options)).collect();
    let pairs: Vec<_> = sides.iter().copied().flatten().map(|run| &run.profile).zip(&attributions).collect();
    let labels = site::site_labels(&pairs);
    let plan = Plan {
        options,
        labels: &labels,
        choice,
        stand: match args.by {
            StandArg::Stacks => Stand::Stacks,
            StandArg::Callers => Stand::Callers,
        },
        width_by: width_by(args.width_by),
        limits: Limits { min_width: args.min_width / 100.0, frames: FRAMES },
    };
    let graph = graph(&sides.iter().copied().map(of_runs).collect::<Vec<_>>(), &plan);
    match graph.nodes.first().is_some_and(|root| root.width > 0.0) {
        true => Ok(graph),
        false if plan.stand == Stand::Stacks && choice.is_whole() => {
            Err(Error::new("the flame graph", "has no sample to draw")
                .remedy("lockblame inspect shows what was recorded; see --event and the selections"))
        }
        false => {
            Err(Error::new("the flame graph", "has no lock to draw: none that was chosen holds a sample")
                .remedy("lockblame report --by site lists locks and callers"))
        }
    }
}

fn of_runs(runs: &[Run]) -> Vec<Drawn<'_>> {
    runs.iter().map(|run| Drawn { profile: &run.profile, event: run.event }).collect()
}

fn width_by(arg: WidthByArg) -> WidthBy {
    match arg {
        WidthByArg::After => WidthBy::After,
        WidthByArg::Before => WidthBy::Before,
        WidthByArg::Larger => WidthBy::Larger,
    }
}
