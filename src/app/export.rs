//! `lockblame export`.

use std::collections::HashMap;
use std::io::Write;
use std::path::PathBuf;

use super::attributed::Attributed;
use super::input::{self, Run};
use super::{output, tell};
use crate::cli::{ExportArgs, ExportFormatArg, WeightArg, choose};
use crate::error::{Error, Result};
use crate::id::{FrameId, NameId};
use crate::lock::attribution::{Frames, Options};
use crate::lock::choice::By;
use crate::profile::{Entry, Profile};
use crate::render::folded::{self, Dialect, Stacks, UNKNOWN};
use crate::run::Warning;
use crate::symbol::{Naming, Symbol};

/// Runs the subcommand.
///
/// # Errors
/// Where an input cannot be read or has no such count, the inputs' events differ, or the output cannot be written.
pub(super) fn run(args: &ExportArgs, stdout: &mut dyn Write, stderr: &mut dyn Write) -> Result<()> {
    let target = args.output.output.as_deref();
    output::spare(target, args.files.iter().chain(&args.symbols.kallsyms).map(PathBuf::as_path))?;
    let selection = choose::selection(&args.selection, By::Lock);
    let event = args.selection.event.as_deref();
    let runs = input::runs(&args.files, event, &selection, &args.symbols, args.output.quiet)?;
    are_counted(&runs, args.output.weight)?;
    let mut stacks = Stacks::default();
    for run in &runs {
        add(&mut stacks, &run.profile, run.event, args.output.weight);
    }
    let mut warnings = warnings(&runs);
    if stacks.is_empty() {
        warnings
            .push(warning("no-samples", "no sample was chosen: the output is empty; choose less strictly"));
    }
    if !args.output.quiet {
        tell(&warnings, stderr);
    }
    output::write_to(target, stdout, |out| match args.output.to {
        ExportFormatArg::Folded => folded::write(&stacks, out),
    })
}

/// Refuses to count samples where a text does not tell how many there are.
fn are_counted(runs: &[Run], weight: WeightArg) -> Result<()> {
    match runs.iter().find(|run| run.info.samples.is_none()) {
        Some(run) if weight == WeightArg::Samples => {
            Err(Error::new(run.info.file.clone(), "does not tell its number of samples")
                .remedy("take --weight period"))
        }
        _ => Ok(()),
    }
}

fn warning(code: &'static str, text: &str) -> Warning {
    Warning { code, text: text.to_owned() }
}

/// What there is to know about the runs' data.
fn warnings(runs: &[Run]) -> Vec<Warning> {
    input::warnings(runs.iter().zip(&Attributed::over(runs, Options::default()).tables))
}

/// Adds the stacks of one run.
fn add(stacks: &mut Stacks, profile: &Profile<Symbol>, event: u16, weight: WeightArg) {
    let mut texts: HashMap<(FrameId, Dialect), Vec<NameId>> = HashMap::new();
    let mut stack: Vec<NameId> = Vec::new();
    for entry in profile.entries.iter().filter(|entry| entry.key.event == event) {
        let count = count(entry, weight);
        if count == 0 {
            continue;
        }
        let comm = folded::comm(profile.comms.name(entry.key.comm));
        let dialect = folded::dialect(comm.as_deref().unwrap_or_default());
        stack.clear();
        // From the leaf on, which the format has last.
        for frame in Frames::of(profile, entry).from(0) {
            let names = texts.entry((frame, dialect)).or_insert_with(|| {
                frames(&profile.frames[frame.index()], dialect).iter().map(|text| stacks.name(text)).collect()
            });
            stack.extend(names.iter().rev());
        }
        stack.extend(comm.map(|comm| stacks.name(&comm)));
        if stack.is_empty() {
            stack.push(stacks.name(UNKNOWN));
        }
        stack.reverse();
        stacks.add(&stack, count);
    }
}

fn count(entry: &Entry, weight: WeightArg) -> u64 {
    match weight {
        WeightArg::Period => entry.weight.0,
        WeightArg::Samples => entry.samples,
    }
}

fn frames(symbol: &Symbol, dialect: Dialect) -> Vec<String> {
    use crate::profile::ModuleKind::{Foreign, UnmappedKernel, UnmappedUser};
    match (symbol.naming, symbol.kind) {
        (Naming::Named, _) => folded::function(&symbol.name, dialect),
        (_, Foreign | UnmappedKernel | UnmappedUser) => vec![UNKNOWN.to_owned()],
        _ => vec![folded::module(&symbol.module)],
    }
}
