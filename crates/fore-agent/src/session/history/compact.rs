//! Summarises a conversation that grew too long; the plan and the person's last words come through unharmed.

use super::shown_message::ShownMessage;
use crate::session::{
    caller::CallerIdentity,
    drive::{Driver, is_overflow},
    spending::{Asking, CameBack, NotAdmitted},
};
use crate::{
    compaction,
    event::{ContextCutReason, ContextUse, Event, NoticeLevel},
    model_handle::ModelHandle,
    turn::TurnInput,
};
use fore_model::History;
use fore_store::entry::Cut;
use std::sync::Arc;

/// The window that is assumed where a model's own is not known.
const ASSUMED_WINDOW: u64 = 128_000;
/// Tokens that are left free for an answer, in a window that has them.
const MIN_FOR_ANSWER: u64 = 2_048;
/// Fewer than the four that a token of English has: code has more tokens.
const BYTES_PER_TOKEN: u64 = 3;

/// Why a conversation is summarised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CompactionCause {
    /// The person wants it.
    Asked,
    /// It fills its window.
    NoRoom,
}

impl CompactionCause {
    /// As hooks know it.
    fn name(self) -> &'static str {
        match self {
            CompactionCause::Asked => "manual",
            CompactionCause::NoRoom => "auto",
        }
    }
}

impl Driver {
    /// Whether the share of the context is reached at which a history is summarised.
    pub(crate) fn is_nearly_full(&mut self, model: &ModelHandle) -> bool {
        let percent = u64::from(self.context.setup.live().settings.compact_at_percent);
        if percent == 0 || matches!(model, ModelHandle::Scout) {
            return false;
        }
        let window = model.window().unwrap_or(ASSUMED_WINDOW);
        let tokens = self.conversation.estimate();
        // In a small window the share that is left would be too little for an answer.
        let for_answer = (window / 4).min(MIN_FOR_ANSWER);
        tokens.saturating_mul(100) >= window.saturating_mul(percent) || tokens + for_answer > window
    }

    /// Summarises what was said; the pending words of the person stay as they are.
    pub(crate) async fn compact(&mut self, keep: &str, cause: CompactionCause) -> Result<(), String> {
        if matches!(self.caller.identity, CallerIdentity::Agent { .. }) {
            return self.summarise(keep).await;
        }
        self.hooks_before_compaction(cause.name(), keep).await?;
        self.context.person.events.send(Event::SummaryStarted);
        let summarised = self.summarise(keep).await;
        self.context.person.events.send(Event::SummaryEnded);
        if summarised.is_ok() {
            self.hooks_after_compaction(cause.name()).await;
        }
        summarised
    }

    /// Makes a history shorter that a model refused as too long: by a summary first, else by leaving out the oldest parts.
    pub(crate) async fn make_room(&mut self, why: &str, shorten: bool) -> TurnInput {
        let failed = if shorten {
            Err("its summary is still too long".to_owned())
        } else {
            self.context.person.notice(NoticeLevel::Info, format!("Summarising the conversation: {why}"));
            self.compact("", CompactionCause::NoRoom).await
        };
        let made = match failed {
            Ok(()) => Ok(()),
            Err(_) if self.caller.cancel.is_cancelled() => return TurnInput::Interrupted,
            Err(why) => self.shorten(&why),
        };
        match made {
            Ok(()) => TurnInput::Compacted,
            Err(why) => TurnInput::CompactionFailed { why },
        }
    }

    /// Cuts without a model: what the person asked and the newest steps stay, as far as half of the window holds them.
    pub(crate) fn shorten(&mut self, why: &str) -> Result<(), String> {
        let model = self.answering().0;
        let half = self.bytes_beside_head(&model) / 2;
        let history = self.conversation.full_history();
        let kept = compaction::by_program(&history, half);
        let text = format!(
            "The history could not be summarised ({why}). Its oldest parts were left out; your prompts and the plan are kept."
        );
        self.context.person.notice(NoticeLevel::Warning, text);
        self.start_from(kept, ContextCutReason::Shortened)
    }

