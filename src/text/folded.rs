//! Folded stacks: `bench;main;write;vfs_write 123`, outermost first, as stackcollapse-perf writes them.

use std::collections::HashMap;
use std::sync::Arc;

use super::error::TextError;
use super::line::Line;
use super::types::{Frame, Stack, Stacks};

/// Functions at which stacks begin. Where they come first no line has a comm; where they come second all have.
const ROOTS: [&str; 20] = [
    "_start",
    "main",
    "start_thread",
    "__libc_start_main",
    "__libc_start_call_main",
    "__clone",
    "__clone3",
    "clone",
    "clone3",
    "entry_SYSCALL_64_after_hwframe",
    "entry_SYSCALL_64",
    "system_call_fastpath",
    "ret_from_fork",
    "ret_from_fork_asm",
    "secondary_startup_64",
    "secondary_startup_64_no_verify",
    "el0_svc",
    "cpu_bringup_and_idle",
    "[unknown]",
    "all",
];

/// Reads the folded stacks at the beginning of `lines`, and the number of lines they take.
/// `None` if `lines` do not begin with one.
pub(super) fn read(lines: &[Line<'_>]) -> Option<(Result<Stacks, TextError>, usize)> {
    let first = lines.first()?;
    // A line alone must have frames; below it a bare comm may stand as well.
    let starts = |line: &Line<'_>| parse(line.text).is_some_and(|(stack, _)| stack.contains(';'));
    let bare_first = || parse(first.text).is_some() && lines.get(1).is_some_and(starts);
    if !(starts(first) || bare_first()) {
        return None;
    }
    let parsed: Vec<(&str, u64)> = lines.iter().map_while(|line| parse(line.text)).collect();
    let n = parsed.len();
    if parsed.iter().all(|(stack, _)| parse(stack).is_some()) {
        return Some((Err(TextError::TwoCounts { line: first.number }), n));
    }
    Some((Ok(fold(&parsed)), n))
}

/// Stack and count of a line. Prose has blanks around its semicolons; stacks have none.
fn parse(text: &str) -> Option<(&str, u64)> {
    let text = text.trim_end();
    let (stack, count) = text.rsplit_once(' ')?;
    if count.is_empty() || !count.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let stack = stack.trim_end();
    let odd = stack.starts_with([' ', '\t', '#', '|']) || stack.contains("; ") || stack.contains(" ;");
    let bare_prose = !stack.contains(';') && stack.contains(' ');
    if stack.is_empty() || odd || bare_prose || stack.split(';').any(str::is_empty) {
        return None;
    }
    Some((stack, count.parse().ok()?))
}

/// Whether the first frame of the lines is the comm.
fn has_comm(lines: &[(&str, u64)]) -> bool {
    let mut proven = false;
    for (stack, _) in lines {
        let mut names = stack.split(';');
        let first = names.next().unwrap_or("");
        if ROOTS.contains(&strip(first).0) || first.starts_with("0x") {
            return false;
        }
        let second = names.next().map(|name| strip(name).0);
        proven |=
            second.is_some_and(|s| ROOTS.contains(&s) || s.starts_with('[')) || first.contains(['/', ' ']);
    }
    proven
}

/// `name` without stackcollapse's mark, and whether that says kernel (`_[k]`), or user (`_[j]`).
fn strip(name: &str) -> (&str, Option<bool>) {
    let marks = [("_[k]", Some(true)), ("_[j]", Some(false)), ("_[i]", None)];
    let found = marks.iter().find_map(|(mark, kernel)| name.strip_suffix(mark).map(|name| (name, *kernel)));
    found.unwrap_or((name, None))
}

/// `perf-12/34`, as stackcollapse-perf's `--tid` writes; `perf-?/34` where the process is unknown.
fn thread(comm: &str) -> (&str, Option<i32>, Option<i32>) {
    let parse = |name: &'_ str, ids: &str| -> Option<(usize, Option<i32>, Option<i32>)> {
        let id = |text: &str| if text == "?" { Some(None) } else { text.parse().ok().map(Some) };
        let (pid, tid) = match ids.split_once('/') {
            Some((pid, tid)) => (id(pid)?, id(tid)?),
            None => (id(ids)?, None),
        };
        Some((name.len(), pid, tid))
    };
    match comm.rsplit_once('-').and_then(|(name, ids)| parse(name, ids)) {
        Some((len, pid, tid)) if len > 0 => (&comm[..len], pid, tid),
        _ => (comm, None, None),
    }
}

