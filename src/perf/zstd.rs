//! What comes out of compressed records, in pieces of whole records.

use std::io::Read;
use std::ops::Range;

use ruzstd::decoding::{FrameDecoder, StreamingDecoder};

use super::recording::Recording;
use super::resync::{Found, Sift};
use crate::file::{END_OF_FRAME, FileBytes, is_zstd};

/// What is decompressed at once.
const PIECE: usize = 4 << 20;
/// So many bytes behind a bad record are enough to see whether records go on.
const ENOUGH: usize = 256 << 10;
/// What comes out is at most so many times what goes in, and this many bytes more: no recording packs better.
const MOST_TIMES: u64 = 1000;
const MOST_MORE: u64 = 16 << 20;

/// The decoder's own words are about its insides.
const DAMAGED: &str = "the compressed data are damaged";

/// The compressed bytes of one record.
#[derive(Debug, Clone)]
pub(super) struct Payload {
    pub(super) file: usize,
    pub(super) range: Range<usize>,
}

/// What could not be decompressed, or is no record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Which file of the recording.
    pub file: usize,
    /// The offset in it of the compressed bytes that were read when it showed first.
    pub offset: usize,
    /// What it was.
    pub text: String,
}

/// The payloads of each stream: a recorder's threads compress apart from each other, each into its own file.
pub(super) fn streams(payloads: &[Payload]) -> impl Iterator<Item = &[Payload]> {
    payloads.chunk_by(|a, b| a.file == b.file)
}

/// The payloads of a stream, read as one, and the end that the recorder did not write: it flushes its frame and never
/// ends it, and the decoder holds back a window of what it has until the end.
struct Payloads<'a> {
    files: &'a [FileBytes],
    waiting: std::slice::Iter<'a, Payload>,
    /// Where the payload stands that is read.
    place: (usize, usize),
    /// The payload that is read, all of it.
    whole: &'a [u8],
    current: &'a [u8],
    end: &'static [u8],
}

impl Payloads<'_> {
    fn is_read(&self) -> bool {
        self.current.is_empty() && self.waiting.len() == 0
    }

    fn advance(&mut self) -> Option<()> {
        let payload = self.waiting.next()?;
        self.current = self.files[payload.file].get(payload.range.clone()).unwrap_or_default();
        self.whole = self.current;
        self.place = (payload.file, payload.range.start);
        Some(())
    }

    /// Goes to the next payload that begins a frame, behind the frame that began at `begun`: a frame that is cut shows in
    /// the payload of the next.
    fn skip_to_frame(&mut self, begun: (usize, usize)) -> Option<()> {
        self.end = END_OF_FRAME;
        if self.place != begun && is_zstd(self.whole) {
            self.current = self.whole;
            return Some(());
        }
        self.advance()?;
        while !is_zstd(self.current) {
            self.advance()?;
        }
        Some(())
    }
}

impl Read for Payloads<'_> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        while self.current.is_empty() {
            if self.advance().is_none() {
                return self.end.read(out);
            }
        }
        self.current.read(out)
    }
}

/// The state between two pieces.
enum Decoder<'a> {
    Running(Box<StreamingDecoder<Payloads<'a>, FrameDecoder>>),
    Ended,
}

/// A stream of compressed records.
pub(super) struct Packed<'a> {
    recording: &'a Recording,
    decoder: Decoder<'a>,
    /// What was decompressed and not given out: the front of a record, most often.
    carried: Vec<u8>,
    /// Something was left out, so that `carried` may begin anywhere.
    lost: bool,
    /// Where the frame began that is decoded.
    begun: (usize, usize),
    /// How many bytes may still come.
    room: u64,
    /// What showed first.
    pub(super) problem: Option<Problem>,
}

impl<'a> Packed<'a> {
    /// The stream of these payloads.
    pub(super) fn new(recording: &'a Recording, payloads: &'a [Payload]) -> Self {
        let place = payloads.first().map_or((0, 0), |payload| (payload.file, payload.range.start));
        let files = &recording.files;
        let source =
            Payloads { files, waiting: payloads.iter(), place, whole: &[], current: &[], end: END_OF_FRAME };
        let packed: u64 = payloads.iter().map(|payload| payload.range.len() as u64).sum();
        let room = MOST_MORE.saturating_add(packed.saturating_mul(MOST_TIMES));
        let mut new = Self {
            recording,
            decoder: Decoder::Ended,
            carried: Vec::new(),
            lost: false,
            begun: place,
            room,
            problem: None,
        };
        new.start(source);
        new
    }

