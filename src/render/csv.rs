//! CSV: one row a lock and call site, in full precision, the units in the heads.

use std::io::{self, Write};

use super::escape::cell;
use crate::report::{By, Report};
use crate::stats::Spread;

/// Writes a report.
///
/// # Errors
/// Those of `out`.
pub fn report(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let mut writer = writer(out);
    let unit = report.runs.first().map_or("weight", |run| run.unit.word());
    let weight = format!("weight_{unit}");
    match report.by {
        By::Lock | By::Site => {
            let heads = [
                "family",
                "mode",
                "lock",
                "caller",
                "caller_module",
                "through",
                "share_fraction",
                "stddev_fraction",
                "runs",
                &weight,
                "samples",
            ];
            writer.write_record(heads)?;
            for row in &report.locks {
                for caller in &row.callers {
                    let (name, module) =
                        caller.caller.as_ref().map_or(("", ""), |c| (c.name.as_str(), c.module.as_str()));
                    let mode = row.lock.mode.map_or("", |mode| mode.letter());
                    let mut record = vec![row.lock.family.word().to_owned(), mode.to_owned()];
                    record.extend([&row.lock.name, name, module].map(|text| cell(text).into_owned()));
                    record.push(cell(&caller.through.join(" < ")).into_owned());
                    record.extend(numbers(report, &caller.share, caller.weight.0, caller.samples));
                    writer.write_record(record)?;
                }
            }
        }
        By::Symbol => {
            writer.write_record([
                "module",
                "symbol",
                "self_share_fraction",
                "stddev_fraction",
                "runs",
                &weight,
                "samples",
            ])?;
            for row in &report.symbols {
                let mut record =
                    vec![cell(&row.function.module).into_owned(), cell(&row.function.name).into_owned()];
                record.extend(numbers(report, &row.share, row.weight.0, row.samples));
                writer.write_record(record)?;
            }
        }
        By::Comm | By::Cpu | By::Path => {
            let head = match report.by {
                By::Comm => "command",
                By::Cpu => "cpu",
                _ => "path",
            };
            writer.write_record([head, "share_fraction", "stddev_fraction", "runs", &weight, "samples"])?;
            for row in &report.groups {
                let mut record = vec![cell(&row.label).into_owned()];
                record.extend(numbers(report, &row.share, row.weight.0, row.samples));
                writer.write_record(record)?;
            }
        }
    }
    writer.flush()
}

/// Writes records as they are.
///
/// # Errors
/// Those of `out`.
pub fn records<const N: usize>(
    records: impl Iterator<Item = [String; N]>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut writer = writer(out);
    for record in records {
        writer.write_record(record)?;
    }
    writer.flush()
}

fn writer(out: &mut dyn Write) -> csv::Writer<&mut dyn Write> {
    csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(out)
}

fn numbers(report: &Report, share: &Spread, weight: u64, samples: u64) -> [String; 5] {
    let count = |n: u64| report.counted(n).map_or_else(String::new, |n| n.to_string());
    [
        share.mean.to_string(),
        share.stddev.map_or_else(String::new, |s| s.to_string()),
        share.runs.len().to_string(),
        count(weight),
        count(samples),
    ]
}
