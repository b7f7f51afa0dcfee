//! What a session tells, as updates for a client: live, and of what was said before. Pure.

use super::{client::EditorClient, tool_cards::ToolCards};
use agent_client_protocol::v1::schema::{
    AvailableCommandsUpdate, ContentChunk, Cost as AcpCost, CurrentModeUpdate, Notice, NoticeSeverity, Plan, PlanEntry,
    PlanEntryPriority, PlanEntryStatus, SessionInfoUpdate, SessionUpdate, UsageUpdate,
};
use fore_agent::{ApprovalOutcome, CallOutcome, ContextCutReason, Event, NoticeLevel, Spent, custom::CustomCommandRow};
use fore_plan::{ModeEvent, approval::Receipt, plan::PlanStep, report::ShownTimes};
use fore_store::entry::{Todo, TodoStatus};
use std::{path::PathBuf, sync::Arc};

/// Letters of a title.
const MAX_TITLE: usize = 80;

/// Makes updates of events, one after the other.
#[derive(Debug)]
pub(super) struct UpdateMaker {
    client: Arc<EditorClient>,
    /// Paths of differences are told from it.
    project: PathBuf,
    /// Something of the answer was shown as it came.
    streamed: bool,
    has_title: bool,
    spent: Spent,
    pub(super) cards: ToolCards,
}

impl UpdateMaker {
    pub(super) fn new(client: Arc<EditorClient>, project: PathBuf) -> UpdateMaker {
        UpdateMaker {
            client,
            project,
            streamed: false,
            has_title: false,
            spent: Spent::default(),
            cards: ToolCards::default(),
        }
    }

    /// What a client is shown of an event. Questions are asked, and modes and models told, by the session itself.
    pub(super) fn updates(&mut self, event: &Event) -> Vec<SessionUpdate> {
        match event {
            Event::Text { agent: None, delta, .. } => {
                self.streamed = true;
                vec![message(delta)]
            }
            Event::Reasoning { agent: None, delta, .. } => {
                vec![SessionUpdate::AgentThoughtChunk(ContentChunk::new(fore_text::prose(delta).into_owned().into()))]
            }
            Event::Said { agent: None, text, .. } if !std::mem::take(&mut self.streamed) => vec![message(text)],
            Event::ToolStarted { call, tool, line, .. } => vec![self.cards.started(call, tool, line)],
            Event::ToolFinished { call, tool, outcome, shown, .. } => {
                self.cards.finished(call, tool, (outcome, shown), &self.project)
            }
            Event::Todos { items } => vec![todos(items)],
            Event::Usage { model, answer, context, price, .. } => {
                self.spent.add(model, answer.as_ref(), *price);
                let cost = self.spent.cost.dollars().map(|dollars| AcpCost::new(dollars, "USD"));
                let update = |size| SessionUpdate::UsageUpdate(UsageUpdate::new(context.tokens, size).cost(cost));
                context.window.map(update).into_iter().collect()
            }
            Event::CommandsListed { commands } => vec![available(commands)],
            Event::UndoShown { text, .. } => vec![message(&format!("\n\n{text}\n"))],
            Event::Report { report, .. } => vec![message(&format!("\n\n{}\n", report.markdown(ShownTimes::Hidden)))],
            Event::Notice { .. }
            | Event::TeamMessage { .. }
            | Event::Decided(_)
            | Event::Allowed { .. }
            | Event::AutoVerdict { .. }
            | Event::SettingsRead { .. }
            | Event::Retrying { .. }
            | Event::SummaryStarted
            | Event::ContextCut { .. }
            | Event::PlanImplement { .. } => self.noticed(event).into_iter().collect(),
            Event::PromptTaken { text } => self.title(text).into_iter().collect(),
            Event::ModeChanged(ModeEvent { to, .. }) => {
                vec![SessionUpdate::CurrentModeUpdate(CurrentModeUpdate::new(to.name()))]
            }
            Event::Started(_)
            | Event::Text { .. }
            | Event::Reasoning { .. }
            | Event::Said { .. }
            | Event::ModelChanged { .. }
            | Event::ModeRefused { .. }
            | Event::ModelRefused { .. }
            | Event::PromptQueued { .. }
            | Event::PromptsReturned { .. }
            | Event::TurnStarted
            | Event::CallGrowing { .. }
            | Event::SideBySide { .. }
            | Event::ToolOutput { .. }
            | Event::Asked(_)
            | Event::FormAsked { .. }
            | Event::EnterPlanAsked { .. }
            | Event::QuestionClosed { .. }
            | Event::ApprovalAsked(_)
            | Event::ContractRead { .. }
            | Event::Hooks { .. }
            | Event::Spending(_)
            | Event::Plan { .. }
            | Event::AgentStarted { .. }
            | Event::AgentProgress { .. }
            | Event::AgentFinished { .. }
            | Event::Background { .. }
            | Event::McpServers { .. }
            | Event::McpVouchShown(_)
            | Event::Team { .. }
            | Event::TeamStory { .. }
            | Event::Silent { .. }
            | Event::PromptRead { .. }
            | Event::SummaryGrowing { .. }
            | Event::SummaryEnded
            | Event::Rewound { .. }
            | Event::PermissionTested { .. }
            | Event::Forgotten { .. }
            | Event::Undone { .. }
            | Event::ResourcesListed { .. }
            | Event::TurnEnded { .. }
            | Event::Closed => Vec::new(),
        }
    }

