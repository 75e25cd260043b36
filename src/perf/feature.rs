//! The feature sections, read by `linux-perf-data`: who recorded what, where, with which build-ids.
//!
//! The library reads sizes from the file before it checks them, and refuses some files for their records. It is given
//! an image in memory that holds nothing but feature sections that passed our gate. Build-ids are read here: the
//! library takes that of a compressed module (`ext4.ko.xz`) for the kernel's.

use std::io::Cursor;

use linux_perf_data::{PerfFile, PerfFileReader};

use super::bytes::{Bytes, Endian, text};
use super::record::{CpuMode, Record, Walk};
use super::simpleperf::{self, SymbolTables};
use super::tracing::Formats;

/// Feature numbers that this program reads.
pub mod number {
    #![allow(missing_docs, reason = "the names are perf's own")]
    pub const TRACING_DATA: u32 = 1;
    pub const BUILD_ID: u32 = 2;
    pub const HOSTNAME: u32 = 3;
    pub const OSRELEASE: u32 = 4;
    pub const VERSION: u32 = 5;
    pub const ARCH: u32 = 6;
    pub const NRCPUS: u32 = 7;
    pub const CPUDESC: u32 = 8;
    pub const TOTAL_MEM: u32 = 10;
    pub const CMDLINE: u32 = 11;
    pub const EVENT_DESC: u32 = 12;
    pub const SAMPLE_TIME: u32 = 21;
    pub const DIR_FORMAT: u32 = 24;
    pub const SIMPLEPERF_FILE: u32 = 128;
    pub const SIMPLEPERF_META_INFO: u32 = 129;
    pub const SIMPLEPERF_FILE2: u32 = 132;
}

const READ_BY_LIBRARY: [u32; 9] = [
    number::HOSTNAME,
    number::OSRELEASE,
    number::VERSION,
    number::ARCH,
    number::NRCPUS,
    number::CPUDESC,
    number::TOTAL_MEM,
    number::CMDLINE,
    number::SAMPLE_TIME,
];

/// Who recorded what, where. A field is `None` where the recorder did not tell.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Features {
    /// `uname -n`.
    pub hostname: Option<String>,
    /// `uname -r`.
    pub os_release: Option<String>,
    /// The recorder's version.
    pub perf_version: Option<String>,
    /// `uname -m`.
    pub arch: Option<String>,
    /// CPUs that were online.
    pub cpus_online: Option<u32>,
    /// CPUs there are.
    pub cpus_available: Option<u32>,
    /// The processor's model.
    pub cpu_model: Option<String>,
    /// Memory in KiB.
    pub total_memory: Option<u64>,
    /// The recorder's own command line.
    pub command: Option<Vec<String>>,
    /// Times of the first and the last sample, in nanoseconds.
    pub sample_time: Option<(u64, u64)>,
    /// Build-ids of what was hit, by path.
    pub build_ids: Vec<(String, Vec<u8>)>,
    /// Names of what was hit, where the recorder carries them.
    pub symbols: SymbolTables,
    /// What tracepoints write into their samples.
    pub formats: Formats,
}

/// Reads the features that stand in these sections.
pub fn read(sections: &[(u32, &[u8])], endian: Endian) -> Features {
    let section = |wanted: u32| sections.iter().find(|(n, _)| *n == wanted).map(|(_, data)| *data);
    let build_ids = section(number::BUILD_ID).unwrap_or_default();
    // Their type is left 0 in a file.
    let build_ids =
        Walk::sifted(build_ids, endian, 0).filter_map(|record| build_id(&record, endian)).collect();
    let mut known: Vec<_> = sections
        .iter()
        .filter(|(n, data)| READ_BY_LIBRARY.contains(n) && fits(*n, data, endian))
        .copied()
        .collect();
    known.sort_by_key(|(n, _)| *n);
    known.dedup_by_key(|(n, _)| *n);
    let features = match PerfFileReader::parse_file(Cursor::new(image(&known, endian))) {
        Ok(reader) => gather(&reader.perf_file),
        Err(_) => Features::default(),
    };
    let symbols = match (section(number::SIMPLEPERF_FILE), section(number::SIMPLEPERF_FILE2)) {
        (Some(file), _) => simpleperf::file(file, endian),
        (None, Some(file2)) => simpleperf::file2(file2, endian),
        (None, None) => SymbolTables::default(),
    };
    let formats = section(number::TRACING_DATA).map(Formats::read).unwrap_or_default();
    Features { build_ids, symbols, formats, ..features }
}

