//! `perf.data` recordings written in code.
//!
//! The layouts follow `include/uapi/linux/perf_event.h` and
//! `tools/perf/Documentation/perf.data-file-format.txt`, and know nothing of this crate's reader.
//!
//! ```ignore
//! let bytes = Recording::new()
//!     .event(Event::cycles().callchain())
//!     .kernel_map(0xffff_ffff_8100_0000, 0x100_0000)
//!     .record(Record::comm(7, 7, "worker"))
//!     .sample(Sample::at(1_000).thread(7, 7).kernel_chain(&[LOCK, CALLER]).user_chain(&[MAIN]).period(100))
//!     .write();
//! ```

mod compress;
mod event;
mod feature;
mod fields;
mod image;
mod layout;
mod listing;
mod record;
mod sample;
mod tracing;

pub use compress::{Compression, Framing};
pub use event::{Event, branch, flag, format};
pub use feature::{BuildId, Feature, id as feature_id};
pub use fields::Order;
pub use image::{HeaderField, Image, Section};
pub use listing::{Listed, SymbolList};
pub use record::{Identity, KERNEL_PID, Map, Record, kind, misc, prot};
pub use sample::{Branch, Branches, Counter, Read, Regs, Sample, Stack, context, field};
pub use tracing::TracingData;

use std::path::Path;

/// Which magic the file begins with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Version {
    /// `PERFFILE`, before 2012; it tells no byte order, and names the events in a section of their own.
    One,
    /// `PERFILE2`.
    #[default]
    Two,
}

/// A recording to be written.
#[derive(Clone, Debug)]
pub struct Recording {
    order: Order,
    version: Version,
    attr_size: u32,
    events: Vec<Event>,
    records: Vec<Record>,
    features: Vec<Feature>,
    build_ids: Vec<BuildId>,
    compression: Option<Compression>,
}

impl Default for Recording {
    fn default() -> Self {
        Self::new()
    }
}

impl Recording {
    /// An empty little-endian recording. Without a call of `event`, it is one of cycles.
    pub fn new() -> Self {
        Self {
            order: Order::Little,
            version: Version::Two,
            attr_size: 128,
            events: Vec::new(),
            records: Vec::new(),
            features: Vec::new(),
            build_ids: Vec::new(),
            compression: None,
        }
    }

    /// Writes as a big-endian machine does.
    pub fn big_endian(mut self) -> Self {
        self.order = Order::Big;
        self
    }

    /// Writes the old magic `PERFFILE`.
    pub fn version_one(mut self) -> Self {
        self.version = Version::One;
        self
    }

    /// Writes attributes of this size: 64 (2009) to 128 (2021) and more.
    pub fn attr_size(mut self, size: u32) -> Self {
        self.attr_size = size;
        self
    }

    /// Adds an event; one without ids gets its position, counted from 1.
    pub fn event(mut self, mut event: Event) -> Self {
        let position = self.events.len() as u64 + 1;
        event.ids.get_or_insert_with(|| vec![position]);
        self.events.push(event);
        self
    }

    /// Adds a record or a sample.
    pub fn record(mut self, record: impl Into<Record>) -> Self {
        self.records.push(record.into());
        self
    }

    /// Adds records or samples.
    pub fn records(self, records: impl IntoIterator<Item = impl Into<Record>>) -> Self {
        records.into_iter().fold(self, Self::record)
    }

    /// Adds a sample.
    pub fn sample(self, sample: Sample) -> Self {
        self.record(sample)
    }

    /// Adds the kernel's own mapping.
    pub fn kernel_map(self, addr: u64, len: u64) -> Self {
        self.record(Record::kernel_map(addr, len))
    }

    /// Adds a mapping of a process.
    pub fn map(self, map: &Map) -> Self {
        self.record(Record::mmap2(map, Identity::Inode { major: 8, minor: 1, inode: 4711, generation: 0 }))
    }

    /// Adds the name of a process' main thread.
    pub fn comm(self, pid: u32, name: impl AsRef<[u8]>) -> Self {
        self.record(Record::comm(pid, pid, name))
    }

    /// Adds a feature, instead of one that has the same number.
    pub fn feature(mut self, feature: Feature) -> Self {
        self.features.retain(|other| other.id != feature.id);
        self.features.push(feature);
        self
    }

