//! What goes on at this moment: running calls, subagents, thoughts, the todo list, prompts that wait. Bounded.

use super::{answer_progress::AnswerProgress, parallel_calls::ParallelCalls};
use fore_agent::{AgentId, CallId, CallOutcome};
use fore_plan::{Cage, CalledTool, approval::ExitResponse};
use fore_store::entry::Todo;
use fore_text::cut;
use std::{collections::VecDeque, time::Instant};

/// Calls and agents that are remembered while they run.
const MAX_RUNNING: usize = 200;
/// Prompts that wait; a session takes no more than fifty.
const MAX_WAITING: usize = 100;
/// Bytes of the newest output of a running call.
const MAX_TAIL_BYTES: usize = 4 << 10;
/// Bytes of thoughts that are kept.
const MAX_THOUGHT_BYTES: usize = 256 << 10;

#[derive(Debug, Default)]
pub(super) struct LiveState {
    pub(super) is_running: bool,
    /// The person stopped the turn, which has not ended yet.
    pub(super) is_stopping: bool,
    /// The conversation is being summarised.
    pub(super) is_summarising: bool,
    /// What was said last was said by the scout.
    pub(super) is_scout: bool,
    /// A call waits for the person's word.
    pub(super) is_asked: bool,
    pub(super) thought: String,
    pub(super) answer: AnswerProgress,
    pub(super) calls: Vec<RunningCall>,
    /// Calls of one batch, in the order they are told.
    pub(super) parallel: ParallelCalls,
    pub(super) agents: Vec<RunningAgent>,
    pub(super) todos: Vec<Todo>,
    /// The list was told since the last turn ended.
    pub(super) todos_changed: bool,
    pub(super) waiting: VecDeque<WaitingPrompt>,
    /// The plan that was shown for approval.
    pub(super) plan: Option<String>,
    pub(super) response: Option<ExitResponse>,
    /// A decision or a change of mode was shown since the call that led to it began.
    pub(super) has_decided: bool,
    /// Prompts sent to steer that were not told of yet.
    pub(super) steering: VecDeque<String>,
}

#[derive(Debug)]
pub(super) struct RunningCall {
    pub(super) call: CallId,
    pub(super) tool: CalledTool,
    pub(super) line: String,
    pub(super) cage: Option<Cage>,
    /// The end of its output.
    pub(super) tail: String,
    pub(super) lines: usize,
    pub(super) since: Option<Instant>,
}

#[derive(Debug)]
pub(super) struct RunningAgent {
    pub(super) agent: AgentId,
    pub(super) kind: String,
    pub(super) task: String,
    pub(super) calls: u32,
    pub(super) refused: u32,
    pub(super) line: String,
    /// It has ended, but what it handed back is not here yet.
    pub(super) ended: Option<CallOutcome>,
    pub(super) since: Option<Instant>,
}

#[derive(Debug)]
pub(super) struct WaitingPrompt {
    pub(super) text: String,
    pub(super) is_steering: bool,
}

impl LiveState {
    pub(super) fn start(&mut self, running: RunningCall) {
        if self.calls.len() < MAX_RUNNING {
            self.calls.push(running);
        }
    }

    pub(super) fn end(&mut self, call: &CallId) -> Option<RunningCall> {
        let index = self.calls.iter().position(|running| running.call == *call)?;
        Some(self.calls.remove(index))
    }

    pub(super) fn output(&mut self, call: &CallId, text: &str) {
        let Some(running) = self.calls.iter_mut().find(|running| running.call == *call) else { return };
        running.lines = running.lines.saturating_add(text.matches('\n').count());
        running.tail.push_str(cut::last_bytes(text, MAX_TAIL_BYTES));
        let over = running.tail.len() - cut::last_bytes(&running.tail, MAX_TAIL_BYTES).len();
        running.tail.drain(..over);
    }

    pub(super) fn start_agent(&mut self, agent: RunningAgent) {
        if self.agents.len() < MAX_RUNNING {
            // They start at once, in any order; they are listed in the order they were asked for.
            let number = number_in(&agent.agent.0);
            let place = self.agents.partition_point(|other| number_in(&other.agent.0) <= number);
            self.agents.insert(place, agent);
        }
    }

    pub(super) fn agent(&mut self, agent: &AgentId) -> Option<&mut RunningAgent> {
        self.agents.iter_mut().find(|running| running.agent == *agent)
    }

    /// The agent that a call started: an agent is named after its call (`call-7`, `a7`).
    pub(super) fn end_agent(&mut self, call: &CallId) -> Option<RunningAgent> {
        let wanted = number_in(&call.0);
        let is_it = |running: &RunningAgent| wanted.is_some() && number_in(&running.agent.0) == wanted;
        let index = self.agents.iter().position(is_it)?;
        Some(self.agents.remove(index))
    }

    pub(super) fn think(&mut self, delta: &str) {
        let room = MAX_THOUGHT_BYTES.saturating_sub(self.thought.len());
        self.thought.push_str(cut::bytes(delta, room));
        self.answer.think(delta);
    }

    pub(super) fn set_todos(&mut self, items: &[Todo]) {
        self.todos_changed |= self.todos != items;
        self.todos = items.to_vec();
    }

    /// They went back to the composer.
    pub(super) fn forget_prompts(&mut self) {
        self.waiting.clear();
        self.steering.clear();
    }

    pub(super) fn steers(&mut self, text: &str) {
        if self.steering.len() < MAX_WAITING {
            self.steering.push_back(text.to_owned());
        }
    }

    pub(super) fn wait(&mut self, text: &str) {
        let is_steering = self.is_steering(text);
        if self.waiting.len() < MAX_WAITING {
            self.waiting.push_back(WaitingPrompt { text: text.to_owned(), is_steering });
        }
    }

    /// Whether these words were sent to steer; asked once.
    pub(super) fn is_steering(&mut self, text: &str) -> bool {
        let Some(index) = self.steering.iter().position(|sent| sent == text) else { return false };
        self.steering.remove(index).is_some()
    }

    /// Takes a prompt from those that wait.
    pub(super) fn heard(&mut self, text: &str) -> Option<WaitingPrompt> {
        let index = self.waiting.iter().position(|waiting| waiting.text == text)?;
        self.waiting.remove(index)
    }
}

/// The number at the end of an id.
fn number_in(id: &str) -> Option<u64> {
    id.trim_start_matches(|letter: char| !letter.is_ascii_digit()).parse().ok()
}
