//! Who answers: a language model over the network, or the built-in scout. One answer from both, in pieces and as a whole.

use crate::{
    cancel::Cancel,
    event::{AgentId, Event},
    event_channel::EventSender,
    lock::lock,
    repetition::RepetitionWatch,
    scout::{self, ScoutFindings},
    session::Admission,
};
use fore_model::{
    Answer, ChosenModel, Client, Duty, Error, EventKind, Events, ModelEvent, ModelName, ModelRequest, Price,
    RetryNotice,
};
use fore_plan::CalledTool;
use std::{
    collections::VecDeque,
    fmt,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

/// One that answers requests.
#[derive(Clone, Debug)]
pub enum ModelHandle {
    /// A language model.
    Remote(Box<RemoteModel>),
    /// No language model: searches and writes a scoping plan.
    Scout,
}

/// A language model and the way to it.
#[derive(Clone, Debug)]
pub struct RemoteModel {
    /// Sends the requests.
    pub client: Client,
    /// Where they go.
    pub chosen: ChosenModel,
}

/// What came of a request.
#[derive(Debug)]
pub(crate) enum ModelReply {
    Answered(Box<Answer>),
    Failed(Box<Error>),
    /// The person stopped it; this much had come.
    Interrupted(Box<Answer>),
    /// It said the same again and again and was stopped.
    Repeated(Box<Answer>),
}

/// Silence that is worth a word, and how often it is said.
const SILENCE: Duration = Duration::from_secs(10);

/// An answer as it comes in.
#[derive(Debug)]
enum AnswerStream {
    Remote(Box<Events>),
    Scout { model: ModelName, events: VecDeque<EventKind> },
}

impl ModelHandle {
    /// What it is called.
    pub fn name(&self) -> ModelName {
        match self {
            ModelHandle::Remote(remote) => remote.chosen.name.clone(),
            ModelHandle::Scout => scout::name(),
        }
    }

    /// The size of the context, where it is known.
    pub(crate) fn window(&self) -> Option<u64> {
        match self {
            ModelHandle::Remote(remote) => remote.client.window(&remote.chosen),
            ModelHandle::Scout => None,
        }
    }

    /// What it costs, where that is known.
    pub(crate) fn price(&self) -> Option<Price> {
        match self {
            ModelHandle::Remote(remote) => remote.client.price(&remote.chosen),
            ModelHandle::Scout => None,
        }
    }

    /// Looks for the size of the context where its server can tell it; once for each model.
    pub(crate) async fn prepare(&self) {
        if let ModelHandle::Remote(remote) = self {
            remote.client.prepare(&remote.chosen).await;
        }
    }

    /// Asks, and shows every piece as it comes. An interrupt counts also while nobody reads what is shown.
    pub(crate) async fn answer(
        &self,
        request: &ModelRequest,
        (duty, findings): (Duty, Option<&ScoutFindings>),
        (cancel, _admitted): (&Cancel, &Admission),
        (events, agent): (&EventSender, Option<&AgentId>),
    ) -> ModelReply {
        let mut answer = Answer::default();
        let mut growing = GrowingCalls::default();
        let silence = SilenceTeller { model: self.name(), events, agent, next_try: NextTryTime::default() };
        let asking = self.telling(events, agent, &silence.next_try);
        let mut stream = tokio::select! {
            biased;
            () = cancel.cancelled() => return ModelReply::Interrupted(Box::new(answer)),
            stream = silence.during(asking.stream(request, duty, findings)) => match stream {
                Ok(stream) => stream,
                Err(error) => return ModelReply::Failed(Box::new(error)),
            },
        };
        let mut repetition = RepetitionWatch::default();
        loop {
            let event = tokio::select! {
                biased;
                () = cancel.cancelled() => return ModelReply::Interrupted(Box::new(answer)),
                event = silence.during(stream.next()) => event,
            };
            match event {
                None => return ModelReply::Answered(Box::new(answer)),
                Some(Err(error)) => return ModelReply::Failed(Box::new(error)),
                Some(Ok(event)) => {
                    answer.apply(&event.kind);
                    if let EventKind::TextDelta { text, .. } | EventKind::ReasoningDelta { text, .. } = &event.kind
                        && repetition.repeats_with(text)
                    {
                        return ModelReply::Repeated(Box::new(answer));
                    }
                    let Some(shown) = growing.streamed(event, agent) else { continue };
                    tokio::select! {
                        biased;
                        () = cancel.cancelled() => return ModelReply::Interrupted(Box::new(answer)),
                        () = events.stream(shown) => {}
                    }
                }
            }
        }
    }

    /// Asks for a text that nobody reads as it comes: a verdict. One that repeats itself has no words.
    pub(crate) async fn short_answer(
        &self,
        request: &ModelRequest,
        duty: Duty,
        _admitted: &Admission,
    ) -> Result<Answer, Error> {
        let mut answer = Answer::default();
        let mut stream = self.stream(request, duty, None).await?;
        let mut repetition = RepetitionWatch::default();
        while let Some(event) = stream.next().await {
            let event = event?;
            answer.apply(&event.kind);
            // What repeats itself is as good as nothing.
            if let EventKind::TextDelta { text, .. } = &event.kind
                && repetition.repeats_with(text)
            {
                let mut no_words = Answer::default();
                no_words.usage = answer.usage;
                return Ok(no_words);
            }
        }
        Ok(answer)
    }

    /// Asks for a summary; the person sees that it grows, and is told of waits and of silence.
    pub(crate) async fn summary(
        &self,
        request: &ModelRequest,
        (duty, _admitted): (Duty, &Admission),
        events: &EventSender,
    ) -> Result<Answer, Error> {
        let silence = SilenceTeller { model: self.name(), events, agent: None, next_try: NextTryTime::default() };
        let asking = self.telling(events, None, &silence.next_try);
        let mut stream = silence.during(asking.stream(request, duty, None)).await?;
        let (mut answer, mut repetition) = (Answer::default(), RepetitionWatch::default());
        let (mut bytes, mut told) = (0_usize, 0_usize);
        while let Some(event) = silence.during(stream.next()).await {
            let event = event?;
            answer.apply(&event.kind);
            if let EventKind::TextDelta { text, .. } | EventKind::ReasoningDelta { text, .. } = &event.kind {
                // What repeats itself is as good as nothing.
                if repetition.repeats_with(text) {
                    let (usage, mut nothing) = (answer.usage, Answer::default());
                    nothing.usage = usage;
                    return Ok(nothing);
                }
                bytes = bytes.saturating_add(text.len());
                if told == 0 || bytes - told >= TOLD_BYTES {
                    told = bytes;
                    events.send(Event::SummaryGrowing { bytes });
                }
            }
        }
        Ok(answer)
    }

    /// The same, which says of every wait before another try.
    fn telling(&self, events: &EventSender, agent: Option<&AgentId>, next_try: &NextTryTime) -> ModelHandle {
        let ModelHandle::Remote(remote) = self else { return self.clone() };
        let (events, agent, model, next_try) = (events.clone(), agent.cloned(), self.name(), Arc::clone(next_try));
        let told = move |notice: RetryNotice| {
            let RetryNotice { why, wait, attempt, attempts } = notice;
            let wait_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
            let (agent, model) = (agent.clone(), model.clone());
            *lock(&next_try) = Instant::now().checked_add(wait);
            events.send(Event::Retrying { agent, model, why, wait_ms, attempt, attempts });
        };
        let (client, chosen) = (remote.client.telling(Arc::new(told)), remote.chosen.clone());
        ModelHandle::Remote(Box::new(RemoteModel { client, chosen }))
    }

    async fn stream(
        &self,
        request: &ModelRequest,
        duty: Duty,
        findings: Option<&ScoutFindings>,
    ) -> Result<AnswerStream, Error> {
        match self {
            ModelHandle::Remote(remote) => {
                Ok(AnswerStream::Remote(Box::new(remote.client.stream(&remote.chosen, request).await?)))
            }
            ModelHandle::Scout => {
                let events = scout::answer(&request.history, duty, findings).into();
                Ok(AnswerStream::Scout { model: scout::name(), events })
            }
        }
    }
}

impl AnswerStream {
    async fn next(&mut self) -> Option<Result<ModelEvent, Error>> {
        match self {
            AnswerStream::Remote(events) => events.next().await,
            AnswerStream::Scout { model, events } => {
                events.pop_front().map(|kind| Ok(ModelEvent { model: model.clone(), kind }))
            }
        }
    }
}

/// When a server is asked again that did not take the request.
type NextTryTime = Arc<Mutex<Option<Instant>>>;

/// Says how long nothing has come, but for waits before another try, which are told by themselves.
struct SilenceTeller<'a> {
    model: ModelName,
    events: &'a EventSender,
    agent: Option<&'a AgentId>,
    next_try: NextTryTime,
}

