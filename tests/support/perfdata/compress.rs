//! Packs records into COMPRESSED records, as `perf record -z` does (zstd, RFC 8878).

use super::fields::{Fields, Order};
use super::record::kind;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

/// How the zstd stream is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// One frame that is never ended, a flushed block in each record: as perf does.
    OneOpenFrame,
    /// A frame of its own in each record.
    FramePerRecord,
}

/// What is compressed, and how.
#[derive(Clone, Copy, Debug)]
pub struct Compression {
    /// So many bytes of records go into one COMPRESSED record, wherever that cuts a record in two.
    pub(super) chunk: usize,
    framing: Framing,
    kind: u32,
}

impl Compression {
    /// COMPRESSED records of `chunk` bytes before compression, in one open frame.
    pub fn chunks_of(chunk: usize) -> Self {
        assert!((1..60_000).contains(&chunk), "a compressed record holds at most 65535 bytes");
        Self { chunk, framing: Framing::OneOpenFrame, kind: kind::COMPRESSED }
    }

    /// Chooses how the zstd stream is cut.
    pub fn framing(mut self, framing: Framing) -> Self {
        self.framing = framing;
        self
    }

    /// Writes COMPRESSED2 (83), whose data tell their own size and are padded to 8 bytes.
    pub fn as_compressed2(mut self) -> Self {
        self.kind = kind::COMPRESSED2;
        self
    }

    /// Packs the kernel's records; those of perf itself stay as they are, where they are.
    pub(super) fn pack(self, records: &[(u32, Vec<u8>)], order: Order) -> Vec<Vec<u8>> {
        let mut packed: Vec<Vec<u8>> = Vec::new();
        let mut waiting = Vec::new();
        let mut stream = Stream::Begin;
        for (kind, bytes) in records {
            if *kind < kind::HEADER_ATTR {
                waiting.extend(bytes);
            } else {
                packed.extend(self.flush(&mut waiting, &mut stream, order));
                packed.push(bytes.clone());
            }
        }
        packed.extend(self.flush(&mut waiting, &mut stream, order));
        packed
    }

    fn flush(self, waiting: &mut Vec<u8>, stream: &mut Stream, order: Order) -> Vec<Vec<u8>> {
        let records = waiting.chunks(self.chunk).map(|chunk| {
            let frame = compress_to_vec(chunk, CompressionLevel::Fastest);
            let data = match self.framing {
                Framing::FramePerRecord => frame,
                Framing::OneOpenFrame => stream.append(&frame),
            };
            self.record(&data).encode(order)
        });
        let records = records.collect();
        waiting.clear();
        records
    }

    fn record(self, data: &[u8]) -> Fields {
        let body = if self.kind == kind::COMPRESSED2 {
            let padded = data.len().next_multiple_of(8);
            Fields::new().u64(data.len() as u64).sized(Fields::new().bytes(data), padded)
        } else {
            Fields::new().bytes(data)
        };
        let size = u16::try_from(8 + body.len()).expect("chunks are small enough");
        Fields::new().u32(self.kind).u16(0).u16(size).then(body)
    }
}

/// Whether the open frame has its header yet.
enum Stream {
    Begin,
    Running,
}

impl Stream {
    /// The blocks of a whole frame, continued in the open frame: none of them is the last.
    ///
    /// The blocks of a fresh frame refer to nothing before them, so they may stand behind any others.
    fn append(&mut self, frame: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        if let Self::Begin = self {
            // Magic, a descriptor without content size or checksum, a window of 2 MiB.
            out.extend([0x28, 0xb5, 0x2f, 0xfd, 0x00, (21 - 10) << 3]);
            *self = Self::Running;
        }
        let mut at = header_len(frame);
        loop {
            let header = u32::from_le_bytes([frame[at], frame[at + 1], frame[at + 2], 0]);
            let (last, block_type, size) = (header & 1, header >> 1 & 3, (header >> 3) as usize);
            let stored = if block_type == 1 { 1 } else { size };
            out.extend(&(header & !1).to_le_bytes()[..3]);
            out.extend(&frame[at + 3..at + 3 + stored]);
            at += 3 + stored;
            if last == 1 {
                return out;
            }
        }
    }
}

/// The length of a frame's header: magic, descriptor, window, dictionary id, content size.
fn header_len(frame: &[u8]) -> usize {
    let descriptor = frame[4];
    let single_segment = descriptor >> 5 & 1;
    let window = usize::from(single_segment == 0);
    let dictionary = [0, 1, 2, 4][usize::from(descriptor & 3)];
    let content_size = match descriptor >> 6 {
        0 => usize::from(single_segment),
        log => 1 << log,
    };
    4 + 1 + window + dictionary + content_size
}
