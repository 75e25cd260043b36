//! Where a symbol ends when only blanks are left to tell, and when two symbols are the same.

/// English words that stand in prose and name no function one meets in a profile.
const PROSE: [&str; 36] = [
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "can", "for", "from", "has", "have", "i", "if",
    "in", "is", "it", "not", "of", "on", "so", "than", "that", "the", "there", "these", "this", "to", "was",
    "we", "were", "which", "with", "you",
];

/// Splits words into symbols: a blank inside brackets or before `[clone` and `(inlined)` separates nothing.
pub(super) fn split(text: &str) -> Vec<&str> {
    let mut out: Vec<&str> = Vec::new();
    let mut start = None;
    let mut depth = 0;
    let mut end = 0;
    for (at, word) in words(text) {
        let continues = depth > 0
            || word.starts_with("[clone")
            || word == "(inlined)"
            || (word.starts_with('(') && word != "(nil)")
            || text[..end].ends_with("operator")
            || word == "const";
        if !continues && let Some(from) = start.replace(at) {
            out.push(&text[from..end]);
        }
        start.get_or_insert(at);
        depth = if continues { depth + nesting(word) } else { nesting(word) }.max(0);
        end = at + word.len();
    }
    if let Some(from) = start {
        out.push(&text[from..end]);
    }
    out
}

/// The words of `text` with their offsets.
pub(super) fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let base = text.as_ptr() as usize;
    text.split_whitespace().map(move |word| (word.as_ptr() as usize - base, word))
}

/// Opening brackets minus closing ones, not counting those of operators and arrows.
pub(super) fn nesting(word: &str) -> i32 {
    if word.contains("operator") {
        return 0;
    }
    let bytes = word.as_bytes();
    let mut depth = 0;
    for (i, b) in bytes.iter().enumerate() {
        match b {
            b'(' | b'<' | b'[' | b'{' => depth += 1,
            b'>' if i > 0 && bytes[i - 1] == b'-' => {}
            b')' | b'>' | b']' | b'}' => depth -= 1,
            _ => {}
        }
    }
    depth
}

/// How many of `symbols`, taken from a flattened text, stand before prose begins.
///
/// Prose shows itself by a common word, a capitalised one or punctuation; from its first plain word on (no
/// `_`, digit, `:` or bracket) nothing is a symbol.
pub(super) fn before_prose(symbols: &[&str]) -> usize {
    let Some(proof) = symbols.iter().position(|s| is_prose(s)) else { return symbols.len() };
    symbols[..proof].iter().rposition(|s| !is_plain(s)).map_or(0, |last| last + 1)
}

fn is_prose(word: &str) -> bool {
    let capitalised = word.len() > 1
        && word.starts_with(|c: char| c.is_ascii_uppercase())
        && word[1..].bytes().all(|b| b.is_ascii_lowercase());
    capitalised
        || word.ends_with(['.', ',', ';', '!', '?', ':'])
        || PROSE.iter().any(|known| word.eq_ignore_ascii_case(known))
}

fn is_plain(word: &str) -> bool {
    word.bytes().all(|b| b.is_ascii_alphabetic() || matches!(b, b'\'' | b'-' | b'.' | b','))
}

/// A symbol of a chain without the mark of inlining.
pub(super) fn bare(symbol: &str) -> &str {
    let symbol = symbol.trim();
    symbol.strip_suffix("(inlined)").unwrap_or(symbol).trim_end()
}

/// Whether a row's symbol and one in its chain are the same; addresses are printed with differing zeros.
pub(super) fn same(a: &str, b: &str) -> bool {
    let hex = |s: &str| s.strip_prefix("0x").and_then(|digits| u64::from_str_radix(digits, 16).ok());
    a == b || hex(a).is_some_and(|value| hex(b) == Some(value))
}

#[cfg(test)]
mod tests {
    use super::{before_prose, same, split};

    #[test]
    fn blanks_inside_brackets_belong_to_the_symbol() {
        assert_eq!(
            split("a_b <T as U<V>>::f operator new(unsigned long) foo (inlined) (nil) x"),
            ["a_b", "<T as U<V>>::f", "operator new(unsigned long)", "foo (inlined)", "(nil)", "x"]
        );
    }

    #[test]
    fn prose_is_no_symbol() {
        let of = |text: &str| before_prose(&split(text));
        assert_eq!(of("__shmctl There are more"), 1);
        assert_eq!(of("vfs_write main write"), 3);
        assert_eq!(of("do_exit which surprised me"), 1);
        assert_eq!(of("improvement in throughput"), 0);
    }

    #[test]
    fn addresses_compare_by_value() {
        assert!(same("0x000055d0", "0x55d0") && !same("0x1", "0x2") && !same("a", "b"));
    }
}
