//! Formats of tracepoints: every field lies in the raw bytes of a sample, and is found by its name.

use lockblame::perf::bytes::Endian;
use lockblame::perf::tracing::{Formats, Storage};

/// So many bytes at the end of the input are a sample's own.
const RAW: usize = 64;

pub fn check(bytes: &[u8]) {
    let formats = super::within(bytes, || Formats::read(bytes));
    let raw = &bytes[bytes.len().saturating_sub(RAW)..];
    for tracepoint in formats.iter() {
        let found = formats.by_id(tracepoint.id).unwrap_or_else(|| panic!("{} is lost", tracepoint.id));
        assert_eq!(found.id, tracepoint.id);
        assert!(tracepoint.full_name().starts_with(&tracepoint.system));
        for field in &tracepoint.fields {
            let named = tracepoint.field(&field.name).unwrap_or_else(|| panic!("{} is lost", field.name));
            assert_eq!(named.name, field.name);
            for endian in [Endian::Little, Endian::Big] {
                let Some(own) = field.bytes(raw, endian) else { continue };
                assert!(
                    raw.as_ptr_range().start <= own.as_ptr()
                        && own.as_ptr_range().end <= raw.as_ptr_range().end
                );
                if matches!(field.storage, Storage::Inline) {
                    assert_eq!(own, &raw[field.offset..field.offset + field.size]);
                }
                let (unsigned, signed) = (field.unsigned(raw, endian), field.signed(raw, endian));
                // A number without sign may be too large for one with it.
                assert!(signed.is_none() || unsigned.is_some());
                if let (Some(unsigned), None) = (unsigned, signed) {
                    assert!(i64::try_from(unsigned).is_err());
                }
                if let Some(text) = field.text(raw, endian) {
                    assert!(own.starts_with(text) && !text.contains(&0));
                }
            }
        }
    }
}
