//! The built-in planner without a language model: reads the history of a session and says what to do next.
//!
//! Pure and deterministic: the same history gives the same answer. It acts only through tool calls of the ordinary loop.

use fore_model::{Duty, EventKind, History, ModelName, StopReason};

/// The scout's name among models.
pub fn name() -> ModelName {
    ModelName::new("scout", "scout")
}

/// What the scout says to a history.
pub fn answer(history: &History, duty: Duty) -> Vec<EventKind> {
    let _ = (history, duty);
    vec![EventKind::Stopped(StopReason::EndTurn), EventKind::Done]
}
