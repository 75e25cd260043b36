//! The operations that runs did: numbers, files with a number a line, or logs in which a pattern finds it.

use std::path::Path;

use regex::Regex;

use super::find;
use crate::error::{Error, Result};

/// One number for each of `n` runs, in their order; `None` where nothing was given.
///
/// # Errors
/// Where something is no number, a log has no match, or there are not as many as runs.
pub(super) fn read(
    given: &[String],
    pattern: Option<&str>,
    n: usize,
    flag: &str,
) -> Result<Option<Vec<f64>>> {
    if given.is_empty() {
        return Ok(None);
    }
    let pattern = pattern.map(compile).transpose()?;
    let mut numbers = Vec::new();
    for item in given {
        match &pattern {
            Some(pattern) => {
                for path in logs(item)? {
                    numbers.push(found(&path, pattern)?);
                }
            }
            None => numbers.extend(plain(item, flag)?),
        }
    }
    if numbers.len() != n {
        return Err(Error::new(flag, format!("gives {} numbers for {n} runs", numbers.len()))
            .remedy("give one for each run, in the order of the runs"));
    }
    if let Some(bad) = numbers.iter().find(|n| !(n.is_finite() && **n > 0.0)) {
        return Err(
            Error::new(flag, format!("{bad} is no number of operations")).remedy("give numbers above 0")
        );
    }
    Ok(Some(numbers))
}

fn compile(pattern: &str) -> Result<Regex> {
    let regex = Regex::new(pattern).map_err(|e| {
        let text = e.to_string();
        let last = text.lines().last().unwrap_or("it does not parse").to_owned();
        Error::new(format!("--ops-pattern '{pattern}'"), last)
    })?;
    if regex.captures_len() < 2 {
        return Err(Error::new(format!("--ops-pattern '{pattern}'"), "has no group")
            .remedy("put the number in parentheses, as in 'ops=(\\d+)'"));
    }
    Ok(regex)
}

/// A glob of logs, or one; a folder's files are not guessed at.
fn logs(item: &str) -> Result<Vec<std::path::PathBuf>> {
    let path = Path::new(item);
    if path.is_dir() {
        return Err(Error::file(path, "is a directory").remedy("name the logs, as in 'runs/*/bench.txt'"));
    }
    find::runs(path)
}

fn found(path: &Path, pattern: &Regex) -> Result<f64> {
    let text = std::fs::read_to_string(path).map_err(|e| Error::io(path, "read", &e))?;
    let group = pattern.captures(&text).and_then(|captures| captures.get(1));
    let Some(group) = group else {
        return Err(Error::file(path, format!("has nothing that '{pattern}' finds"))
            .remedy("name the benchmark's log, or another pattern"));
    };
    let number = group.as_str().replace([',', '_'], "");
    number.parse().map_err(|_| {
        Error::file(path, format!("'{}' is no number", group.as_str()))
            .remedy("let the group find digits only")
    })
}

/// `10,20,30`, or a file with a number a line.
fn plain(item: &str, flag: &str) -> Result<Vec<f64>> {
    let numbers: std::result::Result<Vec<f64>, _> =
        item.split(',').map(|n| n.trim().parse::<f64>()).collect();
    if let Ok(numbers) = numbers {
        return Ok(numbers);
    }
    let path = Path::new(item);
    if !path.exists() {
        return Err(Error::new(format!("{flag} '{item}'"), "is neither a list of numbers nor a file")
            .remedy("write 100,200,300, or name a file with a number a line"));
    }
    let text = std::fs::read_to_string(path).map_err(|e| Error::io(path, "read", &e))?;
    let lines =
        text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
    lines
        .map(|(at, line)| {
            line.trim().parse().map_err(|_| {
                Error::file(path, format!("line {}: '{}' is no number", at + 1, line.trim()))
                    .remedy("write a number a line, or give --ops-pattern for a log")
            })
        })
        .collect()
}
