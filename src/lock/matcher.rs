//! Finds what a function's name means for locks.

use rustc_hash::FxHashMap;

use super::family::{Family, HELPERS, IDLE, Mode, RULES, Role, SYSCALL_ENTRY, Side, WRAPPERS};

/// What a function is to a lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Class {
    /// A lock's own function.
    pub lock: Option<LockClass>,
    /// Skipped inside a lock run.
    pub is_helper: bool,
    /// Between a futex and its caller in user space.
    pub is_syscall_entry: bool,
    /// Nothing to do.
    pub is_idle: bool,
    /// A thin function around a lock.
    pub is_wrapper: bool,
}

/// A lock's own function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LockClass {
    /// Its family.
    pub family: Family,
    /// Its role.
    pub role: Role,
    /// Its mode, where the name tells it.
    pub mode: Option<Mode>,
}

/// The rules, made ready: exact names by hash, patterns in their order.
#[derive(Debug, Clone)]
pub struct Matcher {
    exact: FxHashMap<(Side, String), LockClass>,
    patterns: Vec<(Side, String, LockClass)>,
    wrappers: Vec<String>,
}

/// A rule that the user adds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserRule {
    /// The pattern of names.
    pub pattern: String,
    /// Where it runs.
    pub side: Side,
    /// What it is.
    pub class: LockClass,
}

impl Matcher {
    /// The table's rules behind those that the user adds; `wrappers` are seen through beside the known ones.
    pub fn new(user_rules: &[UserRule], wrappers: &[String]) -> Self {
        let own = user_rules.iter().map(|rule| (rule.side, rule.pattern.clone(), rule.class));
        let table = RULES.iter().flat_map(|rule| {
            let class = LockClass { family: rule.family, role: rule.role, mode: rule.mode };
            rule.patterns.iter().map(move |pattern| (rule.side, (*pattern).to_owned(), class))
        });
        let (patterns, names): (Vec<_>, Vec<_>) =
            own.chain(table).partition(|(_, pattern, _)| pattern.contains('*'));
        let mut exact = FxHashMap::default();
        for (side, name, class) in names {
            exact.entry((side, name)).or_insert(class);
        }
        let wrappers = WRAPPERS.iter().map(|w| (*w).to_owned()).chain(wrappers.iter().cloned()).collect();
        Self { exact, patterns, wrappers }
    }

    /// What the function `name` is, that runs in the kernel or in user space.
    pub fn class(&self, name: &str, side: Side) -> Class {
        let name = base_name(name);
        let known = self.exact.get(&(side, name.to_owned())).copied();
        let lock = known.or_else(|| {
            let fits = |(of, pattern, _): &&(Side, String, LockClass)| *of == side && fits(pattern, name);
            self.patterns.iter().find(fits).map(|(_, _, class)| *class)
        });
        let any =
            |patterns: &[&str]| side == Side::Kernel && patterns.iter().any(|pattern| fits(pattern, name));
        Class {
            lock,
            is_helper: any(HELPERS),
            is_syscall_entry: any(SYSCALL_ENTRY) || (side == Side::User && name == "syscall"),
            is_idle: any(IDLE),
            is_wrapper: self.wrappers.iter().any(|pattern| fits(pattern, name)),
        }
    }
}

/// A name without what compilers and linkers append (`.isra.0`, `.constprop.1`, `.cold`, …) or put in front.
pub fn base_name(name: &str) -> &str {
    const SUFFIXES: [&str; 6] = [".isra", ".constprop", ".part", ".cold", ".llvm", ".lto_priv"];
    let mut name = name.strip_prefix("__pfx_").unwrap_or(name);
    // A cloned function carries several of them, each with or without a number.
    while let Some((head, tail)) = name.rsplit_once('.') {
        let is_number = !tail.is_empty() && tail.bytes().all(|b| b.is_ascii_digit());
        let candidate = if is_number { head } else { name };
        match SUFFIXES.iter().find_map(|suffix| candidate.strip_suffix(suffix)) {
            Some(shorter) if !shorter.is_empty() => name = shorter,
            _ => break,
        }
    }
    name
}

/// Whether a name fits a pattern in which `*` stands for any characters.
pub fn fits(pattern: &str, name: &str) -> bool {
    let mut pieces = pattern.split('*');
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let mut last = None;
    for piece in pieces {
        if let Some(before) = last.replace(piece) {
            match rest.find(before) {
                Some(at) => rest = &rest[at + before.len()..],
                None => return false,
            }
        }
    }
    match last {
        None => rest.is_empty(),
        Some(end) => rest.ends_with(end),
    }
}