    /// Adds the machine: its host name, its kernel's release, its architecture and its number of cpus.
    pub fn machine(self, hostname: &str, release: &str, arch: &str, cpus: u32) -> Self {
        self.feature(Feature::string(feature_id::HOSTNAME, hostname))
            .feature(Feature::string(feature_id::OSRELEASE, release))
            .feature(Feature::string(feature_id::ARCH, arch))
            .feature(Feature::cpus(cpus, cpus))
    }

    /// Adds a build-id: to the header's feature in a file, as a record in a pipe.
    pub fn build_id(mut self, build_id: BuildId) -> Self {
        self.build_ids.push(build_id);
        self
    }

    /// Compresses the kernel's records.
    pub fn compressed(mut self, compression: Compression) -> Self {
        self.compression = Some(compression);
        self
    }

    /// The bytes of a file.
    pub fn write(&self) -> Vec<u8> {
        self.file().bytes
    }

    /// The bytes that a pipe carries.
    pub fn write_pipe(&self) -> Vec<u8> {
        self.pipe().bytes
    }

    /// The bytes of a file whose recorder was killed: no size of the data, no features behind them.
    pub fn write_unfinished(&self) -> Vec<u8> {
        let image = self.file();
        let end = image.header(HeaderField::DataOffset) + image.header(HeaderField::DataSize);
        image.truncated(end as usize).set_header(HeaderField::DataSize, 0).bytes
    }

    /// A file that a test may still damage.
    pub fn file(&self) -> Image {
        let whole = self.complete();
        let data = whole.pack(&whole.records);
        whole.assemble(&data, whole.sections())
    }

    /// Pipe mode, which a test may still damage.
    pub fn pipe(&self) -> Image {
        let whole = self.complete();
        let mut records = whole.pipe_header();
        records.extend(whole.records.iter().cloned());
        let mut bytes = whole.magic().u64(16).encode(whole.order);
        let mut offsets = Vec::new();
        for record in whole.pack(&records) {
            offsets.push(bytes.len());
            bytes.extend(record);
        }
        Image { bytes, order: whole.order, records: offsets, features: Vec::new() }
    }

    /// The files of a directory, as `perf record --threads` writes them: `data` with the header and the
    /// records of no cpu, `data.0`… with those of a cpu each, modulo the number of files.
    pub fn directory(&self, files: u32) -> Vec<(String, Vec<u8>)> {
        let whole = self.complete();
        let of = |file: Option<u32>| {
            let records =
                whole.records.iter().filter(|record| record.on_cpu().map(|cpu| cpu % files) == file);
            whole.pack(&records.cloned().collect::<Vec<Record>>())
        };
        let mut sections = whole.sections();
        sections.push(Feature::directory());
        let mut out = vec![("data".to_owned(), whole.assemble(&of(None), sections).bytes)];
        out.extend((0..files).map(|file| (format!("data.{file}"), of(Some(file)).concat())));
        out
    }

    /// Writes the files of a directory to `path`, which is created.
    pub fn write_directory(&self, path: &Path, files: u32) -> std::io::Result<()> {
        std::fs::create_dir_all(path)?;
        self.directory(files).iter().try_for_each(|(name, bytes)| std::fs::write(path.join(name), bytes))
    }

    /// The recording with at least one event.
    fn complete(&self) -> Self {
        if self.events.is_empty() { self.clone().event(Event::cycles()) } else { self.clone() }
    }

    /// The bytes of each record, compressed where that is asked for.
    fn pack(&self, records: &[Record]) -> Vec<Vec<u8>> {
        let encoded = records.iter().map(|record| record.fields(&self.events).encode(self.order));
        match self.compression {
            None => encoded.collect(),
            Some(compression) => {
                let kinds = records.iter().map(|record| record.kind);
                compression.pack(&kinds.zip(encoded).collect::<Vec<_>>(), self.order)
            }
        }
    }

    /// The features, with those that follow from the rest of the recording unless they were given.
    fn sections(&self) -> Vec<Feature> {
        let mut sections = self.features.clone();
        let mut derived = vec![Feature::events(&self.events, self.attr_size)];
        derived.extend(self.compression.map(|_| Feature::compressed(1 << 20)));
        if !self.build_ids.is_empty() {
            derived.push(Feature::build_ids(&self.build_ids));
        }
        derived.retain(|feature| self.features.iter().all(|given| given.id != feature.id));
        sections.extend(derived);
        sections
    }
}
