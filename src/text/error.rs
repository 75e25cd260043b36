//! Why a text could not be read, and what to paste instead.

/// Nothing in the input could be used. Lines count from 1; in a message whose part was encoded they count
/// from the part's first line in the file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TextError {
    /// The input holds bytes that no text has.
    #[error(
        "line 1: this is binary data, not text; give a recording as a perf.data file, or the output of `perf report --stdio`"
    )]
    Binary,
    /// No line looked like something of perf's.
    #[error(
        "none of {n_lines} lines is a row of a perf report, a sample of perf script or a folded stack; paste the output of `perf report --stdio`, `perf script` or stackcollapse-perf"
    )]
    Nothing {
        /// Number of lines that were looked at.
        n_lines: usize,
    },
    /// Rows with percentages, but without a symbol such as `[k] _raw_spin_lock`.
    #[error(
        "line {line}: the rows of this report name no symbol; make it with `perf report --stdio --sort comm,dso,symbol`"
    )]
    NoSymbols {
        /// The first such row.
        line: usize,
    },
    /// Rows whose only percentage is the share including callees.
    #[error(
        "line {line}: this report has a Children column but no Self column; make it with `perf report --stdio --no-children`"
    )]
    NoSelf {
        /// The first such row.
        line: usize,
    },
    /// Two counts on each line of folded stacks.
    #[error(
        "line {line}: these folded stacks have two counts on each line, a difference of two runs; give the two runs as two files"
    )]
    TwoCounts {
        /// The first such line.
        line: usize,
    },
}
