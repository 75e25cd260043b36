//! What a flame graph shows: its frames, the sentence above it, and for a difference what changed in each frame.

use crate::compare::{Comparison, Row, Settings, Verdict};
use crate::graph::{Graph, WidthBy, judge};
use crate::run::{self, RunInfo};

/// A flame graph, ready to be drawn.
#[derive(Debug, Clone)]
pub struct Picture {
    /// What it says in one sentence.
    pub headline: String,
    /// The frames.
    pub graph: Graph,
    /// The sides: one, or before and after.
    pub sides: Vec<PictureSide>,
    /// What changed, for two sides.
    pub changes: Option<Changes>,
}

/// A side of a picture.
#[derive(Debug, Clone)]
pub struct PictureSide {
    /// What it is called.
    pub name: String,
    /// The facts of its runs.
    pub runs: Vec<RunInfo>,
}

/// What changed, frame by frame.
#[derive(Debug, Clone)]
pub struct Changes {
    /// In the order of the graph's nodes.
    pub rows: Vec<Row>,
    /// How they were judged.
    pub settings: Settings,
    /// What frames are as wide as.
    pub width_by: WidthBy,
}

/// What a frame's share did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// It grew by more than noise.
    More,
    /// It shrank by more than noise.
    Less,
    /// It moved no more than noise does.
    Noise,
}

/// On which sides a frame is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// On both.
    Both,
    /// After only.
    New,
    /// Before only.
    Gone,
}

impl Picture {
    /// The graph of one side.
    pub fn of_side(headline: String, graph: Graph, side: PictureSide) -> Self {
        Self { headline, graph, sides: vec![side], changes: None }
    }

    /// The difference of two sides.
    pub fn of_difference(headline: String, graph: Graph, comparison: &Comparison, width_by: WidthBy) -> Self {
        let side =
            |side: &crate::compare::Side| PictureSide { name: side.name.clone(), runs: side.runs.clone() };
        let settings = comparison.settings.clone();
        let changes = Changes { rows: judge(&graph, &settings), settings, width_by };
        let sides = vec![side(&comparison.before), side(&comparison.after)];
        Self { headline, graph, sides, changes: Some(changes) }
    }

    /// A count of a frame, where all runs have counts.
    pub fn counted(&self, count: u64) -> Option<u64> {
        run::counted(self.sides.iter().flat_map(|side| &side.runs), count)
    }

    /// How shares are called: "of cycles".
    pub fn whole(&self) -> String {
        run::whole(self.sides.iter().flat_map(|side| &side.runs))
    }
}

impl Changes {
    /// Whether both sides have the runs that a test needs.
    pub fn can_test(&self) -> bool {
        self.rows.first().is_some_and(|row| row.before.runs.len() > 1 && row.after.runs.len() > 1)
    }

    /// What a frame's share did. It is noise where the 95 % interval of the difference contains none; without several runs on
    /// both sides noise is not known, and what is smaller than the smallest effect is taken for it.
    pub fn change(&self, row: &Row) -> Change {
        let is_noise = match row.interval {
            Some(interval) => interval.contains(0.0),
            None => row.points.abs() < self.settings.min_effect,
        };
        match row.points {
            _ if is_noise => Change::Noise,
            points if points > 0.0 => Change::More,
            _ => Change::Less,
        }
    }

    /// On which sides a frame is.
    pub fn presence(&self, row: &Row) -> Presence {
        match row.verdict {
            Verdict::New => Presence::New,
            Verdict::Gone => Presence::Gone,
            _ => Presence::Both,
        }
    }
}
