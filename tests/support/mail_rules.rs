//! The rules of mail: what every text that is meant for a list keeps to.

/// Panics where a text breaks a rule.
pub fn check(text: &str, width: usize) {
    assert!(text.ends_with('\n') && !text.ends_with("\n\n"), "the end: {text:?}");
    for line in text.lines() {
        assert!(line.bytes().all(|b| b == b' ' || b.is_ascii_graphic()), "not ASCII, or a tab: {line:?}");
        assert!(!line.ends_with(' '), "a trailing blank: {line:?}");
        assert!(line.len() <= width, "{} columns: {line:?}", line.len());
        assert!(line.is_empty() || line.starts_with("  "), "not indented: {line:?}");
    }
    if width == 72 {
        let quoted = text.lines().map(|line| format!("> > > {line}"));
        quoted.for_each(|line| assert!(line.len() <= 80, "quoted: {line:?}"));
    }
}
