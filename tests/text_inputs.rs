//! Mailed and pasted texts, held to the published mail, to what perf printed in the lab, and to plain counting.
#![allow(clippy::unwrap_used, clippy::print_stderr, clippy::type_complexity)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use lockblame::text::{Caller, Found, Kind, PerfReport, Row, Stacks, TextError, detect, read};
use proptest::prelude::*;

/// The folder of given material, or `None`, said aloud.
fn shared() -> Option<PathBuf> {
    let path = std::env::var_os("LOCKBLAME_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    if path.join("lab").is_dir() {
        return Some(path);
    }
    let required = std::env::var("LOCKBLAME_REQUIRE").is_ok_and(|list| list.contains("corpus"));
    assert!(!required, "required: {} is not there", path.display());
    eprintln!("skipped: {} is not there", path.display());
    None
}

/// The lab's recordings that have the file `name`.
fn lab(name: &str) -> Vec<PathBuf> {
    let Some(shared) = shared() else { return Vec::new() };
    let mut dirs: Vec<PathBuf> =
        fs::read_dir(shared.join("lab")).expect("lab").map(|entry| entry.expect("entry").path()).collect();
    dirs.sort();
    let files: Vec<_> = dirs.into_iter().filter(|dir| dir.join(name).is_file()).collect();
    assert!(files.len() > 20, "few recordings have {name}");
    files
}

fn gunzip(path: &Path) -> Vec<u8> {
    let out = Command::new("gzip").arg("-dc").arg(path).output().expect("gzip");
    assert!(out.status.success(), "{}", path.display());
    out.stdout
}

fn reports(bytes: &[u8]) -> Vec<PerfReport> {
    let reports = |found: Found| match found {
        Found::Report(report) => Some(report),
        _ => None,
    };
    read(bytes).expect("readable").into_iter().filter_map(reports).collect()
}

fn stacks(bytes: &[u8]) -> Vec<Stacks> {
    let stacks = |found: Found| match found {
        Found::Stacks(stacks) => Some(stacks),
        _ => None,
    };
    read(bytes).expect("readable").into_iter().filter_map(stacks).collect()
}

/// A caller and its share in hundredths of a percent of the row; the first two levels.
fn brief(callers: &[Caller]) -> Vec<(String, i64, Vec<String>)> {
    let name = |caller: &Caller| caller.symbol.clone().unwrap_or_else(|| "[...]".into());
    callers
        .iter()
        .map(|c| (name(c), (c.share_of_row * 1e4).round() as i64, c.callers.iter().map(name).collect()))
        .collect()
}

/// Rows without their line numbers, shares in hundredths of a percent.
fn essence(rows: &[Row]) -> Vec<(i64, Option<String>, Option<String>, Option<char>, String, Vec<Caller>)> {
    let one = |r: &Row| {
        let share = (r.share * 1e4).round() as i64;
        (share, r.comm.clone(), r.module.clone(), r.space, r.symbol.clone(), r.callers.clone())
    };
    rows.iter().map(one).collect()
}

fn mail() -> Option<String> {
    shared().map(|dir| fs::read_to_string(dir.join("mail/aim7-perf-report.txt")).expect("mail"))
}

#[test]
fn the_reviewers_mail_is_read_fully() {
    let Some(text) = mail() else { return };
    let reports = reports(text.as_bytes());
    assert_eq!(reports.len(), 1);
    let rows = &reports[0].rows;
    let shares: Vec<_> = rows.iter().map(|r| (r.symbol.as_str(), (r.share * 1e4).round() as i64)).collect();
    assert_eq!(
        shares,
        [
            ("_raw_spin_lock_irqsave", 1360),
            ("intel_idle", 1131),
            ("lg_local_lock", 486),
            ("mul_short", 300),
            ("mul_long", 241),
            ("mul_int", 229),
            ("_raw_spin_lock", 220),
            ("mspin_lock", 119),
            ("lg_global_lock", 101),
        ]
    );
    assert_eq!(rows[0].comm.as_deref(), Some("reaim"));
    assert_eq!(rows[0].module.as_deref(), Some("[kernel.kallsyms]"));
    assert_eq!((rows[0].space, rows[3].space, rows[0].line), (Some('k'), Some('.'), 3));
    let names = |row: &Row| brief(&row.callers).into_iter().map(|(n, s, _)| (n, s)).collect::<Vec<_>>();
    let expect = [("tty_ldisc_try", 4879), ("tty_ldisc_deref", 4858), ("[...]", 263)];
    assert_eq!(names(&rows[0]), expect.map(|(n, s)| (n.to_owned(), s)));
    assert_eq!(names(&rows[4]), [("0xbc614e".to_owned(), 8721), ("(nil)".to_owned(), 1279)]);
    let expect = [("__shmdt", 5162), ("__shmctl", 4838)];
    assert_eq!(names(&rows[8]), expect.map(|(n, s)| (n.to_owned(), s)));
    // Every branch of the text is there, and each row's branches sum to the row.
    let n_branches = text.lines().filter(|line| line.contains("%-- ")).count();
    assert_eq!(rows.iter().map(|r| r.callers.len()).sum::<usize>(), n_branches);
    for row in rows.iter().filter(|row| !row.callers.is_empty()) {
        let sum: f64 = row.callers.iter().map(|c| c.share_of_row).sum();
        assert!((sum - 1.0).abs() < 0.002, "{}: {sum}", row.symbol);
    }
}

