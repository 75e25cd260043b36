//! On every recording of the lab, lockblame says what perf printed of it where it was made.

#![allow(unreachable_pub, dead_code, reason = "in a test, `pub` says what the other tests may use")]

#[path = "support/lab.rs"]
mod lab;
#[path = "support/program.rs"]
mod program;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use lab::{Aliases, Frame, Sample};
use serde_json::Value;

/// A recording with all that is known of it.
struct Case {
    name: String,
    folder: PathBuf,
    aliases: Aliases,
    samples: Vec<Sample>,
    args: Vec<String>,
}

impl Case {
    fn run(&self, subcommand: &str, more: &[&str]) -> Value {
        let mut args = vec![subcommand.to_owned(), "-q".to_owned()];
        args.extend(self.args.clone());
        args.extend(["--format".to_owned(), "json".to_owned()]);
        args.extend(more.iter().map(|word| (*word).to_owned()));
        program::json(&args)
    }

    fn events(&self) -> BTreeSet<&str> {
        self.samples.iter().map(|sample| sample.event.as_str()).collect()
    }

    fn of_event<'a>(&'a self, event: &'a str) -> impl Iterator<Item = &'a Sample> {
        self.samples.iter().filter(move |sample| sample.event == event)
    }

    /// A frame's name: one for all aliases; its object where it has none, or where only the guest had the file.
    fn name(&self, frame: &Frame) -> String {
        const FILES: [&str; 4] = ["lockbench", "lockbench2", "libc.so.6", "ld-linux-x86-64.so.2"];
        let has_name = frame.is_kernel || FILES.contains(&frame.object.as_str());
        // perf calls a stub without a relocation `@plt`.
        if !has_name || ["[unknown]", "@plt"].contains(&frame.symbol.as_str()) {
            return format!("in {}", frame.object);
        }
        if frame.is_kernel { self.aliases.one(&frame.symbol).to_owned() } else { frame.symbol.clone() }
    }

    /// The same of a symbol and its module in lockblame's JSON.
    fn own_name(&self, symbol: &str, module: &str) -> String {
        if symbol.starts_with('[') && symbol.contains("]+0x") || symbol == "[no frame]" {
            return format!("in {module}");
        }
        let is_kernel = module.starts_with('[') && module != "[vdso]";
        if is_kernel { self.aliases.one(symbol).to_owned() } else { symbol.to_owned() }
    }
}

/// Runs a check over all recordings, and shows all that differs.
fn each(check: impl Fn(&Case, &mut Vec<String>)) {
    let Some(lab) = lab::lab() else { return };
    let mut wrong = Vec::new();
    let dir = tempfile::tempdir().expect("a temporary folder");
    for folder in lab::recordings(&lab) {
        let kallsyms = lab::kallsyms_of(&folder, dir.path());
        let text = |path: &Path| path.to_str().expect("UTF-8").to_owned();
        let case = Case {
            name: folder.file_name().expect("a name").to_string_lossy().into_owned(),
            aliases: Aliases::read(&kallsyms),
            samples: lab::script(&lab::gunzip(&folder.join("script.txt.gz"))),
            args: vec![
                text(&lab::data_of(&folder)),
                "--kallsyms".to_owned(),
                text(&kallsyms),
                "--symfs".to_owned(),
                text(&lab.join("symfs")),
            ],
            folder,
        };
        check(&case, &mut wrong);
    }
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
}

/// Weight and samples by name.
type Weights = BTreeMap<String, (u64, u64)>;

fn add(weights: &mut Weights, name: String, weight: u64, samples: u64) {
    let sum = weights.entry(name).or_default();
    *sum = (sum.0 + weight, sum.1 + samples);
}

