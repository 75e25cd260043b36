//! What tracepoints write: the formats in a recording's TRACING_DATA, and fields read by them from samples' raw data.
//!
//! The section is that of trace-cmd, versions 0.5 and 0.6: files of the kernel's tracing folder, each with its size
//! in front. What stands behind the formats (addresses of kernel functions, texts, names of threads) is not read.

use rustc_hash::FxHashMap;

use super::bytes::{Bytes, Endian, text};
use super::record::{Record, kind};

/// The tracepoints of a recording.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Formats {
    tracepoints: Vec<Tracepoint>,
    by_id: FxHashMap<u64, usize>,
    /// Something did not fit: what stands behind it is missing.
    pub is_damaged: bool,
}

/// One tracepoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tracepoint {
    /// Its number, which is the `config` of its event.
    pub id: u64,
    /// Its system, such as `sched`.
    pub system: String,
    /// Its name in the system, such as `sched_switch`.
    pub name: String,
    /// Its fields, those that all tracepoints have (`common_pid`) first.
    pub fields: Vec<Field>,
}

/// A field of a tracepoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Its type as the kernel writes it, with the dimension of an array: `char[16]`.
    pub type_text: String,
    /// Where it stands in the raw data.
    pub offset: usize,
    /// Its bytes; of a dynamic field those of its place.
    pub size: usize,
    /// Whether it may be negative.
    pub sign: Sign,
    /// Where its value stands.
    pub storage: Storage,
}

/// Whether a number may be negative.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// It may.
    Signed,
    /// It may not.
    Unsigned,
}

/// Where a field's value stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Storage {
    /// In the field.
    Inline,
    /// Elsewhere (`__data_loc`): the field has, in its lower half, the offset in the raw data, and in its upper half
    /// the size.
    Dynamic,
    /// Elsewhere (`__rel_loc`): the offset counts from the end of the field.
    Relative,
}

impl Formats {
    /// Reads the section; what is damaged ends it.
    pub fn read(section: &[u8]) -> Self {
        let mut formats = Self::default();
        formats.is_damaged = formats.read_files(section).is_none();
        formats
    }

    /// The tracepoint with this number.
    pub fn by_id(&self, id: u64) -> Option<&Tracepoint> {
        self.by_id.get(&id).map(|&at| &self.tracepoints[at])
    }

    /// All tracepoints, in the section's order.
    pub fn iter(&self) -> impl Iterator<Item = &Tracepoint> {
        self.tracepoints.iter()
    }

    /// Magic, version, byte order, size of a long, size of a page; two texts on the ring buffer; formats of ftrace;
    /// systems with their formats.
    fn read_files(&mut self, section: &[u8]) -> Option<()> {
        let rest = section.strip_prefix(b"\x17\x08\x44tracing")?;
        let version = rest.iter().position(|&b| b == 0)?;
        let endian = match rest.get(version + 1)? {
            0 => Endian::Little,
            _ => Endian::Big,
        };
        let mut bytes = Bytes::new(&rest[version + 2..], endian);
        let _long_size = bytes.take(1)?;
        let _page_size = bytes.u32()?;
        for title in ["header_page", "header_event"] {
            (bytes.terminated()? == title.as_bytes()).then_some(())?;
            content(&mut bytes)?;
        }
        self.read_system("ftrace", &mut bytes)?;
        let n_systems = bytes.u32()?;
        for _ in 0..n_systems {
            let system = text(bytes.terminated()?);
            self.read_system(&system, &mut bytes)?;
        }
        Some(())
    }

    fn read_system(&mut self, system: &str, bytes: &mut Bytes<'_>) -> Option<()> {
        let n_formats = bytes.u32()?;
        for _ in 0..n_formats {
            let format = String::from_utf8_lossy(content(bytes)?);
            let Some(tracepoint) = tracepoint(system, &format) else { continue };
            self.by_id.entry(tracepoint.id).or_insert(self.tracepoints.len());
            self.tracepoints.push(tracepoint);
        }
        Some(())
    }
}

/// A file's text, behind its size.
fn content<'a>(bytes: &mut Bytes<'a>) -> Option<&'a [u8]> {
    let size = bytes.u64()?;
    bytes.take_items(size, 1)
}

/// The section where it stands in a record: simpleperf writes it inside, perf behind it in a pipe. The record's
/// position is its place in `bytes`.
pub fn in_record<'a>(record: &Record<'a>, bytes: &'a [u8], endian: Endian) -> Option<&'a [u8]> {
    if record.kind != kind::HEADER_TRACING_DATA {
        return None;
    }
    let mut inside = Bytes::new(record.body, endian);
    let size = inside.u32()? as usize;
    let behind = || bytes.get(record.position as usize + 8 + record.body.len()..);
    let data = if record.body.len() <= 8 { behind()? } else { inside.rest() };
    Some(&data[..size.min(data.len())])
}

