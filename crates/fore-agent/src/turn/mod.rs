//! One turn as a machine without I/O: what happened goes in, what to do next comes out. It never waits, reads or runs.
//!
//! A turn begins with the person's prompt and ends when the model has said its last word. In between the model asks for
//! calls in batches; every call gets exactly one result, whatever happens, so the conversation stays well-formed.

mod approval_in_text;
mod batch;
mod repeats;
mod text_call;

pub(crate) use approval_in_text::asks_for_approval;
pub(crate) use batch::{Concurrency, Slot};
pub(crate) use text_call::tool_in_text;

use crate::event::TurnOutcome;
use batch::{Batch, BatchOwner, BatchStep};
use fore_model::{StopReason, ToolResult, ToolUse};
use fore_plan::ToolName;
use repeats::{Circle, RepeatWatch};

/// Answers that were cut off in the middle and are asked for again, in one turn.
const MAX_CUTS: u32 = 3;
/// Times a model is told to go on where its output limit stopped it, or to repeat an unreadable call.
const MAX_NUDGES: u32 = 3;

/// What happened.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TurnInput {
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
pub(crate) struct AnswerSummary {
    pub calls: Vec<(ToolUse, Concurrency)>,
    pub stop: Option<StopReason>,
    pub plan_debt: PlanDebt,
    /// Neither words nor calls.
    pub is_empty: bool,
    /// It said the same again and again and was stopped.
    pub repeats: bool,
    /// Its words are a call of this tool that was not made.
    pub text_call: Option<ToolName>,
}

/// What an answer without calls leaves undone while planning (F2). A question about the task may be asked in the text too; approval
/// never, whatever the punctuation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum PlanDebt {
    #[default]
    Nothing,
    /// A plan was written in this turn and not handed in, and nothing was asked.
    NotHandedIn,
    /// There is a plan, and the text asks for its approval.
    ApprovalInText,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TurnFailure {
    /// The history does not fit the model.
    Overflow { why: String },
    /// The answer ended in the middle.
    Cut { why: String },
    /// Repeating does not help.
    Fatal { why: String },
    /// It was not asked: a cap of the person's is reached.
    OverBudget { why: String },
}

/// What a call means for the turn beyond its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum AfterCall {
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
pub(crate) enum TurnEffect {
    /// Send the history to the model.
    Ask,
    /// Run these calls side by side, each through the gate.
    Run(Vec<Slot>),
    /// Put this result into the history.
    Record(ToolResult),
    /// Summarise the history.
    Compact {
        why: String,
        /// A summary did not help: the oldest parts are left out.
        shorten: bool,
    },
    /// Tell the model something and ask again.
    Nudge(Nudge),
    End(TurnOutcome),
}

/// What a model is told when its answer was not the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Nudge {
    /// The output limit cut the answer off: go on.
    GoOn,
    /// A call could not be read: make it again.
    RepeatCall,
    /// The plan is written and not handed in (F2).
    HandInPlan,
    /// Approval was asked for where it cannot be given (F2).
    AskProperly,
    /// The answer was empty.
    SaySomething,
    /// The answer said the same again and again.
    StopRepeating,
    /// A call of this tool was written and not made.
    CallForReal(ToolName),
    /// The same calls had the same results, again and again.
    LeaveCircle,
}

/// The machine.
#[derive(Debug)]
pub(crate) struct Turn {
    phase: TurnPhase,
    rounds: u32,
    max_rounds: u32,
    cuts: u32,
    nudges: u32,
    compactions_in_a_row: u32,
    was_reminded: bool,
    /// Empty answers in a row.
    empty: u32,
    /// Answers that repeated themselves.
    repetitions: u32,
    repeats: RepeatWatch,
    /// The last calls asked the person something, by form or by a request for approval.
    has_asked: bool,
    whose: BatchOwner,
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
    pub(crate) fn new(max_rounds: u32) -> Turn {
        Turn {
            phase: TurnPhase::Idle,
            rounds: 0,
            max_rounds,
            cuts: 0,
            nudges: 0,
            compactions_in_a_row: 0,
            was_reminded: false,
            empty: 0,
            repetitions: 0,
            repeats: RepeatWatch::default(),
            has_asked: false,
            whose: BatchOwner::Main,
        }
    }

    /// The turn of a subagent, which cannot switch the mode.
    pub(crate) fn of_agent(max_rounds: u32) -> Turn {
        Turn { whose: BatchOwner::Agent, ..Turn::new(max_rounds) }
    }

    /// A turn that was left in the middle of a batch: these calls of its last answer have no result yet.
    pub(crate) fn left_with(most_rounds: u32, calls: Vec<(ToolUse, Concurrency)>) -> (Turn, Vec<TurnEffect>) {
        let mut turn = Turn::new(most_rounds);
        let effects = turn.start_batch(calls);
        (turn, effects)
    }

