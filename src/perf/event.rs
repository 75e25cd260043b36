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

/// Finds the event of a sample.
#[derive(Debug, Clone)]
pub struct EventIndex {
    by_id: FxHashMap<u64, usize>,
    place: IdPlace,
}

/// Where a sample's id stands before the event, and so the record's shape, is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum IdPlace {
    /// There is one event only.
    Single,
    /// So many bytes from the front of the body.
    At(usize),
    /// The events differ in where it stands, or have none.
    Nowhere,
}

impl EventIndex {
    /// Indexes these events.
    pub fn new(events: &[Event]) -> Self {
        let by_id = events
            .iter()
            .enumerate()
            .flat_map(|(i, event)| event.ids.iter().map(move |&id| (id, i)))
            .collect();
        let mut places = events.iter().map(|event| id_offset(&event.attr));
        let first = places.next().flatten();
        let place = match first {
            _ if events.len() == 1 => IdPlace::Single,
            Some(at) if places.all(|place| place == first) => IdPlace::At(at),
            _ => IdPlace::Nowhere,
        };
        Self { by_id, place }
    }

    /// The event of the sample with this body; as perf does, an id of 0, or none, stands for the first event.
    /// `None` where the id belongs to no event.
    #[inline]
    pub fn event_of(&self, body: &[u8], endian: Endian) -> Option<usize> {
        match self.place {
            IdPlace::Single | IdPlace::Nowhere => Some(0),
            IdPlace::At(at) => match Bytes::new(body.get(at..)?, endian).u64()? {
                0 => Some(0),
                id => self.by_id.get(&id).copied(),
            },
        }
    }

    /// The event with this id.
    pub fn event_with(&self, id: u64) -> Option<usize> {
        self.by_id.get(&id).copied()
    }

    /// Whether several events cannot be told apart.
    pub fn is_ambiguous(&self) -> bool {
        self.place == IdPlace::Nowhere
    }
}

fn id_offset(attr: &EventAttr) -> Option<usize> {
    if attr.samples(st::IDENTIFIER) {
        return Some(0);
    }
    attr.samples(st::ID)
        .then(|| [st::IP, st::TID, st::TIME, st::ADDR].iter().filter(|&&f| attr.samples(f)).count() * 8)
}

/// Where the time of a sample stands in its body.
pub fn time_offset(attr: &EventAttr) -> Option<usize> {
    attr.samples(st::TIME)
        .then(|| [st::IDENTIFIER, st::IP, st::TID].iter().filter(|&&f| attr.samples(f)).count() * 8)
}