    /// What is told in the program's own words.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the other events are no words")]
    fn noticed(&self, event: &Event) -> Option<SessionUpdate> {
        let info = |text: &str| Some(self.notice(NoticeLevel::Info, text));
        match event {
            Event::Notice { level, text } => Some(self.notice(*level, text)),
            Event::TeamMessage { from, text, .. } => info(&format!("{from}: {text}")),
            Event::Decided(outcome) => self.decided(outcome),
            Event::Allowed { what } => info(&format!("Not asked about again: {what}.")),
            Event::AutoVerdict { allowed: false, reason, .. } => info(&format!("Not allowed in auto mode: {reason}")),
            Event::SettingsRead { problem: Some(problem), .. } => {
                Some(self.notice(NoticeLevel::Warning, &format!("The settings were not taken: {problem}")))
            }
            Event::SettingsRead { differences, problem: None, .. } if !differences.is_empty() => {
                let names: Vec<&str> = differences.iter().map(|difference| difference.key.as_str()).collect();
                info(&format!("Settings changed: {}.", names.join(", ")))
            }
            Event::Retrying { agent: None, why, wait_ms, .. } => {
                let seconds = fore_text::count(wait_ms.div_ceil(1000), "second");
                info(&format!("The model is asked again in {seconds}: {why}"))
            }
            Event::SummaryStarted => info("The conversation is being summarised."),
            Event::ContextCut { why: ContextCutReason::Cleared } => info("The model begins with an empty context."),
            Event::ContextCut { why: ContextCutReason::Summarised } => info("The conversation was summarised."),
            Event::ContextCut { why: ContextCutReason::Shortened } => {
                info("The oldest parts of the conversation were left out.")
            }
            Event::PlanImplement { .. } => info("Work begins with the plan and an empty context."),
            _ => None,
        }
    }

    /// The same of what was said before: the person's own words are shown, too.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the other events look as they did")]
    pub(super) fn past(&mut self, event: &Event) -> Vec<SessionUpdate> {
        match event {
            Event::PromptTaken { text } => {
                let words =
                    SessionUpdate::UserMessageChunk(ContentChunk::new(fore_text::prose(text).into_owned().into()));
                std::iter::once(words).chain(self.title(text)).collect()
            }
            // What was decided about stands in the call that asked.
            Event::Plan { .. } | Event::ModeChanged(_) => Vec::new(),
            event => self.updates(event),
        }
    }

    /// Words of the program.
    pub(super) fn notice(&self, level: NoticeLevel, text: &str) -> SessionUpdate {
        if self.client.has_notices {
            let severity = match level {
                NoticeLevel::Info => NoticeSeverity::Info,
                NoticeLevel::Warning => NoticeSeverity::Warning,
                NoticeLevel::Error => NoticeSeverity::Error,
            };
            return SessionUpdate::Notice(Notice::new(severity, fore_text::prose(text).into_owned()));
        }
        let quoted: Vec<String> = text.lines().map(|line| format!("> {line}")).collect();
        message(&format!("\n\n{}\n\n", quoted.join("\n")))
    }

    /// A session is called by its first prompt.
    pub(super) fn title(&mut self, prompt: &str) -> Option<SessionUpdate> {
        let is_first = !std::mem::replace(&mut self.has_title, true);
        is_first.then(|| SessionUpdate::SessionInfoUpdate(SessionInfoUpdate::new().title(title(prompt))))
    }

    fn decided(&self, outcome: &ApprovalOutcome) -> Option<SessionUpdate> {
        let said = match outcome {
            ApprovalOutcome::Approved { receipt, notice, .. } => {
                let more = notice.as_ref().map(|notice| format!(" {notice}")).unwrap_or_default();
                format!("{}{more}", receipt_words(receipt))
            }
            ApprovalOutcome::Saved { path } => {
                format!("The plan is saved: {path}. Your next prompt continues planning.")
            }
            ApprovalOutcome::Left { level } => {
                format!("Plan mode is off, and the plan is not approved; {level} holds now.")
            }
            ApprovalOutcome::NotCounted { why } => format!("The answer did not count: {why}."),
            ApprovalOutcome::Awaits { path, .. } => format!("The plan awaits approval: {path}"),
            ApprovalOutcome::KeepPlanning { .. } | ApprovalOutcome::Discarded => return None,
        };
        Some(self.notice(NoticeLevel::Info, &said))
    }
}

