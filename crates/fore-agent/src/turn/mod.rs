//! One turn as a machine without I/O: what happened goes in, what to do next comes out. It never waits, reads or runs.
//!
//! A turn begins with the person's prompt and ends when the model has said its last word. In between the model asks for
//! calls in batches; every call gets exactly one result, whatever happens, so the conversation stays well-formed.

mod batch;

pub use batch::{Concurrency, Slot};

use crate::event::TurnOutcome;
use batch::{Batch, BatchStep};
use fore_model::{StopReason, ToolResult, ToolUse};
use fore_plan::gate::tool_name;

/// Answers that were cut off in the middle and are asked for again, in one turn.
const MAX_CUTS: u32 = 3;
/// Times a model is told to go on where its output limit stopped it, or to repeat an unreadable call.
const MAX_NUDGES: u32 = 3;

/// What happened.
#[derive(Clone, Debug, PartialEq)]
pub enum TurnInput {
    /// The person's words are in the history.
    Begin,
    /// The model has answered; the answer is in the history.
    Answered(AnswerSummary),
    /// The model could not be asked, or its answer is unusable; nothing of it is in the history.
    Failed(TurnFailure),
    /// One call has ended.
    Finished {
        slot: usize,
        result: ToolResult,
        then: AfterCall,
    },
    /// The person stopped the turn. Calls that ran have been stopped and their results were given before.
    Interrupted,
    Compacted,
    CompactionFailed {
        why: String,
    },
}

/// An answer, as far as the turn depends on it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnswerSummary {
    pub calls: Vec<(ToolUse, Concurrency)>,
    pub stop: Option<StopReason>,
    /// A plan was written in this turn and the answer neither asks the person anything nor hands the plan in.
    pub owes_plan: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TurnFailure {
    /// The history does not fit the model.
    Overflow { why: String },
    /// The answer ended in the middle.
    Cut { why: String },
    /// Repeating does not help.
    Fatal { why: String },
}

/// What a call means for the turn beyond its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AfterCall {
    GoOn,
    /// The turn is over, the rest of the batch is not run.
    End(TurnOutcome),
    /// The turn is over and this call stays without a result: it waits on disk for an answer.
    Park(TurnOutcome),
    /// The history was emptied and begins with the approved plan; results of this batch belong to the past.
    StartAfresh,
}

/// What to do next, in order.
#[derive(Clone, Debug, PartialEq)]
pub enum TurnEffect {
    /// Send the history to the model.
    Ask,
    /// Run these calls side by side, each through the gate.
    Run(Vec<Slot>),
    /// Put this result into the history.
    Record(ToolResult),
    /// Summarise the history.
    Compact {
        why: String,
    },
    /// Tell the model something and ask again.
    Nudge(Nudge),
    End(TurnOutcome),
}

/// What a model is told when its answer was not the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nudge {
    /// The output limit cut the answer off: go on.
    GoOn,
    /// A call could not be read: make it again.
    RepeatCall,
    /// The plan is written and not handed in (F2).
    HandInPlan,
}

/// The machine.
#[derive(Debug)]
pub struct Turn {
    phase: TurnPhase,
    rounds: u32,
    max_rounds: u32,
    cuts: u32,
    nudges: u32,
    compactions_in_a_row: u32,
    was_reminded: bool,
    /// The last calls asked the person something, by form or by a request for approval.
    has_asked: bool,
}

#[derive(Debug)]
enum TurnPhase {
    Idle,
    Asking,
    Running(Batch),
    Compacting,
    Over,
}

impl Turn {
    pub fn new(max_rounds: u32) -> Turn {
        Turn {
            phase: TurnPhase::Idle,
            rounds: 0,
            max_rounds,
            cuts: 0,
            nudges: 0,
            compactions_in_a_row: 0,
            was_reminded: false,
            has_asked: false,
        }
    }

    /// A turn that was left in the middle of a batch: these calls of its last answer have no result yet.
    pub fn left_with(most_rounds: u32, calls: Vec<(ToolUse, Concurrency)>) -> (Turn, Vec<TurnEffect>) {
        let mut turn = Turn::new(most_rounds);
        let effects = turn.start_batch(calls);
        (turn, effects)
    }

