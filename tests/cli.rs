//! The program as a shell sees it: exit codes, one line of error, what it writes where, and what hostile names can do.

#![allow(unreachable_pub, dead_code, reason = "in a test, `pub` says what the other tests may use")]

#[path = "support/program.rs"]
mod program;
mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use program::lockblame;
use support::kallsyms;
use support::perfdata::{Event, Recording, Sample};

const KERNEL: u64 = 0xffff_ffff_8100_0000;

/// A folder with a good recording of a lock under its own symbols.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        let folder = Self(tempfile::tempdir().expect("a temporary folder"));
        folder.write("perf.data", &recording("worker").write());
        folder.write("kallsyms", symbols("caller").as_bytes());
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        fs::write(self.path(name), bytes).expect("the file can be written");
        self.path(name)
    }

    /// The program, started in the folder.
    fn run(&self, args: &str) -> Answer {
        self.run_with(args, &[])
    }

    fn run_with(&self, args: &str, env: &[(&str, &str)]) -> Answer {
        let mut command = lockblame();
        command.current_dir(self.0.path()).args(args.split_whitespace()).envs(env.iter().copied());
        let output = command.output().expect("the program starts");
        Answer {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).expect("UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("UTF-8"),
        }
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).expect("the folder can be read");
        let mut names: Vec<String> =
            entries.map(|e| e.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

struct Answer {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

/// 1200 samples of a spinlock, so that no warning is due.
fn recording(comm: impl AsRef<[u8]>) -> Recording {
    recording_of(comm, 4)
}

/// The same on so many processors, as many on each.
fn recording_of(comm: impl AsRef<[u8]>, cpus: u64) -> Recording {
    let sample = |n: u64| {
        Sample::at(1_000_000_000 + n * 1_000_000)
            .thread(7, 7)
            .cpu((n % cpus) as u32)
            .kernel_chain(&[KERNEL + 0x10, KERNEL + 0x110, KERNEL + 0x210, KERNEL + 0x310])
            .period(1000)
    };
    Recording::new()
        .event(Event::cycles().callchain())
        .machine("box", "6.1.0-test", "x86_64", 4)
        .kernel_map(KERNEL, 0x100_0000)
        .comm(7, comm)
        .records((0..1200).map(sample))
}

fn symbols(caller: &str) -> String {
    kallsyms::text(&[
        (KERNEL, "_text"),
        (KERNEL + 1, "native_queued_spin_lock_slowpath"),
        (KERNEL + 0x100, "_raw_spin_lock"),
        (KERNEL + 0x200, caller),
        (KERNEL + 0x300, "entry"),
        (KERNEL + 0x1000, "_etext"),
    ])
}

/// The command fails with code 2, in one line on stderr that has all of these, and leaves nothing behind.
#[track_caller]
fn check_error(folder: &Folder, args: &str, parts: &[&str]) {
    let before = folder.names();
    let answer = folder.run(args);
    assert_eq!(answer.code, Some(2), "{args}: {}", answer.stderr);
    assert_eq!(answer.stdout, "", "{args}");
    assert_eq!(answer.stderr.lines().count(), 1, "{args}: {}", answer.stderr);
    assert!(answer.stderr.starts_with("lockblame: "), "{args}: {}", answer.stderr);
    for part in parts {
        assert!(answer.stderr.contains(part), "{args}: no '{part}' in {}", answer.stderr);
    }
    assert_eq!(folder.names(), before, "{args}");
}

/// The parser of arguments refuses, and names the flag.
#[track_caller]
fn check_usage(args: &str, parts: &[&str]) {
    let answer = Folder::new().run(args);
    assert_eq!((answer.code, answer.stdout.as_str()), (Some(2), ""), "{args}: {}", answer.stderr);
    for part in parts {
        assert!(answer.stderr.contains(part), "{args}: no '{part}' in {}", answer.stderr);
    }
}

#[test]
fn wrong_flags_and_values_are_named() {
    check_usage("", &["Usage"]);
    check_usage("report", &["<FILE>"]);
    check_usage("report perf.data --frobnicate", &["--frobnicate"]);
    check_usage("report perf.data --family spinlok", &["--family", "spinlok", "spinlock, rwlock"]);
    check_usage("report perf.data --format pdf", &["--format", "pdf", "json"]);
    check_usage("report perf.data --by colour", &["--by", "colour", "symbol"]);
    for time in ["5", "b,a", "9,3", "50%-10%", "-5%-10%", "10%-", "1e3,", "1.1234567890,", ""] {
        check_usage(&format!("report perf.data --time={time}"), &["--time", time]);
    }
    for cpu in ["a", "3-1", "0-99999999", "1,,2", ""] {
        check_usage(&format!("report perf.data --cpu={cpu}"), &["--cpu", cpu]);
    }
    for share in ["-1", "101", "NaN", "inf", "much", ""] {
        check_usage(&format!("report perf.data --min-share={share}"), &["--min-share", share]);
    }
    check_usage("report perf.data --width 3", &["--width", "40..=1000"]);
    check_usage("report perf.data --pid x", &["--pid"]);
    check_usage("callers perf.data", &["--lock", "--symbol"]);
    check_usage("callers perf.data --lock a --symbol b", &["--lock", "--symbol"]);
    check_usage("callers perf.data --lock a --depth 0", &["--depth"]);
    check_usage("inspect a b", &["b"]);
}

#[test]
fn unreadable_recordings_are_named_with_what_to_do() {
    let folder = Folder::new();
    folder.write("empty", b"");
    folder.write("text", b"# perf report\n 12.3% foo\n");
    folder.write("noise", &[0xa5; 4096]);
    folder.write("short", b"PERFILE2");
    fs::create_dir(folder.path("dir")).expect("a folder can be made");
    for command in ["report", "inspect", "callers --symbol x"] {
        check_error(&folder, &format!("{command} missing"), &["missing: ", "no such file"]);
        check_error(&folder, &format!("{command} empty"), &["empty: ", "; "]);
        check_error(&folder, &format!("{command} text"), &["text: ", "; "]);
        check_error(&folder, &format!("{command} noise"), &["noise: ", "; "]);
        check_error(&folder, &format!("{command} short"), &["short: "]);
        check_error(&folder, &format!("{command} dir"), &["dir", "; "]);
    }
}

#[test]
fn symbols_that_were_named_must_be_readable() {
    let folder = Folder::new();
    folder.write("text", b"hello\n");
    folder.write("binary", &[0xff; 100]);
    folder.write("nothing", b"");
    check_error(&folder, "report perf.data --kallsyms missing", &["missing: ", "no such file"]);
    check_error(&folder, "report perf.data --kallsyms .", &[".: "]);
    for file in ["text", "binary", "nothing"] {
        check_error(&folder, &format!("report perf.data --kallsyms {file}"), &[&format!("{file}: ")]);
    }
    let zeros = symbols("caller").replace("ffffffff81", "0000000000");
    let zeros: String = zeros.lines().map(|line| format!("{:016x}{}\n", 0, &line[16..])).collect();
    folder.write("zeros", zeros.as_bytes());
    check_error(&folder, "report perf.data --kallsyms zeros", &["zeros: ", "kernel.kptr_restrict to 0"]);
}

#[test]
fn unknown_events_locks_and_rules_are_named() {
    let folder = Folder::new();
    check_error(
        &folder,
        "report perf.data --event cycle",
        &["perf.data: ", "'cycle'", "take one of: cycles"],
    );
    check_error(&folder, "callers perf.data --lock _raw_spin_lokc", &["'_raw_spin_lokc'", "; "]);
    check_error(&folder, "report perf.data --rules missing", &["missing: "]);
    folder.write("rules.toml", b"[[rule]]\nfamily = \"spinlok\"\n");
    check_error(&folder, "report perf.data --rules rules.toml", &["rules.toml: "]);
    folder.write("rules.toml", b"[[rule]]\nfamily='spinlok'\nrole='entry'\nside='kernel'\npatterns=['x']\n");
    check_error(&folder, "report perf.data --rules rules.toml", &["rules.toml: ", "'spinlok'", "spinlock"]);
    check_error(&folder, "inspect perf.data --format perf", &["--format perf", "; "]);
    check_error(&folder, "report perf.data --format perf --by cpu", &["--format perf", "--by lock"]);
}

#[test]
fn output_is_placed_whole_or_not_at_all() {
    let folder = Folder::new();
    check_error(&folder, "report perf.data -o missing/out", &["missing/out: ", "no such file", "; "]);
    check_error(&folder, "report perf.data -o .", &[".: is a directory", "; "]);
    check_error(&folder, "report missing -o out", &["missing: "]);
    let shown = folder.run("report perf.data");
    for _ in 0..2 {
        let answer = folder.run("report perf.data -o out");
        assert_eq!((answer.code, answer.stdout.as_str()), (Some(0), ""), "{}", answer.stderr);
        assert_eq!(fs::read_to_string(folder.path("out")).expect("it was written"), shown.stdout);
        assert_eq!(folder.names(), ["kallsyms", "out", "perf.data"]);
    }
    assert_eq!(folder.run("report perf.data -o /dev/null").code, Some(0));
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let folder = Folder::new();
    for format in ["table", "perf", "csv", "json"] {
        let mut command = lockblame();
        command.current_dir(folder.0.path()).args(["report", "perf.data", "--format", format]);
        let mut child =
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("it ends");
        assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]), "{format}");
    }
}

