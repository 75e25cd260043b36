//! Records behind a bad one: whether they go on, and where.
//!
//! A damaged size leads into the middle of nowhere, and whatever stands there would be taken for records. So a walk ends
//! at a type that nobody knows, and goes on only where several records in a row are just as a recorder writes them.
//! Four bytes that look like a type stand anywhere; a row of records that fit each other, to the byte, does not.

use std::ops::Range;

use super::bytes::Endian;
use super::event::{Event, EventIndex};
use super::record::{BadRecord, Record, Walk, kind};
use super::sample;

/// So many records in a row are believed.
const ROW: usize = 4;
/// So many of unknown types may stand among them.
const MOST_FOREIGN: usize = 64;

/// Tells records from other bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Judge<'a> {
    pub(super) events: &'a [Event],
    pub(super) index: &'a EventIndex,
    pub(super) endian: Endian,
}

/// What stands in a stream of records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Found<'a> {
    /// A record; one of a type that nobody knows only where records go on behind it.
    Record(Record<'a>),
    /// Bytes that are no records, from the bad one to the next good one, or to the end.
    Gap(Range<usize>, BadRecord),
}

impl Judge<'_> {
    /// Whether records stand from `at` on: a row of good ones, or nothing bad up to the end. Types that nobody knows may stand
    /// between them.
    fn goes_on(&self, data: &[u8], at: usize) -> bool {
        let mut walk = Walk::new(data.get(at..).unwrap_or_default(), self.endian);
        let (mut start, mut good, mut foreign) = (at, 0, 0);
        while good < ROW {
            match (walk.next(), walk.bad()) {
                (Some(record), _) if self.accepts(&record) => good += 1,
                (Some(_), _) => return false,
                (None, None) => return good > 0 || at == data.len(),
                (None, Some(bad)) => {
                    foreign += 1;
                    if !bad.is_foreign() || !bad.size.is_multiple_of(8) || foreign > MOST_FOREIGN {
                        return false;
                    }
                    start += bad.offset + bad.size;
                    walk = Walk::new(&data[start..], self.endian);
                }
            }
        }
        true
    }

    /// Where records go on, from `from` on. Records need not be aligned: compressed ones have any size.
    fn resume(&self, data: &[u8], from: usize) -> Option<usize> {
        (from..data.len().saturating_sub(7)).find(|&at| self.begins(data, at) && self.goes_on(data, at))
    }

    /// Whether a sample's fields stand behind a header at `at`, and records behind these.
    fn is_sample_but_for_its_size(&self, data: &[u8], at: usize) -> bool {
        let body = data.get(at + 8..).unwrap_or_default();
        let event = self.index.event_of(body, self.endian).and_then(|event| self.events.get(event));
        let rest = event.and_then(|event| sample::left_over(body, &event.attr, self.endian));
        rest.is_some_and(|rest| self.goes_on(data, data.len() - rest))
    }

    fn begins(&self, data: &[u8], at: usize) -> bool {
        Walk::new(&data[at..], self.endian).next().is_some_and(|record| self.accepts(&record))
    }

    fn accepts(&self, record: &Record<'_>) -> bool {
        self.shape(record) == Shape::Fits
    }

    /// Whether a record is as its type demands.
    #[inline]
    fn shape(&self, record: &Record<'_>) -> Shape {
        let size = record.body.len();
        if record.kind == kind::SAMPLE {
            let event = self.index.event_of(record.body, self.endian);
            return match event.and_then(|event| self.events.get(event)) {
                Some(event) => match sample::left_over(record.body, &event.attr, self.endian) {
                    Some(rest) if rest < 8 && size.is_multiple_of(8) => Shape::Fits,
                    Some(_) if event.attr.samples_unknown() => Shape::Fits,
                    Some(_) => Shape::TooLarge,
                    None => Shape::Unreadable,
                },
                None => Shape::Unreadable,
            };
        }
        let fits = match BODIES.get(record.kind as usize) {
            Some(&(least, more)) => {
                let most = match more {
                    More::Trailer => least + TRAILER,
                    More::Text => least + text_length(record.body, least) + PADDING + TRAILER,
                    More::Any => usize::MAX,
                };
                (least..=most).contains(&size) && size.is_multiple_of(8)
            }
            None => record.kind != kind::FINISHED_ROUND || size == 0,
        };
        if fits { Shape::Fits } else { Shape::TooLarge }
    }
}