#[test]
fn mailers_do_no_harm() {
    let Some(text) = mail() else { return };
    let expect = essence(&reports(text.as_bytes())[0].rows);
    let body = |text: &str| base64(text.as_bytes());
    let fields = "From: a@example.org\nTo: b@example.org\nSubject: perf\nMIME-Version: 1.0\n";
    let plain = "Content-Type: text/plain; charset=utf-8\n";
    let quoted_printable = text.replace('=', "=3D").replace("  ", " =20").replace("| \n", "|=20\n");
    let soft: String = quoted_printable.lines().map(|l| soft_break(l) + "\n").collect();
    let wholly = [
        ("quoted", quote(&text, "> > > ")),
        ("quoted tightly", quote(&text, ">>")),
        ("broken at 40", wrap(&text, 40, "")),
        ("broken at 40 and quoted", wrap(&quote(&text, "> > "), 40, "> > ")),
        ("one line", text.split_whitespace().collect::<Vec<_>>().join(" ")),
        ("one line, blanks kept", text.replace('\n', " ")),
        ("filled to 60", fill(&text, 60)),
        (
            "decimal commas",
            text.replace('.', ",")
                .replace("[,]", "[.]")
                .replace("[,,,]", "[...]")
                .replace("[kernel,", "[kernel."),
        ),
        ("no-break blanks", text.replace("% ", "\u{a0}% ").replace("  ", "\u{a0} ")),
        ("carriage returns", text.replace('\n', "\r\n")),
        ("mail", format!("{fields}{plain}\n{text}")),
        ("mbox", format!("From a Mon Jan  1 00:00:00 2024\n{fields}{plain}\n{text}")),
        ("quoted-printable", format!("{fields}{plain}Content-Transfer-Encoding: quoted-printable\n\n{soft}")),
        ("base64", format!("{fields}{plain}Content-Transfer-Encoding: base64\n\n{}\n", body(&text))),
        (
            "multipart",
            format!(
                "{fields}Content-Type: multipart/mixed; boundary=xx\n\n--xx\n{plain}\nHello\n--xx\n{plain}\
             Content-Transfer-Encoding: base64\n\n{}\n--xx--\n",
                body(&text)
            ),
        ),
        ("html", format!("{fields}Content-Type: text/html\n\n<html><body><pre>{text}</pre></body></html>\n")),
    ];
    for (how, input) in wholly {
        let got = reports(input.as_bytes());
        assert_eq!(got.len(), 1, "{how}");
        assert_eq!(essence(&got[0].rows), expect, "{how}");
    }
    let mbox = format!("From a b\n{fields}{plain}\n{text}\n\nFrom c d\n{fields}{plain}\n{text}\n");
    assert_eq!(reports(mbox.as_bytes()).len(), 2, "two mails");
}

fn quote(text: &str, mark: &str) -> String {
    text.lines().map(|line| format!("{mark}{line}\n")).collect()
}

/// Breaks lines at the last blank before `width`, as mailers do.
fn wrap(text: &str, width: usize, mark: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let mut rest = line;
        while rest.len() > width {
            match rest[..=width].rfind(' ').filter(|at| *at > mark.len()) {
                Some(at) => {
                    out += &rest[..=at];
                    out += "\n";
                    out += mark;
                    rest = rest[at..].trim_start();
                }
                None => break,
            }
        }
        out += rest;
        out += "\n";
    }
    out
}

