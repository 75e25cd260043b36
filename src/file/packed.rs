//! Whole files that gzip, xz, zstd or bzip2 packed, told by their first bytes.

use std::io::{self, Read};

use super::FileBytes;
use super::spool::Spool;

/// So much of a packed file is enough for its first bytes.
pub(super) const HEAD: u64 = 1 << 20;

/// What comes out of a packed file is at most so many times its size, and this many bytes more: a recording that packs
/// better is made up, and would fill the disk.
const MOST_TIMES: u64 = 1000;
const MOST_MORE: u64 = 16 << 20;

/// The most memory, in KiB, that a file may ask of its unpacker: twice what `xz -9` does.
const MOST_MEMORY_KIB: u32 = 128 << 10;

/// What packed a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Packing {
    Gzip,
    Xz,
    Zstd,
    Bzip2,
}

const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// Whether bytes begin as a frame of zstd does.
pub fn is_zstd(bytes: &[u8]) -> bool {
    bytes.starts_with(&ZSTD)
}

impl Packing {
    /// What the first bytes say.
    pub(super) fn of(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0x1f, 0x8b, 8, ..] => Some(Packing::Gzip),
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Some(Packing::Xz),
            [b'B', b'Z', b'h', b'1'..=b'9', 0x31, 0x41, 0x59, 0x26, 0x53, 0x59, ..] => Some(Packing::Bzip2),
            _ if is_zstd(bytes) => Some(Packing::Zstd),
            _ => None,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Packing::Gzip => "gzip",
            Packing::Xz => "xz",
            Packing::Zstd => "zstd",
            Packing::Bzip2 => "bzip2",
        }
    }

    fn stream(self, bytes: &[u8]) -> io::Result<Stream<'_>> {
        Ok(match self {
            Packing::Gzip => Stream::Gzip(flate2::bufread::GzDecoder::new(bytes)),
            Packing::Xz => {
                Stream::Xz(Box::new(lzma_rust2::XzReader::new_mem_limit(bytes, false, MOST_MEMORY_KIB)))
            }
            Packing::Zstd => Stream::Zstd(zstd_frame(bytes)?),
            Packing::Bzip2 => Stream::Bzip2(bzip2::bufread::BzDecoder::new(bytes)),
        })
    }
}

/// The streams of a packed file, one behind the other. What stands behind them and begins none is no part of it, as the
/// tools take it.
struct Streams<'a> {
    packing: Packing,
    rest: &'a [u8],
    stream: Option<Stream<'a>>,
}

/// A stream that is being unpacked.
enum Stream<'a> {
    Gzip(flate2::bufread::GzDecoder<&'a [u8]>),
    Xz(Box<lzma_rust2::XzReader<&'a [u8]>>),
    Zstd(Frame<'a>),
    Bzip2(bzip2::bufread::BzDecoder<&'a [u8]>),
}

impl<'a> Stream<'a> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match self {
            Stream::Gzip(decoder) => decoder.read(out),
            Stream::Xz(decoder) => decoder.read(out),
            Stream::Zstd(frame) => frame.read(out),
            Stream::Bzip2(decoder) => decoder.read(out),
        }
    }

    /// What stands behind a stream that has ended.
    fn rest(&self) -> &'a [u8] {
        match self {
            Stream::Gzip(decoder) => decoder.get_ref(),
            Stream::Xz(decoder) => decoder.inner(),
            Stream::Zstd(frame) => frame.rest,
            Stream::Bzip2(decoder) => decoder.get_ref(),
        }
    }
}

impl<'a> Streams<'a> {
    fn new(packing: Packing, bytes: &'a [u8]) -> Self {
        Self { packing, rest: bytes, stream: None }
    }
}

impl Read for Streams<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while !out.is_empty() {
            if let Some(stream) = &mut self.stream {
                let n = stream.read(out)?;
                if n > 0 {
                    return Ok(n);
                }
                self.rest = stream.rest();
                self.stream = None;
            }
            // Zeros fill up between streams of xz.
            let zeros = self.rest.iter().take_while(|&&byte| byte == 0).count();
            let next = match self.packing {
                Packing::Xz => &self.rest[zeros..],
                Packing::Zstd => skippable(self.rest).unwrap_or(self.rest),
                _ => self.rest,
            };
            if Packing::of(next) == Some(self.packing) {
                self.stream = Some(self.packing.stream(next)?);
            } else if self.packing == Packing::Zstd && next.len() < self.rest.len() {
                self.rest = next;
            } else {
                break;
            }
        }
        Ok(0)
    }
}

