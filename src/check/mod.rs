//! The gate: conditions in a little language, and whether a comparison meets them. `docs/check.md` describes it.

mod evaluate;
mod explain;
mod language;

pub use evaluate::{Decision, Finding, Outcome, evaluate};
pub use language::{Bound, Condition, Direction, Each, Proof, Scope, Sites, SyntaxError, parse};

use crate::run::Warning;

/// All conditions over one comparison.
#[derive(Debug, Clone)]
pub struct Check {
    /// What the side before is called.
    pub before: String,
    /// What the side after is called.
    pub after: String,
    /// What the comparison says in one sentence.
    pub headline: String,
    /// What became of each condition, in the order in which they were given.
    pub outcomes: Vec<Outcome>,
    /// What to know about the data.
    pub warnings: Vec<Warning>,
}

impl Check {
    /// Whether a condition is met.
    pub fn has_tripped(&self) -> bool {
        self.count(Decision::Tripped) > 0
    }

    /// The number of conditions with this decision.
    pub fn count(&self, decision: Decision) -> usize {
        self.outcomes.iter().filter(|outcome| outcome.decision == decision).count()
    }
}
