//! `perf script`: a header line per sample, then its frames, leaf first.
//!
//! ```text
//! bench  880 [005]    39.954019:    9881912   cycles:
//!     ffffffff86397690 merge_sched_in+0x220 ([kernel.kallsyms])
//! ```
//!
//! Cpu, time and period may be missing; a tracepoint's fields follow its name; without call graphs the one frame
//! stands on the header line.

use std::collections::HashMap;
use std::sync::Arc;

use super::line::Line;
use super::types::{Frame, Stack, Stacks, TimeSpan};

/// What a header line says.
#[derive(Debug, PartialEq)]
struct Head<'a> {
    comm: &'a str,
    pid: Option<i32>,
    tid: i32,
    cpu: Option<u32>,
    time_ns: Option<u64>,
    period: Option<u64>,
    event: Option<&'a str>,
    /// What follows the event's name.
    rest: &'a str,
}

/// The most words that a command's name may have.
const MAX_COMM_WORDS: usize = 6;

/// Reads the samples at the beginning of `lines`: one [`Stacks`] per event, and the number of lines they take.
/// `None` if `lines` do not begin with a sample.
pub(super) fn read(lines: &[Line<'_>]) -> Option<(Vec<Stacks>, usize)> {
    let text = |at: usize| lines.get(at).map_or("", |line: &Line<'_>| line.text);
    head(text(0), text(1))?;
    let mut fold = Fold::default();
    let mut at = 0;
    let mut end = 0;
    while at < lines.len() {
        let line = text(at);
        if line.trim().is_empty() || line.starts_with('#') {
            at += 1;
        } else if let Some(head) = head(line, text(at + 1)) {
            at += 1 + fold.sample(&head, &lines[at + 1..]);
            end = at;
        } else if is_sample_again(&lines[at + 1..]) {
            // A line of a shape unknown here, inside the samples.
            fold.unread_lines += 1;
            at += 1;
        } else {
            break;
        }
    }
    Some((fold.finish(), end))
}

/// Whether the lines go on with frames or samples, directly or behind a few empty lines.
fn is_sample_again(lines: &[Line<'_>]) -> bool {
    let mut some = lines.iter().map(|line| line.text).take(4).skip_while(|text| text.trim().is_empty());
    let Some(first) = some.next() else { return false };
    let next = some.next().unwrap_or("");
    head(first, next).is_some() || (first.starts_with([' ', '\t']) && frame_parts(first).is_some())
}

/// Parses a header line. Without a time it counts only when a frame follows, on `next` or on the line itself.
fn head<'a>(line: &'a str, next: &str) -> Option<Head<'a>> {
    // Most lines of a text are no header: they have no colon, or begin like a frame.
    if !line.contains(':') {
        return None;
    }
    let words: Vec<(usize, &str)> = super::symbol::words(line).take(MAX_COMM_WORDS + 6).collect();
    let last = words.len().min(MAX_COMM_WORDS + 1);
    (1..last).find_map(|at| head_at(line, &words, at, next))
}

/// Parses a header line whose thread is word `at`.
fn head_at<'a>(line: &'a str, words: &[(usize, &'a str)], at: usize, next: &str) -> Option<Head<'a>> {
    let (pid, tid) = match words[at].1.split_once('/') {
        Some((pid, tid)) => (Some(pid.parse().ok()?), tid.parse().ok()?),
        None => (None, words[at].1.parse().ok()?),
    };
    let mut rest = words[at + 1..].iter().peekable();
    let cpu = rest.next_if(|(_, word)| cpu(word).is_some()).and_then(|(_, word)| cpu(word));
    let time_ns = rest.next_if(|(_, word)| time(word).is_some()).and_then(|(_, word)| time(word));
    let period =
        rest.next_if(|(_, w)| w.bytes().all(|b| b.is_ascii_digit())).and_then(|(_, w)| w.parse().ok());
    let event = rest
        .next_if(|(_, word)| word.len() > 1 && word.ends_with(':'))
        .map(|(_, word)| &word[..word.len() - 1]);
    let rest = rest.next().map_or("", |(at, _)| &line[*at..]);
    let is_sure = time_ns.is_some() && (event.is_some() || rest.is_empty());
    let has_frame = || frame_parts(rest).is_some() || (rest.is_empty() && frame_parts(next).is_some());
    let is_likely = || period.is_some() && event.is_some() && has_frame();
    if !(is_sure || is_likely()) {
        return None;
    }
    let comm = line[words[0].0..words[at].0].trim_end();
    Some(Head { comm, pid, tid, cpu, time_ns, period, event, rest })
}

fn cpu(word: &str) -> Option<u32> {
    word.strip_prefix('[')?.strip_suffix(']')?.parse().ok()
}

/// `39.954019:` in nanoseconds.
fn time(word: &str) -> Option<u64> {
    let (seconds, fraction) = word.strip_suffix(':')?.split_once('.')?;
    if !(3..=9).contains(&fraction.len()) || !fraction.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let nanos: u64 = format!("{fraction:0<9}").parse().ok()?;
    seconds.parse::<u64>().ok()?.checked_mul(1_000_000_000)?.checked_add(nanos)
}

/// Address, symbol with offset, and shared object of a frame's line.
fn frame_parts(line: &str) -> Option<(u64, &str, Option<&str>)> {
    let line = line.trim();
    let (address, rest) = line.split_once(char::is_whitespace)?;
    if address.len() > 16 || !address.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    let address = u64::from_str_radix(address, 16).ok()?;
    let rest = rest.trim();
    let Some(body) = rest.strip_suffix(')') else {
        return (!rest.contains(' ') && rest.contains("+0x")).then_some((address, rest, None));
    };
    // The shared object stands in the last brackets; its name may hold brackets: `(/lib/x (deleted))`.
    let mut depth = 1;
    let open = body.bytes().enumerate().rev().find(|(_, b)| {
        depth += i32::from(*b == b')') - i32::from(*b == b'(');
        depth == 0
    });
    let open = open.map(|(at, _)| at)?;
    let symbol = body[..open].trim_end();
    (!symbol.is_empty()).then_some((address, symbol, Some(&body[open + 1..])))
}

/// Samples that are being folded.
#[derive(Debug, Default)]
struct Fold {
    strings: HashMap<Box<str>, Arc<str>>,
    chains: HashMap<Arc<[Frame]>, ()>,
    events: Vec<(Option<Arc<str>>, Vec<Stack>)>,
    event_index: HashMap<Option<Arc<str>>, usize>,
    stacks: HashMap<Key, usize>,
    unread_lines: usize,
    frames: Vec<Frame>,
}

/// What stacks that are folded into one have in common.
type Key = (usize, Arc<str>, Option<i32>, i32, Option<u32>, Arc<[Frame]>);

impl Fold {
    fn string(&mut self, text: &str) -> Arc<str> {
        if let Some(known) = self.strings.get(text) {
            return known.clone();
        }
        let new: Arc<str> = text.into();
        self.strings.insert(text.into(), new.clone());
        new
    }

    /// Adds a sample whose frames begin at `lines`; returns how many lines they took.
    fn sample(&mut self, head: &Head<'_>, lines: &[Line<'_>]) -> usize {
        self.frames.clear();
        if let Some(parts) = frame_parts(head.rest) {
            self.frame(parts);
        }
        let mut at = 0;
        while let Some(line) = lines.get(at).map(|line| line.text) {
            let next = lines.get(at + 1).map_or("", |line| line.text);
            if line.trim().is_empty() {
                break;
            }
            if let Some(parts) = frame_parts(line).filter(|parts| parts.2.is_some()) {
                self.frame(parts);
            } else if next.starts_with('(') && frame_parts(&format!("{line} {next}")).is_some() {
                // A mailer broke the line before the shared object.
                let whole = format!("{line} {next}");
                frame_parts(&whole).into_iter().for_each(|parts| self.frame(parts));
                at += 1;
            } else if let Some(parts) = frame_parts(line) {
                self.frame(parts);
            } else if line.starts_with([' ', '\t']) && self::head(line, next).is_none() {
                // A source line (`-F +srcline`) or what else perf prints below a frame.
            } else {
                break;
            }
            at += 1;
        }
        self.add(head);
        at
    }

    fn frame(&mut self, (address, symbol, module): (u64, &str, Option<&str>)) {
        let name = match symbol.rsplit_once("+0x") {
            Some((name, offset)) if offset.bytes().all(|b| b.is_ascii_hexdigit()) => name,
            _ => symbol,
        };
        let kernel = module.and_then(|module| in_kernel(address, module));
        let module = module.filter(|m| !matches!(*m, "[unknown]" | "inlined")).map(|m| self.string(m));
        let symbol = (name != "[unknown]").then(|| self.string(name));
        self.frames.push(Frame { symbol, address: Some(address), module, kernel });
    }

    fn add(&mut self, head: &Head<'_>) {
        let event = head.event.map(|name| self.string(name));
        let next = self.events.len();
        let event_id = *self.event_index.entry(event.clone()).or_insert(next);
        if event_id == next {
            self.events.push((event, Vec::new()));
        }
        let frames = match self.chains.get_key_value(self.frames.as_slice()) {
            Some((known, ())) => known.clone(),
            None => {
                let new: Arc<[Frame]> = self.frames.as_slice().into();
                self.chains.insert(new.clone(), ());
                new
            }
        };
        let comm = self.string(head.comm);
        let stacks = &mut self.events[event_id].1;
        let next = stacks.len();
        let key = (event_id, comm.clone(), head.pid, head.tid, head.cpu, frames.clone());
        let at = *self.stacks.entry(key).or_insert(next);
        if at == next {
            let (comm, tid) = (Some(comm), Some(head.tid));
            stacks.push(Stack { comm, pid: head.pid, tid, cpu: head.cpu, frames, ..Stack::default() });
        }
        let stack = &mut stacks[at];
        stack.weight = stack.weight.saturating_add(head.period.unwrap_or(1));
        stack.count += 1;
        if let Some(now) = head.time_ns {
            let span = stack.time.get_or_insert(TimeSpan { first_ns: now, last_ns: now });
            span.first_ns = span.first_ns.min(now);
            span.last_ns = span.last_ns.max(now);
        }
    }

    fn finish(self) -> Vec<Stacks> {
        let mut unread = self.unread_lines;
        let stacks = |(event, samples): (Option<Arc<str>>, Vec<Stack>)| Stacks {
            event: event.map(|name| name.to_string()),
            samples,
            folded: false,
            // Said once, with the first event.
            unread_lines: std::mem::take(&mut unread),
        };
        self.events.into_iter().map(stacks).collect()
    }
}

/// Whether a frame ran in the kernel, by its shared object or else by the sign of its address.
fn in_kernel(address: u64, module: &str) -> Option<bool> {
    let path = module.strip_suffix(" (deleted)").unwrap_or(module);
    match path {
        "[vdso]" | "[vsyscall]" | "[heap]" | "[stack]" | "//anon" => Some(false),
        // Kernels map themselves at the very top; below lie garbage values that look negative.
        "[unknown]" | "inlined" => (address >> 47 == 0x1_ffff).then_some(true),
        _ if path.starts_with('[') || path.starts_with("bpf_") || path.contains("vmlinux") => Some(true),
        _ if [".ko", ".ko.xz", ".ko.zst", ".ko.gz"].iter().any(|end| path.ends_with(end)) => Some(true),
        _ => Some(false),
    }
}

#[cfg(test)]
mod tests {
    use super::{frame_parts, head, time};

    #[test]
    fn headers_of_all_shapes() {
        type Facts<'a> = (&'a str, Option<i32>, i32, Option<u32>, Option<u64>, Option<&'a str>);
        let check = |line: &str, expect: Facts<'_>| {
            let head = head(line, "\tffff x+0x1 (y)").expect(line);
            assert_eq!((head.comm, head.pid, head.tid, head.cpu, head.period, head.event), expect, "{line}");
        };
        check(
            "perf   877 [005]    39.948620:    3049598   cycles: ",
            ("perf", None, 877, Some(5), Some(3_049_598), Some("cycles")),
        );
        check(
            "Web Content 12/34 [001] 1.000001: 5 cycles:ppp: ",
            ("Web Content", Some(12), 34, Some(1), Some(5), Some("cycles:ppp")),
        );
        check("bench   588    4537626 cycles: ", ("bench", None, 588, None, Some(4_537_626), Some("cycles")));
        check(
            "a 1 [000] 3.000549: sched:sched_switch: prev_comm=perf prev_pid=1",
            ("a", None, 1, Some(0), None, Some("sched:sched_switch")),
        );
        check(":-1 -1 [000] 3.000549: x:y: ", (":-1", None, -1, Some(0), None, Some("x:y")));
        for prose in ["We ran 5 10 times: good", "On 12 Mar 2014: he wrote", "see 1: a", "Date: 12 1"] {
            assert_eq!(head(prose, ""), None, "{prose}");
        }
    }

    #[test]
    fn frames_and_times() {
        assert_eq!(
            frame_parts("\t  fdd6b ioctl+0x3b (/usr/lib/libc.so.6)"),
            Some((0xfdd6b, "ioctl+0x3b", Some("/usr/lib/libc.so.6")))
        );
        assert_eq!(frame_parts(" 1 f(int) (/x (deleted))"), Some((1, "f(int)", Some("/x (deleted)"))));
        assert_eq!(frame_parts("word (dso)"), None);
        assert_eq!(time("39.948620:"), Some(39_948_620_000));
    }
}