    pub fn is_over(&self) -> bool {
        matches!(self.phase, TurnPhase::Over)
    }

    /// Rounds of calls so far.
    pub fn rounds(&self) -> u32 {
        self.rounds
    }

    /// Takes what happened and says what to do. What does not fit the phase (a late result, say) does nothing.
    pub fn step(&mut self, input: TurnInput) -> Vec<TurnEffect> {
        match (&self.phase, input) {
            (TurnPhase::Over, _) => Vec::new(),
            (TurnPhase::Idle, TurnInput::Begin) => self.ask(),
            (TurnPhase::Asking, TurnInput::Answered(answered)) => self.answered(answered),
            (TurnPhase::Asking, TurnInput::Failed(failure)) => self.failed(failure),
            (TurnPhase::Running(_), TurnInput::Finished { slot, result, then }) => self.finished(slot, result, then),
            (TurnPhase::Compacting, TurnInput::Compacted) => self.ask(),
            (TurnPhase::Compacting, TurnInput::CompactionFailed { why }) => {
                self.end(TurnOutcome::ModelFailed { why: format!("the history could not be summarised: {why}") })
            }
            (_, TurnInput::Interrupted) => self.interrupted(),
            (
                TurnPhase::Idle | TurnPhase::Asking | TurnPhase::Running(_) | TurnPhase::Compacting,
                TurnInput::Begin
                | TurnInput::Answered(_)
                | TurnInput::Failed(_)
                | TurnInput::Finished { .. }
                | TurnInput::Compacted
                | TurnInput::CompactionFailed { .. },
            ) => Vec::new(),
        }
    }

    fn ask(&mut self) -> Vec<TurnEffect> {
        self.phase = TurnPhase::Asking;
        vec![TurnEffect::Ask]
    }

    fn nudge(&mut self, push: Nudge) -> Vec<TurnEffect> {
        self.phase = TurnPhase::Asking;
        vec![TurnEffect::Nudge(push), TurnEffect::Ask]
    }

    fn end(&mut self, outcome: TurnOutcome) -> Vec<TurnEffect> {
        self.phase = TurnPhase::Over;
        vec![TurnEffect::End(outcome)]
    }

    fn answered(&mut self, answered: AnswerSummary) -> Vec<TurnEffect> {
        self.cuts = 0;
        // A server that says so again after a summary will not stop saying it.
        if answered.stop != Some(StopReason::ContextFull) {
            self.compactions_in_a_row = 0;
        }
        if !answered.calls.is_empty() {
            return self.start_batch(answered.calls);
        }
        match answered.stop {
            // Each answer counts, so that a server that only ever pauses is not asked for ever.
            Some(StopReason::Paused) if self.rounds < self.max_rounds => {
                self.rounds += 1;
                self.ask()
            }
            Some(StopReason::Paused) => self.end(TurnOutcome::TooManyRounds { rounds: self.rounds }),
            Some(StopReason::MaxTokens) if self.may_nudge() => self.nudge(Nudge::GoOn),
            Some(StopReason::MalformedCall) if self.may_nudge() => self.nudge(Nudge::RepeatCall),
            Some(StopReason::ContextFull) => self.compact("the context window filled up".into()),
            Some(StopReason::Refused) => {
                self.end(TurnOutcome::ModelFailed { why: "the model or its filter declined to answer".into() })
            }
            Some(StopReason::MalformedCall) => self.end(TurnOutcome::ModelFailed {
                why: "the model's calls could not be read, several times in a row".into(),
            }),
            Some(
                StopReason::EndTurn
                | StopReason::ToolUse
                | StopReason::MaxTokens
                | StopReason::StopSequence
                | StopReason::Other(_),
            )
            | None => {
                if answered.owes_plan && !self.has_asked && !std::mem::replace(&mut self.was_reminded, true) {
                    return self.nudge(Nudge::HandInPlan);
                }
                self.end(TurnOutcome::Done)
            }
        }
    }

    fn may_nudge(&mut self) -> bool {
        self.nudges += 1;
        self.nudges <= MAX_NUDGES
    }

