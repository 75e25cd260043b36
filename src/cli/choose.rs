//! From what was typed to what the run needs.

use super::{ByArg, CallersArgs, DiffByArg, FilterArgs, LockArgs, SelectionArgs, TestArg};
use crate::compare::{RowsBy, Test};
use std::path::PathBuf;

use crate::error::Result;
use crate::ingest::selection::{Again, ByCpu, Cores, Idle, Selection, Space};
use crate::lock::attribution::{Options, Through};
use crate::lock::choice::{By, Choice};
use crate::lock::family::Family;
use crate::lock::matcher::Matcher;
use crate::lock::rules::{self, UserRules};
use crate::lock::tree::Root;

/// Processors, as typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CpuList(pub Vec<u32>);

/// Reads `0-3,8`.
pub fn cpu_list(text: &str) -> std::result::Result<CpuList, String> {
    const MOST: u32 = 65_536;
    let wrong = || format!("'{text}' is no list of processors: write it as 0-3,8");
    let mut cpus = Vec::new();
    for item in text.split(',') {
        let number = |t: &str| t.trim().parse::<u32>().ok().filter(|&n| n < MOST).ok_or_else(wrong);
        match item.split_once('-') {
            Some((from, to)) => {
                let (from, to) = (number(from)?, number(to)?);
                if from > to {
                    return Err(wrong());
                }
                cpus.extend(from..=to);
            }
            None => cpus.push(number(item)?),
        }
    }
    Ok(CpuList(cpus))
}

/// A family by its word.
pub fn family(text: &str) -> std::result::Result<Family, String> {
    Family::parse(text).ok_or_else(|| {
        let known: Vec<_> = Family::ALL.iter().map(|family| family.word()).collect();
        format!("'{text}' is no family of locks: take one of {}", known.join(", "))
    })
}

/// The samples that count.
pub fn selection(args: &SelectionArgs, by: By) -> Selection {
    Selection {
        comms: args.comm.clone(),
        pids: args.pid.clone(),
        tids: args.tid.clone(),
        cpus: args.cpu.as_ref().map(|list| list.0.clone()).unwrap_or_default(),
        time: args.time,
        idle: if args.no_idle { Idle::Dropped } else { Idle::Kept },
        space: if args.kernel_only { Space::KernelOnly } else { Space::All },
        by_cpu: if by == By::Cpu { ByCpu::Apart } else { ByCpu::Together },
        again: Again::Never,
        cores: Cores::Together,
    }
}

/// What rows are made of.
pub fn by(arg: ByArg) -> By {
    match arg {
        ByArg::Lock => By::Lock,
        ByArg::Site => By::Site,
        ByArg::Symbol => By::Symbol,
        ByArg::Comm => By::Comm,
        ByArg::Cpu => By::Cpu,
        ByArg::Path => By::Path,
    }
}

/// The rows to show; `default_limit` where the user gave none.
pub fn rows(args: &FilterArgs, by: By, default_limit: Option<usize>) -> Choice {
    Choice {
        families: args.locks.family.clone(),
        locks: args.locks.lock.clone(),
        callers: args.locks.caller.clone(),
        min_share: args.min_share.unwrap_or(0.0) / 100.0,
        limit: args.limit.or(default_limit),
        by,
    }
}

/// Callers that a path shows.
const PATH: usize = 4;

/// How to attribute.
///
/// # Errors
/// Where the file of rules cannot be read.
pub fn attribution(args: &LockArgs, by: By) -> Result<Options> {
    let UserRules { rules, mut wrappers } = match &args.rules {
        Some(path) => rules::read(path)?,
        None => UserRules::default(),
    };
    wrappers.extend(args.through.iter().flatten().filter(|name| !name.is_empty()).cloned());
    Ok(Options {
        matcher: Matcher::new(&rules, &wrappers),
        through: if args.through.is_some() { Through::Wrappers } else { Through::Direct },
        path: if by == By::Path { PATH } else { 0 },
    })
}

/// The root of a tree of callers.
pub fn root(args: &CallersArgs) -> Root {
    match (&args.lock, &args.symbol) {
        (Some(lock), _) => Root::Lock(lock.clone()),
        (None, symbol) => Root::Symbol(symbol.clone().unwrap_or_default()),
    }
}

/// A side with its name, as typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedSide {
    /// What it is called.
    pub name: String,
    /// Where its runs lie.
    pub paths: Vec<PathBuf>,
}

/// Reads `NAME=PATH,PATH`.
pub fn named_side(text: &str) -> std::result::Result<NamedSide, String> {
    match text.split_once('=') {
        Some((name, paths)) if !name.is_empty() && !paths.is_empty() => {
            Ok(NamedSide { name: name.to_owned(), paths: paths.split(',').map(PathBuf::from).collect() })
        }
        _ => Err(format!("'{text}' names no side: write NAME=PATH,PATH")),
    }
}

/// What rows of a comparison are made of.
pub fn rows_by(arg: DiffByArg) -> RowsBy {
    match arg {
        DiffByArg::Site => RowsBy::Site,
        DiffByArg::Lock => RowsBy::Lock,
        DiffByArg::Family => RowsBy::Family,
    }
}

/// The test that decides.
pub fn test(arg: TestArg) -> Test {
    match arg {
        TestArg::Welch => Test::Welch,
        TestArg::Rank => Test::Rank,
        TestArg::Range => Test::Range,
    }
}
