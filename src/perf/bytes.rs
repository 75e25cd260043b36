//! A cursor over bytes of either byte order that answers `None` past the end instead of panicking.

/// The byte order of the machine that recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Endian {
    /// Least significant byte first.
    Little,
    /// Most significant byte first.
    Big,
}

impl Endian {
    /// The number in these eight bytes.
    #[inline]
    pub fn u64(self, bytes: [u8; 8]) -> u64 {
        match self {
            Endian::Little => u64::from_le_bytes(bytes),
            Endian::Big => u64::from_be_bytes(bytes),
        }
    }

    /// The number in these four bytes.
    #[inline]
    pub fn u32(self, bytes: [u8; 4]) -> u32 {
        match self {
            Endian::Little => u32::from_le_bytes(bytes),
            Endian::Big => u32::from_be_bytes(bytes),
        }
    }

    /// The number in these two bytes.
    #[inline]
    pub fn u16(self, bytes: [u8; 2]) -> u16 {
        match self {
            Endian::Little => u16::from_le_bytes(bytes),
            Endian::Big => u16::from_be_bytes(bytes),
        }
    }
}

/// A position in a slice.
#[derive(Debug, Clone, Copy)]
pub struct Bytes<'a> {
    rest: &'a [u8],
    endian: Endian,
}

impl<'a> Bytes<'a> {
    /// Starts at the front of `data`.
    #[inline]
    pub fn new(data: &'a [u8], endian: Endian) -> Self {
        Self { rest: data, endian }
    }

    /// What has not been read.
    #[inline]
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// The byte order.
    #[inline]
    pub fn endian(&self) -> Endian {
        self.endian
    }

    /// The next `n` bytes.
    #[inline]
    pub fn take(&mut self, n: usize) -> Option<&'a [u8]> {
        let (head, tail) = self.rest.split_at_checked(n)?;
        self.rest = tail;
        Some(head)
    }

    /// The next `n` items of `size` bytes; `None` also where the product does not fit.
    #[inline]
    pub fn take_items(&mut self, n: u64, size: usize) -> Option<&'a [u8]> {
        self.take(usize::try_from(n).ok()?.checked_mul(size)?)
    }

    #[inline]
    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (head, tail) = self.rest.split_first_chunk::<N>()?;
        self.rest = tail;
        Some(*head)
    }

    /// The next number of 64 bits.
    #[inline]
    pub fn u64(&mut self) -> Option<u64> {
        self.array().map(|b| self.endian.u64(b))
    }

    /// The next number of 32 bits.
    #[inline]
    pub fn u32(&mut self) -> Option<u32> {
        self.array().map(|b| self.endian.u32(b))
    }

    /// The next number of 16 bits.
    #[inline]
    pub fn u16(&mut self) -> Option<u16> {
        self.array().map(|b| self.endian.u16(b))
    }

    /// A string of the rest, up to its first zero byte or the end.
    pub fn c_string(&mut self) -> &'a [u8] {
        let end = self.rest.iter().position(|&b| b == 0).unwrap_or(self.rest.len());
        let (text, tail) = self.rest.split_at(end);
        self.rest = tail.get(1..).unwrap_or_default();
        text
    }

    /// A string of the rest, up to its zero byte; `None` where there is none.
    pub fn terminated(&mut self) -> Option<&'a [u8]> {
        let end = self.rest.iter().position(|&b| b == 0)?;
        let text = self.take(end)?;
        self.take(1)?;
        Some(text)
    }

    /// Bytes with their number in front.
    pub fn sized(&mut self) -> Option<&'a [u8]> {
        let length = self.u32()?;
        self.take(length as usize)
    }

    /// A string with its length in front, as the header's sections write it.
    pub fn sized_string(&mut self) -> Option<&'a [u8]> {
        let text = self.sized()?;
        let end = text.iter().position(|&b| b == 0).unwrap_or(text.len());
        Some(&text[..end])
    }
}

/// The numbers of 64 bits in a slice whose length is a multiple of eight; a tail that is not is left out.
#[inline]
pub fn words(data: &[u8], endian: Endian) -> impl DoubleEndedIterator<Item = u64> + ExactSizeIterator + '_ {
    data.as_chunks::<8>().0.iter().map(move |chunk| endian.u64(*chunk))
}

/// Text from a recording: whatever is not UTF-8 is replaced, for names may be anything.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