/// Whether a count in a section can be true: the library makes room for so many words before it looks for them.
fn fits(n: u32, section: &[u8], endian: Endian) -> bool {
    n != number::CMDLINE
        || Bytes::new(section, endian).u32().is_some_and(|words| words as usize <= section.len() / 4)
}

/// Path and build-id from a record of the BUILD_ID section or of a pipe; none of a guest's.
pub fn build_id(record: &Record<'_>, endian: Endian) -> Option<(String, Vec<u8>)> {
    const HAS_SIZE: u16 = 1 << 15;
    if matches!(CpuMode::of_misc(record.misc), CpuMode::GuestKernel | CpuMode::GuestUser) {
        return None;
    }
    let mut bytes = Bytes::new(record.body, endian);
    bytes.u32()?;
    let id = bytes.take(24)?;
    let size = if record.misc & HAS_SIZE != 0 {
        usize::from(id[20]).min(20)
    } else {
        // A short id stands in front of zeros.
        id[..20].chunks(4).rposition(|word| word != [0; 4]).map_or(0, |last| 4 * (last + 1))
    };
    Some((text(bytes.c_string()), id[..size].to_vec()))
}

/// More processors than any machine has.
const MOST_CPUS: u32 = 1 << 20;

fn gather(file: &PerfFile) -> Features {
    let owned = |text: Result<Option<&str>, linux_perf_data::Error>| {
        text.ok().flatten().filter(|t| !t.is_empty()).map(str::to_owned)
    };
    // More online than there are, or more than any machine has, is damage.
    let is_sound = |c: &linux_perf_data::NrCpus| {
        c.nr_cpus_online <= c.nr_cpus_available && c.nr_cpus_available < MOST_CPUS
    };
    let cpus = file.nr_cpus().ok().flatten().filter(|c| is_sound(c));
    let command = file.cmdline().ok().flatten();
    let time = file.sample_time_range().ok().flatten();
    Features {
        hostname: owned(file.hostname()),
        os_release: owned(file.os_release()),
        perf_version: owned(file.perf_version()),
        arch: owned(file.arch()),
        cpus_online: cpus.as_ref().map(|c| c.nr_cpus_online),
        cpus_available: cpus.as_ref().map(|c| c.nr_cpus_available),
        cpu_model: owned(file.cpu_desc()),
        total_memory: file.total_mem().ok().flatten(),
        command: command.map(|words| words.into_iter().map(str::to_owned).collect()),
        sample_time: time.map(|t| (t.first_sample_time, t.last_sample_time)),
        build_ids: Vec::new(),
        symbols: SymbolTables::default(),
        formats: Formats::default(),
    }
}

/// A recording without records: a header, the smallest attribute, and the sections.
fn image(sections: &[(u32, &[u8])], endian: Endian) -> Vec<u8> {
    const HEADER: u64 = 104;
    const ATTR: u64 = 64;
    let mut out = Vec::new();
    let word = |value: u64| match endian {
        Endian::Little => value.to_le_bytes(),
        Endian::Big => value.to_be_bytes(),
    };
    out.extend_from_slice(match endian {
        Endian::Little => b"PERFILE2",
        Endian::Big => b"2ELIFREP",
    });
    let mut bitmap = [0u64; 4];
    for (n, _) in sections {
        bitmap[(n / 64) as usize] |= 1 << (n % 64);
    }
    let table = HEADER + ATTR;
    for value in [HEADER, ATTR, HEADER, ATTR, table, 0, 0, 0].into_iter().chain(bitmap) {
        out.extend(word(value));
    }
    let mut attr = [0u8; ATTR as usize];
    match endian {
        Endian::Little => attr[4..8].copy_from_slice(&(ATTR as u32).to_le_bytes()),
        Endian::Big => attr[4..8].copy_from_slice(&(ATTR as u32).to_be_bytes()),
    }
    out.extend(attr);
    let mut at = table + 16 * sections.len() as u64;
    for (_, data) in sections {
        out.extend(word(at));
        out.extend(word(data.len() as u64));
        at += data.len() as u64;
    }
    for (_, data) in sections {
        out.extend_from_slice(data);
    }
    out
}

/// Values of a recorder that writes pairs of zero-terminated strings (simpleperf's meta information).
pub fn meta_info(section: &[u8], key: &str) -> Option<String> {
    let mut strings = section.split(|&b| b == 0);
    while let (Some(name), Some(value)) = (strings.next(), strings.next()) {
        if name == key.as_bytes() {
            return Some(String::from_utf8_lossy(value).into_owned());
        }
    }
    None
}
