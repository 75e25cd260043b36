//! Folded stacks, a line each: `comm;outermost;…;leaf COUNT`, as stackcollapse-perf and inferno-collapse-perf write them.
//!
//! The format has no quotes: `;` ends a frame, the last blank of a line begins its count. Frames are therefore tidied as
//! those tools do it, and what would still break a line is made visible.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::io::Write;

use super::escape::visible;
use crate::id::{Interner, NameId};

/// Distinct stacks, outermost frame first, each with its count.
#[derive(Debug, Default)]
pub struct Stacks {
    names: Interner,
    counts: HashMap<Box<[NameId]>, u64>,
}

impl Stacks {
    /// The id of a frame's text.
    pub fn name(&mut self, text: &str) -> NameId {
        self.names.intern(text)
    }

    /// Adds to the count of a stack.
    pub fn add(&mut self, stack: &[NameId], count: u64) {
        match self.counts.get_mut(stack) {
            Some(sum) => *sum = sum.saturating_add(count),
            None => {
                self.counts.insert(stack.into(), count);
            }
        }
    }

    /// Whether there is no stack.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    fn order(&self, a: &[NameId], b: &[NameId]) -> Ordering {
        match a.iter().zip(b).find(|(a, b)| a != b) {
            Some((a, b)) => self.names.name(*a).cmp(self.names.name(*b)),
            None => a.len().cmp(&b.len()),
        }
    }
}

/// Writes a line for each stack, ordered by names from the outermost frame on.
///
/// # Errors
/// Where `out` cannot be written.
pub fn write(stacks: &Stacks, out: &mut dyn Write) -> std::io::Result<()> {
    let mut lines: Vec<(&[NameId], u64)> =
        stacks.counts.iter().map(|(stack, count)| (&**stack, *count)).collect();
    lines.sort_unstable_by(|a, b| stacks.order(a.0, b.0));
    for (stack, count) in lines {
        for (at, frame) in stack.iter().enumerate() {
            let separator = if at == 0 { "" } else { ";" };
            write!(out, "{separator}{}", stacks.names.name(*frame))?;
        }
        writeln!(out, " {count}")?;
    }
    Ok(())
}

/// Stands for what nobody knows.
pub const UNKNOWN: &str = "[unknown]";

/// Whose functions a thread's unknown names may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// Any language's.
    Common,
    /// Java's: classes are written `Ljava/lang/Object`.
    Java,
}

/// The dialect of a thread, by its name.
pub fn dialect(comm: &str) -> Dialect {
    if comm.starts_with("java") { Dialect::Java } else { Dialect::Common }
}

/// The first frame: the thread's name, blanks as `_`. `None` where it has no name.
pub fn comm(name: &str) -> Option<String> {
    let name = name.trim_matches(' ');
    // A line that begins like a comment is none to most readers.
    let marked = match name.strip_prefix(['#', '|']) {
        Some(rest) => format!("{}{rest}", name[..1].chars().next()?.escape_unicode()),
        None => name.to_owned(),
    };
    (!name.is_empty()).then(|| visible(&marked).replace(';', ":").replace(' ', "_"))
}

/// The frames of a named function: one, or for Java's inlined `a->b` as many as there are names, outermost first.
pub fn function(name: &str, dialect: Dialect) -> Vec<String> {
    let inlined = |(at, name): (usize, &str)| format!("{}{}", tidy(name, dialect), ["", "_[i]"][at.min(1)]);
    calls(name).into_iter().enumerate().map(inlined).collect()
}

/// A frame of an object without the function's name: `[libc.so.6]`. The kernel's have brackets of their own.
pub fn module(name: &str) -> String {
    let file = name.rsplit('/').next().unwrap_or(name);
    match file.trim() {
        "" | UNKNOWN => UNKNOWN.to_owned(),
        file => visible(&format!("[{file}]")).replace(';', ":"),
    }
}

/// The calls that `a->b` stands for. An arrow of C++ (`operator->`) or of a type (`fn() -> u8`) is none.
fn calls(name: &str) -> Vec<&str> {
    let calls: Vec<&str> = name.split("->").collect();
    let is_call = |call: &&str| !call.is_empty() && call.trim() == *call;
    let (_, callers) = calls.split_last().unwrap_or((&"", &[]));
    let is_operator = callers.iter().any(|call| call.ends_with("operator"));
    if calls.iter().all(is_call) && !is_operator { calls } else { vec![name] }
}

/// A name without parameters, and without what would end a frame or a line.
fn tidy(name: &str, dialect: Dialect) -> String {
    let name = without_parameters(name.trim());
    let name = match name.strip_prefix('L') {
        Some(class) if dialect == Dialect::Java && class.contains('/') => class,
        _ => name,
    };
    let name = visible(name).replace(';', ":");
    match name.rsplit_once(' ') {
        _ if name.is_empty() => UNKNOWN.to_owned(),
        // Two numbers at a line's end are a comparison's.
        Some((start, end)) if end.bytes().all(|b| b.is_ascii_digit() || b == b'.') => {
            format!("{start}_{end}")
        }
        _ => name,
    }
}

/// The name up to its parameters: the first parenthesis outside of all brackets that begins neither a receiver of Go
/// (`http.(*Client).Do`) nor C++'s `(anonymous namespace)`.
fn without_parameters(name: &str) -> &str {
    let mut depth = 0usize;
    for (at, c) in name.char_indices() {
        let is_name = || name[..at].ends_with('.') || name[at..].starts_with("(anonymous namespace)");
        match c {
            '(' if depth == 0 && at > 0 && !is_name() => return name[..at].trim_end(),
            '(' | '<' | '[' | '{' => depth += 1,
            ')' | '>' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use super::{Dialect, comm, function, module};

    #[test]
    fn names_are_tidied() {
        for (name, frames) in [
            ("vfs_read", "vfs_read"),
            ("base(BasicType) const", "base"),
            ("net/http.(*Client).Do", "net/http.(*Client).Do"),
            ("(anonymous namespace)::f(int)", "(anonymous namespace)::f"),
            ("<fn(u8) -> u8 as FnOnce>::call", "<fn(u8) -> u8 as FnOnce>::call"),
            ("A::{lambda(int)#1}::operator()", "A::{lambda(int)#1}::operator"),
            ("P::operator->", "P::operator->"),
            ("Lorg/A;::f->Lorg/B;::g", "Lorg/A:::f|Lorg/B:::g_[i]"),
            ("a;b\nc", "a:b\\u{a}c"),
            ("f 12", "f_12"),
            ("(x)", "(x)"),
            (" ", "[unknown]"),
        ] {
            assert_eq!(function(name, Dialect::Common).join("|"), frames, "{name}");
        }
        assert_eq!(function("Lorg/A;.call(Lorg/B;)V", Dialect::Java), ["org/A:.call"]);
    }

    #[test]
    fn threads_and_objects_are_one_frame() {
        let threads = [("V8 Worker", "V8_Worker"), ("a;b", "a:b"), ("#x", "\\u{23}x"), (" x ", "x")];
        for (name, frame) in threads {
            assert_eq!(comm(name).as_deref(), Some(frame));
        }
        assert_eq!(comm(" "), None);
        let objects = [("[kernel.kallsyms]", "[[kernel.kallsyms]]"), ("//anon", "[anon]"), ("a b", "[a b]")];
        for (name, frame) in objects.into_iter().chain([("[unknown]", "[unknown]"), ("", "[unknown]")]) {
            assert_eq!(module(name), frame);
        }
    }
}
