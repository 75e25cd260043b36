//! Records in blocks of about a mebibyte, so that they can be read twice and in parallel: plain ones straight from the
//! mapped file, compressed ones as they come out of the decoder.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::io::Read;
use std::ops::{Deref, Range};

use ruzstd::decoding::{FrameDecoder, StreamingDecoder};

use super::bytes::{Bytes, Endian};
use super::record::{BadRecord, Record, Walk, kind};
use super::recording::Recording;
use crate::file::FileBytes;

const BLOCK: usize = 1 << 20;
/// What is decompressed at once.
const PIECE: usize = 4 << 20;
/// How much more records may be than what they were compressed to, beside `ROOM`. Deep callchains reach a hundred times,
/// pieces of alike stacks some hundreds; beyond this a few bytes would cost hours.
const MOST_RATIO: usize = 1000;
const ROOM: usize = 16 << 20;

/// What a recorder that wrote to a pipe says at its end, into the same pipe.
const MESSAGE: &[u8] = b"[ perf record: ";

/// Where a recording's records stand, found by one walk over them.
#[derive(Debug, Default)]
pub struct Blocks {
    plain: Vec<(usize, Range<usize>)>,
    payloads: Vec<(usize, Range<usize>)>,
    /// Where reading had to stop: which file of the recording, and the record.
    pub bad: Vec<(usize, BadRecord)>,
    /// Why decompression had to stop, by file.
    pub bad_compression: Vec<String>,
}

/// Calls `visit` with every record, compressed ones included, in the order in which they stand.
pub fn walk(recording: &Recording, visit: &mut dyn FnMut(&Record<'_>)) -> Blocks {
    let mut blocks = Blocks::default();
    for (file, range) in &recording.streams {
        walk_stream(recording, *file, range.clone(), visit, &mut blocks);
    }
    for mut stream in zstd_streams(recording, &blocks.payloads) {
        while let Some(piece) = stream.next_piece() {
            Walk::new(&piece, recording.endian).for_each(|record| visit(&record));
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
    let base = range.start;
    let mut walk = Walk::new(&recording.files[file][range], recording.endian);
    let mut start = 0;
    while let Some(record) = walk.next() {
        match record.kind {
            kind::COMPRESSED | kind::COMPRESSED2 => {
                let at = base + record.offset + 8;
                blocks.payloads.push((file, payload(&record, at, recording.endian)));
            }
            _ => visit(&record),
        }
        if walk.offset() - start >= BLOCK {
            let block = base + start..base + walk.offset().min(recording.files[file].len() - base);
            recording.files[file].release(block.clone());
            blocks.plain.push((file, block));
            start = walk.offset();
        }
    }
    let end = walk.bad().map_or(walk.offset(), |bad| bad.offset);
    let end = (base + end).min(recording.files[file].len());
    if base + start < end {
        blocks.plain.push((file, base + start..end));
    }
    let spoken = |bad: &BadRecord| recording.files[file][base + bad.offset..].starts_with(MESSAGE);
    if let Some(bad) = walk.bad().filter(|bad| !spoken(bad)) {
        blocks.bad.push((file, BadRecord { offset: base + bad.offset, ..bad }));
    }
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

/// Hands out blocks of whole records, one after the other.
pub struct BlockSource<'a> {
    recording: &'a Recording,
    plain: VecDeque<&'a (usize, Range<usize>)>,
    compressed: VecDeque<Decompressed<'a>>,
}

impl<'a> BlockSource<'a> {
    /// All blocks that a walk found.
    pub fn new(recording: &'a Recording, blocks: &'a Blocks) -> Self {
        let compressed = zstd_streams(recording, &blocks.payloads).collect();
        Self { recording, plain: blocks.plain.iter().collect(), compressed }
    }

    /// The next block.
    pub fn next_block(&mut self) -> Option<Block<'a>> {
        if let Some((file, range)) = self.plain.pop_front() {
            let file = &self.recording.files[*file];
            return Some(Block {
                bytes: Cow::Borrowed(&file[range.clone()]),
                mapped: Some((file, range.clone())),
            });
        }
        while let Some(stream) = self.compressed.front_mut() {
            if let Some(piece) = stream.next_piece() {
                return Some(Block { bytes: Cow::Owned(piece), mapped: None });
            }
            self.compressed.pop_front();
        }
        None
    }
}

/// Whole records. Their memory goes with the block.
pub struct Block<'a> {
    bytes: Cow<'a, [u8]>,
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

/// A stream for each file with compressed records: a recorder's threads compress apart from each other.
fn zstd_streams<'a>(
    recording: &'a Recording,
    payloads: &'a [(usize, Range<usize>)],
) -> impl Iterator<Item = Decompressed<'a>> {
    payloads.chunk_by(|a, b| a.0 == b.0).map(|payloads| Decompressed::new(recording, payloads))
}