#[test]
fn warnings_go_to_stderr_unless_quiet() {
    let folder = Folder::new();
    assert_eq!(folder.run("report perf.data").stderr, "", "no warning is due");
    folder.write("few.data", &few().write());
    let answer = folder.run("report few.data");
    assert!(answer.stderr.starts_with("lockblame: few-samples: "), "{}", answer.stderr);
    let quiet = folder.run("report few.data -q");
    assert_eq!((quiet.code, quiet.stderr.as_str()), (Some(0), ""));
    assert_eq!(quiet.stdout, answer.stdout, "the report carries its warnings");
    assert!(quiet.stdout.contains("few-samples"));
}

fn few() -> Recording {
    Recording::new()
        .event(Event::cycles().callchain())
        .kernel_map(KERNEL, 0x100_0000)
        .sample(Sample::at(5).thread(7, 7).kernel_chain(&[KERNEL + 0x10, KERNEL + 0x110, KERNEL + 0x210]))
}

#[test]
fn colour_comes_only_where_it_is_wanted() {
    let folder = Folder::new();
    let has = |args: &str, env: &[(&str, &str)]| folder.run_with(args, env).stdout.contains('\u{1b}');
    assert!(!has("report perf.data", &[]), "a pipe is no terminal");
    assert!(has("report perf.data --color always", &[]));
    // What was typed goes before what the environment says (https://no-color.org).
    assert!(has("report perf.data --color always", &[("NO_COLOR", "1")]));
    assert!(has("report perf.data --color always", &[("TERM", "dumb")]));
    assert!(!has("report perf.data --color never", &[]));
    for format in ["csv", "json", "perf"] {
        assert!(!has(&format!("report perf.data --color always --format {format}"), &[]), "{format}");
    }
}

