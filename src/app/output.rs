//! Where the report goes: to the given writer, or to a file that appears only when it is whole.

use std::io::{IsTerminal, Write};
use std::path::Path;

use crate::cli::{ColorArg, OutputArgs};
use crate::error::{Error, Result};
use crate::render::style::{Borders, Color, Style};

/// Columns where no terminal tells.
const DEFAULT_WIDTH: u16 = 100;

/// How text is laid out, from the flags, the terminal and the environment.
pub(super) fn style(args: &OutputArgs) -> Style {
    let to_terminal = args.output.is_none() && std::io::stdout().is_terminal();
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let color = match args.color {
        ColorArg::Always => Color::On,
        ColorArg::Auto if to_terminal && !dumb && !no_color => Color::On,
        _ => Color::Off,
    };
    let terminal =
        || terminal_size::terminal_size().filter(|_| to_terminal).map(|(width, _)| width.0.clamp(40, 1000));
    let borders = if args.ascii { Borders::Ascii } else { Borders::Unicode };
    Style { width: args.width.or_else(terminal).unwrap_or(DEFAULT_WIDTH), borders, color }
}

/// Refuses to write over what is read.
///
/// # Errors
/// Where the output is one of the inputs.
pub(super) fn spare<'a>(output: Option<&Path>, inputs: impl IntoIterator<Item = &'a Path>) -> Result<()> {
    let Some(path) = output else { return Ok(()) };
    let Ok(place) = path.canonicalize() else { return Ok(()) };
    match inputs.into_iter().any(|input| input.canonicalize().is_ok_and(|input| input == place)) {
        true => Err(Error::file(path, "is an input, and would be overwritten").remedy("name another output")),
        false => Ok(()),
    }
}

/// Writes to the file that was named, or to `stdout`.
///
/// # Errors
/// As [`write_to`].
pub(super) fn write(
    args: &OutputArgs,
    stdout: &mut dyn Write,
    write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> Result<()> {
    write_to(args.output.as_deref(), stdout, write)
}

/// Runs `write` on the file at `path`, or on `stdout` without. The whole is made in memory first, and a file is renamed
/// into its place, so that nothing half-written stays behind.
///
/// # Errors
/// Where the file cannot be written. A reader that has gone away is none.
pub(super) fn write_to(
    path: Option<&Path>,
    stdout: &mut dyn Write,
    write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> Result<()> {
    let mut text = Vec::new();
    write(&mut text).map_err(|e| Error::new("output", e.to_string()))?;
    match path {
        None => match stdout.write_all(&text).and_then(|()| stdout.flush()) {
            Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => {
                Err(Error::io(Path::new("standard output"), "write", &e))
            }
            _ => Ok(()),
        },
        Some(path) => place(path, &text),
    }
}

fn place(path: &Path, text: &[u8]) -> Result<()> {
    let failed = |e: &std::io::Error| {
        let error = Error::io(path, "write", e);
        match e.kind() {
            std::io::ErrorKind::NotFound => error.remedy("name a file in a folder that exists"),
            _ => error,
        }
    };
    // A device or a pipe cannot be renamed over.
    let is_special = path.metadata().is_ok_and(|meta| !meta.is_file() && !meta.is_dir());
    if is_special {
        return std::fs::write(path, text).map_err(|e| failed(&e));
    }
    if path.is_dir() {
        return Err(Error::file(path, "is a directory").remedy("name a file for the output"));
    }
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.part", std::process::id()));
    let part = path.with_file_name(name);
    let done = std::fs::write(&part, text).and_then(|()| std::fs::rename(&part, path));
    done.map_err(|e| {
        let _ = std::fs::remove_file(&part);
        failed(&e)
    })
}
