//! What is true in a session and written down: the state, the conversation, the plan with its revisions, the audit log.

mod audit;
mod baseline;
mod mode_cause;
mod plan_file;
mod plan_name;

pub(super) use mode_cause::ModeCause;
pub(super) use plan_file::{changed_since, lost_notice};

use crate::{
    event::{Event, NoticeLevel},
    event_channel::EventSender,
    lock::lock,
};
use baseline::Baseline;
use fore_model::{Block, Message, Role};
use fore_plan::{
    Applied, Change, State,
    approval::{Comment, RequestId},
};
use fore_store::{
    Session, StoreError,
    audit::AuditLine,
    entry::{Speaker, StoredMessage},
};
use std::sync::{Arc, Mutex, MutexGuard};

/// Letters of the model's last words that a report quotes.
const MAX_LAST_WORDS: usize = 1_000;

/// Messages that the classifier is shown.
const MAX_RECENT: usize = 12;

/// The record of a session.
#[derive(Debug)]
pub(crate) struct Ledger {
    session: Mutex<Session>,
    /// The workspace as it was when planning began.
    pub(crate) baseline: Baseline,
    /// The newest prompt of the person, cut.
    task: Mutex<String>,
    events: EventSender,
}

/// A change that was recorded, and what follows from it for everybody else.
#[derive(Debug)]
pub(super) struct RecordedChange {
    pub(super) applied: Applied,
    /// The request that waited before and waits no longer.
    pub(super) void: Option<RequestId>,
    pub(super) planning_began: bool,
}

impl Ledger {
    pub(super) fn new(session: Session, events: EventSender) -> Ledger {
        Ledger { session: Mutex::new(session), baseline: Baseline::default(), task: Mutex::default(), events }
    }

    /// The state as it is at this moment.
    pub(crate) fn state(&self) -> Arc<State> {
        Arc::clone(self.session().state())
    }

    /// Whether planning is on: what decides which model answers and which words are told. The gate decides the rest.
    pub(crate) fn is_planning(&self) -> bool {
        self.session().state().pre_plan_mode().is_some()
    }

    pub(crate) fn session(&self) -> MutexGuard<'_, Session> {
        lock(&self.session)
    }

    /// Whether planning would begin with this change.
    pub(super) fn would_begin_planning(&self, change: &Change) -> bool {
        let before = self.state();
        let mut after = State::clone(&before);
        let _ = after.apply(change);
        before.pre_plan_mode().is_none() && after.pre_plan_mode().is_some()
    }

    /// Saves a change, folds it in, and tells everybody if it is a change of mode.
    pub(super) fn record(&self, change: Change) -> Result<RecordedChange, StoreError> {
        let cause = ModeCause::of(&change);
        let mut session = self.session();
        let before = Arc::clone(session.state());
        let applied = session.record(change)?;
        let after = Arc::clone(session.state());
        let is_side_effect = matches!(cause, ModeCause::SideEffect(_));
        let event = cause.event(before.mode(), after.mode(), applied);
        if let Some(event) = event.as_ref().filter(|_| is_side_effect) {
            let line = AuditLine::mode(session.id(), event.clone());
            session.audit_line(line);
        }
        // Still under the lock: two changes at once are told in the order in which they hold.
        if let Some(event) = event {
            self.events.send(Event::ModeChanged(event));
        }
        let missing = session.take_unaudited();
        drop(session);
        self.report_unaudited(missing);
        let waits = after.pending().map(|pending| &pending.request);
        let void = before.pending().map(|pending| &pending.request).filter(|waited| waits != Some(waited)).cloned();
        let planning_began = before.pre_plan_mode().is_none() && after.pre_plan_mode().is_some();
        Ok(RecordedChange { applied, void, planning_began })
    }

    /// What the person remarked on the revision before.
    pub(crate) fn earlier_comments(&self) -> Vec<Comment> {
        self.session().state().plan().map(|plan| plan.comments.clone()).unwrap_or_default()
    }

    /// The end of the conversation, for the classifier.
    pub(crate) fn recent(&self) -> Vec<Message> {
        let session = self.session();
        let conversation = session.conversation();
        let start = conversation.len().saturating_sub(MAX_RECENT);
        let message = |saved: &StoredMessage| {
            let role = if saved.speaker == Speaker::Model { Role::Assistant } else { Role::User };
            let blocks: Vec<Block> = serde_json::from_str(saved.content.get()).ok()?;
            Some(Message { role, blocks })
        };
        conversation.iter().skip(start).filter(|saved| !saved.meta).filter_map(message).collect()
    }

    /// What the model said last, shortened.
    pub(crate) fn last_words(&self) -> Option<String> {
        let is_said = |message: &Message| message.role == Role::Assistant;
        let text = |message: &Message| {
            let words: String = message
                .blocks
                .iter()
                .map(|block| match block {
                    Block::Text(said) => said.text.as_str(),
                    Block::Image(_) | Block::ToolUse(_) | Block::ToolResult(_) | Block::Reasoning(_) => "",
                })
                .collect();
            Some(fore_text::cut::ellipsis(words.trim(), MAX_LAST_WORDS).into_owned()).filter(|words| !words.is_empty())
        };
        self.recent().iter().rev().filter(|message| is_said(message)).find_map(text)
    }

    /// Puts everything on disk; trouble is told.
    pub(super) fn sync(&self) {
        let synced = self.session().sync();
        if let Err(error) = synced {
            self.events.notice(NoticeLevel::Error, error.to_string());
        }
    }
}
