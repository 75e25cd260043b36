//! A structure of the ABI as a list of fields, whose bytes depend on the byte order.

/// The byte order of the machine that records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Least significant byte first, as on x86 and arm64.
    #[default]
    Little,
    /// Most significant byte first, as on s390 and old powerpc.
    Big,
}

impl Order {
    /// The eight bytes of `value`.
    pub fn u64(self, value: u64) -> [u8; 8] {
        match self {
            Self::Little => value.to_le_bytes(),
            Self::Big => value.to_be_bytes(),
        }
    }

    /// The value of eight bytes.
    pub fn read_u64(self, bytes: [u8; 8]) -> u64 {
        match self {
            Self::Little => u64::from_le_bytes(bytes),
            Self::Big => u64::from_be_bytes(bytes),
        }
    }
}

#[derive(Clone, Debug)]
enum Field {
    U16(u16),
    U32(u32),
    U64(u64),
    /// C bit-fields inside a u64: values with their widths, in the order of their declaration.
    Bits(Vec<(u64, u32)>),
    Bytes(Vec<u8>),
    /// Other fields, cut or filled with zeros to this many bytes.
    Sized(Fields, usize),
}

/// Fields one behind the other, without gaps.
#[derive(Clone, Debug, Default)]
pub struct Fields(Vec<Field>);

impl Fields {
    /// No field.
    pub fn new() -> Self {
        Self::default()
    }

    fn with(mut self, field: Field) -> Self {
        self.0.push(field);
        self
    }

    /// Adds a 16-bit number.
    pub fn u16(self, value: u16) -> Self {
        self.with(Field::U16(value))
    }

    /// Adds a 32-bit number.
    pub fn u32(self, value: u32) -> Self {
        self.with(Field::U32(value))
    }

    /// Adds a 64-bit number.
    pub fn u64(self, value: u64) -> Self {
        self.with(Field::U64(value))
    }

    /// Adds 64-bit numbers.
    pub fn u64s(self, values: &[u64]) -> Self {
        values.iter().fold(self, |fields, &value| fields.u64(value))
    }

    /// Adds C bit-fields that fill one u64 together. Compilers lay them out from the least significant
    /// bit on little-endian machines and from the most significant bit on big-endian ones.
    pub fn bits(self, fields: &[(u64, u32)]) -> Self {
        assert_eq!(fields.iter().map(|&(_, width)| width).sum::<u32>(), 64, "bit-fields fill 64 bits");
        self.with(Field::Bits(fields.to_vec()))
    }

    /// Adds bytes as they are.
    pub fn bytes(self, bytes: &[u8]) -> Self {
        self.with(Field::Bytes(bytes.to_vec()))
    }

    /// Adds a string as the kernel writes names: a NUL, then zeros up to a multiple of 8 bytes.
    pub fn text(self, text: impl AsRef<[u8]>) -> Self {
        let padded = (text.as_ref().len() + 1).next_multiple_of(8);
        self.sized(Self::new().bytes(text.as_ref()), padded)
    }

    /// Adds other fields, cut or filled with zeros to `size` bytes.
    pub fn sized(self, fields: Self, size: usize) -> Self {
        self.with(Field::Sized(fields, size))
    }

    /// Adds all fields of `other`.
    pub fn then(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    /// The number of bytes, which no byte order changes.
    pub fn len(&self) -> usize {
        let size = |field: &Field| match field {
            Field::U16(_) => 2,
            Field::U32(_) => 4,
            Field::U64(_) | Field::Bits(_) => 8,
            Field::Bytes(bytes) => bytes.len(),
            Field::Sized(_, size) => *size,
        };
        self.0.iter().map(size).sum()
    }

    /// The bytes in this byte order.
    pub fn encode(&self, order: Order) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.len());
        for field in &self.0 {
            match (field, order) {
                (Field::U16(value), Order::Little) => out.extend(value.to_le_bytes()),
                (Field::U16(value), Order::Big) => out.extend(value.to_be_bytes()),
                (Field::U32(value), Order::Little) => out.extend(value.to_le_bytes()),
                (Field::U32(value), Order::Big) => out.extend(value.to_be_bytes()),
                (Field::U64(value), _) => out.extend(order.u64(*value)),
                (Field::Bits(bits), _) => out.extend(order.u64(pack(bits, order))),
                (Field::Bytes(bytes), _) => out.extend(bytes),
                (Field::Sized(fields, size), _) => {
                    let mut bytes = fields.encode(order);
                    bytes.resize(*size, 0);
                    out.extend(bytes);
                }
            }
        }
        out
    }
}

fn pack(bits: &[(u64, u32)], order: Order) -> u64 {
    let mut word = 0;
    let mut used = 0;
    for &(value, width) in bits {
        assert!(width == 64 || value >> width == 0, "{value} needs more than {width} bits");
        let shift = match order {
            Order::Little => used,
            Order::Big => 64 - used - width,
        };
        word |= value << shift;
        used += width;
    }
    word
}
