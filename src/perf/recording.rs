//! Opens a recording of any mode and says what was recorded: events, host, streams of records.

use std::ops::Range;
use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;

use super::attr::EventAttr;
use super::bytes::{Bytes, Endian, text};
use super::event::{Event, EventIndex, descriptions, old_names};
use super::feature::{self, Features, number};
use super::gate::{FileLayout, Layout, Refusal, inspect};
use super::record::{Walk, kind};
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
    /// The recorder did not finish, or the file's end is missing.
    pub truncated: bool,
    /// What was not as the file claims, one line each.
    pub damage: Vec<String>,
    pub(super) files: Vec<FileBytes>,
    /// Records: which file, and where in it.
    pub(super) streams: Vec<(usize, Range<usize>)>,
}

impl Recording {
    /// Opens `path`: a file, a pipe's output, or a directory that `perf record --threads` or `--kcore` wrote.
    pub fn open(path: &Path) -> Result<Self> {
        if !path.is_dir() {
            return Self::of_files(path, vec![file::open(path)?], Mode::File);
        }
        let main = path.join("data");
        if !main.is_file() {
            return Err(Error::file(
                path,
                "is a directory, and no recording of perf record --threads or --kcore",
            )
            .remedy("name the recordings inside it"));
        }
        let mut files = vec![file::open(&main)?];
        for n in 0.. {
            let part = path.join(format!("data.{n}"));
            if !part.is_file() {
                break;
            }
            files.push(file::open(&part)?);
        }
        Self::of_files(path, files, Mode::Directory)
    }

    /// A recording from bytes in memory, under the name `path`.
    pub fn from_bytes(path: &Path, bytes: Vec<u8>) -> Result<Self> {
        Self::of_files(path, vec![FileBytes::Read(bytes)], Mode::File)
    }

