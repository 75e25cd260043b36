//! Recordings that lie outside of the crate, and the tests that are skipped, aloud, where they are not there.

use std::path::PathBuf;

/// The folder of shared recordings, or nothing where this machine has none; a test then ends.
#[expect(clippy::print_stderr, reason = "a skipped test says so")]
pub fn folder(name: &str) -> Option<PathBuf> {
    let root = std::env::var_os("LOCKBLAME_SHARED")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    let folder = root.join(name);
    if folder.is_dir() {
        return Some(folder);
    }
    let required = std::env::var("LOCKBLAME_REQUIRE").unwrap_or_default();
    assert!(
        !required.contains("corpus"),
        "the shared recordings are required: {} is no folder",
        folder.display()
    );
    eprintln!("skipped: {} is not there", folder.display());
    None
}

/// Says that a test ends early because this machine lacks a tool.
#[expect(clippy::print_stderr, reason = "a skipped test says so")]
pub fn skip(tool: &str) {
    let required = std::env::var("LOCKBLAME_REQUIRE").unwrap_or_default();
    assert!(!required.contains(tool), "{tool} is required and does not start");
    eprintln!("skipped: {tool} does not start");
}