/// Fills paragraphs as `fmt` does.
fn fill(text: &str, width: usize) -> String {
    let fill_one = |paragraph: &str| {
        let mut out = String::new();
        let mut column = 0;
        for word in paragraph.split_whitespace() {
            if column > 0 && column + 1 + word.len() > width {
                out.push('\n');
                column = 0;
            } else if column > 0 {
                out.push(' ');
            }
            out += word;
            column += word.len() + 1;
        }
        out
    };
    text.split("\n\n").map(fill_one).collect::<Vec<_>>().join("\n\n")
}

fn soft_break(line: &str) -> String {
    let mut out = String::new();
    let mut column = 0;
    for c in line.chars() {
        if column > 60 && c != ' ' && !out.ends_with(['=', ' ']) && !out[out.len() - 2..].contains('=') {
            out += "=\n";
            column = 0;
        }
        out.push(c);
        column += 1;
    }
    out
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for (i, chunk) in bytes.chunks(3).enumerate() {
        if i > 0 && i % 19 == 0 {
            out.push('\n');
        }
        let n = (0..3).fold(0_u32, |n, k| n << 8 | u32::from(chunk.get(k).copied().unwrap_or(0)));
        for k in 0..4 {
            let digit = DIGITS[(n >> (18 - 6 * k)) as usize & 63] as char;
            out.push(if k <= chunk.len() { digit } else { '=' });
        }
    }
    out
}

/// Rows of a report with fixed columns, taken by position.
fn rows_by_column(text: &str) -> Vec<(f64, String, String, char, String)> {
    let mut widths = Vec::new();
    let mut out = Vec::new();
    for line in text.lines() {
        if let Some(dots) = line.strip_prefix("# .") {
            widths = format!(".{dots}").split_whitespace().map(str::len).collect();
        } else if line.starts_with(' ') && line.contains('%') && !line.contains("--") {
            let percent = line.trim_start().split('%').next().unwrap();
            // `# ` and the first column, then each column behind two blanks.
            let mut at = 2 + widths[0] + 2;
            let mut cell = |i: usize| {
                let end = (at + widths[i]).min(line.len());
                let text = line[at..end].trim().to_owned();
                at = end + 2;
                text
            };
            let (comm, module) = (cell(1), cell(2));
            let rest = line[at.min(line.len())..].trim();
            let symbol = rest[4..].to_owned();
            out.push((percent.trim().parse().unwrap(), comm, module, rest.as_bytes()[1] as char, symbol));
        }
    }
    out
}

#[test]
fn flat_reports_have_the_rows_that_stand_there() {
    let mut n_rows = 0;
    for dir in lab("report-flat.txt") {
        let bytes = fs::read(dir.join("report-flat.txt")).expect("report");
        let text = String::from_utf8_lossy(&bytes);
        if text.contains("of events 'anon group") || !text.contains('%') {
            continue;
        }
        let expect = rows_by_column(&text);
        let got: Vec<_> = reports(&bytes)
            .into_iter()
            .flat_map(|report| report.rows)
            .map(|r| {
                let percent = (r.share * 1e4).round() / 100.0;
                (
                    percent,
                    r.comm.unwrap_or_default(),
                    r.module.unwrap_or_default(),
                    r.space.unwrap(),
                    r.symbol,
                )
            })
            .collect();
        assert_eq!(got, expect, "{}", dir.display());
        n_rows += got.len();
    }
    assert!(n_rows > 3000 || shared().is_none(), "{n_rows}");
}

