//! Which of several names at one address is the function's.
//!
//! Marks that a linker script sets, and labels inside a function, lose against any real symbol: perf prints
//! `__lock_text_start` for `_raw_spin_lock_irqsave`, which stands first in its section. Then weak loses against strong,
//! local against global, more leading underscores against fewer. What is left is decided by the name, so that the
//! answer does not hang on the order of a table.

use std::cmp::Ordering;

/// How a symbol binds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Binding {
    /// May be replaced by another of its name.
    Weak,
    /// Seen in its own file only.
    Local,
    /// Seen everywhere.
    Global,
}

/// Where names come from: what is left after the common rules is decided as readers of each know it from perf.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The kernel's list, which has no sizes: the first name of the alphabet.
    Kernel,
    /// A file's symbol table: the longest name.
    File,
}

/// Orders two names of one address; the greater is to be printed.
pub fn compare(a: (&str, Binding), b: (&str, Binding), origin: Origin) -> Ordering {
    let key = |(name, binding): (&str, Binding)| {
        let underscores = name.bytes().take_while(|&b| b == b'_').count();
        let length = if origin == Origin::File { name.len() } else { 0 };
        (!is_mark(name), binding, std::cmp::Reverse(underscores), !is_alias(name), length)
    };
    key(a).cmp(&key(b)).then_with(|| b.0.cmp(a.0))
}

/// The entry of a system call for programs of 32 bits, where it is one with the other's, and what position-independent
/// code calls a function by.
fn is_alias(name: &str) -> bool {
    name.starts_with("__ia32_") || name.starts_with("__pi_")
}

/// Whether this name marks the border of a section, or a place inside a function, so that no function is called so.
pub fn is_mark(name: &str) -> bool {
    const MARKS: [&str; 15] = [
        "_text",
        "_stext",
        "_etext",
        "_sinittext",
        "_einittext",
        "__init_begin",
        "__init_end",
        "__entry_text_start",
        "__entry_text_end",
        "__noinstr_text_start",
        "__noinstr_text_end",
        "__irqentry_text_start",
        "__irqentry_text_end",
        "__bss_start",
        "swapgs_restore_regs_and_return_to_usermode",
    ];
    MARKS.contains(&name)
        || name
            .strip_prefix("__")
            .is_some_and(|rest| rest.ends_with("_text_start") || rest.ends_with("_text_end"))
}