impl SilenceTeller<'_> {
    async fn during<T>(&self, waiting: impl Future<Output = T>) -> T {
        tokio::pin!(waiting);
        let mut silent = Duration::ZERO;
        loop {
            tokio::select! {
                biased;
                done = &mut waiting => return done,
                () = tokio::time::sleep(SILENCE) => {
                    if lock(&self.next_try).is_some_and(|at| Instant::now() < at) {
                        silent = Duration::ZERO;
                        continue;
                    }
                    silent += SILENCE;
                    let (agent, model) = (self.agent.cloned(), self.model.clone());
                    self.events.send(Event::Silent { agent, model, seconds: silent.as_secs() });
                }
            }
        }
    }
}

/// Bytes by which a call grows before it is told again: a few events a second, however small the pieces are.
const TOLD_BYTES: usize = 256;
/// Calls of one answer that are watched while they are written.
const MAX_WATCHED: usize = 64;

/// The calls of an answer while they are written, as far as the person is told of them.
#[derive(Debug, Default)]
struct GrowingCalls(Vec<GrowingCall>);

#[derive(Debug)]
struct GrowingCall {
    block: u32,
    tool: CalledTool,
    bytes: usize,
    lines: usize,
    /// The bytes by which it was told last.
    told: usize,
    /// The last byte was a backslash that quotes the next one.
    is_quoting: bool,
}