/// A last block without content, and room for a checksum. A recorder flushes its stream and never ends it; the decoder
/// holds back a window of what it has until the end.
const END_OF_FRAME: &[u8] = &[1, 0, 0, 0, 0, 0, 0];

/// The payloads of all compressed records, read as one stream, and the end that the recorder did not write.
struct Payloads<'a> {
    files: &'a [FileBytes],
    waiting: std::slice::Iter<'a, (usize, Range<usize>)>,
    current: &'a [u8],
    end: &'static [u8],
}

impl Payloads<'_> {
    fn is_read(&self) -> bool {
        self.current.is_empty() && self.waiting.len() == 0
    }
}

impl Read for Payloads<'_> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        while self.current.is_empty() {
            match self.waiting.next() {
                Some((file, range)) => {
                    self.current = self.files[*file].get(range.clone()).unwrap_or_default()
                }
                None => return self.end.read(out),
            }
        }
        self.current.read(out)
    }
}

/// The state between two pieces of decompressed records.
enum Decoder<'a> {
    Running(Box<StreamingDecoder<Payloads<'a>, FrameDecoder>>),
    Ended,
}

struct Decompressed<'a> {
    decoder: Decoder<'a>,
    endian: Endian,
    /// The front of a record whose rest has not been decompressed.
    carried: Vec<u8>,
    /// How many bytes may still come.
    room: usize,
    problem: Option<String>,
}

impl<'a> Decompressed<'a> {
    fn new(recording: &'a Recording, payloads: &'a [(usize, Range<usize>)]) -> Self {
        let source =
            Payloads { files: &recording.files, waiting: payloads.iter(), current: &[], end: END_OF_FRAME };
        let packed: usize = payloads.iter().map(|(_, range)| range.len()).sum();
        let mut new = Self {
            decoder: Decoder::Ended,
            endian: recording.endian,
            carried: Vec::new(),
            room: packed.saturating_mul(MOST_RATIO).saturating_add(ROOM),
            problem: None,
        };
        new.start(source);
        new
    }

    /// Starts on the next frame, if there is one.
    fn start(&mut self, source: Payloads<'a>) {
        if source.is_read() {
            self.decoder = Decoder::Ended;
            return;
        }
        self.decoder = match StreamingDecoder::new(source) {
            Ok(decoder) => Decoder::Running(Box::new(decoder)),
            Err(e) => {
                self.problem = Some(e.to_string());
                Decoder::Ended
            }
        };
    }

    /// The next whole records.
    fn next_piece(&mut self) -> Option<Vec<u8>> {
        loop {
            let mut piece = std::mem::take(&mut self.carried);
            let had = piece.len();
            self.fill(&mut piece);
            if piece.len() == had {
                if had > 0 {
                    self.problem.get_or_insert_with(|| format!("it ends {had} bytes into a record"));
                }
                return None;
            }
            let (whole, bad_size) = whole_records(&piece, self.endian);
            self.carried = piece.split_off(whole);
            if let Some(size) = bad_size {
                self.problem = Some(format!("a record claims {size} bytes"));
                self.decoder = Decoder::Ended;
                self.carried.clear();
            }
            if !piece.is_empty() {
                return Some(piece);
            }
        }
    }

    fn fill(&mut self, piece: &mut Vec<u8>) {
        let had = piece.len();
        let target = had + PIECE.min(self.room);
        while let Decoder::Running(decoder) = &mut self.decoder
            && piece.len() < target
        {
            let read = decoder.by_ref().take((target - piece.len()) as u64).read_to_end(piece);
            if let Err(e) = read {
                self.problem = Some(e.to_string());
                self.decoder = Decoder::Ended;
            } else if piece.len() < target
                && let Decoder::Running(ended) = std::mem::replace(&mut self.decoder, Decoder::Ended)
            {
                self.start(ended.into_inner());
            }
        }
        self.room -= piece.len() - had;
        if self.room == 0 && matches!(self.decoder, Decoder::Running(_)) {
            self.problem = Some(format!("the records unpack to more than {MOST_RATIO} times their size"));
            self.decoder = Decoder::Ended;
        }
    }
}

/// How many bytes at the front of `data` are whole records, and what the one behind them claims if that is too little
/// for a header.
fn whole_records(data: &[u8], endian: Endian) -> (usize, Option<usize>) {
    let mut at = 0;
    while let Some(header) = data.get(at..at + 8) {
        let size = usize::from(endian.u16([header[6], header[7]]));
        if size < 8 {
            return (at, Some(size));
        }
        if at + size > data.len() {
            break;
        }
        at += size;
    }
    (at, None)
}