    fn of_files(path: &Path, files: Vec<FileBytes>, mode: Mode) -> Result<Self> {
        let layout = inspect(&files[0]).map_err(|refusal| refused(path, &files[0], &refusal))?;
        let contents = match &layout {
            Layout::File(layout) => contents_of_file(&files[0], layout),
            Layout::Pipe { endian, records } => contents_of_pipe(&files[0][*records..], *endian),
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
        let truncated = match layout {
            Layout::File(layout) => {
                damage.splice(0..0, layout.damage);
                layout.truncated
            }
            Layout::Pipe { .. } => false,
        };
        let parts = files.iter().enumerate().skip(1).map(|(i, file)| (i, 0..file.len()));
        let streams = std::iter::once((0, range)).chain(parts).collect();
        let index = EventIndex::new(&events);
        if index.is_ambiguous() {
            damage.push("its events cannot be told apart: all samples are counted for the first".to_owned());
        }
        Ok(Self {
            path: path.to_owned(),
            mode,
            endian,
            events,
            index,
            features,
            truncated,
            damage,
            files,
            streams,
        })
    }

    /// The deepest callchain that was asked for, where the recorder said.
    pub fn max_stack(&self) -> Option<u16> {
        self.events.iter().map(|event| event.attr.max_stack).find(|&depth| depth != 0)
    }
}

/// Whether a path is a recording, by its first bytes, or a directory that a recorder wrote.
pub fn is_recording(path: &Path) -> bool {
    use std::io::Read as _;
    let file = if path.is_dir() { path.join("data") } else { path.to_owned() };
    let mut magic = [0; 8];
    let read =
        file.is_file() && std::fs::File::open(&file).and_then(|mut f| f.read_exact(&mut magic)).is_ok();
    read && matches!(&magic, b"PERFILE2" | b"2ELIFREP" | b"PERFFILE")
}

fn refused(path: &Path, bytes: &[u8], refusal: &Refusal) -> Error {
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

/// What the head of a recording tells.
struct Contents {
    events: Vec<Event>,
    features: Features,
    damage: Vec<String>,
}

fn contents_of_file(file: &[u8], layout: &FileLayout) -> Contents {
    let endian = layout.endian;
    let mut damaged = 0;
    let mut events = Vec::new();
    // The ids of all events together are a part of the file; where they overlap, they are made up.
    let mut room = file.len();
    for entry in file[layout.attrs.clone()].chunks_exact(layout.attr_entry) {
        let (attr, ids) = entry.split_at(layout.attr_entry - 16);
        let Some(attr) = EventAttr::decode(attr, endian) else {
            damaged += 1;
            continue;
        };
        let mut place = Bytes::new(ids, endian);
        let (offset, size) = (place.u64().unwrap_or(0), place.u64().unwrap_or(0));
        let ids = usize::try_from(offset)
            .ok()
            .and_then(|at| file.get(at..at.checked_add(usize::try_from(size).ok()?)?))
            .filter(|ids| ids.len() <= room)
            .unwrap_or_default();
        room -= ids.len();
        events.push(Event { name: String::new(), attr, ids: super::bytes::words(ids, endian).collect() });
    }
    let sections: Vec<_> = layout.features.iter().map(|(n, range)| (*n, &file[range.clone()])).collect();
    let old = old_names(&file[layout.event_types.clone()], endian);
    name_events(&mut events, &sections, &old, endian);
    Contents { events, features: feature::read(&sections, endian), damage: damaged_attributes(damaged) }
}

/// A line for all of them.
fn damaged_attributes(n: usize) -> Vec<String> {
    match n {
        0 => Vec::new(),
        1 => vec!["an event's attribute is damaged".to_owned()],
        n => vec![format!("the attributes of {n} events are damaged")],
    }
}

fn contents_of_pipe(records: &[u8], endian: Endian) -> Contents {
    let mut events: Vec<Event> = Vec::new();
    let mut sections: Vec<(u32, &[u8])> = Vec::new();
    let mut updates = Vec::new();
    let mut damaged = 0;
    for record in Walk::new(records, endian) {
        let mut bytes = Bytes::new(record.body, endian);
        match record.kind {
            kind::HEADER_ATTR => match attr_record(record.body, endian) {
                Some(event) => events.push(event),
                None => damaged += 1,
            },
            kind::HEADER_FEATURE => {
                if let Some(n) = bytes.u64().and_then(|n| u32::try_from(n).ok()).filter(|&n| n < 256) {
                    sections.push((n, bytes.rest()));
                }
            }
            // Type 2 of an update is a name.
            kind::EVENT_UPDATE => {
                if let (Some(update), Some(id)) = (bytes.u64(), bytes.u64())
                    && update & 0xffff_ffff == 2
                {
                    updates.push((id, text(bytes.c_string())));
                }
            }
            _ => {}
        }
    }
    name_events(&mut events, &sections, &[], endian);
    let index = EventIndex::new(&events);
    for (id, name) in updates {
        if let Some(event) = index.event_with(id) {
            events[event].name = name;
        }
    }
    Contents { events, features: feature::read(&sections, endian), damage: damaged_attributes(damaged) }
}

/// An attribute as a record: itself, then ids up to the end.
fn attr_record(body: &[u8], endian: Endian) -> Option<Event> {
    let attr = EventAttr::decode(body, endian)?;
    let size = Bytes::new(body.get(4..8)?, endian).u32()? as usize;
    let ids = body.get(if size == 0 { 64 } else { size }..).unwrap_or_default();
    Some(Event { name: String::new(), attr, ids: super::bytes::words(ids, endian).collect() })
}

/// Names come from EVENT_DESC by shared id or, without ids, by place; from meta information; from old names by config;
/// and else from the attribute.
fn name_events(events: &mut [Event], sections: &[(u32, &[u8])], old: &[(u64, String)], endian: Endian) {
    let section = |n: u32| sections.iter().find(|(number, _)| *number == n).map(|(_, data)| *data);
    let described = section(number::EVENT_DESC).map(|data| descriptions(data, endian)).unwrap_or_default();
    let meta =
        section(number::SIMPLEPERF_META_INFO).and_then(|data| feature::meta_info(data, "event_type_info"));
    let meta: Vec<String> = meta
        .map(|lines| {
            lines.lines().map(|line| line.split(',').next().unwrap_or_default().to_owned()).collect()
        })
        .unwrap_or_default();
    let described_by_id: FxHashMap<u64, &Event> =
        described.iter().rev().filter_map(|d| Some((*d.ids.first()?, d))).collect();
    let old: FxHashMap<u64, &String> = old.iter().rev().map(|(config, name)| (*config, name)).collect();
    for (place, event) in events.iter_mut().enumerate() {
        let by_id = event.ids.iter().find_map(|id| described_by_id.get(id).copied());
        let by_place = described.get(place).filter(|d| d.attr.config == event.attr.config);
        let found = by_id.or(by_place);
        if event.ids.is_empty()
            && let Some(found) = found
        {
            event.ids.clone_from(&found.ids);
        }
        let name = found.map(|d| d.name.clone()).filter(|name| !name.is_empty());
        let old_name = || old.get(&event.attr.config).map(|&name| name.clone());
        event.name = name
            .or_else(|| meta.get(place).filter(|name| !name.is_empty()).cloned())
            .or_else(old_name)
            .unwrap_or_else(|| event.attr.default_name());
    }
}