    fn answering(&self) -> (ModelHandle, fore_model::Duty) {
        self.model.clone().unwrap_or_else(|| {
            let duty = self.context.duty();
            (self.context.work.model(duty), duty)
        })
    }

    /// Bytes of a history that fit the window beside the system text and the tools, with room for an answer.
    fn bytes_beside_head(&self, model: &ModelHandle) -> usize {
        let window = model.window().unwrap_or(ASSUMED_WINDOW);
        let head = fore_model::ModelRequest::new(Arc::clone(self.conversation.head()), History::new());
        let taken = head.estimated_tokens().likely() + (window / 4).min(MIN_FOR_ANSWER);
        let tokens = window.saturating_sub(taken).max(window / 8);
        usize::try_from(tokens.saturating_mul(BYTES_PER_TOKEN)).unwrap_or(usize::MAX)
    }

    async fn summarise(&mut self, keep: &str) -> Result<(), String> {
        let (model, duty) = self.answering();
        if matches!(model, ModelHandle::Scout) {
            return Err("the scout reads a history of any length, so it needs no summary".into());
        }
        let whole = self.conversation.full_history();
        // What does not fit as it is, is not even sent.
        let room = self.bytes_beside_head(&model) * 2 / 3;
        let is_too_long = self.conversation.estimate() > model.window().unwrap_or(ASSUMED_WINDOW);
        let mut history = if is_too_long { compaction::shrink(&whole, room) } else { whole.clone() };
        let mut summary = None;
        for share in [1, 2, 4, 8] {
            let request = compaction::request(&history, Arc::clone(self.conversation.head()), keep);
            let admitted = self.context.admit(&self.caller.cancel, (&model, &request), Asking::AtCap).await;
            let admitted = match admitted {
                Ok(admitted) => admitted,
                Err(NotAdmitted::OverBudget { why }) => return Err(why),
                Err(NotAdmitted::Interrupted) => return Err("it was interrupted".into()),
            };
            let asked = model.summary(&request, (duty, &admitted), &self.context.person.events);
            let said = tokio::select! {
                biased;
                () = self.caller.cancel.cancelled() => return Err("it was interrupted".into()),
                said = asked => said,
            };
            match said {
                Ok(answer) => {
                    let bytes = answer.text().len();
                    let came = CameBack { model: &model, request: &request, usage: answer.usage, bytes };
                    self.context.count(&self.caller.identity, &came, None);
                    summary = compaction::summary(&answer.text());
                    break;
                }
                // The refusal may have told how much fits.
                Err(error) if is_overflow(&error) => {
                    history = compaction::shrink(&whole, self.bytes_beside_head(&model) * 2 / 3 / share);
                }
                Err(error) => return Err(error.to_string()),
            }
        }
        let summary = summary.ok_or("the model gave no summary")?;
        self.start_from(summary, ContextCutReason::Summarised)
    }

    /// How full the context is as far as can be told before the model has answered; nothing where nothing was said.
    pub(crate) fn estimate_context(&mut self) {
        let model = self.context.work.model(self.context.duty());
        let tokens = if self.conversation.is_new() { 0 } else { self.conversation.estimate() };
        self.context.work.set_context_use(ContextUse { tokens, window: model.window(), estimated: true });
    }

    fn start_from(&mut self, summary: String, why: ContextCutReason) -> Result<(), String> {
        let first = compaction::first_message(&summary);
        let is_main = matches!(self.caller.identity, CallerIdentity::Main);
        if is_main {
            let cut = self.context.ledger.session().cut_context(Cut::Compacted { summary });
            cut.map_err(|error| error.to_string())?;
        }
        let words = self.conversation.cut();
        self.conversation.add_text(first);
        if is_main {
            self.context.forget_what_was_read();
            // The plan and the workflow come back at once, in the same message (K5).
            for reminder in self.context.due_reminders() {
                self.remind(&reminder);
            }
            self.introduce();
            self.context.person.events.send(Event::ContextCut { why });
        }
        for (speaker, block) in words {
            self.add_spoken(speaker, block, Some(&ShownMessage::Nothing));
        }
        Ok(())
    }
}