impl Tracepoint {
    /// As perf names its event: `sched:sched_switch`.
    pub fn full_name(&self) -> String {
        format!("{}:{}", self.system, self.name)
    }

    /// The field of this name.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name)
    }
}

impl Field {
    /// Its value in the raw data of a sample; `None` where that is too short.
    pub fn bytes<'a>(&self, raw: &'a [u8], endian: Endian) -> Option<&'a [u8]> {
        let end = self.offset.checked_add(self.size)?;
        let own = raw.get(self.offset..end)?;
        let start = match self.storage {
            Storage::Inline => return Some(own),
            Storage::Dynamic => 0,
            Storage::Relative => end,
        };
        let place = Bytes::new(own, endian).u32()?;
        let start = start.checked_add((place & 0xffff) as usize)?;
        raw.get(start..)?.get(..(place >> 16) as usize)
    }

    /// Its value as a number without sign, as a pointer or a pid is; `None` where it is no number of 1, 2, 4 or 8
    /// bytes.
    pub fn unsigned(&self, raw: &[u8], endian: Endian) -> Option<u64> {
        let mut bytes = Bytes::new(self.bytes(raw, endian)?, endian);
        match bytes.rest().len() {
            1 => Some(u64::from(bytes.rest()[0])),
            2 => bytes.u16().map(u64::from),
            4 => bytes.u32().map(u64::from),
            8 => bytes.u64(),
            _ => None,
        }
    }

    /// Its value as a number that may be negative, where its type is such; `None` as in [`Field::unsigned`], and for
    /// a number without sign that is too large.
    pub fn signed(&self, raw: &[u8], endian: Endian) -> Option<i64> {
        let value = self.unsigned(raw, endian)?;
        if self.sign == Sign::Unsigned {
            return i64::try_from(value).ok();
        }
        let unused = 64 - 8 * self.bytes(raw, endian)?.len() as u32;
        Some((value << unused) as i64 >> unused)
    }

    /// Its value as text, up to its zero byte.
    pub fn text<'a>(&self, raw: &'a [u8], endian: Endian) -> Option<&'a [u8]> {
        Some(Bytes::new(self.bytes(raw, endian)?, endian).c_string())
    }
}

/// Reads a file `format`: name, number, and a line for each field, before it tells how to print them.
fn tracepoint(system: &str, format: &str) -> Option<Tracepoint> {
    let (mut name, mut id, mut fields) = (None, None, Vec::new());
    for line in format.lines().map(str::trim).take_while(|line| !line.starts_with("print fmt:")) {
        if let Some(text) = line.strip_prefix("name:") {
            name = Some(text.trim().to_owned());
        } else if let Some(text) = line.strip_prefix("ID:") {
            id = text.trim().parse().ok();
        } else if line.starts_with("field") {
            fields.extend(field(line));
        }
    }
    Some(Tracepoint { id: id?, system: system.to_owned(), name: name?, fields })
}

/// Reads `field:char prev_comm[16]; offset:8; size:16; signed:0;`. Old kernels do not write the sign.
fn field(line: &str) -> Option<Field> {
    let mut parts = line.split(';').map(str::trim);
    let (_, declaration) = parts.next()?.split_once(':')?;
    let (mut offset, mut size, mut sign) = (None, None, Sign::Unsigned);
    for (key, value) in parts.filter_map(|part| part.split_once(':')) {
        match key {
            "offset" => offset = value.parse().ok(),
            "size" => size = value.parse().ok(),
            "signed" if value != "0" => sign = Sign::Signed,
            _ => {}
        }
    }
    let (type_text, name) = declared(declaration.trim())?;
    let storage = match type_text.split(' ').next() {
        Some("__data_loc") => Storage::Dynamic,
        Some("__rel_loc") => Storage::Relative,
        _ => Storage::Inline,
    };
    Some(Field { name, type_text, offset: offset?, size: size?, sign, storage })
}

/// Type and name of `char prev_comm[16]`, `const char * name`, `__data_loc char[] filename`.
fn declared(declaration: &str) -> Option<(String, String)> {
    let dimension = declaration.ends_with(']').then(|| declaration.find('[')).flatten();
    let (plain, dimension) = declaration.split_at(dimension.unwrap_or(declaration.len()));
    let start = plain.rfind([' ', '*', ']']).map_or(0, |at| at + 1);
    let (type_text, name) = plain.split_at(start);
    (!name.is_empty()).then(|| (format!("{}{dimension}", type_text.trim()), name.to_owned()))
}
