//! Damage without chance: every prefix in steps, every bit of what says where things are, and 20,000 seeded mutations
//! of the records.

use std::ops::Range;
use std::path::Path;

use super::fuzz::heap::alone;
use super::support::cut::cut;
use super::support::perfdata::{HeaderField, Image, kind};
use super::support::written::{every_way, rich};
use super::survive;

const HEADER: usize = 104;
const PIPE_HEADER: usize = 16;

/// The first records of a real recording.
fn real() -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/control/perf.data");
    cut(&std::fs::read(path).expect("it can be read"), 12_000)
}

/// The place of the records, as the header of a little-endian file has it.
fn data_of(bytes: &[u8]) -> Range<usize> {
    let word = |field: HeaderField| {
        let at = field as usize;
        u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes")) as usize
    };
    let start = word(HeaderField::DataOffset);
    start..start + word(HeaderField::DataSize)
}

/// The place of what the kernel wrote: behind the attributes, before the features.
fn records_of(image: &Image) -> Range<usize> {
    let is_own = |at: usize| {
        let four: [u8; 4] = image.bytes[at..at + 4].try_into().expect("four bytes");
        let kinds = [u32::from_le_bytes(four), u32::from_be_bytes(four)];
        kinds.contains(&kind::HEADER_ATTR) || kinds.contains(&kind::HEADER_FEATURE)
    };
    let first = image.record_offsets().iter().copied().find(|&at| !is_own(at)).expect("there are records");
    let end = match image.header(HeaderField::Size) as usize {
        PIPE_HEADER => image.bytes.len(),
        _ if image.header(HeaderField::DataSize) == 0 => image.bytes.len(),
        _ => (image.header(HeaderField::DataOffset) + image.header(HeaderField::DataSize)) as usize,
    };
    first..end
}

#[test]
fn every_seventh_prefix_is_survived() {
    let _alone = alone();
    let images = every_way().into_iter().map(|(_, image)| image.bytes);
    for bytes in images.chain([real()]) {
        for end in (0..bytes.len()).step_by(7).chain(0..HEADER + 26) {
            survive(&bytes[..end]);
        }
    }
}

/// Header, attributes and table of features of a file; all that stands before the kernel's records in a pipe.
#[test]
fn every_bit_that_says_where_things_are_may_flip() {
    let _alone = alone();
    for (name, image) in every_way() {
        let records = records_of(&image);
        let table = table_of_features(&image, records.end).unwrap_or_default();
        assert!(records.start + table.len() >= HEADER, "{name}: {records:?}");
        flip_every_bit(&image.bytes, (0..records.start).chain(table));
    }
    let real = real();
    let data = data_of(&real);
    let features: u32 =
        real[HeaderField::Features as usize..HEADER].iter().map(|byte| byte.count_ones()).sum();
    flip_every_bit(&real, (0..data.start).chain(data.end..data.end + 16 * features as usize));
}

/// The table behind the records: an offset and a size for each bit of the header.
fn table_of_features(image: &Image, at: usize) -> Option<Range<usize>> {
    let is_file = image.header(HeaderField::Size) as usize == HEADER;
    let count = (0..4).map(|n| image.u64_at(HeaderField::Features as usize + 8 * n).count_ones() as usize);
    (is_file && image.header(HeaderField::DataSize) != 0).then(|| at..at + 16 * count.sum::<usize>())
}

fn flip_every_bit(bytes: &[u8], places: impl Iterator<Item = usize>) {
    let mut bytes = bytes.to_vec();
    for at in places {
        for bit in 0..8 {
            bytes[at] ^= 1 << bit;
            survive(&bytes);
            bytes[at] ^= 1 << bit;
        }
    }
}

/// splitmix64 (Steele, Lea and Flood 2014).
pub struct Chance(pub u64);

impl Chance {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }
}

/// Numbers at which sizes and counts go wrong.
const ODD: [u64; 12] = [
    0,
    1,
    7,
    8,
    0xffff,
    0xffff_ffff,
    1 << 32,
    1 << 63,
    u64::MAX,
    u64::MAX / 8 + 1,
    (1 << 48) | 9,
    0x0010_0001_0000_0009,
];

/// One to four changes inside `place`, which keeps its length.
pub fn mutate(bytes: &mut [u8], place: Range<usize>, chance: &mut Chance) {
    let data = &mut bytes[place];
    for _ in 0..=chance.below(4) {
        let at = chance.below(data.len());
        let left = data.len() - at;
        match chance.below(6) {
            0 => data[at] ^= 1 << chance.below(8),
            1 => data[at] = chance.bits() as u8,
            2 => put(data, at & !7, &ODD[chance.below(ODD.len())].to_le_bytes()),
            3 => put(data, at & !7, &chance.bits().to_le_bytes()),
            4 => put(data, at & !1, &(chance.bits() as u16).to_le_bytes()),
            _ => {
                let length = 1 + chance.below(left.min(64));
                let to = chance.below(data.len() - length + 1);
                data.copy_within(at..at + length, to);
            }
        }
    }
}

fn put(data: &mut [u8], at: usize, new: &[u8]) {
    data[at..].iter_mut().zip(new).for_each(|(byte, &new)| *byte = new);
}

/// 20,000 of them over files, pipes, compressed, both byte orders and a real recording, the same each time.
#[test]
fn mutations_of_the_records_are_survived() {
    const MUTATIONS: usize = 20_000;
    let _alone = alone();
    let real = real();
    let data = data_of(&real);
    let mut inputs = vec![(real, data)];
    inputs.extend(every_way().into_iter().map(|(_, image)| {
        let records = records_of(&image);
        (image.bytes, records)
    }));
    let mut chance = Chance(20_260_101);
    for n in 0..MUTATIONS {
        let (bytes, place) = &inputs[n % inputs.len()];
        let mut bytes = bytes.clone();
        mutate(&mut bytes, place.clone(), &mut chance);
        survive(&bytes);
    }
}

/// What the two others build on: the places are those of the records.
#[test]
fn places_are_those_of_the_records() {
    let _alone = alone();
    let image = rich().file();
    assert_eq!(records_of(&image), data_of(&image.bytes));
    let real = real();
    assert!((8_000..32_000).contains(&real.len()) && data_of(&real).len() > 8_000, "{}", real.len());
}