#[test]
fn ascii_is_ascii_and_width_is_kept() {
    let folder = Folder::new();
    let long = format!("caller_{}", "of_a_very_long_name_".repeat(6));
    folder.write("kallsyms", symbols(&long).as_bytes());
    for command in [
        "report perf.data",
        "report perf.data --by site",
        "report perf.data --by path",
        "inspect perf.data",
        "callers perf.data --lock _raw_spin_lock --depth 2",
        "report perf.data --by symbol",
        "report perf.data --by comm",
    ] {
        let text = folder.run(&format!("{command} --ascii")).stdout;
        assert!(text.is_ascii() && !text.is_empty(), "{command}: {text}");
        for width in [80, 100, 132] {
            let text = folder.run(&format!("{command} --width {width}")).stdout;
            let widest = text.lines().map(|line| line.chars().count()).max().unwrap_or(0);
            assert!(widest <= width, "{command}: {widest} of {width} columns:\n{text}");
        }
    }
}

#[test]
fn hostile_names_are_shown_and_do_nothing() {
    let hostile: &[(&[u8], &str)] = &[
        (b"\x1b[31mred", r"\u{1b}[31mred"),
        (b"new\nline", r"new\u{a}line"),
        (b"a;b \"q\",c", "a;b \"q\",c"),
        ("x\u{202e}gpj".as_bytes(), r"x\u{202e}gpj"),
        (b"bad\xff\xfe", "bad\u{fffd}\u{fffd}"),
        (b"=cmd|'/c'!A0", "=cmd|'/c'!A0"),
        (b"\ttab", r"\u{9}tab"),
    ];
    for (raw, shown) in hostile {
        let folder = Folder::new();
        folder.write("perf.data", &recording(raw).write());
        let table = folder.run("report perf.data --by comm").stdout;
        let perf = folder.run("callers perf.data --lock _raw_spin_lock --format perf").stdout;
        let csv = folder.run("report perf.data --by comm --format csv").stdout;
        let json = folder.run("report perf.data --by comm --format json").stdout;
        for text in [&table, &perf] {
            assert!(text.contains(shown), "{shown}: {text}");
        }
        for text in [&table, &perf, &csv] {
            let active = |c: char| c.is_control() && !"\r\n".contains(c) || c == '\u{202e}';
            assert!(!text.contains(active), "{shown}: {text:?}");
        }
        let mut reader = csv::Reader::from_reader(csv.as_bytes());
        let row = reader.records().next().expect("a row").expect("a record");
        let guarded = if shown.starts_with('=') { format!("'{shown}") } else { (*shown).to_owned() };
        assert_eq!(&row[0], guarded);
        let value: serde_json::Value = serde_json::from_str(&json).expect("valid JSON");
        assert_eq!(value["groups"][0]["label"].as_str(), Some(&*String::from_utf8_lossy(raw)));
    }
}