#[test]
fn a_report_says_what_it_is_of() {
    let Some(shared) = shared() else { return };
    let dir = shared.join("lab/var8-4-multi");
    let flat = reports(&fs::read(dir.join("report-flat.txt")).expect("report"));
    let facts: Vec<_> = flat
        .iter()
        .map(|r| (r.event.as_deref(), r.samples, r.samples_printed.as_deref(), r.weight, r.lost))
        .collect();
    assert_eq!(
        facts,
        [
            (Some("cpu-clock"), None, Some("3K"), Some(25_328_857_566), Some(0)),
            (Some("task-clock"), None, Some("3K"), Some(25_147_649_523), Some(0)),
            (Some("context-switches"), Some(332), Some("332"), Some(1022), Some(0)),
        ]
    );
    let callee = reports(&gunzip(&shared.join("lab/lat8mcs-1-pp-before-cycles-r1/report-callee.txt.gz")));
    let header = &callee[0].header;
    assert_eq!(header.os_release.as_deref(), Some("6.1.192-lat"));
    assert_eq!(header.nr_cpus, Some(8));
    assert_eq!(header.cpudesc.as_deref(), Some("QEMU TCG CPU version 2.5+"));
    assert!(header.cmdline.as_deref().is_some_and(|c| c.ends_with("lockbench2 pp 16 5")));
    let group = reports(&fs::read(shared.join("lab/var8-4-group/report-flat.txt")).expect("report"));
    assert_eq!(group.len(), 2);
    assert_eq!(
        (group[0].event.as_deref(), group[1].event.as_deref()),
        (Some("cpu-clock"), Some("page-faults"))
    );
    assert_eq!((group[0].rows[0].share, group[1].rows[0].share), (0.7471, 0.6143));
    assert!(!group[0].has_children_column);
}

/// The fraction of `symbol`'s weight in `comm` that comes through each chain of callers of length `depth`,
/// counted from the text of perf script.
fn callers_counted(script: &str, comm: &str, symbol: &str, depth: usize) -> BTreeMap<Vec<String>, f64> {
    let mut sums: BTreeMap<Vec<String>, f64> = BTreeMap::new();
    let mut total = 0.0;
    for sample in script.split("\n\n") {
        let mut lines = sample.trim_start_matches('\n').lines();
        let head = lines.next().unwrap_or("");
        let name = |line: &str| {
            let words: Vec<_> = line.split_whitespace().collect();
            words[1].split("+0x").next().unwrap().to_owned()
        };
        let names: Vec<_> = lines.map(name).collect();
        if !head.starts_with(&format!("{comm} ")) || names.first().is_none_or(|n| n != symbol) {
            continue;
        }
        let words: Vec<_> = head.split_whitespace().collect();
        let weight: f64 = words[words.len() - 2].parse().unwrap();
        total += weight;
        if names.len() > depth {
            *sums.entry(names[1..=depth].to_vec()).or_default() += weight;
        }
    }
    sums.values_mut().for_each(|sum| *sum /= total);
    sums
}

fn share_of(callers: &[Caller], path: &[String]) -> Option<f64> {
    let caller = callers.iter().find(|c| c.symbol.as_ref() == Some(&path[0]))?;
    if path.len() == 1 { Some(caller.share_of_row) } else { share_of(&caller.callers, &path[1..]) }
}

#[test]
fn callers_are_those_that_the_samples_have() {
    let mut n = 0;
    for dir in lab("report-callee.txt.gz") {
        let name = dir.file_name().unwrap().to_string_lossy().into_owned();
        if !name.contains("cycles") {
            continue;
        }
        let script = String::from_utf8_lossy(&gunzip(&dir.join("script.txt.gz"))).into_owned();
        for order in ["report-callee.txt.gz", "report-caller.txt.gz"] {
            let report = reports(&gunzip(&dir.join(order))).remove(0);
            for row in report.rows.iter().filter(|row| row.share > 0.05 && row.space == Some('k')) {
                for depth in [1, 2, 3] {
                    let counted = callers_counted(&script, row.comm.as_deref().unwrap(), &row.symbol, depth);
                    for (path, share) in counted {
                        // The report prints the address where the script prints `[unknown]`.
                        if path.iter().any(|name| name == "[unknown]") {
                            continue;
                        }
                        // perf prunes below half a percent of the total, at each level in caller order.
                        let known = share_of(&row.callers, &path);
                        let pruned = share * row.share < 0.01;
                        assert!(known.is_some() || pruned, "{name} {order} {}: {path:?} {share}", row.symbol);
                        let Some(known) = known else { continue };
                        n += 1;
                        let tolerance = if order.contains("caller") {
                            0.05 / row.share.sqrt()
                        } else {
                            0.0002 / row.share
                        };
                        let inside = known < share + 0.002 && known > share - tolerance.max(0.002);
                        assert!(inside, "{name} {order} {}: {path:?} {known} {share}", row.symbol);
                    }
                }
            }
        }
    }
    assert!(n > 200 || shared().is_none(), "{n}");
}