/// How a record's size goes with what is in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// They fit.
    Fits,
    /// The size is another than what is in it has.
    TooLarge,
    /// A sample of no known event, or whose fields reach beyond it: one of the two is damaged.
    Unreadable,
}

/// What may stand behind the least bytes of a body.
#[derive(Debug, Clone, Copy)]
enum More {
    /// The trailer that `sample_id_all` adds.
    Trailer,
    /// A text that ends with a zero byte, and the trailer.
    Text,
    /// Anything.
    Any,
}

/// Six fields at most.
const TRAILER: usize = 48;
/// Recorders pad texts to 8 bytes, old ones and simpleperf to 64.
const PADDING: usize = 64;

/// By type of the kernel's records, the least bytes of a body up to a text, and what follows
/// (`include/uapi/linux/perf_event.h`).
const BODIES: [(usize, More); 23] = {
    use More::{Any, Text, Trailer};
    [
        (0, Any),
        (32, Text),
        (16, Trailer),
        (8, Text),
        (24, Trailer),
        (24, Trailer),
        (24, Trailer),
        (24, Trailer),
        (16, Any),
        (8, Any),
        (64, Text),
        (24, Trailer),
        (8, Trailer),
        (8, Trailer),
        (0, Trailer),
        (8, Trailer),
        (16, Any),
        (16, Text),
        (16, Trailer),
        (8, Text),
        (16, Any),
        (8, Trailer),
        (16, Any),
    ]
};

/// The length of the text behind the first `from` bytes.
fn text_length(body: &[u8], from: usize) -> usize {
    let text = body.get(from..).unwrap_or_default();
    text.iter().position(|&byte| byte == 0).unwrap_or(text.len())
}

/// What stands in `data`, in its order; every byte is in one of them.
pub(super) struct Sift<'a> {
    judge: Judge<'a>,
    data: &'a [u8],
    /// Where the walk began.
    start: usize,
    position: u64,
    walk: Walk<'a>,
}

impl<'a> Sift<'a> {
    /// Starts at the front of `data`, which stands at `position` of the recording.
    pub(super) fn new(judge: Judge<'a>, data: &'a [u8], position: u64) -> Self {
        let walk = Walk::at(data, judge.endian, position);
        Self { judge, data, start: 0, position, walk }
    }

    /// As [`Sift::new`], where `data` begins anywhere: the first records are looked for.
    pub(super) fn lost(judge: Judge<'a>, data: &'a [u8], position: u64) -> Self {
        let mut new = Self::new(judge, data, position);
        new.go_to(judge.resume(data, 0).unwrap_or(data.len()));
        new
    }

    /// Where the next record stands.
    #[inline]
    pub(super) fn offset(&self) -> usize {
        self.start + self.walk.offset()
    }

    fn go_to(&mut self, at: usize) {
        self.start = at;
        self.walk = Walk::at(&self.data[at..], self.judge.endian, self.position + at as u64);
    }

    fn behind(&mut self, bad: BadRecord) -> Found<'a> {
        let at = self.start + bad.offset;
        let bad = BadRecord { offset: at, ..bad };
        let end = at + bad.size;
        if bad.is_foreign() && self.judge.goes_on(self.data, end) {
            let body = &self.data[at + 8..end];
            let record = Record { kind: bad.kind, misc: 0, body, position: self.position + at as u64 };
            self.go_to(end);
            return Found::Record(record);
        }
        let next = match bad.is_overrun() && self.judge.is_sample_but_for_its_size(self.data, at) {
            true => None,
            false => self.judge.resume(self.data, at + 1),
        };
        let next = next.unwrap_or(self.data.len());
        self.go_to(next);
        Found::Gap(at..next, bad)
    }
}

impl<'a> Iterator for Sift<'a> {
    type Item = Found<'a>;

    #[inline]
    fn next(&mut self) -> Option<Found<'a>> {
        let found = self.walk.next();
        match found.map(|record| (record, self.judge.shape(&record))) {
            Some((record, Shape::Fits)) => Some(Found::Record(record)),
            Some((record, Shape::Unreadable)) if self.walk.is_sound() => Some(Found::Record(record)),
            Some((record, _)) => {
                let offset = (record.position - self.position) as usize - self.start;
                let (kind, misc, size) = (record.kind, record.misc, record.body.len() + 8);
                let left = self.data.len() - self.start - offset;
                Some(self.behind(BadRecord { offset, kind, misc, size, left }))
            }
            None => self.walk.bad().map(|bad| self.behind(bad)),
        }
    }
}
