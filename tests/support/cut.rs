//! The beginning of a real recording as a small one of its own: header, first records, features.

use super::perfdata::HeaderField;

const HEADER: usize = 104;
/// A longer feature (names of all processors, caches, topology) is left out.
const LONGEST_FEATURE: usize = 2048;

/// A little-endian recording in a file, with about `room` bytes of its records.
pub fn cut(bytes: &[u8], room: usize) -> Vec<u8> {
    let word = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
    let header = |field: HeaderField| word(field as usize) as usize;
    let (data, size) = (header(HeaderField::DataOffset), header(HeaderField::DataSize));
    let mut end = data;
    while end < data + size {
        let record = usize::from(u16::from_le_bytes([bytes[end + 6], bytes[end + 7]]));
        if end + record - data > room {
            break;
        }
        end += record;
    }
    let bits = |word: u64| (0..64).filter(move |bit| word >> bit & 1 == 1);
    let numbers =
        (0..4).flat_map(|n| bits(word(HeaderField::Features as usize + 8 * n)).map(move |b| 64 * n + b));
    let table = data + size;
    let sections = numbers.enumerate().map(|(place, number)| {
        let (at, size) = (word(table + 16 * place) as usize, word(table + 16 * place + 8) as usize);
        (number, &bytes[at..at + size])
    });
    let kept: Vec<(usize, &[u8])> =
        sections.filter(|(_, section)| section.len() <= LONGEST_FEATURE).collect();
    let mut out = bytes[..end].to_vec();
    let mut set = |at: usize, value: usize| out[at..at + 8].copy_from_slice(&(value as u64).to_le_bytes());
    set(HeaderField::DataSize as usize, end - data);
    let mut words = [0_usize; 4];
    kept.iter().for_each(|(number, _)| words[number / 64] |= 1 << (number % 64));
    words.iter().enumerate().for_each(|(n, &word)| set(HEADER - 32 + 8 * n, word));
    let mut at = end + 16 * kept.len();
    for (_, section) in &kept {
        out.extend((at as u64).to_le_bytes());
        out.extend((section.len() as u64).to_le_bytes());
        at += section.len();
    }
    kept.iter().for_each(|(_, section)| out.extend(*section));
    out
}
