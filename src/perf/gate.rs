//! The gate before everything: which kind of recording the bytes are, and where its sections lie, every offset and
//! size checked against the file's length. Nothing behind it trusts a number that it did not pass.

use std::ops::Range;

use super::bytes::{Bytes, Endian};
use super::feature::number;

/// What the first bytes say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Layout {
    /// Sections with a table of contents.
    File(FileLayout),
    /// A stream of records from this offset on; attributes and features are records among them.
    Pipe {
        /// The byte order.
        endian: Endian,
        /// Where the records start.
        records: usize,
    },
}

/// Where the sections of a file lie, each inside the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileLayout {
    /// The byte order.
    pub endian: Endian,
    /// Bytes of one entry in the attribute section: the attribute and a reference to its ids.
    pub attr_entry: usize,
    /// The attributes.
    pub attrs: Range<usize>,
    /// The records.
    pub data: Range<usize>,
    /// Names of events, in recordings from before 2011.
    pub event_types: Range<usize>,
    /// Feature number and bytes, ascending.
    pub features: Vec<(u32, Range<usize>)>,
    /// What was not as the header claims.
    pub damage: Vec<String>,
    /// The recorder did not finish the file, or its end is missing.
    pub truncated: bool,
}

/// Why the bytes are no recording.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Nothing in it.
    #[error("is empty")]
    Empty,
    /// Other magic.
    #[error("is no perf.data")]
    NoMagic,
    /// The header does not fit.
    #[error("has a damaged header: {0}")]
    Header(String),
}

/// What recordings begin with.
pub const MAGICS: [&[u8]; 3] = [b"PERFILE2", b"2ELIFREP", b"PERFFILE"];

const HEADER_SIZE: usize = 104;
const SHORT_HEADER_SIZE: u64 = 72;
const PIPE_HEADER_SIZE: u64 = 16;
/// An attribute of the first version and a reference to its ids.
const MIN_ATTR_ENTRY: u64 = 64 + 16;

/// Reads the header.
pub fn inspect(file: &[u8]) -> Result<Layout, Refusal> {
    if file.is_empty() {
        return Err(Refusal::Empty);
    }
    let magic = file.get(..8).ok_or(Refusal::NoMagic)?;
    let endian = match magic {
        b"PERFILE2" => Endian::Little,
        b"2ELIFREP" => Endian::Big,
        // The first version wrote its magic as text: the byte order shows in the size of an attribute.
        b"PERFFILE" => match file.get(16..24).and_then(|b| Bytes::new(b, Endian::Little).u64()) {
            Some(size) if size >> 32 != 0 => Endian::Big,
            _ => Endian::Little,
        },
        _ => return Err(Refusal::NoMagic),
    };
    let short = || Refusal::Header(format!("the file ends after {} bytes", file.len()));
    let header_size = file.get(8..16).and_then(|b| Bytes::new(b, endian).u64()).ok_or_else(short)?;
    if header_size == PIPE_HEADER_SIZE {
        return Ok(Layout::Pipe { endian, records: PIPE_HEADER_SIZE as usize });
    }
    // Before 2.6.32 the header ended in front of the bits that say which features there are.
    let mut header = [0; HEADER_SIZE];
    let known = if header_size == SHORT_HEADER_SIZE { SHORT_HEADER_SIZE as usize } else { HEADER_SIZE };
    header[..known].copy_from_slice(file.get(..known).ok_or_else(short)?);
    file_layout(file.len(), &header[16..], endian, file).map(Layout::File)
}

fn file_layout(length: usize, header: &[u8], endian: Endian, file: &[u8]) -> Result<FileLayout, Refusal> {
    let mut words = super::bytes::words(header, endian);
    let mut word = || words.next().unwrap_or_default();
    let attr_entry = word();
    let (attrs, data, event_types) = ((word(), word()), (word(), word()), (word(), word()));
    let bitmap = feature_bits(std::array::from_fn(|_| word()), endian);

    let mut damage = Vec::new();
    if !(MIN_ATTR_ENTRY..=4096).contains(&attr_entry) {
        return Err(Refusal::Header(format!("an attribute of {attr_entry} bytes")));
    }
    let attrs = inside(length, attrs).ok_or_else(|| {
        Refusal::Header(format!("the attributes at offset {} reach past the end of the file", attrs.0))
    })?;
    let event_types = inside(length, event_types).unwrap_or(0..0);

    let start = usize::try_from(data.0).unwrap_or(usize::MAX).min(length);
    let unfinished = data.1 == 0;
    let claimed_end = data.0.saturating_add(data.1);
    let cut = claimed_end > length as u64;
    let end = if unfinished || cut { length } else { claimed_end as usize };
    if cut {
        damage.push(format!(
            "the records should reach to offset {claimed_end}, but the file ends at {length}: what is there was read"
        ));
    }
    let features = match (unfinished, cut) {
        (false, false) => features(file, end, &bitmap, endian, &mut damage),
        _ => Vec::new(),
    };
    let behind = features.iter().map(|(_, section)| section.end).max().unwrap_or(end).max(end);
    if !unfinished
        && !cut
        && MAGICS.iter().any(|magic| file.get(behind..).is_some_and(|rest| rest.starts_with(magic)))
    {
        damage.push(format!("another recording begins at offset {behind}, behind its end: it was not read"));
    }
    Ok(FileLayout {
        endian,
        attr_entry: attr_entry as usize,
        attrs,
        data: start..end,
        event_types,
        features,
        damage,
        truncated: unfinished || cut,
    })
}

/// The bits of features. They were written in words of the recorder's machine: where those have 32 bits and the most significant
/// byte first, halves have changed places, which shows in the name of the host that no recorder leaves out.
fn feature_bits(bits: [u64; 4], endian: Endian) -> [u64; 4] {
    let has_host = |bits: &[u64; 4]| bits[0] >> number::HOSTNAME & 1 == 1;
    let halves = bits.map(|word| word.rotate_left(32));
    if endian == Endian::Big && !has_host(&bits) && has_host(&halves) { halves } else { bits }
}

/// The table of feature sections stands right behind the records, in the order of the set bits.
fn features(
    file: &[u8],
    table: usize,
    bitmap: &[u64],
    endian: Endian,
    damage: &mut Vec<String>,
) -> Vec<(u32, Range<usize>)> {
    let bits = (0..256u32).filter(|bit| bitmap[(bit / 64) as usize] >> (bit % 64) & 1 == 1);
    let mut entries = Bytes::new(file.get(table..).unwrap_or_default(), endian);
    let mut sections = Vec::new();
    let mut outside = Vec::new();
    let mut total = 0usize;
    for bit in bits {
        let (Some(offset), Some(size)) = (entries.u64(), entries.u64()) else {
            damage.push("the table of features is cut short".to_owned());
            break;
        };
        match inside(file.len(), (offset, size)) {
            // Sections that together are larger than the file overlap: nobody writes that.
            Some(range) if total + range.len() <= file.len() => {
                total += range.len();
                sections.push((bit, range));
            }
            _ => outside
                .push(format!("feature {bit} at offset {offset} with {size} bytes lies outside the file")),
        }
    }
    match &outside[..] {
        [_, .., _] => damage.push(format!("{}, as do {} others", outside[0], outside.len() - 1)),
        _ => damage.append(&mut outside),
    }
    sections
}

fn inside(length: usize, (offset, size): (u64, u64)) -> Option<Range<usize>> {
    let end = offset.checked_add(size)?;
    (end <= length as u64).then_some(offset as usize..end as usize)
}
