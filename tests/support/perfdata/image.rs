//! A written file whose places are known by name, so that a test can damage it.

use super::fields::Order;

/// The numbers of the file header, by their offsets.
#[derive(Clone, Copy, Debug)]
pub enum HeaderField {
    Magic = 0,
    Size = 8,
    AttrSize = 16,
    AttrsOffset = 24,
    AttrsSize = 32,
    DataOffset = 40,
    DataSize = 48,
    EventTypesOffset = 56,
    EventTypesSize = 64,
    /// The first 64 feature bits.
    Features = 72,
}

/// A part of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Section {
    pub offset: u64,
    pub size: u64,
}

/// A written file.
#[derive(Clone, Debug)]
pub struct Image {
    pub bytes: Vec<u8>,
    pub(super) order: Order,
    /// The offset of each record, in the order of the file.
    pub(super) records: Vec<usize>,
    /// The number of each feature, and the offset of its entry in the table.
    pub(super) features: Vec<(u32, usize)>,
}

impl Image {
    /// Reads the eight bytes at an offset.
    pub fn u64_at(&self, offset: usize) -> u64 {
        let bytes = self.bytes[offset..offset + 8].try_into().expect("eight bytes");
        self.order.read_u64(bytes)
    }

    /// Overwrites the eight bytes at an offset.
    pub fn set_u64_at(mut self, offset: usize, value: u64) -> Self {
        self.bytes[offset..offset + 8].copy_from_slice(&self.order.u64(value));
        self
    }

    /// Reads a number of the file header.
    pub fn header(&self, field: HeaderField) -> u64 {
        self.u64_at(field as usize)
    }

    /// Overwrites a number of the file header.
    pub fn set_header(self, field: HeaderField, value: u64) -> Self {
        self.set_u64_at(field as usize, value)
    }

    /// The section of a feature that the file has.
    pub fn feature(&self, id: u32) -> Section {
        let entry = self.feature_entry(id);
        Section { offset: self.u64_at(entry), size: self.u64_at(entry + 8) }
    }

    /// Overwrites where the table says that a feature is.
    pub fn set_feature(self, id: u32, section: Section) -> Self {
        let entry = self.feature_entry(id);
        self.set_u64_at(entry, section.offset).set_u64_at(entry + 8, section.size)
    }

    fn feature_entry(&self, id: u32) -> usize {
        let entry = self.features.iter().find(|(feature, _)| *feature == id);
        entry.unwrap_or_else(|| panic!("the recording has no feature {id}")).1
    }

    /// The offsets of the records, those of pipe mode's header included.
    pub fn record_offsets(&self) -> &[usize] {
        &self.records
    }

    /// Cuts the file to so many bytes.
    pub fn truncated(mut self, len: usize) -> Self {
        self.bytes.truncate(len);
        self
    }
}
