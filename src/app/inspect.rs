//! `lockblame inspect`.

use std::io::Write;

use serde_json::{Value, json};

use super::attributed::Attributed;
use super::load::{Loaded, fields, load, rate, unit};
use super::progress::Progress;
use super::{hint, output, quality};
use crate::cli::{FormatArg, InspectArgs, choose};
use crate::error::Result;
use crate::lock::attribution::Options;
use crate::lock::choice::By;
use crate::perf::Recording;
use crate::perf::attr::flag;
use crate::perf::record::type_name;
use crate::render::escape::{cell, visible};
use crate::render::style::Style;
use crate::render::{csv, json as render_json, table};
use crate::run::{Rate, Warning};
use crate::units::Nanos;

/// Runs the subcommand.
///
/// # Errors
/// Where the recording cannot be read, or the output not be written.
pub(super) fn run(args: &InspectArgs, stdout: &mut dyn Write, stderr: &mut dyn Write) -> Result<()> {
    use FormatArg::{Csv, Json, Table};
    super::only(&args.output, &[Table, Csv, Json], "inspect")?;
    let named = args.symbols.kallsyms.as_deref();
    output::spare(args.output.output.as_deref(), named.into_iter().chain([args.file.as_path()]))?;
    let selection = choose::selection(&args.selection, By::Lock);
    let progress = Progress::over(std::slice::from_ref(&args.file), args.output.quiet);
    let event = args.selection.event.as_deref();
    let recording = Recording::open(&args.file)?;
    let loaded = load(recording, event, &selection, &args.symbols, &|bytes| progress.advance(bytes))?;
    drop(progress);
    let profile = [(&loaded.profile, loaded.event)];
    let tables = Attributed::over_profiles(profile, Options::default()).tables;
    let counts = quality::Counts::of(&loaded).with(&tables[0]);
    let warnings = crate::report::quality::warnings(&loaded.info(), &counts);
    hint(&warnings, &args.output, stderr);
    let style = output::style(&args.output);
    let facts = facts(&loaded);
    output::write(&args.output, stdout, |out| match args.output.form() {
        FormatArg::Json => render_json::write(&object(&loaded, &warnings), out),
        FormatArg::Csv => {
            let heads = ["fact", "value"].map(str::to_owned);
            let rows = facts.iter().map(|(name, value)| [cell(name).into_owned(), cell(value).into_owned()]);
            csv::records(std::iter::once(heads).chain(rows), out)
        }
        _ => write_table(&facts, &warnings, style, out),
    })
}

fn write_table(
    facts: &[(String, String)],
    warnings: &[Warning],
    style: Style,
    out: &mut dyn Write,
) -> std::io::Result<()> {
    let width = facts.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    for (name, value) in facts {
        let room = style.width.saturating_sub(width as u16 + 2).max(20);
        for (at, line) in table::wrap(&visible(value), room).into_iter().enumerate() {
            writeln!(out, "{:width$}  {line}", if at == 0 { name } else { "" })?;
        }
    }
    for warning in warnings {
        let text = format!("{}: {}", warning.code, warning.text);
        for (at, line) in table::wrap(&visible(&text), style.width.saturating_sub(2)).into_iter().enumerate()
        {
            writeln!(out, "{}{line}", if at == 0 { "! " } else { "  " })?;
        }
    }
    Ok(())
}

