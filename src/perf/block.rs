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

/// Where a recording's records stand, found by one walk over them.
#[derive(Debug, Default)]
pub struct Blocks {
    plain: Vec<(usize, Range<usize>)>,
    payloads: Vec<(usize, Range<usize>)>,
    /// Where reading had to stop: which file of the recording, and the record.
    pub bad: Vec<(usize, BadRecord)>,
    /// Why decompression had to stop.
    pub bad_compression: Option<String>,
}

/// Calls `visit` with every record, compressed ones included, in the order in which they stand.
pub fn walk(recording: &Recording, visit: &mut dyn FnMut(&Record<'_>)) -> Blocks {
    let mut blocks = Blocks::default();
    for (file, range) in &recording.streams {
        walk_stream(recording, *file, range.clone(), visit, &mut blocks);
    }
    if !blocks.payloads.is_empty() {
        let mut source = Decompressed::new(recording, &blocks.payloads);
        while let Some(piece) = source.next_piece() {
            Walk::new(&piece, recording.endian).for_each(|record| visit(&record));
        }
        blocks.bad_compression = source.problem;
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
    if let Some(bad) = walk.bad() {
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
    compressed: Option<Decompressed<'a>>,
}

impl<'a> BlockSource<'a> {
    /// All blocks that a walk found.
    pub fn new(recording: &'a Recording, blocks: &'a Blocks) -> Self {
        let compressed =
            (!blocks.payloads.is_empty()).then(|| Decompressed::new(recording, &blocks.payloads));
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
        let bytes = Cow::Owned(self.compressed.as_mut()?.next_piece()?);
        Some(Block { bytes, mapped: None })
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
    problem: Option<String>,
}

impl<'a> Decompressed<'a> {
    fn new(recording: &'a Recording, payloads: &'a [(usize, Range<usize>)]) -> Self {
        let source =
            Payloads { files: &recording.files, waiting: payloads.iter(), current: &[], end: END_OF_FRAME };
        let mut new =
            Self { decoder: Decoder::Ended, endian: recording.endian, carried: Vec::new(), problem: None };
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
                return None;
            }
            let whole = whole_records(&piece, self.endian);
            self.carried = piece.split_off(whole);
            if !piece.is_empty() {
                return Some(piece);
            }
        }
    }

    fn fill(&mut self, piece: &mut Vec<u8>) {
        let target = piece.len() + PIECE;
        while piece.len() < target {
            let Decoder::Running(decoder) = &mut self.decoder else { return };
            let at = piece.len();
            piece.resize(target, 0);
            match decoder.read(&mut piece[at..]) {
                Ok(n) if n > 0 => piece.truncate(at + n),
                Ok(_) => {
                    piece.truncate(at);
                    match std::mem::replace(&mut self.decoder, Decoder::Ended) {
                        Decoder::Running(decoder) => self.start(decoder.into_inner()),
                        Decoder::Ended => return,
                    }
                }
                Err(e) => {
                    piece.truncate(at);
                    self.problem = Some(e.to_string());
                    self.decoder = Decoder::Ended;
                }
            }
        }
    }
}

/// How many bytes at the front of `data` are whole records.
fn whole_records(data: &[u8], endian: Endian) -> usize {
    let mut at = 0;
    while let Some(header) = data.get(at..at + 8) {
        let size = usize::from(endian.u16([header[6], header[7]]));
        if size < 8 {
            return data.len();
        }
        if at + size > data.len() {
            break;
        }
        at += size;
    }
    at
}
