//! Parts of callchains, stored end to end: a part is a range of frames, leaf first.

use crate::id::{FrameId, PartId};

/// All distinct parts of one kind. Part 0 is the empty one.
#[derive(Debug, Clone)]
pub struct Parts {
    frames: Vec<FrameId>,
    ends: Vec<u32>,
}

/// The part without frames.
pub const EMPTY: PartId = PartId(0);

impl Default for Parts {
    fn default() -> Self {
        Self { frames: Vec::new(), ends: vec![0] }
    }
}

impl Parts {
    /// Adds a part, leaf first, and hands out its id.
    pub fn push(&mut self, frames: impl IntoIterator<Item = FrameId>) -> PartId {
        self.frames.extend(frames);
        self.ends.push(self.frames.len() as u32);
        PartId(self.ends.len() as u32 - 1)
    }

    /// The frames of a part, leaf first.
    pub fn get(&self, id: PartId) -> &[FrameId] {
        let start = if id.0 == 0 { 0 } else { self.ends[id.index() - 1] };
        &self.frames[start as usize..self.ends[id.index()] as usize]
    }

    /// The number of parts, the empty one counted.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is nothing but the empty part.
    pub fn is_empty(&self) -> bool {
        self.ends.len() == 1
    }

    /// All ids.
    pub fn ids(&self) -> impl Iterator<Item = PartId> + use<> {
        (0..self.ends.len() as u32).map(PartId)
    }
}
