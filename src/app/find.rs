//! From what was typed to the paths of runs: files, folders of runs, globs.

use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::perf::is_recording;

/// The runs that a path stands for.
///
/// # Errors
/// Where nothing is there, or a folder holds no recording.
pub(super) fn runs(path: &Path) -> Result<Vec<PathBuf>> {
    let text = path.to_string_lossy();
    if !path.exists() && text.contains(['*', '?', '[']) {
        return globbed(path, &text);
    }
    one(path)
}

fn globbed(path: &Path, pattern: &str) -> Result<Vec<PathBuf>> {
    let found = glob::glob(pattern).map_err(|e| {
        Error::file(path, format!("is no glob: {}", e.msg)).remedy("quote the path, or name files")
    })?;
    let mut runs = Vec::new();
    for path in found.filter_map(std::result::Result::ok) {
        runs.extend(one(&path)?);
    }
    if runs.is_empty() {
        return Err(Error::file(path, "fits no file").remedy("name recordings, or quote another glob"));
    }
    Ok(runs)
}

fn one(path: &Path) -> Result<Vec<PathBuf>> {
    if !path.is_dir() || is_recording(path) {
        return Ok(vec![path.to_owned()]);
    }
    let mut runs = recordings_in(path)?;
    if runs.is_empty() {
        for folder in entries(path)?.into_iter().filter(|entry| entry.is_dir()) {
            runs.extend(recordings_in(&folder)?);
        }
    }
    if runs.is_empty() {
        return Err(Error::file(path, "is a directory without recordings")
            .remedy("name a folder of perf.data files, or of folders with one each"));
    }
    Ok(runs)
}

/// Recordings right in a folder; what perf put aside as `perf.data.old` is none.
fn recordings_in(folder: &Path) -> Result<Vec<PathBuf>> {
    let is_run = |path: &PathBuf| path.extension().is_none_or(|e| e != "old") && is_recording(path);
    Ok(entries(folder)?.into_iter().filter(is_run).collect())
}

/// What a folder holds, by name.
fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let read = std::fs::read_dir(folder).map_err(|e| Error::io(folder, "read", &e))?;
    let mut paths: Vec<PathBuf> = read.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    Ok(paths)
}
