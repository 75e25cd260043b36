//! Records in blocks of about a mebibyte, so that they can be read twice and in parallel: plain ones straight from the
//! mapped file, compressed ones as they come out of the decoder.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::ops::{Deref, Range};

use super::bytes::{Bytes, Endian};
use super::record::{BadRecord, Record, Walk, kind};
use super::recording::Recording;
use super::resync::{Found, Sift};
use super::zstd::{Packed, Payload, Problem, streams};
use crate::file::FileBytes;

const BLOCK: usize = 1 << 20;

/// A recorder that wrote to a pipe may say something at its end, into the same pipe; this is the most that counts as such.
const LONGEST_MESSAGE: usize = 4096;

/// Where a recording's records stand, found by one walk over them.
#[derive(Debug, Default)]
pub struct Blocks {
    plain: Vec<Plain>,
    payloads: Vec<Payload>,
    /// Bytes that are no records.
    pub gaps: Vec<Gap>,
    /// Where decompression had to leave something out.
    pub bad_compression: Vec<Problem>,
}

/// Whole records in a file of the recording.
#[derive(Debug)]
struct Plain {
    file: usize,
    range: Range<usize>,
}

/// Bytes of a file that are no records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gap {
    /// Which file of the recording.
    pub file: usize,
    /// Which bytes of it.
    pub range: Range<usize>,
    /// What stands at their front.
    pub bad: BadRecord,
    /// Nothing behind them could be read.
    pub is_last: bool,
}

impl Blocks {
    /// The offset in its file of what stands at a position; of what was compressed, that of the first compressed bytes.
    pub fn offset_of(&self, recording: &Recording, position: u64) -> u64 {
        match self.payloads.first() {
            Some(first) if position >= recording.plain_bytes() => first.range.start as u64,
            _ => recording.offset_of(position),
        }
    }
}

/// Calls `visit` with every record, and with those that are compressed in them, in the order in which they stand.
pub fn walk(recording: &Recording, visit: &mut dyn FnMut(&Record<'_>)) -> Blocks {
    let mut blocks = Blocks::default();
    for (file, range) in &recording.streams {
        walk_stream(recording, *file, range.clone(), visit, &mut blocks);
    }
    let mut position = recording.plain_bytes();
    for packed in streams(&blocks.payloads) {
        let mut stream = Packed::new(recording, packed);
        while let Some(piece) = stream.next_piece() {
            Walk::sifted(&piece, recording.endian, position).for_each(|record| visit(&record));
            position += piece.len() as u64;
        }
        blocks.bad_compression.extend(stream.problem);
    }
    blocks
}

fn walk_stream(
    recording: &Recording,
    file: usize,
    range: Range<usize>,
    visit: &mut dyn FnMut(&Record<'_>),
    blocks: &mut Blocks,
) {
    let (base, bytes) = (range.start, &recording.files[file]);
    let data = &bytes[range];
    let first = recording.position_of(file, base);
    let mut sift = Sift::new(recording.judge(), data, first);
    let mut start = 0;
    let close = |blocks: &mut Blocks, start: usize, end: usize| {
        let range = base + start..base + end;
        bytes.release(range.clone());
        blocks.plain.extend((start < end).then_some(Plain { file, range }));
    };
    while let Some(found) = sift.next() {
        match found {
            Found::Record(record) if matches!(record.kind, kind::COMPRESSED | kind::COMPRESSED2) => {
                let at = base + (record.position - first) as usize;
                let range = payload(&record, at + 8, recording.endian);
                blocks.payloads.push(Payload { file, range });
                visit(&record);
            }
            Found::Record(record) => visit(&record),
            Found::Gap(place, bad) => {
                close(blocks, start, place.start);
                start = place.end;
                let is_last = place.end == data.len();
                let bad = BadRecord { offset: base + bad.offset, ..bad };
                if !(is_last && is_message(&data[place.clone()])) {
                    let range = base + place.start..base + place.end;
                    blocks.gaps.push(Gap { file, range, bad, is_last });
                }
            }
        }
        if sift.offset() - start >= BLOCK {
            close(blocks, start, sift.offset());
            start = sift.offset();
        }
    }
    close(blocks, start, sift.offset());
}

/// Whether bytes are something that a recorder said: a line or two of text.
fn is_message(bytes: &[u8]) -> bool {
    let is_text = |b: &u8| (b' '..=b'~').contains(b) || matches!(b, b'\n' | b'\r' | b'\t');
    (8..=LONGEST_MESSAGE).contains(&bytes.len())
        && bytes.iter().all(is_text)
        && bytes.first().is_some_and(|&b| b == b'[' || b.is_ascii_alphabetic())
}

/// The compressed bytes of a record whose body starts at `at`: all of it, or as many as the newer form says.
fn payload(record: &Record<'_>, at: usize, endian: Endian) -> Range<usize> {
    if record.kind == kind::COMPRESSED {
        return at..at + record.body.len();
    }
    let size = Bytes::new(record.body, endian).u64().and_then(|n| usize::try_from(n).ok()).unwrap_or(0);
    let start = at + record.body.len().min(8);
    start..start + size.min(record.body.len().saturating_sub(8))
}

/// Which block comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// The first of the file.
    Forward,
    /// The last of the file; of what is compressed still the first, as that cannot be read from its end.
    Backward,
}

/// Hands out blocks of whole records, one after the other.
pub struct BlockSource<'a> {
    recording: &'a Recording,
    plain: VecDeque<&'a Plain>,
    packed: VecDeque<Packed<'a>>,
    /// Where the next compressed records stand.
    position: u64,
}

impl<'a> BlockSource<'a> {
    /// All blocks that a walk found.
    pub fn new(recording: &'a Recording, blocks: &'a Blocks, order: Order) -> Self {
        let packed = streams(&blocks.payloads).map(|payloads| Packed::new(recording, payloads)).collect();
        let plain = match order {
            Order::Forward => blocks.plain.iter().collect(),
            Order::Backward => blocks.plain.iter().rev().collect(),
        };
        Self { recording, plain, packed, position: recording.plain_bytes() }
    }

    /// The next block.
    pub fn next_block(&mut self) -> Option<Block<'a>> {
        if let Some(Plain { file, range }) = self.plain.pop_front() {
            let bytes = &self.recording.files[*file];
            return Some(Block {
                bytes: Cow::Borrowed(&bytes[range.clone()]),
                position: self.recording.position_of(*file, range.start),
                mapped: Some((bytes, range.clone())),
            });
        }
        while let Some(stream) = self.packed.front_mut() {
            if let Some(piece) = stream.next_piece() {
                let position = self.position;
                self.position += piece.len() as u64;
                return Some(Block { bytes: Cow::Owned(piece), position, mapped: None });
            }
            self.packed.pop_front();
        }
        None
    }
}

/// Whole records, to be walked over as [`Walk::sifted`] does. Their memory goes with the block.
pub struct Block<'a> {
    bytes: Cow<'a, [u8]>,
    /// Where they stand in the recording.
    pub position: u64,
    mapped: Option<(&'a FileBytes, Range<usize>)>,
}

impl Deref for Block<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Block<'_> {
    fn drop(&mut self) {
        if let Some((file, range)) = self.mapped.take() {
            file.release(range);
        }
    }
}