#[test]
fn scripts_have_the_samples_that_stand_there() {
    for dir in lab("script.txt.gz") {
        let bytes = gunzip(&dir.join("script.txt.gz"));
        let text = String::from_utf8_lossy(&bytes);
        // By event: samples, weight, and weight by leaf.
        let mut expect: BTreeMap<String, (u64, u64, BTreeMap<String, u64>)> = BTreeMap::new();
        let mut lines = text.lines().peekable();
        while let Some(line) = lines.next() {
            if line.trim().is_empty() || line.starts_with('\t') {
                continue;
            }
            let words: Vec<_> = line.split_whitespace().collect();
            let at = words.iter().rposition(|w| w.ends_with(':') && w.len() > 1).unwrap();
            let tracepoint = words.iter().position(|w| w.starts_with("lock:") || w.starts_with("sched:"));
            let at = tracepoint.unwrap_or(at);
            let event = words[at].trim_end_matches(':').to_owned();
            let weight = if tracepoint.is_some() { 1 } else { words[at - 1].parse().unwrap() };
            let leaf = match lines.peek().filter(|next| next.starts_with('\t')) {
                Some(next) => next.split_whitespace().nth(1).unwrap_or("").to_owned(),
                None if tracepoint.is_none() => words.get(at + 2).copied().unwrap_or("").to_owned(),
                None => String::new(),
            };
            let entry = expect.entry(event).or_default();
            entry.0 += 1;
            entry.1 += weight;
            *entry.2.entry(leaf.split("+0x").next().unwrap().to_owned()).or_default() += weight;
        }
        let mut got = BTreeMap::new();
        for stacks in if expect.is_empty() { Vec::new() } else { stacks(&bytes) } {
            let mut leaves: BTreeMap<String, u64> = BTreeMap::new();
            for stack in &stacks.samples {
                let leaf = stack.frames.first().map(|f| f.symbol.as_deref().unwrap_or("[unknown]"));
                *leaves.entry(leaf.unwrap_or("").to_owned()).or_default() += stack.weight;
            }
            let n = stacks.samples.iter().map(|s| s.count).sum();
            let weight = stacks.samples.iter().map(|s| s.weight).sum();
            assert_eq!(stacks.unread_lines, 0, "{}", dir.display());
            got.insert(stacks.event.clone().unwrap(), (n, weight, leaves));
        }
        assert_eq!(got, expect, "{}", dir.display());
    }
}

#[test]
fn scripts_agree_with_the_oracle() {
    let Some(shared) = shared() else { return };
    for name in ["lat8mcs-1-pp-before-cycles-r1", "cloud8a-2-dup-before-cycles-r1", "var8-4-multi"] {
        let dir = shared.join("lab").join(name);
        let Ok(out) = Command::new("python3").arg(shared.join("tools/oracle.py")).arg(&dir).output() else {
            eprintln!("skipped: no python3");
            return;
        };
        let first = String::from_utf8_lossy(&out.stdout).lines().next().unwrap_or("").to_owned();
        let stacks = stacks(&gunzip(&dir.join("script.txt.gz")));
        let all = || stacks.iter().flat_map(|s| &s.samples);
        let (n, weight) = (all().map(|s| s.count).sum::<u64>(), all().map(|s| s.weight).sum::<u64>());
        assert_eq!(first, format!("{n} samples, weight {weight}"), "{name}");
    }
}

#[test]
fn several_things_in_one_mail() {
    let text = "Before the patch:\n\n  9.00%  a  [kernel.kallsyms]  [k] foo\n  2.00%  a  a  [.] bar\n\n\
                and after, which is better:\n\n  4.00%  a  a  [.] bar\n  1.00%  a  [kernel.kallsyms]  [k] foo\n\n\
                The stacks:\n\na;main;write_[k] 12\na;main 3\n\nThanks,\nX\n\n\
                a 1 [000] 1.000001: 5 cycles:\n\tffffffff86397690 f+0x1 ([kernel.kallsyms])\n\n";
    let found = read(text.as_bytes()).expect("found");
    let kinds: Vec<_> = found
        .iter()
        .map(|f| match f {
            Found::Report(r) => format!("report {}", r.rows.len()),
            Found::Stacks(s) => format!("stacks {}", s.samples.len()),
            _ => "other".into(),
        })
        .collect();
    assert_eq!(kinds, ["report 2", "report 2", "stacks 2", "stacks 1"]);
    assert_eq!(detect(text.as_bytes()), Some(Kind::Report));
}