impl GrowingCall {
    /// Counts a piece of JSON: a line break in a text is written `\\n`.
    fn grow(&mut self, json: &str) {
        self.bytes = self.bytes.saturating_add(json.len());
        for byte in json.bytes() {
            if self.is_quoting && byte == b'n' {
                self.lines = self.lines.saturating_add(1);
            }
            self.is_quoting = byte == b'\\' && !self.is_quoting;
        }
    }

    fn event(&mut self, agent: Option<AgentId>, model: ModelName) -> Event {
        self.told = self.bytes;
        Event::CallGrowing { agent, model, tool: self.tool.clone(), bytes: self.bytes, lines: self.lines }
    }
}

impl GrowingCalls {
    /// A piece of an answer, as the person sees it.
    fn streamed(&mut self, event: ModelEvent, agent: Option<&AgentId>) -> Option<Event> {
        let (agent, model) = (agent.cloned(), event.model);
        match event.kind {
            EventKind::TextDelta { text, .. } => Some(Event::Text { agent, model, delta: text }),
            EventKind::ReasoningDelta { text, .. } => Some(Event::Reasoning { agent, model, delta: text }),
            EventKind::PromptRead { read, total } => Some(Event::PromptRead { agent, model, read, total }),
            EventKind::ToolCallStarted { block, name, .. } if self.0.len() < MAX_WATCHED => {
                let tool = CalledTool::by_model(&name);
                self.0.push(GrowingCall { block, tool, bytes: 0, lines: 0, told: 0, is_quoting: false });
                self.0.last_mut().map(|call| call.event(agent, model))
            }
            EventKind::ArgumentsDelta { block, json } => {
                let call = self.0.iter_mut().find(|call| call.block == block)?;
                call.grow(&json);
                (call.bytes - call.told >= TOLD_BYTES).then(|| call.event(agent, model))
            }
            EventKind::Started { .. }
            | EventKind::TextFinished { .. }
            | EventKind::ReasoningFinished { .. }
            | EventKind::ToolCallStarted { .. }
            | EventKind::ToolCallFinished { .. }
            | EventKind::Usage(_)
            | EventKind::Stopped(_)
            | EventKind::Done => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(kinds: Vec<EventKind>) -> Vec<(String, usize, usize)> {
        let (mut growing, model) = (GrowingCalls::default(), ModelName::new("scripted", "one"));
        let events =
            kinds.into_iter().filter_map(|kind| growing.streamed(ModelEvent { model: model.clone(), kind }, None));
        let told = events.map(|event| {
            let Event::CallGrowing { tool, bytes, lines, .. } = event else { panic!("{event:?}") };
            (tool.as_str().to_owned(), bytes, lines)
        });
        told.collect()
    }

    #[test]
    fn a_call_that_is_written_is_told_at_once_and_then_now_and_then() {
        let start = |block: u32, name: &str| EventKind::ToolCallStarted { block, id: "x".into(), name: name.into() };
        let more = |block: u32, json: String| EventKind::ArgumentsDelta { block, json };
        let mut kinds = vec![start(1, "Write"), start(2, "Bash")];
        kinds.push(more(1, r#"{"content":"one\ntwo\\n"#.into()));
        // Torn between the backslash and its letter.
        kinds.push(more(1, "\\".into()));
        kinds.push(more(1, format!("n{}", "x".repeat(TOLD_BYTES))));
        kinds.push(more(2, "{}".into()));
        kinds.push(more(9, "nobody began this one".into()));
        let bytes = r#"{"content":"one\ntwo\\n"#.len() + 2 + TOLD_BYTES;
        assert_eq!(
            told(kinds),
            [("Write".to_owned(), 0, 0), ("Bash".to_owned(), 0, 0), ("Write".to_owned(), bytes, 2)]
        );
    }
}

/// Finds a model by the name a person gives.
pub(crate) type ModelChooser = Arc<dyn Fn(&str) -> Result<ModelHandle, String> + Send + Sync>;

/// The models of a session, by duty.
#[derive(Clone)]
pub struct ModelHandles {
    /// Thinks and writes the plan.
    pub plan: ModelHandle,
    /// Carries it out.
    pub act: ModelHandle,
    /// Explores, summarises and classifies.
    pub small: ModelHandle,
    /// For a change of model while the session runs.
    pub choose: ModelChooser,
}

impl fmt::Debug for ModelHandles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = (self.plan.name(), self.act.name(), self.small.name());
        f.debug_tuple("ModelHandles").field(&names).finish()
    }
}

impl ModelHandles {
    /// One model for everything, and no other to change to.
    pub fn one(model: ModelHandle) -> ModelHandles {
        let choose: ModelChooser =
            Arc::new(|name: &str| Err(format!("`{name}` cannot be used here: no other model is set up")));
        ModelHandles { plan: model.clone(), act: model.clone(), small: model, choose }
    }

    /// The one for this duty.
    pub fn of(&self, duty: Duty) -> &ModelHandle {
        match duty {
            Duty::Plan => &self.plan,
            Duty::Act => &self.act,
            Duty::Small => &self.small,
        }
    }

    /// Puts another model in place, for one duty or for all.
    pub(crate) fn replace(&mut self, model: ModelHandle, duty: Option<Duty>) {
        match duty {
            Some(Duty::Plan) => self.plan = model,
            Some(Duty::Act) => self.act = model,
            Some(Duty::Small) => self.small = model,
            None => (self.plan, self.act, self.small) = (model.clone(), model.clone(), model),
        }
    }
}