    pub(crate) fn is_over(&self) -> bool {
        matches!(self.phase, TurnPhase::Over)
    }

    /// Whether an answer that is cut off now would be asked for again.
    pub(crate) fn may_ask_again(&self) -> bool {
        self.cuts < MAX_CUTS
    }

    /// Takes what happened and says what to do. What does not fit the phase (a late result, say) does nothing.
    pub(crate) fn step(&mut self, input: TurnInput) -> Vec<TurnEffect> {
        match (&self.phase, input) {
            (TurnPhase::Over, _) => Vec::new(),
            (TurnPhase::Idle, TurnInput::Begin) => self.ask(),
            (TurnPhase::Asking, TurnInput::Answered(answered)) => self.answered(answered),
            (TurnPhase::Asking, TurnInput::Failed(failure)) => self.failed(failure),
            (TurnPhase::Running(_), TurnInput::Finished { slot, result, then }) => self.finished(slot, result, then),
            (TurnPhase::Compacting, TurnInput::Compacted) => self.ask(),
            (TurnPhase::Compacting, TurnInput::CompactionFailed { why }) => {
                self.end(TurnOutcome::ModelFailed { why: format!("the history could not be shortened: {why}") })
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
        if !answered.is_empty {
            self.empty = 0;
        }
        if answered.repeats {
            self.repetitions += 1;
            if self.repetitions > 1 {
                return self.end(TurnOutcome::NoAnswer { why: "the model repeated itself and was stopped".into() });
            }
            return self.nudge(Nudge::StopRepeating);
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
                if answered.is_empty {
                    return self.said_nothing();
                }
                if let Some(tool) = answered.text_call
                    && self.may_nudge()
                {
                    return self.nudge(Nudge::CallForReal(tool));
                }
                match self.reminder_of(answered.plan_debt) {
                    Some(nudge) => self.nudge(nudge),
                    None => self.end(TurnOutcome::Done),
                }
            }
        }
    }

    /// Once a turn: a model that does not listen is not asked for ever.
    fn reminder_of(&mut self, debt: PlanDebt) -> Option<Nudge> {
        let nudge = match debt {
            PlanDebt::Nothing => None,
            // Whoever has just been asked and went on without a word on the plan knows of it.
            PlanDebt::NotHandedIn => (!self.has_asked).then_some(Nudge::HandInPlan),
            PlanDebt::ApprovalInText => Some(Nudge::AskProperly),
        }?;
        (!std::mem::replace(&mut self.was_reminded, true)).then_some(nudge)
    }

    /// A model that says nothing is asked once more.
    fn said_nothing(&mut self) -> Vec<TurnEffect> {
        self.empty += 1;
        if self.empty > 1 {
            return self.end(TurnOutcome::NoAnswer { why: "the model answered nothing, twice".into() });
        }
        self.nudge(Nudge::SaySomething)
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
            TurnFailure::OverBudget { why } => self.end(TurnOutcome::OverBudget { why }),
        }
    }

    /// A history that is too long right after it was summarised is cut; after that it will not get shorter.
    fn compact(&mut self, why: String) -> Vec<TurnEffect> {
        self.compactions_in_a_row += 1;
        if self.compactions_in_a_row > 2 {
            let why = format!(
                "{why}. Even the shortest conversation does not fit; give the model a larger context \
                 (llama.cpp: -c, Ollama: num_ctx) or choose another one"
            );
            return self.end(TurnOutcome::ModelFailed { why });
        }
        self.phase = TurnPhase::Compacting;
        vec![TurnEffect::Compact { why, shorten: self.compactions_in_a_row > 1 }]
    }

    fn start_batch(&mut self, calls: Vec<(ToolUse, Concurrency)>) -> Vec<TurnEffect> {
        let asks = |call: &ToolUse| {
            let is_readable = call.broken_result().is_none();
            is_readable
                && matches!(ToolName::from_called(&call.name), Some(ToolName::AskUserQuestion | ToolName::ExitPlanMode))
        };
        self.has_asked = calls.iter().any(|(call, _)| asks(call));
        let mut batch = Batch::new(calls, self.whose);
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
            for (call, result) in batch.take_ready_with_calls() {
                self.repeats.add(&call, &result);
                effects.push(TurnEffect::Record(result));
            }
            match batch.next() {
                BatchStep::Wait => return effects,
                BatchStep::Run(slots) => {
                    effects.push(TurnEffect::Run(slots));
                    return effects;
                }
                BatchStep::Answered => {}
                BatchStep::Done => {
                    effects.extend(match self.repeats.circle() {
                        Circle::None => self.ask(),
                        Circle::Tell => self.nudge(Nudge::LeaveCircle),
                        Circle::End(tool) => self.end(TurnOutcome::NoAnswer {
                            why: format!(
                                "the model made the same call of {tool} again and again, always with the same result"
                            ),
                        }),
                    });
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
