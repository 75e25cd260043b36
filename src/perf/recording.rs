//! Opens a recording of any mode and says what was recorded: events, host, streams of records.

use std::ops::Range;
use std::path::{Path, PathBuf};

use super::bytes::Endian;
use super::contents::{self, Contents};
use super::event::{Event, EventIndex};
use super::feature::{Features, number};
use super::gate::{FileLayout, Layout, MAGICS, Refusal, inspect};
use super::resync::Judge;
use crate::error::{Error, Result};
use crate::file::{self, FileBytes};

/// How the recorder wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// One file with sections.
    File,
    /// A stream.
    Pipe,
    /// A directory with a file for each thread of the recorder.
    Directory,
}

impl Mode {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Mode::File => "file",
            Mode::Pipe => "pipe",
            Mode::Directory => "directory",
        }
    }
}

/// An opened recording.
#[derive(Debug)]
pub struct Recording {
    /// As the user named it.
    pub path: PathBuf,
    /// How it was written.
    pub mode: Mode,
    /// The recorded machine's byte order.
    pub endian: Endian,
    /// The events, in the recorder's order; at least one.
    pub events: Vec<Event>,
    /// Finds the event of a sample.
    pub index: EventIndex,
    /// Who recorded what, where.
    pub features: Features,
    /// Where the first file ends, if more should stand there: the recorder did not finish, or the end is missing.
    pub cut: Option<u64>,
    /// What was not as the file claims, one line each.
    pub damage: Vec<String>,
    pub(super) files: Vec<FileBytes>,
    /// The names of the files in a directory; none for a single file.
    names: Vec<String>,
    /// Records: which file, and where in it.
    pub(super) streams: Vec<(usize, Range<usize>)>,
}

impl Recording {
    /// Opens `path`: a file, a pipe's output, or a directory that `perf record --threads` or `--kcore` wrote.
    pub fn open(path: &Path) -> Result<Self> {
        if !path.is_dir() {
            return Self::of(path, file::open(path)?);
        }
        let main = path.join("data");
        if !main.is_file() {
            return Err(Error::file(
                path,
                "is a directory, and no recording of perf record --threads or --kcore",
            )
            .remedy("name the recordings inside it"));
        }
        let parts = parts_of(path)?;
        let places = std::iter::once(&main).chain(parts.iter().map(|(_, part)| part));
        let files = places.map(|part| file::open(part)).collect::<Result<_>>()?;
        let numbers: Vec<u64> = parts.iter().map(|(number, _)| *number).collect();
        Self::of_files(path, files, Mode::Directory, &numbers)
    }

    /// A recording from bytes, under the name `path`.
    pub fn of(path: &Path, bytes: FileBytes) -> Result<Self> {
        Self::of_files(path, vec![bytes], Mode::File, &[])
    }

    /// A recording from bytes in memory, under the name `path`.
    pub fn from_bytes(path: &Path, bytes: Vec<u8>) -> Result<Self> {
        Self::of(path, bytes.into())
    }

    /// `parts` are the numbers of the files behind the first.
    fn of_files(path: &Path, files: Vec<FileBytes>, mode: Mode, parts: &[u64]) -> Result<Self> {
        let layout = inspect(&files[0]).map_err(|refusal| refused(path, &files[0], &refusal))?;
        let contents = match &layout {
            Layout::File(layout) => contents::of_file(&files[0], layout),
            Layout::Pipe { endian, records } => contents::of_pipe(&files[0], *records, *endian),
        };
        let Contents { mut events, features, mut damage } = contents;
        if events.len() > MOST_EVENTS {
            damage.push(format!("it names {} events: the first {MOST_EVENTS} are read", events.len()));
            events.truncate(MOST_EVENTS);
        }
        if events.is_empty() {
            let why = damage.pop().unwrap_or_else(|| "it names no event".to_owned());
            return Err(Error::file(path, format!("cannot be read: {why}")).remedy("record it again"));
        }
        let (endian, range, mode) = match &layout {
            Layout::File(layout) => (layout.endian, layout.data.clone(), mode),
            Layout::Pipe { endian, records } => (*endian, *records..files[0].len(), Mode::Pipe),
        };
        let mut cut = files[0].cut().map(|_| files[0].len() as u64);
        if let Layout::File(layout) = layout {
            let missing = missing_parts(mode, &layout, parts);
            let is_cut = layout.truncated || missing.is_some();
            damage.splice(0..0, layout.damage.into_iter().chain(missing));
            cut = cut.or(is_cut.then_some(files[0].len() as u64));
        }
        damage.splice(0..0, files.iter().filter_map(|file| file.cut().map(str::to_owned)));
        let behind = files.iter().enumerate().skip(1).map(|(i, file)| (i, 0..file.len()));
        let streams = std::iter::once((0, range)).chain(behind).collect();
        let names = match mode {
            Mode::Directory => {
                let parts = parts.iter().map(|number| format!("data.{number}"));
                std::iter::once("data".to_owned()).chain(parts).collect()
            }
            Mode::File | Mode::Pipe => Vec::new(),
        };
        let index = EventIndex::new(&events);
        if index.is_ambiguous() {
            damage.push("its events cannot be told apart: all samples are counted for the first".to_owned());
        }
        let path = path.to_owned();
        Ok(Self { path, mode, endian, events, index, features, cut, damage, files, streams, names })
    }

