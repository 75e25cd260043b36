//! The gate: whatever the header claims, what it lets through lies inside the file.

use lockblame::perf::gate::{Layout, inspect};

pub fn check(bytes: &[u8]) {
    match super::within(bytes, || inspect(bytes)) {
        Err(refusal) => super::assert_one_line(&refusal.to_string()),
        Ok(Layout::Pipe { records, .. }) => assert!(records <= bytes.len()),
        Ok(Layout::File(layout)) => {
            let sections: Vec<_> = layout.features.iter().map(|(_, range)| range.clone()).collect();
            let parts = [layout.attrs.clone(), layout.data.clone(), layout.event_types.clone()];
            for range in parts.iter().chain(&sections) {
                assert!(range.start <= range.end && range.end <= bytes.len(), "{range:?} of {}", bytes.len());
            }
            assert!(layout.attr_entry >= 80 && layout.attr_entry <= 4096);
            assert!(layout.features.is_sorted_by(|a, b| a.0 < b.0), "{:?}", layout.features);
            assert!(sections.iter().map(ExactSizeIterator::len).sum::<usize>() <= bytes.len());
            // An unfinished file has no table behind its records.
            assert!(!layout.truncated || layout.features.is_empty());
            layout.damage.iter().for_each(|line| super::assert_one_line(line));
        }
    }
}