#[test]
fn old_perf_has_blanks_around_its_symbols() {
    let text = "# Events: 1K cycles\n#\n\
                # Overhead  Command      Shared Object                 Symbol\n\
                # ........  .......  .................  .....................\n#\n    \
                40.00%    bench  [kernel.kallsyms]  [k] _raw_spin_lock\n              \
                |\n              --- _raw_spin_lock\n                 \
                |          \n                 |--62.50%-- dput\n                 \
                |          path_put\n                 |          |          \n                 \
                |          |--60.00%-- sys_stat\n                 |          |          \n                 \
                |           --40.00%-- sys_open\n                 |          \n                  \
                --37.50%-- lookup\n\n    20.00%    bench  bench  [.] main\n";
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for text in [text, &flat] {
        let report = reports(text.as_bytes()).remove(0);
        assert_eq!(report.event.as_deref(), Some("cycles"));
        let mut got = BTreeMap::new();
        paths(&report.rows[0].callers, 1e4, &[], &mut got);
        let path = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let expect = [
            ("dput", 6250),
            ("dput path_put", 6250),
            ("dput path_put sys_stat", 3750),
            ("dput path_put sys_open", 2500),
            ("lookup", 3750),
        ];
        assert_eq!(got, expect.map(|(p, share)| (path(p), share)).into());
        assert_eq!(report.rows[1].symbol, "main");
    }
}

#[test]
fn with_a_children_column_only_proven_callers_count() {
    // Both graphs begin with the row's symbol; only the second report proves that callers stand below it.
    let down = "# Children      Self  Command  Shared Object  Symbol\n\
                    90.00%     0.00%  a        [kernel]       [k] outer\n            |\n            ---outer\n               inner\n\n\
                    80.00%    80.00%  a        [kernel]       [k] inner\n            |\n            ---outer\n               inner\n";
    let report = reports(down.as_bytes()).remove(0);
    assert!(report.has_children_column);
    assert_eq!(report.rows[0].callers, []);
    assert_eq!(brief(&report.rows[1].callers), [("outer".to_owned(), 10_000, Vec::new())]);
    let up = down.replace("---outer\n               inner", "---inner\n               outer").replacen(
        "---inner\n               outer",
        "---outer\n               root",
        1,
    );
    let report = reports(up.as_bytes()).remove(0);
    assert_eq!(brief(&report.rows[0].callers), [("root".to_owned(), 10_000, Vec::new())]);
    let lone = down.split("\n\n").next().expect("first row");
    assert_eq!(reports(lone.as_bytes())[0].rows[0].callers, []);
}

#[test]
fn what_follows_a_graph_is_no_caller() {
    let graph = "  9.00%  a  [kernel]  [k] lock\n           |\n           |--60.00%-- b\n           |--30.00%-- c\n            --10.00%-- d\n";
    let expect = reports(graph.as_bytes())[0].rows[0].callers.clone();
    assert_eq!(expect.len(), 3);
    for behind in [
        "Thanks\n",
        "\nThanks\n",
        "\n| run | value |\n| a | b |\n",
        "\n--- a/kernel/x.c\n+++ b/kernel/x.c\n",
        "-- \nme\n",
        "\n    indented prose\n",
    ] {
        let got = reports(format!("{graph}{behind}").as_bytes());
        assert_eq!(got[0].rows[0].callers, expect, "{behind}");
        let flat = format!("{graph}{behind}").split_whitespace().collect::<Vec<_>>().join(" ");
        if !behind.contains(['|', '-']) && !behind.contains("indented") {
            assert_eq!(reports(flat.as_bytes())[0].rows[0].callers, expect, "{behind} in one line");
        }
    }
}

