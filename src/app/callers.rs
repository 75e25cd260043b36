//! `lockblame callers`.

use std::io::Write;

use serde_json::{Value, json};

use super::attributed::Attributed;
use super::input;
use super::progress::Progress;
use super::{hint, output};
use crate::cli::{CallersArgs, FormatArg, choose};
use crate::error::{Error, Result};
use crate::lock::attribution::{Options, classes};
use crate::lock::choice::By;
use crate::lock::site;
use crate::lock::tree::{CallerTree, Node, Root, callers};
use crate::render::escape::{cell, visible};
use crate::render::perf::{Branch, PerfRow};
use crate::render::style::Style;
use crate::render::{json as render_json, perf, table};
use crate::run::RunInfo;
use crate::units::Weight;

/// Runs the subcommand.
///
/// # Errors
/// Where the recording cannot be read, the root has no sample, or the output cannot be written.
pub(super) fn run(args: &CallersArgs, stdout: &mut dyn Write, stderr: &mut dyn Write) -> Result<()> {
    use FormatArg::{Csv, Json, Perf, Table};
    super::only(&args.output, &[Table, Perf, Csv, Json], "callers")?;
    let named = args.symbols.kallsyms.as_deref();
    output::spare(args.output.output.as_deref(), named.into_iter().chain([args.file.as_path()]))?;
    let selection = choose::selection(&args.selection, By::Lock);
    let progress = Progress::over(std::slice::from_ref(&args.file), args.output.quiet);
    let event = args.selection.event.as_deref();
    let loaded = input::run(&args.file, event, &selection, &args.symbols, &progress)?;
    drop(progress);
    let Attributed { options, tables, labels, .. } = Attributed::over([&loaded], Options::default());
    let classes = classes(&loaded.profile, &options.matcher);
    let root = choose::root(args);
    let depth = usize::from(args.depth);
    let tree = callers(&loaded.profile, &classes, &labels, loaded.event, &root, depth);
    let name = match &root {
        Root::Symbol(name) | Root::Lock(name) => name.clone(),
    };
    let info = loaded.info.clone();
    if tree.root.weight == Weight(0) {
        let what = if args.lock.is_some() { "lock" } else { "function" };
        return Err(Error::file(
            &args.file,
            format!("no sample of {} lies in a {what} '{name}'", info.event),
        )
        .remedy("lockblame report --by symbol lists what there is"));
    }
    let warnings = input::warnings([(&loaded, &tables[0])]);
    hint(&warnings, &args.output, stderr);
    let style = output::style(&args.output);
    output::write(&args.output, stdout, |out| match args.output.form() {
        FormatArg::Perf => {
            perf::not_whole([&info], out)?;
            perf::rows(&[perf_row(&tree, &name, args)], out)
        }
        FormatArg::Csv => write_csv(&tree, &info, out),
        FormatArg::Json => render_json::write(
            &json!({
                "schema": "lockblame/callers/1",
                "runs": [render_json::run(&info)],
                "root": {
                    "symbol": name,
                    "module": tree.module.as_ref().map(|m| &m.module),
                    "share": tree.root.weight.share_of(tree.total).0,
                    "weight": tree.root.weight.0,
                    "samples": tree.root.samples,
                    "without_caller": tree.without_caller.0,
                    "callers": json_callers(&tree.root, tree.total),
                },
                "warnings": render_json::warnings(&warnings),
            }),
            out,
        ),
        _ => write_table(&tree, &name, args, style, out),
    })
}

/// Callers, heaviest first; ties by name.
fn sorted(node: &Node) -> Vec<(&site::Function, &Node)> {
    let mut callers: Vec<_> = node.callers.iter().collect();
    callers.sort_by_key(|(_, caller)| std::cmp::Reverse(caller.weight));
    callers
}