#[test]
fn hostile_symbols_are_shown_and_do_nothing() {
    let folder = Folder::new();
    for name in ["\u{1b}]0;title\u{7}", "+1+1", "@SUM(A1)", "-2", "\u{200f}rtl"] {
        folder.write("kallsyms", symbols(name).as_bytes());
        for args in [
            "report perf.data",
            "report perf.data --format perf",
            "report perf.data --format csv",
            "report perf.data --by symbol --format csv",
            "callers perf.data --lock _raw_spin_lock",
            "callers perf.data --lock _raw_spin_lock --format csv",
        ] {
            let text = folder.run(args).stdout;
            assert!(
                !text.contains(|c: char| c.is_control() && !"\r\n".contains(c) || c == '\u{200f}'),
                "{text:?}"
            );
            if args.ends_with("csv") {
                let mut reader = csv::Reader::from_reader(text.as_bytes());
                for record in reader.records() {
                    for cell in &record.expect("a record") {
                        let is_number = cell.parse::<f64>().is_ok();
                        assert!(is_number || !cell.starts_with(['=', '+', '-', '@', '\t', '\r']), "{cell:?}");
                    }
                }
            }
        }
        let json = folder.run("report perf.data --format json").stdout;
        let value: serde_json::Value = serde_json::from_str(&json).expect("valid JSON");
        assert_eq!(value["locks"][0]["callers"][0]["caller"], name);
    }
}

#[test]
fn selections_select() {
    let folder = Folder::new();
    let samples = |args: &str| {
        let json = folder.run(&format!("report perf.data -q --format json {args}")).stdout;
        let value: serde_json::Value = serde_json::from_str(&json).expect("valid JSON");
        value["runs"][0]["samples"].as_u64()
    };
    for (args, expected) in [
        ("", 1200),
        ("--cpu 1", 300),
        ("--cpu 0-1,3", 900),
        ("--comm worker", 1200),
        ("--comm other,worker", 1200),
        ("--comm other", 0),
        ("--pid 7", 1200),
        ("--tid 8", 0),
        ("--no-idle", 1200),
        ("--kernel-only", 1200),
        ("--time 1.5,", 700),
        ("--time ,1.4995", 500),
        ("--time 1.1,1.2", 101),
        ("--time 0%-50%", 600),
        ("--time 50%-100%", 600),
        ("--time 7,8", 0),
    ] {
        assert_eq!(samples(args), Some(expected), "{args}");
    }
}

#[test]
fn limits_are_of_the_rows_that_were_asked_for() {
    let folder = Folder::new();
    for by in ["cpu", "symbol", "site", "lock", "comm", "path"] {
        let text = folder.run(&format!("report perf.data --by {by} --limit 0")).stdout;
        assert!(text.contains(if by == "cpu" { "4 more" } else { "1 more" }), "{by}: {text}");
        assert!(text.contains("100.00 %"), "{by}: {text}");
    }
    let text = folder.run("report perf.data --by cpu --limit 3").stdout;
    assert!(text.contains("1 more") && text.contains("75.00 %") || text.contains("25.00 %"), "{text}");
}

#[test]
fn of_equal_shares_the_lower_processor_comes_first() {
    let folder = Folder::new();
    folder.write("twelve.data", &recording_of("worker", 12).write());
    let text = folder.run("report twelve.data --by cpu --format csv -q").stdout;
    let cpus: Vec<&str> = text.lines().skip(1).filter_map(|line| line.split(',').next()).collect();
    assert_eq!(cpus, (0..12).map(|cpu| cpu.to_string()).collect::<Vec<_>>());
}

#[test]
fn help_and_version_succeed() {
    let folder = Folder::new();
    for args in [
        "--version",
        "--help",
        "report --help",
        "callers -h",
        "inspect --help",
        "completions bash",
        "man report",
    ] {
        let answer = folder.run(args);
        assert_eq!((answer.code, answer.stderr.as_str()), (Some(0), ""), "{args}");
        assert!(answer.stdout.contains("lockblame"), "{args}: {}", answer.stdout);
    }
}

#[test]
fn a_name_of_no_unicode_is_a_file_like_another() {
    use std::os::unix::ffi::OsStrExt as _;
    let folder = Folder::new();
    let odd = Path::new(std::ffi::OsStr::from_bytes(b"odd\xff\x1b.data"));
    fs::copy(folder.path("perf.data"), folder.0.path().join(odd)).expect("it can be copied");
    let mut command: Command = lockblame();
    let output = command.current_dir(folder.0.path()).arg("report").arg(odd).output().expect("it starts");
    assert!(output.status.success());
    assert!(!output.stdout.contains(&0x1b));
}