/// What a receipt says: what was approved, and through whom.
fn receipt_words(receipt: &Receipt) -> String {
    use fore_plan::approval::Decider;
    let through = match &receipt.by {
        Decider::Person { via } => format!(" through {via}"),
        Decider::Lead { name } | Decider::Teammate { name } => format!(" by {name}"),
    };
    let covered = if receipt.runs_covered { " What it covers runs without asking." } else { "" };
    format!(
        "Approved{through}: revision {}, {}. {} holds while it is carried out.{covered}",
        receipt.revision,
        receipt.hash.short(),
        receipt.level
    )
}

/// Words of the agent.
pub(super) fn message(text: &str) -> SessionUpdate {
    SessionUpdate::AgentMessageChunk(ContentChunk::new(fore_text::prose(text).into_owned().into()))
}

/// A title in one line.
pub(super) fn title(prompt: &str) -> String {
    let line = fore_text::cut::one_line(prompt);
    fore_text::cut::ellipsis(&fore_text::line(line.trim()), MAX_TITLE).into_owned()
}

fn todos(items: &[Todo]) -> SessionUpdate {
    let entry = |todo: &Todo| {
        let status = match todo.status {
            TodoStatus::Pending => PlanEntryStatus::Pending,
            TodoStatus::InProgress => PlanEntryStatus::InProgress,
            TodoStatus::Done => PlanEntryStatus::Completed,
        };
        PlanEntry::new(fore_text::line(&todo.text).into_owned(), PlanEntryPriority::Medium, status)
    };
    SessionUpdate::Plan(Plan::new(items.iter().map(entry).collect()))
}

/// The steps of a plan that waits for approval; none of them has begun.
pub(super) fn steps(steps: &[PlanStep]) -> Option<SessionUpdate> {
    let entry = |step: &PlanStep| {
        PlanEntry::new(fore_text::line(&step.title).into_owned(), PlanEntryPriority::Medium, PlanEntryStatus::Pending)
    };
    (!steps.is_empty()).then(|| SessionUpdate::Plan(Plan::new(steps.iter().map(entry).collect())))
}

/// The commands that can be typed, the program's own first.
pub(super) fn available(custom: &[CustomCommandRow]) -> SessionUpdate {
    SessionUpdate::AvailableCommandsUpdate(AvailableCommandsUpdate::new(super::slash::available(custom)))
}

/// Whether a call went well, for a card.
pub(super) fn is_good(outcome: &CallOutcome) -> bool {
    match outcome {
        CallOutcome::Done => true,
        CallOutcome::Failed | CallOutcome::Refused { .. } | CallOutcome::Interrupted => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agent_client_protocol::{schema::ProtocolVersion, v1::schema::InitializeRequest};
    use fore_agent::ContextUse;
    use fore_model::{ModelName, Price, Usage};

    fn maker() -> UpdateMaker {
        let client = EditorClient::new(&InitializeRequest::new(ProtocolVersion::V1));
        UpdateMaker::new(Arc::new(client), "/shop".into())
    }

    #[test]
    fn an_answer_tells_how_full_the_context_is_and_what_the_session_cost() {
        let mut maker = maker();
        let answer = Usage { input: 1_000_000, ..Usage::default() };
        let price = Price { input: 3.0, output: 15.0, cached_read: 0.3, cached_write: 3.75 };
        let context = ContextUse { tokens: 1000, window: Some(200_000), estimated: false };
        let usage = Event::Usage {
            agent: None,
            model: ModelName::new("anthropic", "claude"),
            answer: Some(answer),
            session: answer,
            context,
            price: Some(price),
        };
        maker.updates(&usage);
        let told = serde_json::to_value(&maker.updates(&usage)[0]).unwrap();
        let expected = serde_json::json!({
            "sessionUpdate": "usage_update", "used": 1000, "size": 200_000, "cost": {"amount": 6.0, "currency": "USD"},
        });
        assert_eq!(told, expected);
    }

    #[test]
    fn words_that_came_in_pieces_are_not_said_twice_and_hide_nothing() {
        let (mut maker, model) = (maker(), ModelName::new("a", "b"));
        let said = |text: &str| Event::Said { agent: None, model: model.clone(), text: text.into(), continues: false };
        let piece = Event::Text { agent: None, model: model.clone(), delta: "a\u{1b}[2Jb".into() };
        let told = serde_json::to_value(maker.updates(&piece)).unwrap();
        assert_eq!(told[0]["content"]["text"], "a\\u{1b}[2Jb");
        assert!(maker.updates(&said("ab")).is_empty());
        assert_eq!(maker.updates(&said("in one piece")).len(), 1);
    }
}