    fn failed(&mut self, failure: TurnFailure) -> Vec<TurnEffect> {
        match failure {
            TurnFailure::Overflow { why } => self.compact(why),
            TurnFailure::Cut { why } => {
                self.cuts += 1;
                if self.cuts > MAX_CUTS {
                    return self.end(TurnOutcome::ModelFailed { why });
                }
                self.ask()
            }
            TurnFailure::Fatal { why } => self.end(TurnOutcome::ModelFailed { why }),
        }
    }

    /// A history that is too long right after it was summarised will not get shorter.
    fn compact(&mut self, why: String) -> Vec<TurnEffect> {
        self.compactions_in_a_row += 1;
        if self.compactions_in_a_row > 1 {
            return self.end(TurnOutcome::ModelFailed { why });
        }
        self.phase = TurnPhase::Compacting;
        vec![TurnEffect::Compact { why }]
    }

    fn start_batch(&mut self, calls: Vec<(ToolUse, Concurrency)>) -> Vec<TurnEffect> {
        let asks = |call: &ToolUse| {
            let is_readable = call.broken_result().is_none();
            is_readable && matches!(tool_name(&call.name), Some("AskUserQuestion" | "ExitPlanMode"))
        };
        self.has_asked = calls.iter().any(|(call, _)| asks(call));
        let mut batch = Batch::new(calls);
        if self.rounds >= self.max_rounds {
            let rounds = self.rounds;
            let mut effects: Vec<TurnEffect> =
                batch.give_up(batch::TOO_MANY).into_iter().map(TurnEffect::Record).collect();
            effects.extend(self.end(TurnOutcome::TooManyRounds { rounds }));
            return effects;
        }
        self.rounds += 1;
        let effects = self.next_of(&mut batch);
        if matches!(self.phase, TurnPhase::Idle | TurnPhase::Asking | TurnPhase::Running(_)) && !batch.is_done() {
            self.phase = TurnPhase::Running(batch);
        }
        effects
    }

    /// Records what is ready and starts the next calls, or asks the model when the batch is done.
    fn next_of(&mut self, batch: &mut Batch) -> Vec<TurnEffect> {
        let mut effects: Vec<TurnEffect> = Vec::new();
        loop {
            effects.extend(batch.take_ready().into_iter().map(TurnEffect::Record));
            match batch.next() {
                BatchStep::Wait => return effects,
                BatchStep::Run(slots) => {
                    effects.push(TurnEffect::Run(slots));
                    return effects;
                }
                BatchStep::Answered => {}
                BatchStep::Done => {
                    effects.extend(self.ask());
                    return effects;
                }
            }
        }
    }

    fn finished(&mut self, slot: usize, result: ToolResult, then: AfterCall) -> Vec<TurnEffect> {
        let TurnPhase::Running(mut batch) = std::mem::replace(&mut self.phase, TurnPhase::Idle) else {
            return Vec::new();
        };
        if let AfterCall::Park(outcome) = then {
            let mut effects: Vec<TurnEffect> = batch.give_up_but(slot).into_iter().map(TurnEffect::Record).collect();
            effects.extend(self.end(outcome));
            return effects;
        }
        batch.finish(slot, result);
        match then {
            AfterCall::GoOn => {
                let effects = self.next_of(&mut batch);
                if !batch.is_done() {
                    self.phase = TurnPhase::Running(batch);
                }
                effects
            }
            AfterCall::End(outcome) => {
                let mut effects: Vec<TurnEffect> =
                    batch.give_up(batch::ENDED).into_iter().map(TurnEffect::Record).collect();
                effects.extend(self.end(outcome));
                effects
            }
            // The results lie before the cut; nothing of them is told again.
            AfterCall::StartAfresh => self.ask(),
            AfterCall::Park(_) => Vec::new(),
        }
    }

    fn interrupted(&mut self) -> Vec<TurnEffect> {
        let mut effects: Vec<TurnEffect> = match std::mem::replace(&mut self.phase, TurnPhase::Over) {
            TurnPhase::Running(mut batch) => {
                batch.give_up(batch::INTERRUPTED).into_iter().map(TurnEffect::Record).collect()
            }
            TurnPhase::Idle | TurnPhase::Asking | TurnPhase::Compacting | TurnPhase::Over => Vec::new(),
        };
        effects.push(TurnEffect::End(TurnOutcome::Interrupted));
        effects
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