#[test]
fn what_is_no_text_of_perf_is_refused_with_a_remedy() {
    assert_eq!(read(b"PERFILE2\x68\0\0"), Err(TextError::Binary));
    assert_eq!(detect(b"PERFILE2abc"), None);
    let error = read(b"Hello,\n\nnothing here\n").expect_err("nothing");
    assert_eq!(error, TextError::Nothing { n_lines: 3 });
    assert!(error.to_string().contains("perf report --stdio"));
    let rows = b"# Overhead  Command\n# ........  .......\n#\n    90.00%  bench\n     5.00%  perf\n";
    assert_eq!(read(rows), Err(TextError::NoSymbols { line: 4 }));
    assert_eq!(read(b"# Children  Command  Symbol\n  9.00%  a  [k] b\n"), Err(TextError::NoSelf { line: 2 }));
    if let Some(shared) = shared() {
        let recording = shared.join("lab/lat8mcs-1-pp-before-cycles-r1/perf.data");
        assert_eq!(detect(&fs::read(recording).expect("recording")), None);
    }
}

/// A tree of callers to print; percentages in hundredths.
#[derive(Debug, Clone)]
struct Branch {
    chain: Vec<String>,
    share: u32,
    below: Vec<Branch>,
}

fn symbol() -> impl Strategy<Value = String> {
    "[a-z]{2,6}_[a-z_]{2,16}(\\.isra\\.0)?".prop_map(|s| s)
}

fn branches(levels: u32) -> BoxedStrategy<Vec<Branch>> {
    let below = if levels == 0 { Just(Vec::new()).boxed() } else { branches(levels - 1) };
    let one = (prop::collection::vec(symbol(), 1..4), 1_u32..9, below);
    prop::collection::vec(one, 0..4)
        .prop_map(|list| {
            list.into_iter().map(|(chain, share, below)| Branch { chain, share, below }).collect()
        })
        .boxed()
}

/// Prints `branches` below a frame of `whole` hundredths of a percent, the way perf's graph mode does.
fn print(branches: &[Branch], whole: u32, prefix: &str, out: &mut String) {
    for (i, branch) in branches.iter().enumerate() {
        let last = i + 1 == branches.len();
        let share = (whole * branch.share / 30).max(1);
        let percent = format!("{}.{:02}%", share / 100, share % 100);
        let mark = if last { " " } else { "|" };
        *out += &format!("{prefix}|          \n{prefix}{mark}--{percent}--{}\n", branch.chain[0]);
        let inner = format!("{prefix}{mark}          ");
        for frame in &branch.chain[1..] {
            *out += &format!("{inner}{frame}\n");
        }
        print(&branch.below, share, &inner, out);
    }
}

/// A report in callee order, as perf 6 prints it.
fn render(rows: &[(u32, String, String, Vec<Branch>)]) -> String {
    let mut out = String::from("# Samples: 5K of event 'cycles'\n# Event count (approx.): 1000\n#\n");
    out += "# Overhead  Command          Shared Object         Symbol                               \n";
    out += "# ........  ...............  ....................  .....................................\n#\n";
    for (share, comm, symbol, branches) in rows {
        let percent = format!("{}.{:02}%", share / 100, share % 100);
        out += &format!("{percent:>10}  {comm:<15}  {:<20}  [k] {symbol}\n", "[kernel.kallsyms]");
        if !branches.is_empty() {
            out += &format!("            |\n            ---{symbol}\n");
            print(branches, *share, "               ", &mut out);
        }
        out += "\n";
    }
    out
}

fn rows() -> impl Strategy<Value = Vec<(u32, String, String, Vec<Branch>)>> {
    let row = (100_u32..900, "[a-z]{3,8}( [a-z]{3,5})?", symbol(), branches(2));
    prop::collection::vec(row, 1..6)
}

/// What the rows are, said without reading any text.
fn expected(branches: &[Branch], whole: u32) -> BTreeMap<Vec<String>, i64> {
    let mut out: BTreeMap<Vec<String>, i64> = BTreeMap::new();
    for branch in branches {
        let share = (whole * branch.share / 30).max(1);
        for n in 1..=branch.chain.len() {
            *out.entry(branch.chain[..n].to_vec()).or_default() += i64::from(share);
        }
        for (path, inner) in expected(&branch.below, share) {
            let path = branch.chain.iter().cloned().chain(path).collect();
            *out.entry(path).or_default() += inner;
        }
    }
    out
}

