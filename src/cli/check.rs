//! What was typed for `lockblame check`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{FilterArgs, SelectionArgs, SidesArgs, SymbolArgs};
use crate::check::{Condition, parse};

/// `lockblame check`.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit code: 0 where no condition is met, 1 where one is, 2 on errors. docs/check.md has the language."
)]
pub struct CheckArgs {
    /// Fail where this is so: 'spinlock > +1pt' (points of share), 'total > 10%' (share after), 'any lock > +20%
    /// per-op' (cost of an operation). Subjects: total, a family, lock NAME [from NAME], caller NAME, any family, any
    /// lock, any caller, any site. It must be more than noise, unless 'even if unproven' follows
    #[arg(long, value_name = "CONDITION", required = true, value_parser = parse)]
    pub fail_if: Vec<Condition>,
    /// What is compared.
    #[command(flatten)]
    pub sides: SidesArgs,
    /// Which samples count.
    #[command(flatten)]
    pub selection: SelectionArgs,
    /// Which locks count.
    #[command(flatten)]
    pub rows: FilterArgs,
    /// Where symbols come from.
    #[command(flatten)]
    pub symbols: SymbolArgs,
    /// How to print.
    #[command(flatten)]
    pub output: CheckOutputArgs,
}

/// How to print what a check found.
#[derive(Debug, Args)]
#[command(next_help_heading = "How to print")]
pub struct CheckOutputArgs {
    /// The format
    #[arg(long, value_enum, default_value_t = CheckFormatArg::Text)]
    pub format: CheckFormatArg,
    /// Write to a file instead of the terminal
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// No progress, warnings or hints on stderr
    #[arg(short, long)]
    pub quiet: bool,
}

/// A format of checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CheckFormatArg {
    /// A line a condition
    Text,
    /// JUnit XML
    Junit,
    /// Annotations of GitHub Actions
    Github,
    /// JSON
    Json,
}
