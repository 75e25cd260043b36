//! Distinct parts of callchains while folding: raw words, stored end to end, found by their hash.

use std::hash::Hasher;

use hashbrown::HashTable;
use rustc_hash::FxHasher;

use crate::id::{PartId, SpaceId};

/// Parts as raw addresses, each in a state of an address space. Part 0 is the empty one.
#[derive(Debug)]
pub(super) struct RawParts {
    words: Vec<u64>,
    ends: Vec<u32>,
    spaces: Vec<SpaceId>,
    table: HashTable<PartId>,
}

impl Default for RawParts {
    fn default() -> Self {
        Self { words: Vec::new(), ends: vec![0], spaces: vec![SpaceId(0)], table: HashTable::new() }
    }
}

impl RawParts {
    /// The id of a part, new or known.
    #[inline]
    pub(super) fn intern(&mut self, space: SpaceId, words: &[u64]) -> PartId {
        if words.is_empty() {
            return PartId(0);
        }
        let hash = hash(space, words);
        if let Some(id) = self.find_hashed(hash, space, words) {
            return id;
        }
        let id = PartId(self.ends.len() as u32);
        self.words.extend_from_slice(words);
        self.ends.push(self.words.len() as u32);
        self.spaces.push(space);
        let (all, ends, spaces) = (&self.words, &self.ends, &self.spaces);
        self.table.insert_unique(hash, id, |id| self::hash(spaces[id.index()], get(all, ends, *id)));
        id
    }

    /// The id of a part that is known.
    #[inline]
    pub(super) fn find(&self, space: SpaceId, words: &[u64]) -> Option<PartId> {
        if words.is_empty() {
            return Some(PartId(0));
        }
        self.find_hashed(hash(space, words), space, words)
    }

    fn find_hashed(&self, hash: u64, space: SpaceId, words: &[u64]) -> Option<PartId> {
        let same =
            |id: &PartId| self.spaces[id.index()] == space && get(&self.words, &self.ends, *id) == words;
        self.table.find(hash, same).copied()
    }

    /// The words of a part, leaf first, and their space.
    pub(super) fn get(&self, id: PartId) -> (SpaceId, &[u64]) {
        (self.spaces[id.index()], get(&self.words, &self.ends, id))
    }

    /// All ids, the empty part's first.
    pub(super) fn ids(&self) -> impl Iterator<Item = PartId> + use<> {
        (0..self.ends.len() as u32).map(PartId)
    }
}

#[inline]
fn get<'a>(words: &'a [u64], ends: &[u32], id: PartId) -> &'a [u64] {
    let start = if id.0 == 0 { 0 } else { ends[id.index() - 1] };
    &words[start as usize..ends[id.index()] as usize]
}

#[inline]
fn hash(space: SpaceId, words: &[u64]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write_u32(space.0);
    for &word in words {
        hasher.write_u64(word);
    }
    hasher.finish()
}
