//! The events of a recording: attribute, name and ids, from whichever section or record carries them.

use rustc_hash::FxHashMap;

use super::attr::{EventAttr, sample_type as st};
use super::bytes::{Bytes, Endian, text};

/// One event that was recorded.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Event {
    /// As perf names it.
    pub name: String,
    /// Its settings.
    pub attr: EventAttr,
    /// Its ids, one for each CPU or thread.
    pub ids: Vec<u64>,
}

/// Names and ids as the EVENT_DESC section has them, in its order. Stops where the section does not fit.
pub fn descriptions(section: &[u8], endian: Endian) -> Vec<Event> {
    let mut bytes = Bytes::new(section, endian);
    let mut events = Vec::new();
    let (Some(n), Some(attr_size)) = (bytes.u32(), bytes.u32()) else { return events };
    for _ in 0..n {
        let next = (|| {
            let attr = EventAttr::decode(bytes.take(attr_size as usize)?, endian)?;
            let n_ids = bytes.u32()?;
            let name = text(bytes.sized_string()?);
            let ids = bytes.take_items(u64::from(n_ids), 8)?;
            Some(Event { name, attr, ids: super::bytes::words(ids, endian).collect() })
        })();
        match next {
            Some(event) => events.push(event),
            None => break,
        }
    }
    events
}

/// Names from the section that recorders wrote before 2011: a config and 64 bytes of name each.
pub fn old_names(section: &[u8], endian: Endian) -> Vec<(u64, String)> {
    section
        .chunks_exact(72)
        .filter_map(|entry| {
            let mut bytes = Bytes::new(entry, endian);
            let config = bytes.u64()?;
            Some((config, text(bytes.c_string())))
        })
        .collect()
}

/// Finds the event of a record.
#[derive(Debug, Clone)]
pub struct EventIndex {
    by_id: FxHashMap<u64, usize>,
    in_sample: IdPlace,
    in_trailer: IdPlace,
}

/// Where a record's id stands before the event, and so the record's shape, is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum IdPlace {
    /// There is one event only.
    Single,
    /// So many bytes from the front of a sample's body, or from the end of another record's.
    At(usize),
    /// The events differ in where it stands, or have none.
    Nowhere,
}

impl IdPlace {
    fn of(events: &[Event], offset: impl Fn(&EventAttr) -> Option<usize>) -> Self {
        let mut offsets = events.iter().map(|event| offset(&event.attr));
        let first = offsets.next().flatten();
        match first {
            _ if events.len() == 1 => IdPlace::Single,
            Some(at) if offsets.all(|offset| offset == first) => IdPlace::At(at),
            _ => IdPlace::Nowhere,
        }
    }
}

impl EventIndex {
    /// Indexes these events.
    pub fn new(events: &[Event]) -> Self {
        let by_id = events
            .iter()
            .enumerate()
            .flat_map(|(i, event)| event.ids.iter().map(move |&id| (id, i)))
            .collect();
        Self {
            by_id,
            in_sample: IdPlace::of(events, id_offset),
            in_trailer: IdPlace::of(events, id_offset_from_end),
        }
    }

    /// The event of the sample with this body; as perf does, an id of 0, or none, stands for the first event.
    /// `None` where the id belongs to no event.
    #[inline]
    pub fn event_of(&self, body: &[u8], endian: Endian) -> Option<usize> {
        match self.in_sample {
            IdPlace::Single | IdPlace::Nowhere => Some(0),
            IdPlace::At(at) => match Bytes::new(body.get(at..)?, endian).u64()? {
                0 => Some(0),
                id => self.by_id.get(&id).copied(),
            },
        }
    }

    /// The event whose trailer another record of the kernel has; the first one where its id does not tell.
    pub fn event_of_trailer(&self, body: &[u8], endian: Endian) -> usize {
        let IdPlace::At(from_end) = self.in_trailer else { return 0 };
        let id = body.len().checked_sub(from_end).and_then(|at| Bytes::new(&body[at..], endian).u64());
        id.and_then(|id| self.event_with(id)).unwrap_or(0)
    }

    /// The event with this id.
    pub fn event_with(&self, id: u64) -> Option<usize> {
        self.by_id.get(&id).copied()
    }

    /// Whether several events cannot be told apart.
    pub fn is_ambiguous(&self) -> bool {
        self.in_sample == IdPlace::Nowhere
    }
}

fn id_offset(attr: &EventAttr) -> Option<usize> {
    if attr.samples(st::IDENTIFIER) {
        return Some(0);
    }
    attr.samples(st::ID).then(|| size_of(attr, &[st::IP, st::TID, st::TIME, st::ADDR]))
}

fn id_offset_from_end(attr: &EventAttr) -> Option<usize> {
    if attr.samples(st::IDENTIFIER) {
        return Some(8);
    }
    attr.samples(st::ID).then(|| 8 + size_of(attr, &[st::STREAM_ID, st::CPU]))
}

/// The bytes that those of these fields take up which the event has, eight each.
pub(super) fn size_of(attr: &EventAttr, fields: &[u64]) -> usize {
    fields.iter().filter(|&&field| attr.samples(field)).count() * 8
}

/// Where the time of a sample stands in its body.
pub fn time_offset(attr: &EventAttr) -> Option<usize> {
    attr.samples(st::TIME).then(|| size_of(attr, &[st::IDENTIFIER, st::IP, st::TID]))
}

/// Where the thread of a sample stands in its body.
pub fn tid_offset(attr: &EventAttr) -> Option<usize> {
    attr.samples(st::TID).then(|| size_of(attr, &[st::IDENTIFIER, st::IP]) + 4)
}
