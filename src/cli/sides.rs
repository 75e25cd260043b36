//! What was typed about the sides of a comparison.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::choose::NamedSide;

/// What is compared, as a comparison alone takes it.
#[derive(Debug, Args)]
#[command(next_help_heading = "What is compared")]
pub struct SidesArgs {
    /// Two sides: recordings, folders of runs, globs, or texts (perf report, a mail, a table of the test robot)
    #[arg(value_name = "BEFORE AFTER", num_args = 0..=2)]
    pub paths: Vec<PathBuf>,
    /// The sides by flags.
    #[command(flatten)]
    pub compared: ComparedArgs,
    /// A side of its own name; each further one is compared with the first
    #[arg(long, value_name = "NAME=PATHS", value_parser = super::choose::named_side)]
    pub side: Vec<NamedSide>,
    /// What the benchmark itself said.
    #[command(flatten)]
    pub benchmark: BenchmarkArgs,
}

/// The sides by flags, and how they are compared.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "What is compared")]
pub struct ComparedArgs {
    /// Runs before the change
    #[arg(long, value_name = "PATH", num_args = 1..)]
    pub before: Vec<PathBuf>,
    /// Runs after the change
    #[arg(long, value_name = "PATH", num_args = 1..)]
    pub after: Vec<PathBuf>,
    /// The kernel's symbols of the side before, where the sides' kernels differ
    #[arg(long, value_name = "FILE")]
    pub kallsyms_before: Option<PathBuf>,
    /// The kernel's symbols of the side after
    #[arg(long, value_name = "FILE")]
    pub kallsyms_after: Option<PathBuf>,
    /// Which test decides
    #[arg(long, value_enum, default_value_t = TestArg::Welch)]
    pub test: TestArg,
    /// A smaller change is called none, in points
    #[arg(long, value_name = "POINTS", default_value_t = 1.0, value_parser = super::percentage)]
    pub min_effect: f64,
    /// Compare different events all the same
    #[arg(long)]
    pub force: bool,
}

impl ComparedArgs {
    /// Whether no side is given.
    pub fn is_empty(&self) -> bool {
        self.before.is_empty() && self.after.is_empty()
    }
}

/// What the benchmark itself said.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "What is compared")]
pub struct BenchmarkArgs {
    /// Operations that the runs before did: numbers, or files with a number a line
    #[arg(long, value_name = "N,…|FILE", num_args = 1..)]
    pub ops_before: Vec<String>,
    /// Operations that the runs after did
    #[arg(long, value_name = "N,…|FILE", num_args = 1..)]
    pub ops_after: Vec<String>,
    /// How to find the number of operations in the benchmark's log: a regular expression whose group is the number
    #[arg(long, value_name = "REGEX")]
    pub ops_pattern: Option<String>,
    /// The benchmark's own figures before: CSV with the header run,metric,value, or JSON lines of the same
    #[arg(long, value_name = "FILE")]
    pub metrics_before: Option<PathBuf>,
    /// The benchmark's own figures after
    #[arg(long, value_name = "FILE")]
    pub metrics_after: Option<PathBuf>,
}

impl BenchmarkArgs {
    /// Whether it said nothing. A pattern alone finds no figure.
    pub fn is_empty(&self) -> bool {
        self.ops_before.is_empty()
            && self.ops_after.is_empty()
            && self.metrics_before.is_none()
            && self.metrics_after.is_none()
    }
}

/// What rows of a comparison are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs, reason = "the words are the values of --by")]
pub enum DiffByArg {
    Site,
    Lock,
    Family,
}

/// Which test decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TestArg {
    /// Welch's t
    Welch,
    /// Mann-Whitney's U, exact; from four runs a side on
    Rank,
    /// The kernel test robot's criterion on ranges
    Range,
}