    /// Starts on the next frame that there is.
    fn start(&mut self, mut source: Payloads<'a>) {
        self.decoder = Decoder::Ended;
        while !source.is_read() {
            if source.current.is_empty() {
                source.advance();
                continue;
            }
            let place = source.place;
            self.begun = place;
            // The decoder keeps the source where it refuses a frame.
            let mut behind = Payloads { waiting: source.waiting.clone(), ..source };
            match StreamingDecoder::new(source) {
                Ok(decoder) => {
                    self.decoder = Decoder::Running(Box::new(decoder));
                    return;
                }
                Err(_) => self.note(place, DAMAGED.to_owned()),
            }
            self.lost = true;
            if behind.skip_to_frame(place).is_none() {
                return;
            }
            source = behind;
        }
    }

    fn note(&mut self, (file, offset): (usize, usize), text: String) {
        self.problem.get_or_insert(Problem { file, offset, text });
    }

    fn place(&self) -> (usize, usize) {
        match &self.decoder {
            Decoder::Running(decoder) => decoder.get_ref().place,
            Decoder::Ended => self.problem.as_ref().map_or((0, 0), |problem| (problem.file, problem.offset)),
        }
    }

    /// The next whole records.
    pub(super) fn next_piece(&mut self) -> Option<Vec<u8>> {
        loop {
            let mut piece = std::mem::take(&mut self.carried);
            let had = piece.len();
            let place = self.place();
            let is_lost = std::mem::take(&mut self.lost);
            self.fill(&mut piece);
            let is_last = piece.len() == had && matches!(self.decoder, Decoder::Ended);
            if is_last && had == 0 {
                return None;
            }
            let piece = self.records(piece, place, is_lost, is_last);
            if !piece.is_empty() {
                return Some(piece);
            }
        }
    }

    /// The records of `piece`, and nothing else; the front of a record whose rest is still to come is carried.
    fn records(
        &mut self,
        mut piece: Vec<u8>,
        place: (usize, usize),
        is_lost: bool,
        is_last: bool,
    ) -> Vec<u8> {
        let judge = self.recording.judge();
        let mut sift = if is_lost { Sift::lost(judge, &piece, 0) } else { Sift::new(judge, &piece, 0) };
        let mut good: Vec<Range<usize>> = std::iter::once(sift.offset()..sift.offset()).collect();
        let mut carried = piece.len();
        let mut problem = None;
        while let Some(found) = sift.next() {
            match found {
                Found::Record(_) => {
                    if let Some(last) = good.last_mut() {
                        last.end = sift.offset();
                    }
                }
                Found::Gap(place, _) if !is_last && piece.len() - place.start < ENOUGH => {
                    carried = place.start;
                    break;
                }
                Found::Gap(place, bad) => {
                    let text = match place.end == piece.len() {
                        true => format!("it ends {} bytes into a record", place.len()),
                        false => format!("a record claims {} bytes", bad.size),
                    };
                    problem.get_or_insert(text);
                    good.push(place.end..place.end);
                }
            }
        }
        self.carried = piece.split_off(carried);
        if let Some(text) = problem {
            self.note(place, text);
        }
        good.retain(|range| !range.is_empty());
        match good.as_slice() {
            [whole] if whole.start == 0 => {
                piece.truncate(whole.end);
                piece
            }
            parts => parts.iter().flat_map(|range| &piece[range.clone()]).copied().collect(),
        }
    }

    fn fill(&mut self, piece: &mut Vec<u8>) {
        let target = piece.len() + PIECE;
        while let Decoder::Running(decoder) = &mut self.decoder
            && piece.len() < target
        {
            let before = piece.len();
            let read = decoder.by_ref().take((target - piece.len()) as u64).read_to_end(piece);
            self.room = self.room.saturating_sub((piece.len() - before) as u64);
            let place = decoder.get_ref().place;
            if self.room == 0 {
                let text = format!("more than {MOST_TIMES} times its size comes out");
                self.problem = Some(Problem { file: place.0, offset: place.1, text });
                self.decoder = Decoder::Ended;
                return;
            }
            let ended = read.is_err() || piece.len() < target;
            if !ended {
                return;
            }
            let Decoder::Running(ended) = std::mem::replace(&mut self.decoder, Decoder::Ended) else {
                return;
            };
            let mut source = ended.into_inner();
            match read {
                Ok(_) => self.start(source),
                Err(_) => {
                    self.note(place, DAMAGED.to_owned());
                    // What came before is whole; what comes next may begin inside a record.
                    self.lost = true;
                    if source.skip_to_frame(self.begun).is_some() {
                        self.start(source);
                    }
                    return;
                }
            }
        }
    }
}