    /// How a file of a directory is named in front of what is wrong with it; the only one needs no name.
    pub fn file_name(&self, file: usize) -> String {
        self.names.get(file).map_or_else(String::new, |name| format!("{name}: "))
    }

    /// Where an offset in one of the files stands, all files taken as one behind the other.
    pub(super) fn position_of(&self, file: usize, offset: usize) -> u64 {
        self.files[..file].iter().map(|file| file.len() as u64).sum::<u64>() + offset as u64
    }

    /// The offset in its file of a position.
    pub(super) fn offset_of(&self, position: u64) -> u64 {
        let starts = (0..self.files.len()).rev().map(|file| self.position_of(file, 0));
        position - starts.into_iter().find(|start| *start <= position).unwrap_or(0)
    }

    /// The bytes of all files.
    pub(super) fn plain_bytes(&self) -> u64 {
        self.position_of(self.files.len(), 0)
    }

    /// What tells this recording's records from other bytes.
    pub(super) fn judge(&self) -> Judge<'_> {
        Judge { events: &self.events, index: &self.index, endian: self.endian }
    }

    /// The deepest callchain that was asked for, where the recorder said.
    pub fn max_stack(&self) -> Option<u16> {
        self.events.iter().map(|event| event.attr.max_stack).find(|&depth| depth != 0)
    }
}

/// Whether a path is a recording, by its first bytes, or a directory that a recorder wrote.
pub fn is_recording(path: &Path) -> bool {
    let file = if path.is_dir() { path.join("data") } else { path.to_owned() };
    begins_recording(&file::head(&file, 8))
}

/// Whether bytes begin as a recording does.
pub fn begins_recording(bytes: &[u8]) -> bool {
    MAGICS.iter().any(|magic| bytes.starts_with(magic))
}

/// The files `data.0`, `data.1` … of a directory, by their numbers.
fn parts_of(folder: &Path) -> Result<Vec<(u64, PathBuf)>> {
    let entries = std::fs::read_dir(folder).map_err(|e| Error::io(folder, "read", &e))?;
    let mut parts: Vec<(u64, PathBuf)> = entries
        .filter_map(|entry| {
            let path = entry.ok()?.path();
            let number = path.file_name()?.to_str()?.strip_prefix("data.")?.parse().ok()?;
            path.is_file().then_some((number, path))
        })
        .collect();
    parts.sort();
    Ok(parts)
}

/// What to say where a recording in several files lacks some. How many there were is told by none of them: a gap in the
/// numbers shows, and the head without any.
fn missing_parts(mode: Mode, layout: &FileLayout, parts: &[u64]) -> Option<String> {
    let is_in_parts = layout.features.iter().any(|(number, _)| *number == number::DIR_FORMAT);
    let expected = parts.last().map_or(u64::from(is_in_parts), |last| last.saturating_add(1));
    match mode {
        Mode::File if is_in_parts => {
            Some("it is the head of a recording in several files: name their directory".to_owned())
        }
        Mode::Directory if expected != parts.len() as u64 => {
            let first = (0..).zip(parts).find(|(n, part)| n != *part).map_or(parts.len() as u64, |(n, _)| n);
            Some(format!("data.{first} is missing, and what was recorded into it"))
        }
        _ => None,
    }
}

fn refused(path: &Path, bytes: &FileBytes, refusal: &Refusal) -> Error {
    if let Some(why) = bytes.cut() {
        return Error::file(path, format!("cannot be read: {why}")).remedy("copy the whole file");
    }
    let remedy = match refusal {
        Refusal::Empty => "record again, for example with: perf record -a -g -- BENCHMARK",
        Refusal::NoMagic if looks_like_text(bytes) => {
            "it is a text file: name the perf.data that perf record wrote"
        }
        Refusal::NoMagic => "name the perf.data that perf record wrote",
        Refusal::Header(_) => "record again",
    };
    Error::file(path, refusal.to_string()).remedy(remedy)
}

fn looks_like_text(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(512)];
    !head.is_empty() && head.iter().all(|&b| b >= 32 || matches!(b, b'\n' | b'\r' | b'\t'))
}

/// An event's place is a number of 16 bits.
const MOST_EVENTS: usize = u16::MAX as usize;
