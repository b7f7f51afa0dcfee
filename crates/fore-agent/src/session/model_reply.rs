//! One question to a model: its answer as a stream for the person, and whole for the history.

use super::session_context::{SessionContext, lock};
use crate::{
    cancel::Cancel,
    event::{AgentId, ContextUse, Event},
    model_handle::ModelHandle,
};
use fore_model::{Answer, Duty, Error, EventKind, ModelName, ModelRequest, Usage};

/// What came of a question.
#[derive(Debug)]
pub(crate) enum ModelReply {
    Answered(Box<Answer>),
    Failed(Box<Error>),
    /// The person stopped it; this much had come.
    Interrupted(Box<Answer>),
}

/// Asks, and passes on every piece as it comes.
pub(crate) async fn ask(
    context: &SessionContext,
    model: &ModelHandle,
    request: &ModelRequest,
    duty: Duty,
    agent: Option<&AgentId>,
    cancel: &Cancel,
) -> ModelReply {
    let mut answer = Answer::default();
    let answering = tokio::select! {
        biased;
        () = cancel.cancelled() => return ModelReply::Interrupted(Box::new(answer)),
        answering = model.stream(request, duty) => answering,
    };
    let mut answering = match answering {
        Ok(answering) => answering,
        Err(error) => return ModelReply::Failed(Box::new(error)),
    };
    loop {
        let event = tokio::select! {
            biased;
            () = cancel.cancelled() => return ModelReply::Interrupted(Box::new(answer)),
            event = answering.next() => event,
        };
        match event {
            None => return ModelReply::Answered(Box::new(answer)),
            Some(Err(error)) => return ModelReply::Failed(Box::new(error)),
            Some(Ok(event)) => {
                answer.apply(&event.kind);
                let Some(shown) = shown(event.kind, event.model, agent) else { continue };
                // Nobody may read what is shown; an interrupt counts all the same.
                tokio::select! {
                    biased;
                    () = cancel.cancelled() => return ModelReply::Interrupted(Box::new(answer)),
                    () = context.events.stream(shown) => {}
                }
            }
        }
    }
}

fn shown(kind: EventKind, model: ModelName, agent: Option<&AgentId>) -> Option<Event> {
    let agent = agent.cloned();
    match kind {
        EventKind::TextDelta { text, .. } => Some(Event::Text { agent, model, delta: text }),
        EventKind::ReasoningDelta { text, .. } => Some(Event::Reasoning { agent, model, delta: text }),
        EventKind::Started { .. }
        | EventKind::TextFinished { .. }
        | EventKind::ReasoningFinished { .. }
        | EventKind::ToolCallStarted { .. }
        | EventKind::ArgumentsDelta { .. }
        | EventKind::ToolCallFinished { .. }
        | EventKind::Usage(_)
        | EventKind::Stopped(_)
        | EventKind::Done => None,
    }
}

/// Asks for a text that nobody watches: summaries and verdicts.
pub(crate) async fn ask_for_text(model: &ModelHandle, request: &ModelRequest, duty: Duty) -> Result<String, Error> {
    let mut answer = Answer::default();
    let mut answering = model.stream(request, duty).await?;
    while let Some(event) = answering.next().await {
        answer.apply(&event?.kind);
    }
    Ok(answer.text())
}

impl SessionContext {
    /// Counts the tokens of an answer, for the person.
    pub(crate) fn count(
        &self,
        model: ModelName,
        answer: Option<Usage>,
        estimate: u64,
        window: Option<u64>,
        is_main: bool,
    ) {
        let context = match answer {
            Some(usage) => ContextUse { tokens: usage.total(), window, estimated: false },
            None => ContextUse { tokens: estimate, window, estimated: true },
        };
        let spent = answer.unwrap_or_default();
        let (session, context) = {
            let mut held = lock(&self.usage);
            held.0 = added(held.0, spent);
            if is_main {
                held.1 = context;
            }
            (held.0, held.1)
        };
        self.events.send(Event::Usage { model, answer: spent, session, context });
    }
}

fn added(one: Usage, other: Usage) -> Usage {
    Usage {
        input: one.input.saturating_add(other.input),
        output: one.output.saturating_add(other.output),
        cached_read: one.cached_read.saturating_add(other.cached_read),
        cached_write: one.cached_write.saturating_add(other.cached_write),
        reasoning: one.reasoning.saturating_add(other.reasoning),
    }
}