fn json_callers(node: &Node, total: Weight) -> Vec<Value> {
    sorted(node)
        .into_iter()
        .map(|(function, caller)| {
            json!({
                "caller": function.name,
                "module": function.module,
                "share": caller.weight.share_of(total).0,
                "share_of_parent": caller.weight.share_of(node.weight).0,
                "weight": caller.weight.0,
                "samples": caller.samples,
                "callers": json_callers(caller, total),
            })
        })
        .collect()
}

fn perf_row(tree: &CallerTree, name: &str, args: &CallersArgs) -> PerfRow {
    let comms: Vec<&String> = tree.comms.keys().collect();
    let comm = match comms.as_slice() {
        [one] => (*one).clone(),
        several => format!("{} commands", several.len()),
    };
    let module = tree.module.as_ref().map_or_else(String::new, |m| m.module.clone());
    PerfRow {
        share: tree.root.weight.share_of(tree.total).0,
        comm,
        space: if module.starts_with('[') && module != "[unknown]" && module != "[vdso]" { 'k' } else { '.' },
        module,
        symbol: name.to_owned(),
        callers: branches(&tree.root, tree.total, args),
    }
}

/// The callers to show, and what is left out of them in one sum; weight whose callchain ends here is in it.
fn branches(node: &Node, total: Weight, args: &CallersArgs) -> Vec<Branch> {
    if node.callers.is_empty() {
        return Vec::new();
    }
    let percent = |weight: Weight| weight.share_of(if args.absolute { total } else { node.weight }).percent();
    let mut shown = Vec::new();
    let mut rest = node.weight;
    for (function, caller) in sorted(node) {
        let is_small = caller.weight.share_of(node.weight).percent() < args.min_share;
        if is_small || args.limit.is_some_and(|limit| shown.len() >= limit) {
            break;
        }
        rest = rest - caller.weight;
        shown.push(Branch {
            percent: percent(caller.weight),
            symbol: Some(function.name.clone()),
            callers: branches(caller, total, args),
        });
    }
    if rest.0 > 0 {
        shown.push(Branch { percent: percent(rest), symbol: None, callers: Vec::new() });
    }
    shown
}

fn write_table(
    tree: &CallerTree,
    name: &str,
    args: &CallersArgs,
    style: Style,
    out: &mut dyn Write,
) -> std::io::Result<()> {
    fn push(branches: &[Branch], level: usize, rows: &mut Vec<Vec<String>>) {
        for branch in branches {
            let name = branch.symbol.as_deref().map_or("(less)".into(), visible);
            rows.push(vec![format!("{:.2} %", branch.percent), format!("{}<- {name}", "  ".repeat(level))]);
            push(&branch.callers, level + 1, rows);
        }
    }
    let share = tree.root.weight.share_of(tree.total).percent();
    writeln!(
        out,
        "{}",
        style.bold(&format!("{} takes {share:.2} % ({} samples)", visible(name), tree.root.samples))
    )?;
    let mut rows = Vec::new();
    push(&branches(&tree.root, tree.total, args), 0, &mut rows);
    if rows.is_empty() {
        return writeln!(out, "no callchain goes beyond it");
    }
    let head = if args.absolute { "of total" } else { "of parent" };
    writeln!(out, "{}", table::grid(&[head, "called from"], rows, style))
}

fn write_csv(tree: &CallerTree, info: &RunInfo, out: &mut dyn Write) -> std::io::Result<()> {
    fn push(node: &Node, level: usize, total: Weight, rows: &mut Vec<[String; 6]>) {
        for (function, caller) in sorted(node) {
            rows.push([
                level.to_string(),
                cell(&function.module).into_owned(),
                cell(&function.name).into_owned(),
                caller.weight.share_of(total).0.to_string(),
                caller.weight.0.to_string(),
                caller.samples.to_string(),
            ]);
            push(caller, level + 1, total, rows);
        }
    }
    let mut rows = Vec::new();
    push(&tree.root, 1, tree.total, &mut rows);
    let weight = format!("weight_{}", info.unit.word());
    let heads = ["level", "module", "caller", "share_fraction", &weight, "samples"].map(str::to_owned);
    crate::render::csv::records(std::iter::once(heads).chain(rows), out)
}
