//! What the head of a recording tells, from the sections of a file or from the records of a pipe: events, and who recorded
//! what, where.

use rustc_hash::FxHashMap;

use super::attr::EventAttr;
use super::bytes::{Bytes, Endian, text};
use super::event::{Event, EventIndex, descriptions, old_names};
use super::feature::{self, Features, number};
use super::gate::FileLayout;
use super::record::{Walk, kind};
use super::resync::{Found, Judge, Sift};
use super::tracing;
use crate::file::FileBytes;

/// So many bytes that were walked over are given back at once.
const RELEASED: usize = 16 << 20;

/// What the head of a recording tells.
pub(super) struct Contents {
    pub(super) events: Vec<Event>,
    pub(super) features: Features,
    pub(super) damage: Vec<String>,
}

/// Of a file.
pub(super) fn of_file(file: &[u8], layout: &FileLayout) -> Contents {
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
    let mut sections: Vec<_> = layout.features.iter().map(|(n, range)| (*n, &file[range.clone()])).collect();
    // simpleperf puts it in front of the records.
    let records = &file[layout.data.clone()];
    let first = Walk::new(records, endian).next();
    let tracing = first.and_then(|record| tracing::in_record(&record, records, endian));
    sections.extend(tracing.map(|data| (number::TRACING_DATA, data)));
    if sections.iter().any(|(n, _)| *n == number::SIMPLEPERF_META_INFO) {
        late_ids(&mut events, records, endian);
    }
    let old = old_names(&file[layout.event_types.clone()], endian);
    let features = feature::read(&sections, endian);
    name_events(&mut events, &sections, &features, &old, endian);
    Contents { events, features, damage: damaged_attributes(damaged) }
}

fn damaged_attributes(n: usize) -> Vec<String> {
    match n {
        0 => Vec::new(),
        1 => vec!["an event's attribute is damaged".to_owned()],
        n => vec![format!("the attributes of {n} events are damaged")],
    }
}

/// Of a pipe.
pub(super) fn of_pipe(file: &FileBytes, records: usize, endian: Endian) -> Contents {
    let mut events: Vec<Event> = Vec::new();
    let mut sections: Vec<(u32, &[u8])> = Vec::new();
    let mut updates = Vec::new();
    let mut damaged = 0;
    let mut released = records;
    // What tells events apart is not known yet: samples are not looked at.
    let index = EventIndex::new(&[]);
    let judge = Judge { events: &[], index: &index, endian };
    for found in Sift::new(judge, &file[records..], records as u64) {
        let Found::Record(record) = found else { break };
        let at = record.position as usize;
        if at - released > RELEASED {
            file.release(released..at);
            released = at;
        }
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
            kind::HEADER_TRACING_DATA => {
                let data = tracing::in_record(&record, file, endian);
                sections.extend(data.map(|data| (number::TRACING_DATA, data)));
            }
            _ => {}
        }
    }
    let features = feature::read(&sections, endian);
    name_events(&mut events, &sections, &features, &[], endian);
    let index = EventIndex::new(&events);
    for (id, name) in updates.into_iter().filter(|(_, name)| !name.is_empty()) {
        if let Some(event) = index.event_with(id) {
            events[event].name = name;
        }
    }
    Contents { events, features, damage: damaged_attributes(damaged) }
}

/// Ids that simpleperf tells among the records: of threads that came while it recorded, and of recordings that it merged.
fn late_ids(events: &mut [Event], records: &[u8], endian: Endian) {
    for record in Walk::new(records, endian).filter(|record| record.kind == kind::SIMPLEPERF_EVENT_ID) {
        let mut bytes = Bytes::new(record.body, endian);
        let Some(pairs) = bytes.u64().and_then(|n| bytes.take_items(n, 16)) else { continue };
        let mut words = super::bytes::words(pairs, endian);
        while let (Some(place), Some(id)) = (words.next(), words.next()) {
            if let Some(event) = usize::try_from(place).ok().and_then(|place| events.get_mut(place)) {
                event.ids.push(id);
            }
        }
    }
}

/// An attribute as a record: itself, then ids up to the end.
fn attr_record(body: &[u8], endian: Endian) -> Option<Event> {
    let attr = EventAttr::decode(body, endian)?;
    let size = Bytes::new(body.get(4..8)?, endian).u32()? as usize;
    let ids = body.get(if size == 0 { 64 } else { size }..).unwrap_or_default();
    Some(Event { name: String::new(), attr, ids: super::bytes::words(ids, endian).collect() })
}

/// Names come from EVENT_DESC by shared id or, without ids, by place; from meta information; from old names by config;
/// for tracepoints from their formats; and else from the attribute.
fn name_events(
    events: &mut [Event],
    sections: &[(u32, &[u8])],
    features: &Features,
    old: &[(u64, String)],
    endian: Endian,
) {
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
            .or_else(|| tracepoint(event, features))
            .unwrap_or_else(|| event.attr.default_name());
    }
}

/// The name of a tracepoint by its number.
fn tracepoint(event: &Event, features: &Features) -> Option<String> {
    const TRACEPOINT: u32 = 2;
    let known = (event.attr.kind == TRACEPOINT).then(|| features.formats.by_id(event.attr.config))?;
    known.map(|tracepoint| tracepoint.full_name())
}
