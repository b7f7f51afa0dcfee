//! Calls that run side by side: they end in any order and are told in the order the model made them.

use super::StoryBlock;
use fore_agent::CallId;
use std::{collections::VecDeque, mem};

/// Calls that are kept in order; a session runs at most ten at once.
const MAX_CALLS: usize = 200;

/// The calls of one batch whose turn to be told has not come.
#[derive(Debug, Default)]
pub(super) struct ParallelCalls(VecDeque<ParallelCall>);

#[derive(Debug)]
struct ParallelCall {
    call: CallId,
    end: CallProgress,
}

/// How far a call is.
#[derive(Debug)]
pub(super) enum CallProgress {
    /// It runs, or will.
    Open,
    /// It has ended, and one before it has not.
    Held(Box<StoryBlock>),
    /// It has ended, and nothing is to be told of it.
    Silent,
}

impl ParallelCalls {
    /// A batch begins. Gives what is left of the one before.
    pub(super) fn begin(&mut self, calls: &[CallId]) -> Vec<StoryBlock> {
        let left = self.end();
        self.0 = calls
            .iter()
            .take(MAX_CALLS)
            .map(|call| ParallelCall { call: call.clone(), end: CallProgress::Open })
            .collect();
        left
    }

    /// A call has ended. Gives what may be told now.
    pub(super) fn ended(&mut self, call: &CallId, block: Option<StoryBlock>) -> Vec<StoryBlock> {
        let Some(place) = self.0.iter_mut().find(|place| place.call == *call) else {
            return block.into_iter().collect();
        };
        place.end = block.map_or(CallProgress::Silent, |block| CallProgress::Held(Box::new(block)));
        let first_open = self.0.iter().position(|place| matches!(place.end, CallProgress::Open));
        self.0.drain(..first_open.unwrap_or(self.0.len())).filter_map(ParallelCall::block).collect()
    }

    /// Nothing more will be heard of the batch. Gives what is left of it.
    pub(super) fn end(&mut self) -> Vec<StoryBlock> {
        mem::take(&mut self.0).into_iter().filter_map(ParallelCall::block).collect()
    }

    /// The calls whose turn has not come, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&CallId, &CallProgress)> {
        self.0.iter().map(|place| (&place.call, &place.end))
    }
}

impl ParallelCall {
    fn block(self) -> Option<StoryBlock> {
        match self.end {
            CallProgress::Held(block) => Some(*block),
            CallProgress::Open | CallProgress::Silent => None,
        }
    }
}