fn fold(lines: &[(&str, u64)]) -> Stacks {
    let with_comm = has_comm(lines);
    let mut strings: HashMap<&str, Arc<str>> = HashMap::new();
    let mut index: HashMap<&str, usize> = HashMap::new();
    let mut samples: Vec<Stack> = Vec::new();
    // `name-12` is a thread only where every line has one: `kworker-1` is a name.
    let with_ids = with_comm
        && lines.iter().all(|(s, _)| {
            thread(s.split(';').next().unwrap_or("")).1.is_some()
                || s.split(';').next().is_some_and(|c| c.contains("-?"))
        });
    for (stack, count) in lines {
        let at = *index.entry(stack).or_insert(samples.len());
        if at == samples.len() {
            let mut names = stack.split(';');
            let comm = if with_comm { names.next() } else { None };
            let (comm, pid, tid) = match comm {
                Some(comm) if with_ids => Some(thread(comm)),
                Some(comm) => Some((comm, None, None)),
                None => None,
            }
            .map_or((None, None, None), |(comm, pid, tid)| (Some(intern(&mut strings, comm)), pid, tid));
            let frames: Vec<Frame> = names.rev().map(|name| frame(&mut strings, name)).collect();
            samples.push(Stack { comm, pid, tid, frames: frames.into(), ..Stack::default() });
        }
        samples[at].weight = samples[at].weight.saturating_add(*count);
        samples[at].count += 1;
    }
    Stacks { event: None, samples, folded: true, unread_lines: 0 }
}

fn intern<'a>(strings: &mut HashMap<&'a str, Arc<str>>, text: &'a str) -> Arc<str> {
    strings.entry(text).or_insert_with(|| text.into()).clone()
}

/// A frame's name: `[libc.so.6]` is a file whose function is unknown, `[[vdso]]` an object that has brackets of its own.
fn frame<'a>(strings: &mut HashMap<&'a str, Arc<str>>, name: &'a str) -> Frame {
    let (name, kernel) = strip(name);
    let object = name.strip_prefix('[').and_then(|n| n.strip_suffix(']'));
    let Some(inner) = object else {
        return Frame { symbol: Some(intern(strings, name)), kernel, ..Frame::default() };
    };
    let is_kernel = inner.starts_with("kernel");
    let shown = if is_kernel || inner == "unknown" { name } else { inner };
    Frame {
        module: Some(intern(strings, shown)),
        kernel: kernel.or(is_kernel.then_some(true)),
        ..Frame::default()
    }
}

#[cfg(test)]
mod tests {
    use super::read;
    use crate::text::line::lines;

    fn check(text: &str, expect: &[(&str, &str, u64)]) {
        let lines = lines(text, 1);
        let (stacks, _) = read(&lines).expect("folded");
        let got: Vec<_> = stacks
            .expect("stacks")
            .samples
            .iter()
            .map(|s| {
                let names: Vec<_> = s.frames.iter().map(|f| f.symbol.clone().unwrap_or("?".into())).collect();
                (s.comm.clone().unwrap_or("-".into()).to_string(), names.join("<"), s.weight)
            })
            .collect();
        let expect: Vec<_> = expect.iter().map(|(c, f, w)| (c.to_string(), f.to_string(), *w)).collect();
        assert_eq!(got, expect);
    }

    #[test]
    fn leaf_comes_first_and_alike_stacks_are_one() {
        check("main;a;b_[k] 3\nmain;a 1\nmain;a;b_[k] 2\n", &[("-", "b<a<main", 5), ("-", "a<main", 1)]);
        check("perf;_start;main 7\nswapper 2\n", &[("perf", "main<_start", 7), ("swapper", "", 2)]);
        check("perf;[unknown];f<a b> 7\n", &[("perf", "f<a b><?", 7)]);
    }

    #[test]
    fn prose_is_no_stack() {
        for text in ["it took long; about 12", "version 6", "for (i = 0; i < 10", "a;;b 3", "x;y 1.5"] {
            assert!(read(&lines(text, 1)).is_none(), "{text}");
        }
    }

    #[test]
    fn differences_are_refused() {
        let lines = lines("a;b 3 4\na;c 1 2\n", 9);
        let (result, n) = read(&lines).expect("folded");
        assert!(result.is_err() && n == 2);
    }
}