fn compare(what: &str, own: &Weights, expected: &Weights, wrong: &mut Vec<String>) {
    let names: BTreeSet<&String> = own.keys().chain(expected.keys()).collect();
    for name in names {
        let pair = (own.get(name), expected.get(name));
        if pair.0 != pair.1 {
            wrong.push(format!("{what}: {name}: lockblame {:?}, script {:?}", pair.0, pair.1));
        }
    }
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("no whole number: {value}"))
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn array(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn is_kernel(row: &Value) -> bool {
    text(&row["module"]).starts_with(['[']) || text(&row["module"]).starts_with("bpf_")
}

#[test]
fn self_weights_are_those_of_the_script() {
    each(|case, wrong| {
        for event in case.events() {
            let what = format!("{} {event}", case.name);
            let report = case.run("report", &["--event", event]);
            let mut expected = Weights::new();
            let mut hidden = Vec::new();
            for sample in case.of_event(event) {
                match sample.frames.first() {
                    Some(leaf) => add(&mut expected, case.name(leaf), sample.period, 1),
                    // perf script does not show where a sample with an empty callchain was.
                    None => hidden.push(sample.period),
                }
            }
            let mut own = Weights::new();
            for row in array(&report["symbols"]) {
                let name = case.own_name(text(&row["symbol"]), text(&row["module"]));
                add(&mut own, name, number(&row["self_weight"]), number(&row["samples"]));
            }
            let mut differ = Vec::new();
            compare(&what, &own, &expected, &mut differ);
            if differ.len() > hidden.len() {
                wrong.extend(differ);
            }
            let run = &report["runs"][0];
            let total = expected.values().fold((0, 0), |sum, row| (sum.0 + row.0, sum.1 + row.1));
            let total = (total.0 + hidden.iter().sum::<u64>(), total.1 + hidden.len() as u64);
            if (number(&run["weight"]), number(&run["samples"])) != total {
                wrong.push(format!(
                    "{what}: {} samples, {} weight, not {total:?}",
                    run["samples"], run["weight"]
                ));
            }
        }
    });
}

/// Rows `12.34%  [k] name` of report-sym.txt, by event.
fn printed_shares(folder: &Path) -> BTreeMap<String, Vec<(String, f64)>> {
    let mut shares: BTreeMap<String, Vec<(String, f64)>> = BTreeMap::new();
    let mut event = String::new();
    let text = std::fs::read_to_string(folder.join("report-sym.txt")).unwrap_or_default();
    for line in text.lines() {
        if let Some((_, name)) =
            line.strip_prefix("# Samples: ").and_then(|rest| rest.split_once("of event "))
        {
            event = name.trim_matches(['\'', ' ']).to_owned();
        }
        let mut words = line.split_whitespace();
        let percent =
            words.next().and_then(|word| word.strip_suffix('%')).and_then(|p| p.parse::<f64>().ok());
        if let (Some(percent), Some("[k]"), Some(name)) = (percent, words.next(), words.next()) {
            shares.entry(event.clone()).or_default().push((name.to_owned(), percent));
        }
    }
    shares
}

#[test]
fn self_shares_are_those_that_perf_report_printed() {
    let rows = std::cell::Cell::new(0);
    each(|case, wrong| {
        for (event, shares) in printed_shares(&case.folder) {
            let report = case.run("report", &["--event", &event]);
            let mut own: BTreeMap<String, f64> = BTreeMap::new();
            for row in array(&report["symbols"]).iter().filter(|row| is_kernel(row)) {
                let name = case.own_name(text(&row["symbol"]), text(&row["module"]));
                *own.entry(name).or_default() += 100.0 * row["self_share"].as_f64().unwrap_or(f64::NAN);
            }
            let mut expected: BTreeMap<String, f64> = BTreeMap::new();
            for (name, percent) in shares.iter().filter(|(name, _)| !name.starts_with("0x")) {
                *expected.entry(case.aliases.one(name).to_owned()).or_default() += percent;
            }
            for (name, percent) in expected {
                rows.set(rows.get() + 1);
                let share = own.get(&name).copied().unwrap_or(0.0);
                if (share - percent).abs() > 0.0051 {
                    wrong.push(format!("{} {event}: {name}: {share:.4} %, perf {percent:.2} %", case.name));
                }
            }
        }
    });
    assert!(rows.get() > 4000 || lab::lab().is_none(), "only {} rows", rows.get());
}

/// The independent reading of locks: what a callchain waits for, and who called that.
mod reading {
    use super::Frame;

    const LOCK: [&str; 28] = [
        "_raw_spin_lock",
        "_raw_spin_trylock",
        "_raw_read_lock",
        "_raw_read_trylock",
        "_raw_write_lock",
        "_raw_write_trylock",
        "native_queued_spin_lock_slowpath",
        "__pv_queued_spin_lock_slowpath",
        "queued_spin_lock_slowpath",
        "queued_read_lock_slowpath",
        "queued_write_lock_slowpath",
        // Waiters leave the queue inside their slow path, too.
        "osq_lock",
        "osq_unlock",
        "mutex_lock",
        "mutex_trylock",
        "__mutex_lock",
        "mutex_spin_on_owner",
        "mutex_optimistic_spin",
        "down_read",
        "down_write",
        "__down_read_common",
        "__down_write_common",
        "rwsem_down_",
        "rwsem_optimistic_spin",
        "rwsem_spin_on_owner",
        "percpu_down",
        "__percpu_down",
        "rt_mutex_lock",
    ];
    const HELP: [&str; 6] =
        ["kvm_wait", "pv_native_safe_halt", "native_safe_halt", "native_halt", "__delay", "delay_tsc"];
    /// Functions that take a sleeping lock's own spinlock to wake who waits.
    const WAKE: [(&str, &str); 5] = [
        ("__mutex_unlock_slowpath", "mutex"),
        ("mutex_unlock", "mutex"),
        ("rwsem_wake", "rwsem"),
        ("up_read", "rwsem:R"),
        ("up_write", "rwsem:W"),
    ];

    pub fn base(symbol: &str) -> &str {
        let suffixes = [".isra.", ".constprop.", ".part.", ".cold", ".llvm.", ".lto_priv."];
        symbol
            .find(suffixes[0])
            .into_iter()
            .chain(suffixes.iter().filter_map(|s| symbol.find(s)))
            .min()
            .map_or(symbol, |at| &symbol[..at])
    }

    /// Sleeping locks and rwlocks are one lock for a mode, however much of them the callchain shows; others have their
    /// name.
    fn kind(base: &str) -> &str {
        let has = |text: &str| base.contains(text);
        match base {
            _ if has("mutex") => "mutex",
            _ if has("percpu_down") => "percpu-rwsem",
            _ if has("down_read") => "rwsem:R",
            _ if has("down_write") => "rwsem:W",
            _ if has("rwsem") => "rwsem",
            _ if has("read_lock") || has("read_trylock") => "rwlock:R",
            _ if has("write_lock") || has("write_trylock") => "rwlock:W",
            "osq_lock" => "osq",
            base => base,
        }
    }

    /// `_raw_spin_lock < alloc_fd`, or none where the leaf is no lock's.
    pub fn site(frames: &[Frame]) -> Option<String> {
        let names: Vec<&str> = frames
            .iter()
            .map(|frame| if frame.is_kernel { base(&frame.symbol) } else { "" })
            .map(|name| if name == "__lock_text_start" { "_raw_spin_lock_irqsave" } else { name })
            .collect();
        let mut outermost = None;
        for (at, name) in names.iter().enumerate() {
            if LOCK.iter().any(|lock| name.starts_with(lock)) {
                outermost = Some(at);
            } else if !HELP.contains(name) {
                break;
            }
        }
        let mut outermost = outermost?;
        let mut lock = kind(names[outermost]);
        while let Some((_, waker)) =
            names.get(outermost + 1).and_then(|next| WAKE.iter().find(|(wake, _)| wake == next))
        {
            outermost += 1;
            lock = waker;
        }
        let caller = frames.get(outermost + 1).map_or("none", |frame| frame.symbol.as_str());
        Some(format!("{lock} < {caller}"))
    }
}

#[test]
fn lock_call_sites_are_those_of_the_script() {
    let rows = std::cell::Cell::new(0);
    each(|case, wrong| {
        for event in case.events() {
            let kernel = "spinlock,rwlock,mutex,rwsem,percpu-rwsem,semaphore,rtmutex";
            let report = case.run("report", &["--event", event, "--family", kernel]);
            let mut expected = Weights::new();
            for sample in case.of_event(event) {
                if let Some(site) = reading::site(&sample.frames) {
                    let (lock, caller) = site.split_once(" < ").expect("a lock and its caller");
                    let caller = if caller == "[unknown]" { "unknown" } else { case.aliases.one(caller) };
                    add(&mut expected, format!("{lock} < {caller}"), sample.period, 1);
                }
            }
            let mut own = Weights::new();
            for lock in array(&report["locks"]) {
                let is_by_mode =
                    ["mutex", "rwsem", "percpu-rwsem", "rwlock"].contains(&text(&lock["family"]));
                let name = match (is_by_mode, text(&lock["mode"])) {
                    (false, _) => text(&lock["lock"]).to_owned(),
                    (true, "") => text(&lock["family"]).to_owned(),
                    (true, mode) => format!("{}:{mode}", text(&lock["family"])),
                };
                for caller in array(&lock["callers"]) {
                    let symbol = caller["caller"].as_str().unwrap_or("none");
                    let symbol = if symbol.starts_with('[') { "unknown" } else { case.aliases.one(symbol) };
                    let site = format!("{name} < {symbol}");
                    add(&mut own, site, number(&caller["weight"]), number(&caller["samples"]));
                }
            }
            rows.set(rows.get() + expected.len());
            compare(&format!("{} {event}", case.name), &own, &expected, wrong);
        }
    });
    assert!(rows.get() > 400 || lab::lab().is_none(), "only {} rows", rows.get());
}

/// The kernel functions in which samples lie that wait for a lock.
fn lock_leaves(case: &Case, event: &str) -> BTreeSet<String> {
    let leaf = |sample: &Sample| {
        let name = &sample.frames.first()?.symbol;
        reading::site(&sample.frames).map(|_| name.clone())
    };
    case.of_event(event).filter_map(leaf).collect()
}

#[test]
fn callers_are_those_of_the_script() {
    let trees = std::cell::Cell::new(0);
    each(|case, wrong| {
        for event in case.events() {
            for symbol in lock_leaves(case, event) {
                let what = format!("{} {event} {symbol}", case.name);
                let mut expected = Weights::new();
                let own_samples = case
                    .of_event(event)
                    .filter(|s| s.frames.first().is_some_and(|leaf| leaf.symbol == symbol));
                for sample in own_samples {
                    let caller = sample.frames.get(1).map_or("none".to_owned(), |frame| case.name(frame));
                    add(&mut expected, caller, sample.period, 1);
                }
                let symbol = if symbol == "__lock_text_start" { "_raw_spin_lock_irqsave" } else { &symbol };
                let tree = case.run("callers", &["--event", event, "--symbol", symbol]);
                let mut own = Weights::new();
                let root = &tree["root"];
                let mut ended = (number(&root["weight"]), number(&root["samples"]));
                for row in array(&root["callers"]) {
                    let name = case.own_name(text(&row["caller"]), text(&row["module"]));
                    let (weight, samples) = (number(&row["weight"]), number(&row["samples"]));
                    ended = (ended.0 - weight, ended.1 - samples);
                    add(&mut own, name, weight, samples);
                }
                if ended.1 > 0 {
                    own.insert("none".to_owned(), ended);
                }
                trees.set(trees.get() + 1);
                compare(&what, &own, &expected, wrong);
            }
        }
    });
    assert!(trees.get() > 100 || lab::lab().is_none(), "only {} trees", trees.get());
}

/// The first level of callers that report-callee.txt.gz gives for a kernel function, in points of the total, by
/// thread's name; and the total. Without a percentage a caller has all of its parent.
fn printed_callers(folder: &Path, symbol: &str) -> (u64, BTreeMap<String, Vec<(String, f64)>>) {
    let text = lab::gunzip(&folder.join("report-callee.txt.gz"));
    let total = text
        .lines()
        .find_map(|line| line.strip_prefix("# Event count (approx.): "))
        .and_then(|number| number.parse().ok())
        .unwrap_or(0);
    let mut callers: BTreeMap<String, Vec<(String, f64)>> = BTreeMap::new();
    let mut row: Option<(String, f64)> = None;
    let mut column = None;
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let head =
            line.trim_start().split_once("%  ").filter(|_| line.contains("[k] ") || line.contains("[.] "));
        if let Some((percent, rest)) = head.and_then(|(p, rest)| Some((p.parse::<f64>().ok()?, rest))) {
            let is_own = rest.ends_with(&format!("[k] {symbol}"));
            row = is_own.then(|| (rest.split("  ").next().unwrap_or_default().trim().to_owned(), percent));
            column = None;
            continue;
        }
        let Some((comm, share)) = &row else { continue };
        let name_at = line.find(|c: char| !" |-".contains(c)).filter(|_| !line.contains("---"));
        let Some(at) = name_at else { continue };
        let (percent, name) = match line[at..].split_once("%--") {
            Some((percent, name)) => (percent.parse::<f64>().expect("a percentage"), name),
            None => (*share, &line[at..]),
        };
        // The first caller's line stands furthest to the left; its siblings in the same column.
        let start = line.find("--").filter(|_| line.contains("%--")).unwrap_or(at);
        if *column.get_or_insert(start) == start && (line.contains("%--") || !callers.contains_key(comm)) {
            callers.entry(comm.clone()).or_default().push((name.trim().to_owned(), percent));
        }
    }
    (total, callers)
}

