//! Calls that run side by side: they end in any order and are told in the order the model made them.

use super::Block;
use fore_agent::event::CallId;
use std::{collections::VecDeque, mem};

/// Calls that are kept in order; a session runs at most ten at once.
const MOST: usize = 200;

/// The calls of one batch whose turn to be told has not come.
#[derive(Debug, Default)]
pub(super) struct Abreast(VecDeque<Place>);

#[derive(Debug)]
struct Place {
    call: CallId,
    end: End,
}

/// How far a call is.
#[derive(Debug)]
pub(super) enum End {
    /// It runs, or will.
    Open,
    /// It has ended, and one before it has not.
    Held(Box<Block>),
    /// It has ended, and nothing is to be told of it.
    Silent,
}

impl Abreast {
    /// A batch begins. Gives what is left of the one before.
    pub(super) fn begin(&mut self, calls: &[CallId]) -> Vec<Block> {
        let left = self.end();
        self.0 = calls.iter().take(MOST).map(|call| Place { call: call.clone(), end: End::Open }).collect();
        left
    }

    /// A call has ended. Gives what may be told now.
    pub(super) fn ended(&mut self, call: &CallId, block: Option<Block>) -> Vec<Block> {
        let Some(place) = self.0.iter_mut().find(|place| place.call == *call) else {
            return block.into_iter().collect();
        };
        place.end = block.map_or(End::Silent, |block| End::Held(Box::new(block)));
        let first_open = self.0.iter().position(|place| matches!(place.end, End::Open));
        self.0.drain(..first_open.unwrap_or(self.0.len())).filter_map(Place::block).collect()
    }

    /// Nothing more will be heard of the batch. Gives what is left of it.
    pub(super) fn end(&mut self) -> Vec<Block> {
        mem::take(&mut self.0).into_iter().filter_map(Place::block).collect()
    }

    /// The calls whose turn has not come, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&CallId, &End)> {
        self.0.iter().map(|place| (&place.call, &place.end))
    }
}

impl Place {
    fn block(self) -> Option<Block> {
        match self.end {
            End::Held(block) => Some(*block),
            End::Open | End::Silent => None,
        }
    }
}
