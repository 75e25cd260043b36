//! Packed files: what comes out is bounded by what goes in, and damage is one line.

use lockblame::file::{FileBytes, unpacked};

use super::recording::{LARGEST_WINDOW, MOST_RATIO, UNPACKED};

/// What is decoded at once comes on top.
const PIECE: usize = 1 << 20;

pub fn check(bytes: &[u8]) {
    let (size, peak) = super::heap::peak_of(|| {
        let Ok(out) = unpacked(FileBytes::from(bytes.to_vec())) else { return 0 };
        out.cut().into_iter().for_each(super::assert_one_line);
        out.len()
    });
    let most = bytes.len() + MOST_RATIO * bytes.len() + UNPACKED + PIECE;
    assert!(size <= most, "{size} bytes out of {}", bytes.len());
    super::assert_bounded(peak, bytes.len(), 2 * LARGEST_WINDOW);
}