#[test]
fn callers_are_those_that_perf_report_printed() {
    const SYMBOLS: [&str; 3] = ["native_queued_spin_lock_slowpath", "osq_lock", "rwsem_spin_on_owner"];
    let rows = std::cell::Cell::new(0);
    each(|case, wrong| {
        let events = case.events();
        let event = match (events.first(), case.folder.join("report-callee.txt.gz").exists()) {
            (Some(event), true) if events.len() == 1 => *event,
            _ => return,
        };
        for symbol in SYMBOLS {
            let (total, printed) = printed_callers(&case.folder, symbol);
            for (comm, callers) in printed {
                let tree = case.run("callers", &["--event", event, "--symbol", symbol, "--comm", &comm]);
                for (name, percent) in callers {
                    let name = case.aliases.one(&name);
                    let of_caller = |row: &&Value| case.aliases.one(text(&row["caller"])) == name;
                    let found = array(&tree["root"]["callers"]).iter().find(of_caller);
                    let weight = found.map_or(0, |row| number(&row["weight"]));
                    let own = 100.0 * weight as f64 / total as f64;
                    rows.set(rows.get() + 1);
                    if (own - percent).abs() > 0.0101 {
                        wrong.push(format!(
                            "{} {comm} {symbol} < {name}: {own:.3} %, perf {percent} %",
                            case.name
                        ));
                    }
                }
            }
        }
    });
    assert!(rows.get() > 80 || lab::lab().is_none(), "only {} rows", rows.get());
}