fn paths(callers: &[Caller], row: f64, above: &[String], out: &mut BTreeMap<Vec<String>, i64>) {
    for caller in callers {
        let mut path = above.to_vec();
        path.push(caller.symbol.clone().unwrap_or_default());
        paths(&caller.callers, row, &path, out);
        out.insert(path, (caller.share_of_row * row).round() as i64);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn a_report_is_the_same_however_it_was_mailed(rows in rows()) {
        let text = render(&rows);
        let plain = reports(text.as_bytes()).remove(0);
        prop_assert_eq!(plain.rows.len(), rows.len());
        for (got, (share, comm, symbol, branches)) in plain.rows.iter().zip(&rows) {
            prop_assert_eq!((got.share * 1e4).round() as u32, *share);
            prop_assert_eq!((got.comm.as_ref(), &got.symbol), (Some(comm), symbol));
            let mut found = BTreeMap::new();
            paths(&got.callers, f64::from(*share), &[], &mut found);
            prop_assert_eq!(found, expected(branches, *share), "{}", text);
        }
        let expect = essence(&plain.rows);
        let quoted = quote(&text, "> > > ");
        let comma = text.replace("%", "\u{a0}%");
        let comma: String = comma
            .char_indices()
            .map(|(i, c)| if c == '.' && comma[i + 1..].starts_with(|d: char| d.is_ascii_digit()) && comma[..i].ends_with(|d: char| d.is_ascii_digit()) { ',' } else { c })
            .collect();
        let flat: Vec<_> = text.split_whitespace().collect();
        for (how, input) in [
            ("quoted", quoted.clone()),
            ("broken", wrap(&text, 72, "")),
            ("broken and quoted", wrap(&quoted, 72, "> > > ")),
            ("broken, the rest unquoted", wrap(&quoted, 72, "")),
            ("one line", flat.join(" ")),
            ("one line, blanks kept", text.replace('\n', " ")),
            ("decimal commas", comma),
        ] {
            let got = reports(input.as_bytes());
            prop_assert_eq!(got.len(), 1, "{} {}", how, input);
            prop_assert_eq!(essence(&got[0].rows), expect.clone(), "{}\n{}", how, input);
            prop_assert_eq!(got[0].event.as_deref(), Some("cycles"));
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = (detect(&bytes), read(&bytes));
    }

    #[test]
    fn any_words_are_read_or_refused(words in prop::collection::vec(prop::sample::select(WORDS), 0..120)) {
        let text = words.concat();
        let _ = read(text.as_bytes());
    }
}

/// What texts of perf are made of.
const WORDS: &[&str] = &[
    " ",
    "\n",
    "\n",
    "  ",
    "            ",
    "|",
    "|--",
    "--",
    "---",
    "48.79%",
    "1,00%",
    "|--48.79%--",
    " --2.63%-- ",
    "[...]",
    "[k]",
    " [.] ",
    "foo",
    "main",
    "foo(",
    "<",
    ">",
    "> > ",
    "#",
    "# Samples: 5K of event 'a'\n",
    "# Overhead  Symbol\n",
    "# Children  Self  Command  Symbol\n",
    "a;b;c 12\n",
    ";",
    "\tffff f+0x1 (x)\n",
    "a 1 [000] 1.000001: 5 cycles:\n",
    "\u{a0}",
    "\u{1b}[31m",
    "From a b\n",
    "From: a\nTo: b\n\n",
    "é",
    "(",
    ")",
    "Content-Type: multipart/mixed; boundary=x\n",
    "--x\n",
    "                                                  ",
];

#[test]
fn large_and_twisted_texts_take_linear_time() {
    let start = std::time::Instant::now();
    let deep = format!(
        "1.00% a [k] b\n            |\n{}",
        "            ---x\n             --1.00%--y\n".repeat(50_000)
    );
    let frames = format!("1.00% a [k] b\n  |\n  ---b\n{}", "     f\n".repeat(100_000));
    let words = "1.00% ".repeat(200_000);
    let bars = format!("1.00% a [k] b {}", "| |--1.00%--x ".repeat(100_000));
    let turned = format!(
        "9.00% a [k] b\n  |\n  |--9.00%--r\n{}{}",
        "  |          c\n".repeat(400),
        "  |          |--0.01%--b\n".repeat(50_000)
    );
    let nested = "From: a\nTo: b\nContent-Type: message/rfc822\n\n".repeat(20_000);
    let script = "a 1 [000] 1.000001: 5 cycles:\n\tffff f+0x1 (x)\n\n".repeat(50_000);
    for text in [deep, frames, words, bars, turned, nested, script] {
        let _ = read(text.as_bytes());
    }
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
}
