//! The layout of a file (header, ids, attributes, data, features) and of what a pipe carries first.

use super::feature::{self, Feature};
use super::fields::Fields;
use super::image::Image;
use super::record::{Record, kind, misc};
use super::{Recording, Version};

/// The size of the file header.
const HEADER: usize = 104;

impl Recording {
    /// A file: header, ids, attributes, (names,) data, feature table, feature sections.
    pub(super) fn assemble(&self, data: &[Vec<u8>], mut sections: Vec<Feature>) -> Image {
        sections.sort_by_key(|feature| feature.id);
        let data_size = data.iter().map(Vec::len).sum();
        let mut bytes = self.head(data_size, &sections).encode(self.order);
        let mut records = Vec::new();
        for record in data {
            records.push(bytes.len());
            bytes.extend(record);
        }
        let (mut table, mut bodies, mut features) = (Fields::new(), Fields::new(), Vec::new());
        let bodies_at = bytes.len() + 16 * sections.len();
        for Feature { id, body } in sections {
            features.push((id, bytes.len() + table.len()));
            table = table.u64s(&[(bodies_at + bodies.len()) as u64, body.len() as u64]);
            bodies = bodies.then(body);
        }
        bytes.extend(table.then(bodies).encode(self.order));
        Image { bytes, order: self.order, records, features }
    }

    /// Everything before the data.
    fn head(&self, data_size: usize, sections: &[Feature]) -> Fields {
        let (mut ids, mut attrs) = (Fields::new(), Fields::new());
        for event in &self.events {
            let own = event.ids.as_deref().unwrap_or_default();
            attrs = attrs.then(event.attr(self.attr_size));
            attrs = attrs.u64s(&[(HEADER + ids.len()) as u64, 8 * own.len() as u64]);
            ids = ids.u64s(own);
        }
        let names = self.event_types();
        let attrs_at = HEADER + ids.len();
        let names_at = attrs_at + attrs.len();
        let data_at = names_at + names.len();
        let mut bits = [0_u64; 4];
        sections.iter().for_each(|feature| bits[feature.id as usize / 64] |= 1 << (feature.id % 64));
        self.magic()
            .u64s(&[HEADER as u64, u64::from(self.attr_size) + 16])
            .u64s(&[attrs_at as u64, attrs.len() as u64])
            .u64s(&[data_at as u64, data_size as u64])
            .u64s(&[names_at as u64, names.len() as u64])
            .u64s(&bits)
            .then(ids)
            .then(attrs)
            .then(names)
    }

    /// The magic: a number that tells the byte order, and in version 1 a string that does not.
    pub(super) fn magic(&self) -> Fields {
        match self.version {
            Version::One => Fields::new().bytes(b"PERFFILE"),
            Version::Two => Fields::new().u64(u64::from_le_bytes(*b"PERFILE2")),
        }
    }

    /// Version 1's section of names: each event's config, and its name in 64 bytes.
    fn event_types(&self) -> Fields {
        if self.version == Version::Two {
            return Fields::new();
        }
        self.events.iter().fold(Fields::new(), |fields, event| {
            fields.u64(event.config()).sized(Fields::new().bytes(event.name.as_bytes()), 64)
        })
    }

    /// What a pipe carries first: attributes, features, names and build-ids as records.
    pub(super) fn pipe_header(&self) -> Vec<Record> {
        const NAME: u64 = 2;
        let mut header = Vec::new();
        for event in &self.events {
            let ids = event.ids.as_deref().unwrap_or_default();
            header.push(Record::own(kind::HEADER_ATTR, event.attr(self.attr_size).u64s(ids)));
        }
        let build_id = feature::id::BUILD_ID;
        for Feature { id, body } in self.sections().into_iter().filter(|feature| feature.id != build_id) {
            header.push(Record::own(kind::HEADER_FEATURE, Fields::new().u64(id.into()).then(body)));
        }
        for event in self.events.iter().filter(|event| event.ids.as_ref().is_some_and(|ids| !ids.is_empty()))
        {
            let body = Fields::new().u64s(&[NAME, event.id_on(0)]).text(&event.name);
            header.push(Record::own(kind::EVENT_UPDATE, body));
        }
        for build_id in &self.build_ids {
            let misc = build_id.misc | misc::BUILD_ID_SIZE;
            header.push(Record::own(kind::HEADER_BUILD_ID, build_id.body()).misc(misc));
        }
        header
    }
}