/// The same facts as the object's, for people.
fn facts(loaded: &Loaded) -> Vec<(String, String)> {
    let (recording, read) = (&loaded.recording, &loaded.facts);
    let features = &recording.features;
    let mut facts: Vec<(String, String)> = Vec::new();
    let mut fact = |name: &str, value: Option<String>| {
        facts.extend(value.filter(|v| !v.is_empty()).map(|value| (name.to_owned(), value)));
    };
    fact("file", Some(recording.path.display().to_string()));
    let truncated = read.truncated.map_or_else(String::new, |at| format!(", truncated at offset {at}"));
    fact("mode", Some(format!("{}{truncated}", recording.mode.word())));
    fact("host", features.hostname.clone());
    fact("kernel", features.os_release.clone());
    fact("arch", features.arch.clone());
    fact("cpu", features.cpu_model.clone());
    fact(
        "cpus",
        features.cpus_online.zip(features.cpus_available).map(|(on, all)| format!("{on} of {all} online")),
    );
    fact("memory", features.total_memory.map(|kib| format!("{} MiB", kib / 1024)));
    fact("recorder", features.perf_version.as_ref().map(|version| format!("perf {version}")));
    fact("command", features.command.as_ref().map(|words| words.join(" ")));
    fact("duration", read.span.map(|(first, last)| format!("{:.6} s", Nanos(last - first).seconds())));
    let clock = |t: u64| format!("{}.{:09}", t / 1_000_000_000, t % 1_000_000_000);
    fact("clock", read.span.map(|(first, last)| format!("{} to {} s", clock(first), clock(last))));
    for (event, (samples, weight)) in recording.events.iter().zip(&read.tally.events) {
        let unit = unit(&event.name, &event.attr);
        let mut text =
            format!("{}: {samples} samples, {} {}, {}", event.name, weight.0, unit.word(), rate(&event.attr));
        text.push_str(&format!(", {}", fields(&event.attr).join(" ")));
        let excluded = [(flag::EXCLUDE_KERNEL, "no kernel"), (flag::EXCLUDE_USER, "no user space")];
        for (bit, words) in excluded {
            if event.attr.has(bit) {
                text.push_str(&format!(", {words}"));
            }
        }
        fact("event", Some(text));
    }
    if loaded.chosen.parts.len() > 1 {
        let (samples, weight) = loaded.chosen.sums(read);
        fact("together", Some(format!("{}: {samples} samples, weight {}", loaded.chosen.name, weight.0)));
    }
    let records: Vec<String> =
        read.records.iter().map(|(kind, n)| format!("{} {n}", type_name(*kind))).collect();
    fact("records", Some(records.join(", ")));
    fact("samples", Some(read.samples.to_string()));
    fact(
        "left out",
        (read.tally.unselected > 0).then(|| format!("{} by the selection", read.tally.unselected)),
    );
    fact("lost", Some(read.lost.to_string()));
    fact("throttled", Some(read.throttled.to_string()));
    let counted: u64 = read.tally.events.iter().map(|(n, _)| n).sum();
    let mean = read.tally.frames as f64 / counted.max(1) as f64;
    fact("callchains", Some(format!("{mean:.1} frames on average, at most {}", read.tally.deepest)));
    fact("kernel symbols", loaded.resolution.kernel_origin.clone());
    let unnamed = &loaded.resolution;
    fact(
        "without name",
        Some(format!("{:.1} % of {} frames", 100.0 * unnamed.unnamed_share(), unnamed.frames)),
    );
    for (reason, n) in &unnamed.unnamed {
        let part = 100.0 * *n as f64 / unnamed.frames.max(1) as f64;
        fact("", Some(format!("{part:.1} % {}", reason.words())));
    }
    facts
}

fn object(loaded: &Loaded, warnings: &[Warning]) -> Value {
    let (recording, read) = (&loaded.recording, &loaded.facts);
    let features = &recording.features;
    let events: Vec<Value> = recording
        .events
        .iter()
        .zip(&read.tally.events)
        .map(|(event, (samples, weight))| {
            let (period, frequency) = match rate(&event.attr) {
                Rate::Period(n) => (Some(n), None),
                Rate::Frequency(n) => (None, Some(n)),
            };
            json!({
                "name": event.name,
                "unit": unit(&event.name, &event.attr).word(),
                "samples": samples,
                "weight": weight.0,
                "period": period,
                "frequency": frequency,
                "fields": fields(&event.attr),
            })
        })
        .collect();
    let reasons: Vec<Value> = loaded
        .resolution
        .unnamed
        .iter()
        .map(|(reason, frames)| json!({"reason": format!("{reason:?}"), "frames": frames, "text": reason.words()}))
        .collect();
    let counted: u64 = read.tally.events.iter().map(|(n, _)| n).sum();
    json!({
        "schema": "lockblame/inspect/1",
        "file": recording.path.display().to_string(),
        "mode": recording.mode.word(),
        "samples": read.samples,
        "selected": counted,
        "lost": read.lost,
        "throttled": read.throttled,
        "records": read.records.iter().map(|(kind, n)| (type_name(*kind), json!(n))).collect::<serde_json::Map<_, _>>(),
        "events": events,
        "reported": {"name": loaded.chosen.name, "events": loaded.chosen.parts.iter().map(|&at| recording.events[at].name.as_str()).collect::<Vec<_>>()},
        "host": features.hostname,
        "kernel": features.os_release,
        "arch": features.arch,
        "cpu_model": features.cpu_model,
        "cpus": features.cpus_online,
        "recorder": features.perf_version,
        "command": features.command.as_ref().map(|words| words.join(" ")),
        "duration_ns": read.span.map(|(first, last)| last - first),
        "truncated": read.truncated.is_some(),
        "truncated_at": read.truncated,
        "aux_bytes": read.aux,
        "callchains": {"frames": read.tally.frames, "deepest": read.tally.deepest, "max_stack": recording.max_stack()},
        "kernel_symbols": loaded.resolution.kernel_origin,
        "unresolved": {
            "share": loaded.resolution.unnamed_share(),
            "frames": loaded.resolution.frames,
            "reasons": reasons,
        },
        "warnings": render_json::warnings(warnings),
    })
}