/// What comes out of `bytes`. Where they end early or are damaged, it is what comes before that: of xz the chunks that are
/// whole, of 2 MiB at most.
pub(super) fn unpack(bytes: &FileBytes, packing: Packing) -> io::Result<FileBytes> {
    let most = MOST_MORE.saturating_add(MOST_TIMES.saturating_mul(bytes.len() as u64));
    let mut reader = Streams::new(packing, bytes);
    let mut spool = Spool::default();
    let mut piece = vec![0; 1 << 16];
    let cut = loop {
        match reader.read(&mut piece) {
            Ok(0) => break None,
            Ok(n) => spool.take(&piece[..n])?,
            Err(e) => break Some(format!("unpacking the {} file stopped: {e}", packing.word())),
        }
        if spool.length() > most {
            break Some(format!(
                "unpacking the {} file stopped at {MOST_TIMES} times its size",
                packing.word()
            ));
        }
    };
    Ok(FileBytes { cut, ..spool.finish()? })
}

/// The first `n` bytes that come out of `bytes`, the front of a packed file.
pub(super) fn head(bytes: &[u8], packing: Packing, n: usize) -> Vec<u8> {
    let mut head = Vec::new();
    // What comes before an error is good.
    let _ = Streams::new(packing, bytes).take(n as u64).read_to_end(&mut head);
    head
}

/// A frame of zstd. The decoder holds a window of what it has back until the frame ends, so that of a frame that is cut it
/// would give nothing of the last megabytes: it is given an end behind the last whole block.
struct Frame<'a> {
    decoder: Box<ruzstd::decoding::StreamingDecoder<Bytes<'a>, ruzstd::decoding::FrameDecoder>>,
    is_whole: bool,
    /// What stands behind it.
    rest: &'a [u8],
}

type Bytes<'a> = io::Chain<&'a [u8], &'static [u8]>;

/// A last block without content, and room for a checksum.
pub const END_OF_FRAME: &[u8] = &[1, 0, 0, 0, 0, 0, 0];

fn zstd_frame(bytes: &[u8]) -> io::Result<Frame<'_>> {
    let (length, end, is_whole): (usize, &'static [u8], bool) = match extent(bytes) {
        Some(Extent::Whole(length)) => (length, &[], true),
        Some(Extent::Cut(length)) if length > 0 => (length, END_OF_FRAME, false),
        _ => return Err(cut_frame()),
    };
    let (frame, rest) = bytes.split_at(length);
    let decoder = ruzstd::decoding::StreamingDecoder::new(frame.chain(end)).map_err(|_| damaged_frame())?;
    Ok(Frame { decoder: Box::new(decoder), is_whole, rest })
}

fn cut_frame() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "the file ends inside a frame")
}

fn damaged_frame() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "a frame is damaged")
}

impl Frame<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match self.decoder.read(out) {
            Ok(0) if !self.is_whole => Err(cut_frame()),
            Ok(n) => Ok(n),
            Err(_) => Err(damaged_frame()),
        }
    }
}

/// How far a frame reaches.
enum Extent {
    /// To its own end.
    Whole(usize),
    /// It is cut; its whole blocks reach so far.
    Cut(usize),
}

/// How far the frame at the front of `bytes` reaches, by the headers of its blocks (RFC 8878, 3.1.1). `None` where no frame
/// begins there.
fn extent(bytes: &[u8]) -> Option<Extent> {
    let &descriptor = bytes.get(4).filter(|_| is_zstd(bytes))?;
    let single_segment = descriptor >> 5 & 1;
    let dictionary = [0, 1, 2, 4][usize::from(descriptor & 3)];
    let content_size = match descriptor >> 6 {
        0 => usize::from(single_segment),
        log => 1 << log,
    };
    let mut at = 4 + 1 + usize::from(single_segment == 0) + dictionary + content_size;
    let first = at;
    while let Some(&[a, b, c]) = bytes.get(at..at + 3) {
        let header = u32::from_le_bytes([a, b, c, 0]);
        let stored = match header >> 1 & 3 {
            // One byte, repeated.
            1 => 1,
            _ => (header >> 3) as usize,
        };
        let end = at + 3 + stored;
        if end > bytes.len() {
            break;
        }
        at = end;
        if header & 1 == 1 {
            let checksum = if descriptor >> 2 & 1 == 1 { 4 } else { 0 };
            return Some(Extent::Whole((at + checksum).min(bytes.len())));
        }
    }
    Some(Extent::Cut(if at > first { at } else { 0 }))
}

/// What stands behind a frame that holds no data (RFC 8878, 3.1.2).
fn skippable(bytes: &[u8]) -> Option<&[u8]> {
    let (&[kind, 0x2a, 0x4d, 0x18], rest) = bytes.split_first_chunk::<4>()? else { return None };
    let (size, rest) = rest.split_first_chunk::<4>()?;
    (kind & 0xf0 == 0x50).then(|| rest.get(u32::from_le_bytes(*size) as usize..).unwrap_or_default())
}
